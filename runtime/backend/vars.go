package backend

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"
)

// locationVariables are the variables that say where the user's own things lie.
func locationVariables() []string {
	names := []string{"HOME", "PATH", "TMPDIR", "CLAUDE_CONFIG_DIR"}
	if runtime.GOOS == "windows" {
		names = append(names, "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA",
			"PROGRAMDATA",
			"PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
			"PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "CLAUDE_CODE_GIT_BASH_PATH")
	}
	return names
}

// isRoutingVariable are those that say where a question goes, and on whose account.
func isRoutingVariable(name string) bool {
	switch name {
	case "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_LOG": // choose a model, which we do, or noise
		return false
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CLAUDE_CODE_CERT_STORE":
		return true
	}
	return hasAnyPrefix(name, "ANTHROPIC_", "CLAUDE_CODE_OAUTH_", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_",
		"CLAUDE_CODE_CLIENT_")
}

// isCloudLogin are the logins of Bedrock, Vertex and Foundry.
func isCloudLogin(name string) bool {
	return name == "CLOUD_ML_REGION" || hasAnyPrefix(name, "AWS_", "GOOGLE_", "GCLOUD_", "CLOUDSDK_", "VERTEX_", "AZURE_")
}

func hasAnyPrefix(name string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// choosesDestination says whether a member of a project's settings would choose where a
// question goes or what runs: helpers that log in, and of env all that the client
// gets from us but the plain ones, and what programs obey before they have begun.
func choosesDestination(member string) bool {
	name, ok := strings.CutPrefix(member, "env.")
	if !ok {
		return slices.Contains([]string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh"},
			member)
	}
	name = strings.ToUpper(name)
	if movesHome(member) || slices.Contains(locationVariables(), name) || slices.Contains([]string{"TEMP", "TMP", "COMSPEC", "SYSTEMROOT", "PATHEXT", "GODEBUG", "CLAUDE_CODE_GIT_BASH_PATH"}, name) {
		return true
	}
	return isRoutingVariable(name) || isCloudLogin(name) || hasAnyPrefix(name, "NODE_", "BUN_", "LD_", "DYLD_", "SSL_", "CLAUDE_CODE_API_")
}

// movesHome says whether a member would make another directory the user's home:
// then it is not for that directory to say what is whose.
func movesHome(member string) bool {
	name, ok := strings.CutPrefix(member, "env.")
	return ok && slices.Contains([]string{"HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "CLAUDE_CONFIG_DIR"}, strings.ToUpper(name))
}

// pickVars is the environment of a judge's program, made from named variables and those
// that are picked: what the user's shell or the session around us has beside them does
// not get there. SPRINGFIELD=off says to hooks of older plugins what InJudge
// says to ours.
func (e Env) pickVars(path string, pick func(name string) bool) []string {
	names := append(locationVariables(), "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME") // these choose nothing
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
	return append(vars, "HOME="+e.Home, "PATH="+path, judge.InJudge+"=1", "SPRINGFIELD=off")
}

// clientVars is the environment of Claude Code.
func (e Env) clientVars(path string, within time.Duration) []string {
	provider := e.usesCloud()
	vars := e.pickVars(path, func(name string) bool {
		name = strings.ToUpper(name)
		return isRoutingVariable(name) || provider && isCloudLogin(name)
	})
	return append(vars,
		// No traffic but the one question, and no waiting beyond the deadline even
		// when nothing is left to end it.
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_MAX_RETRIES=1",
		"API_TIMEOUT_MS="+strconv.FormatInt(within.Milliseconds(), 10),
		// Of the page alone, and shortly: 2.1.197 else lets haiku think for 31,999 tokens.
		"CLAUDE_CODE_DISABLE_CLAUDE_MDS=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
		"CLAUDE_CODE_DISABLE_THINKING=1",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(judge.MaxOutput),
		"MAX_STRUCTURED_OUTPUT_RETRIES=1", // the first answer counts: 2.1.197 else asks five times
		"ENABLE_TOOL_SEARCH=false",        // it adds a tool of its own to the request
	)
}

// usesCloud tells whether the client is to ask in a cloud.
func (e Env) usesCloud() bool {
	return slices.ContainsFunc(e.Vars, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return strings.HasPrefix(strings.ToUpper(name), "CLAUDE_CODE_USE_") && value != "" && value != "0" && !strings.EqualFold(value, "false")
	})
}
