package backend

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"
)

func systemVariables() []string {
	names := []string{"HOME", "PATH", "TMPDIR", "CLAUDE_CONFIG_DIR"}
	if runtime.GOOS == "windows" {
		names = append(names, "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA",
			"PROGRAMDATA",
			"PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
			"PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "CLAUDE_CODE_GIT_BASH_PATH")
	}
	return names
}

// isRoutingVariable reports whether a variable can change a question's address, account or trusted certificates.
// upperName is in capitals.
func isRoutingVariable(upperName string) bool {
	named := []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CLAUDE_CODE_CERT_STORE"}
	harmless := []string{"ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_LOG"}
	return slices.Contains(named, upperName) || !slices.Contains(harmless, upperName) &&
		hasAnyPrefix(upperName, "ANTHROPIC_", "CLAUDE_CODE_OAUTH_", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLAUDE_CODE_CLIENT_")
}

// isCloudLogin reports whether a variable belongs to a cloud provider's login. name is in capitals.
func isCloudLogin(name string) bool {
	return name == "CLOUD_ML_REGION" || hasAnyPrefix(name, "AWS_", "GOOGLE_", "GCLOUD_", "CLOUDSDK_", "VERTEX_", "AZURE_")
}

func hasAnyPrefix(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// redirectsOrRuns reports whether a project setting sets where questions go or which program runs: a login helper, or a
// variable in env that programs read, its name in any case.
func redirectsOrRuns(member string) bool {
	name, ok := strings.CutPrefix(member, "env.")
	if !ok {
		return slices.Contains([]string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh"},
			member)
	}
	name = strings.ToUpper(name)
	return movesHome(member) || slices.Contains(systemVariables(), name) ||
		slices.Contains([]string{"TEMP", "TMP", "COMSPEC", "SYSTEMROOT", "PATHEXT", "GODEBUG", "CLAUDE_CODE_GIT_BASH_PATH"}, name) ||
		isRoutingVariable(name) || isCloudLogin(name) || hasAnyPrefix(name, "NODE_", "BUN_", "LD_", "DYLD_", "SSL_", "CLAUDE_CODE_API_")
}

// movesHome reports whether an env member, its name in any case, moves the home or configuration directory.
func movesHome(member string) bool {
	name, ok := strings.CutPrefix(member, "env.")
	return ok && slices.Contains([]string{"HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "CLAUDE_CONFIG_DIR"}, strings.ToUpper(name))
}

// pickVars returns the judge's environment: HOME, PATH set to pathVar, a few safe variables, and those that pick
// accepts. It disables our hooks.
func (e Env) pickVars(pathVar string, pick func(name string) bool) (judgeEnv []string) {
	names := append(systemVariables(), "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME")
	var vars []string
	for _, v := range e.Vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || value == "" || sameName(name, "PATH") || sameName(name, "HOME") {
			continue
		}
		if pick(name) || slices.ContainsFunc(names, func(n string) bool { return sameName(n, name) }) {
			vars = append(vars, v)
		}
	}
	return append(vars, "HOME="+e.Home, "PATH="+pathVar, judge.InJudge+"=1", "SPRINGFIELD=off")
}

func (e Env) clientVars(pathVar string, timeout time.Duration) (judgeEnv []string) {
	provider := e.usesCloud()
	vars := e.pickVars(pathVar, func(name string) bool {
		name = strings.ToUpper(name)
		return isRoutingVariable(name) || provider && isCloudLogin(name)
	})
	return append(vars,
		// No other traffic, and no waiting past the deadline even if nothing ends the client.
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_MAX_RETRIES=1",
		"API_TIMEOUT_MS="+strconv.FormatInt(timeout.Milliseconds(), 10),
		// No input but the page. 2.1.197 would let haiku think for 31,999 tokens.
		"CLAUDE_CODE_DISABLE_CLAUDE_MDS=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
		"CLAUDE_CODE_DISABLE_THINKING=1",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(judge.MaxOutput),
		"MAX_STRUCTURED_OUTPUT_RETRIES=1", // 2.1.197 would ask five times
		"ENABLE_TOOL_SEARCH=false",        // it would add a tool to the request
	)
}

func (e Env) usesCloud() bool {
	return slices.ContainsFunc(e.Vars, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return strings.HasPrefix(strings.ToUpper(name), "CLAUDE_CODE_USE_") && value != "" && value != "0" && !strings.EqualFold(value, "false")
	})
}
