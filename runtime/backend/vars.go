package backend

import (
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"
)

// plain are variables that a program needs to run at all and that choose nothing.
func plain() []string { return []string{"LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME"} }

// place are those that say where the user's own things lie.
func place() []string {
	names := []string{"HOME", "PATH", "TMPDIR", "CLAUDE_CONFIG_DIR"}
	if runtime.GOOS == "windows" {
		names = append(names, "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
			"PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
			"PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS", "CLAUDE_CODE_GIT_BASH_PATH")
	}
	return names
}

// route are those that say where a question goes, and on whose account.
func route(name string) bool {
	switch name {
	case "ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_LOG": // choose a model, which we do, or noise
		return false
	case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CLAUDE_CODE_CERT_STORE":
		return true
	}
	for _, prefix := range []string{"ANTHROPIC_", "CLAUDE_CODE_OAUTH_", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLAUDE_CODE_CLIENT_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// cloud are the logins of Bedrock, Vertex and Foundry.
func cloud(name string) bool {
	if name == "CLOUD_ML_REGION" {
		return true
	}
	for _, prefix := range []string{"AWS_", "GOOGLE_", "GCLOUD_", "CLOUDSDK_", "VERTEX_", "AZURE_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// chooses says whether a variable that a project sets would choose where a
// question goes or what runs: all that the client gets from us but the plain
// ones, and what programs obey before they have begun.
func chooses(name string) bool {
	name = strings.ToUpper(name)
	for _, p := range append(place(), "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "COMSPEC", "SYSTEMROOT", "PATHEXT", "GODEBUG", "CLAUDE_CODE_GIT_BASH_PATH") {
		if name == p {
			return true
		}
	}
	for _, prefix := range []string{"NODE_", "BUN_", "LD_", "DYLD_", "SSL_", "CLAUDE_CODE_API_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return route(name) || cloud(name)
}

// clientVars is the environment of the judge's own session, made from named
// variables: what the user's shell or the session around us has beside them does
// not get there. SPRINGFIELD=off says to hooks of older plugins what InJudge
// says to ours.
func (e Env) clientVars(path string, within time.Duration) []string {
	names := append(plain(), place()...)
	provider := false
	for _, v := range e.Vars {
		name, value, _ := strings.Cut(v, "=")
		provider = provider || strings.HasPrefix(strings.ToUpper(name), "CLAUDE_CODE_USE_") && value != "" && value != "0" && !strings.EqualFold(value, "false")
	}
	var vars []string
	for _, v := range e.Vars {
		name, value, ok := strings.Cut(v, "=")
		upper := strings.ToUpper(name)
		if !ok || value == "" || sameName(name, "PATH") || sameName(name, "HOME") {
			continue
		}
		if listed(names, name) || route(upper) || provider && cloud(upper) {
			vars = append(vars, v)
		}
	}
	return append(vars,
		"HOME="+e.Home,
		"PATH="+path,
		judge.InJudge+"=1",
		"SPRINGFIELD=off",
		// No traffic but the one question, and no waiting beyond the deadline even
		// when nobody is left to end it.
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
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS=2000",
		"ENABLE_TOOL_SEARCH=false", // it adds a tool of its own to the request
	)
}

func listed(names []string, name string) bool {
	for _, n := range names {
		if sameName(n, name) {
			return true
		}
	}
	return false
}
