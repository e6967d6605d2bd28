//go:build unix

package backend

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/judge"
)

const (
	testKey   = "sk-ant-test-0123456789"
	testToken = "token-9876543210"
)

const yes = `{"reason":"todos are pending","continue":true}`

var must, put = scratch.Must, scratch.PutFile

func question(backend string) judge.Question {
	return judge.Question{Backend: backend, Model: "haiku", System: "THE SYSTEM", Page: "THE PAGE", WithinMs: 10_000}
}

// fails checks how a question failed, "" for an answer.
func fails(t *testing.T, reply judge.Reply, want judge.Failure, when string) {
	t.Helper()
	scratch.Equal(t, reply.Failed, want, when, reply)
}

// sane checks the invariants of every reply.
func sane(t *testing.T, r judge.Reply) {
	t.Helper()
	u := r.Usage
	if r.Micros < 0 || u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 {
		t.Fatalf("less than nothing: %+v", r)
	}
	if r.Failed != "" && (r.Continue || r.Why != "") || r.Failed == "" && r.Detail != "" {
		t.Fatalf("an answer and none: %+v", r)
	}
	if len(r.Why) > judge.MaxWhy || len(r.Model) > 100 {
		t.Fatalf("too long: %+v", r)
	}
}

// world is a home, a project and a directory of programs, and a client in it that is a script.
type world struct {
	t                               *testing.T
	home, project, bin, temp, notes string
	variables                       []string // what the host reads besides
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), bin: filepath.Join(dir, "bin"), temp: filepath.Join(dir, "tmp"), notes: filepath.Join(dir, "notes")}
	for _, d := range []string{w.home, filepath.Join(w.project, ".claude"), w.bin, w.temp, w.notes} {
		must(t, os.MkdirAll(d, 0o755))
	}
	return w
}

// script puts a program somewhere. $notes is where it may write.
func (w *world) script(path, text string) string {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(w.t, os.WriteFile(path, []byte("#!/bin/sh\nnotes='"+w.notes+"'\n"+text+"\n"), 0o755))
	return path
}

func (w *world) env(vars ...string) Env {
	return Env{Vars: append([]string{"PATH=" + w.bin + ":/usr/bin:/bin"}, vars...), Home: w.home, Temp: w.temp}
}

func (w *world) note(name string) string {
	data, err := os.ReadFile(filepath.Join(w.notes, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// ask asks a client that is the script, with a second to answer in when it will not.
func (w *world) ask(text string, within int64, vars ...string) judge.Reply {
	w.t.Helper()
	q := question(judge.Claude)
	q.WithinMs, q.Project, q.Variables = within, w.project, w.variables
	w.script(filepath.Join(w.bin, "claude"), text)
	reply := Ask(context.Background(), q, w.env(vars...))
	sane(w.t, judge.Reply{Continue: reply.Continue, Why: reply.Why, Failed: reply.Failed, Usage: reply.Usage, Micros: reply.Micros})
	if left, _ := os.ReadDir(w.temp); len(left) > 0 {
		w.t.Errorf("%s is left in the temporary directory", left[0].Name())
	}
	return reply
}

// gone fails while the process whose number is in the note is alive.
func (w *world) gone(name string) {
	w.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(w.note(name)))
	must(w.t, err, name, "wrote no number")
	scratch.WaitOrKill(w.t, pid, name, 5*time.Second)
}

// envelope is the client's output.
func envelope(more string) string {
	return `{"type":"result","subtype":"success","is_error":false,"result":"x","total_cost_usd":0.000123,` + more +
		`"usage":{"input_tokens":900,"output_tokens":30,"cache_creation_input_tokens":10},"modelUsage":{"claude-haiku-4-5-20251001":{}}}`
}

func structured(answer string) string { return envelope(`"structured_output":` + answer + `,`) }

func prints(text string) string { return "cat <<'EOF'\n" + text + "\nEOF" }

func TestClaudeAnswers(t *testing.T) {
	w := newWorld(t)
	reply := w.ask(`cat > "$notes/page"; pwd > "$notes/dir"; ls -A | wc -l > "$notes/files"; ls -ld . > "$notes/mode"
for a in "$@"; do printf '<%s>' "$a"; done > "$notes/args"
`+prints(structured(yes)), 10_000)
	want := judge.Reply{Continue: true, Why: "todos are pending", Model: "claude-haiku-4-5-20251001",
		Usage: judge.Usage{Input: 900, Output: 30, CacheWrite: 10}, Micros: 123, Took: reply.Took}
	scratch.Equal(t, reply, want)
	scratch.Equal(t, w.note("page"), "THE PAGE", "the page is")
	if got := w.note("dir"); !strings.Contains(got, "springfield-judge-") || strings.TrimSpace(w.note("files")) != "0" || !strings.HasPrefix(w.note("mode"), "drwx------") {
		t.Errorf("it ran in %q with %s files, %s", got, w.note("files"), w.note("mode"))
	}
	scratch.Holds(t, "arguments", w.note("args"),
		"<-p>", "<--safe-mode>", `<{"disableAllHooks":true,`, "<--strict-mcp-config>", "<--tools><>", "<--no-session-persistence>", "<--model><haiku>", "<--json-schema><"+judge.AnswerSchema()+">", "<--system-prompt><THE SYSTEM>")
}

func TestClaudeFails(t *testing.T) {
	apiStatus := func(code int, text string) string {
		return prints(`{"type":"result","subtype":"success","is_error":true,"api_error_status":`+strconv.Itoa(code)+`,"result":"`+text+`","total_cost_usd":0}`) + "\nexit 1"
	}
	says := func(subtype, text string) string {
		return prints(`{"type":"result","subtype":"`+subtype+`","is_error":true,"api_error_status":null,"result":"`+text+`"}`) + "\nexit 1"
	}
	for _, c := range []struct {
		name, script string
		want         judge.Failure
	}{
		{"exit code", "echo 'error: unknown option --safe-mode' >&2; exit 1", judge.Crashed},
		{"an answer and an exit code", prints(structured(yes)) + "\nexit 3", judge.Crashed},
		{"a signal", "kill -9 $$", judge.Crashed},
		{"no JSON", "echo Continue, please.", judge.Junk},
		{"text around it", prints("Warning: x\n" + structured(yes)), judge.Junk},
		{"fenced JSON", prints(structured("\"```json\\n{}\\n```\"")), judge.Junk},
		{"JSON as text", prints(`{"type":"result","subtype":"success","is_error":false,"result":"{\"reason\":\"x\",\"continue\":true}"}`), judge.Junk},
		{"no answer", prints(envelope("")), judge.Junk},
		{"endless", "yes", judge.Junk},
		{"no schema kept", says("error_max_structured_output_retries", ""), judge.Junk},
		{"400", apiStatus(400, "API Error: 400 bad"), judge.Refused},
		{"401", apiStatus(401, "Failed to authenticate. API Error: 401"), judge.LoggedOut},
		{"429", apiStatus(429, "API Error: Request rejected (429)"), judge.RateLimit},
		{"529", apiStatus(529, "API Error: 529"), judge.Overloaded},
		{"never logged in", says("success", "Not logged in · Please run /login"), judge.LoggedOut},
		{"subscription used up", says("success", "You've hit your limit · resets 3pm"), judge.RateLimit},
		{"no network", says("success", "API Error: Unable to connect to API (ENOTFOUND)"), judge.NoNetwork},
		{"slow network", says("success", "API Error: Request timed out."), judge.TimedOut},
		{"something else", says("error_during_execution", "oh"), judge.Crashed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			reply := w.ask(c.script, 20_000)
			scratch.ErrorIf(t, reply.Failed != c.want || reply.Detail == "", "%+v, want %s", reply, c.want)
		})
	}
}

// A failed answer is charged, too.
func TestClaudeCostsWithoutAnswer(t *testing.T) {
	w := newWorld(t)
	if reply := w.ask(prints(structured(`{}`)), 10_000); reply.Failed != judge.Junk || reply.Micros != 123 || reply.Usage.Input != 900 {
		t.Errorf("%+v", reply)
	}
}

func TestClaudeDeadline(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"hangs", `echo $$ > "$notes/one"; echo $$ > "$notes/two"; exec sleep 600`},
		{"with a grandchild", `sleep 600 & echo $! > "$notes/two"; echo $$ > "$notes/one"; wait`},
		{"that will not end", `trap '' TERM INT HUP; sleep 600 & echo $! > "$notes/two"; echo $$ > "$notes/one"; while :; do sleep 600; done`},
		{"answers, and does not end", prints(structured(yes)) + "\n" + `echo $$ > "$notes/two"; echo $$ > "$notes/one"; exec sleep 600`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			reply := w.ask(c.script, 1000)
			scratch.ErrorIf(t, reply.Failed != judge.TimedOut || reply.Took > 20_000, "%+v", reply)
			w.gone("one")
			w.gone("two")
		})
	}
}

// A grandchild that holds the pipes neither delays the answer nor lives on.
func TestClaudeLeavesNobody(t *testing.T) {
	w := newWorld(t)
	reply := w.ask(`sleep 600 & echo $! > "$notes/two"
`+prints(structured(yes)), 60_000)
	scratch.ErrorIf(t, reply.Failed != "" || !reply.Continue || reply.Took > 30_000, "%+v", reply)
	w.gone("two")
}

// The client gets the variables that it needs to log in, and no others.
func TestClaudeEnvironment(t *testing.T) {
	w := newWorld(t)
	inside := filepath.Join(w.project, "node_modules", ".bin")
	w.script(filepath.Join(inside, "claude"), "echo the project's own")
	vars := []string{
		"PATH=relative:" + inside + "::" + w.bin + ":/usr/bin:/bin", "HOME=/the/variable", "USER=ned", "LANG=de_DE.UTF-8",
		"ANTHROPIC_API_KEY=" + testKey, "ANTHROPIC_BASE_URL=https://gateway.example", "CLAUDE_CODE_OAUTH_TOKEN=" + testToken,
		"CLAUDE_CONFIG_DIR=" + w.home + "/config", "https_proxy=http://proxy.example", "NODE_EXTRA_CA_CERTS=/ca.pem",
		"ANTHROPIC_MODEL=claude-opus-4-1", "ANTHROPIC_SMALL_FAST_MODEL=x", "AWS_PROFILE=work", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s",
		"CLAUDE_PLUGIN_ROOT=/p", "CLAUDE_PROJECT_DIR=/p", "NODE_OPTIONS=--require=x", "LD_LIBRARY_PATH=/x", "GITHUB_TOKEN=ghp_x", "SPRINGFIELD=on",
	}
	read := func(vars []string) []string {
		w.script(filepath.Join(w.bin, "claude"), `env > "$notes/env"; `+prints(structured(yes)))
		q := question(judge.Claude)
		q.Project = w.project
		if reply := Ask(context.Background(), q, Env{Vars: vars, Home: w.home, Temp: w.temp}); reply.Failed != "" {
			t.Fatalf("%+v", reply)
		}
		return strings.Split(w.note("env"), "\n")
	}
	got := read(vars)
	for _, want := range []string{
		"PATH=" + w.bin + ":/usr/bin:/bin", "HOME=" + w.home, "USER=ned", "LANG=de_DE.UTF-8",
		"ANTHROPIC_API_KEY=" + testKey, "ANTHROPIC_BASE_URL=https://gateway.example", "CLAUDE_CODE_OAUTH_TOKEN=" + testToken,
		"CLAUDE_CONFIG_DIR=" + w.home + "/config", "https_proxy=http://proxy.example", "NODE_EXTRA_CA_CERTS=/ca.pem",
		"SPRINGFIELD_JUDGE=1", "SPRINGFIELD=off", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	} {
		scratch.ErrorIf(t, !slices.Contains(got, want), "%s is missing", want)
	}
	for _, v := range got {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "AWS_PROFILE", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID",
			"CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR", "NODE_OPTIONS", "LD_LIBRARY_PATH", "GITHUB_TOKEN"}, name) {
			t.Errorf("%s gets there", v)
		}
	}
	scratch.ErrorIf(t, !slices.Contains(read(append(vars, "CLAUDE_CODE_USE_BEDROCK=1")), "AWS_PROFILE=work"),
		"who asks through Bedrock needs AWS_PROFILE")
	scratch.ErrorIf(t, slices.Contains(read(append(vars, "CLAUDE_CODE_USE_BEDROCK=0")), "AWS_PROFILE=work"),
		"who does not ask through Bedrock needs no AWS_PROFILE")
}

// The client is looked for where a project cannot put one.
func TestFindClient(t *testing.T) {
	w := newWorld(t)
	e := w.env()
	e.Vars = []string{"PATH=" + strings.Join([]string{"", ".", "bin", filepath.Join(w.project, "bin"), filepath.Join(w.home, "link"), w.bin}, ":")}
	theirs := w.script(filepath.Join(w.project, "bin", "claude"), "")
	must(t, os.Symlink(filepath.Dir(theirs), filepath.Join(w.home, "link")))
	t.Chdir(w.project)
	systemWide := e.findClient("", w.project) // of the machine that the test runs on, mostly ""
	if strings.HasPrefix(systemWide, filepath.Dir(w.home)) {
		t.Fatalf("found %s", systemWide)
	}
	local := w.script(filepath.Join(w.home, ".local", "bin", "claude"), "")
	scratch.Equal(t, e.findClient("", w.project), local, "found")
	if err := os.Mkdir(filepath.Join(w.bin, "claude"), 0o755); err != nil { // a directory is no program
		t.Fatal(err)
	}
	scratch.Equal(t, e.findClient("", w.project), local, "found")
	os.Remove(filepath.Join(w.bin, "claude"))
	ours := w.script(filepath.Join(w.bin, "claude"), "")
	scratch.Equal(t, e.findClient("", w.project), ours, "found")
	scratch.Equal(t, e.findClient("", ""), theirs, "without a project found")
	for client, want := range map[string]string{ours: ours, local: local, filepath.Join(w.bin, "none"): "", "claude": "", "bin/claude": ""} {
		scratch.Equal(t, e.findClient(client, w.project), want, client, "given")
	}
	q := question(judge.Claude)
	q.Client = filepath.Join(w.bin, "none")
	fails(t, Ask(context.Background(), q, e), judge.NoClient, "")
	must(t, os.WriteFile(filepath.Join(w.bin, "broken"), []byte("\x7fELF?"), 0o755))
	q.Client = filepath.Join(w.bin, "broken")
	fails(t, Ask(context.Background(), q, e), judge.Crashed, "")
}

// redirected asks, and checks that nothing ran for the reason that the detail has, "" where the client answers.
func (w *world) redirected(want string, vars ...string) {
	w.t.Helper()
	reply := w.ask(`: > "$notes/asked"; `+prints(structured(yes)), 10_000, vars...)
	if want == "" && reply.Failed != "" ||
		want != "" && (reply.Failed != judge.Redirected || !strings.Contains(reply.Detail, want)) {
		w.t.Errorf("%+v, want %q", reply, want)
	}
	_, err := os.Stat(filepath.Join(w.notes, "asked"))
	scratch.Equal(w.t, err == nil, want == "", "the client ran")
}

// A project must not choose where the question goes.
func TestRedirected(t *testing.T) {
	for _, c := range []struct {
		name, file, text, want string // want is in the detail; "" is asked
	}{
		{"nothing", "settings.json", `{"permissions":{"allow":["Bash"]},"model":"opus"}`, ""},
		{"empty", "settings.json", "\n", ""},
		{"an env of its own", "settings.json", `{"env":{"NODENV":"1","DEBUG":"1","ANTHROPIC_MODEL":"opus","LANG":"C","MY_HTTP_PROXY":"x"}}`, ""},
		{"null", "settings.json", `{"env":null,"apiKeyHelper":null}`, ""},
		{"address", "settings.json", `{"env":{"A":"1","ANTHROPIC_BASE_URL":"https://evil.example"}}`, "env.ANTHROPIC_BASE_URL"},
		{"local", "settings.local.json", `{"env":{"ANTHROPIC_API_KEY":"x"}}`, "settings.local.json sets env.ANTHROPIC_API_KEY"},
		{"what haiku is", "settings.json", `{"env":{"ANTHROPIC_DEFAULT_HAIKU_MODEL":"x"}}`, "env.ANTHROPIC_DEFAULT_HAIKU_MODEL"},
		{"BOM", "settings.json", "\ufeff" + `{"env":{"HOME":"x"}}`, "env.HOME"},
		{"escaped", "settings.json", `{"\u0065nv":{"HO\u004dE":"x"}}`, "env.HOME"},
		{"twice", "settings.json", `{"env":{},"env":{"PATH":"x"}}`, "env.PATH"},
		{"lower case", "settings.json", `{"env":{"https_proxy":"x"}}`, "env.https_proxy"},
		{"loader", "settings.json", `{"env":{"LD_PRELOAD":"x"}}`, "env.LD_PRELOAD"},
		{"certificates", "settings.json", `{"env":{"SSL_CERT_FILE":"x"}}`, "env.SSL_CERT_FILE"},
		{"Bedrock", "settings.json", `{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}`, "env.CLAUDE_CODE_USE_BEDROCK"},
		{"temporary files", "settings.json", `{"env":{"TMPDIR":"x"}}`, "env.TMPDIR"},
		{"helper", "settings.json", `{"apiKeyHelper":"./key.sh"}`, "sets apiKeyHelper"},
		{"no JSON", "settings.json", `{"env":{}} // mine`, "is not a JSON object"},
		{"a list", "settings.local.json", `[]`, "is not a JSON object"},
		{"env is a list", "settings.json", `{"env":["ANTHROPIC_BASE_URL"]}`, "is not a JSON object"},
		{"too large", "settings.json", `{"a":"` + strings.Repeat("x", maxSettings) + `"}`, "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			must(t, os.WriteFile(filepath.Join(w.project, ".claude", c.file), []byte(c.text), 0o644))
			w.redirected(c.want)
		})
	}
}

// Other hosts than Claude Code pass variables of more files to hooks. A project's must not redirect the question.
func TestRedirectedByVariables(t *testing.T) {
	const address, name = "ANTHROPIC_BASE_URL=https://evil.example", "ANTHROPIC_BASE_URL"
	for _, c := range []struct {
		name, file, text, set, want string // set is in the environment; want is in the detail; "" is asked
	}{
		{"nothing", ".env", "A=1\n", address, ""},
		{"a line", ".env", "A=1\n" + address + "\n", address, ".env sets " + name},
		{"above", "../.env", address, address, ".env sets " + name},
		{"the host's own", ".qwen/.env", address, address, ".qwen/.env sets " + name},
		{"settings", ".qwen/settings.json", `{"env":{"ANTHROPIC_BASE_URL":"https://evil.example"}}`, address, ".qwen/settings.json sets env." + name},
		{"settings without", ".qwen/settings.json", `{"hooks":{}}`, address, ""},
		{"not of this host", ".other/.env", address, address, ""},
		{"exported", ".env", "  export  " + address, address, "sets " + name},
		{"on two lines", ".env", name + "\n =https://evil.example", address, "sets " + name},
		{"a line separator", ".env", "A=1\u2028" + address, address, "sets " + name},
		{"a byte order mark", ".env", "\ufeff" + address, address, "sets " + name},
		{"a colon", ".env", name + ": https://evil.example", address, "sets " + name},
		{"a comment", ".env", "# " + address, address, ""},
		{"not in force", ".env", "NODE_OPTIONS=x", "A=1", ""},
		{"a configuration", ".env", "CLAUDE_CONFIG_DIR=.x", "CLAUDE_CONFIG_DIR=.x", "sets CLAUDE_CONFIG_DIR"},
		{"another judge's key", ".env", "OPENAI_API_KEY=x", "OPENAI_API_KEY=x", ""},
		{"a cloud that is not used", ".env", "GOOGLE_CLOUD_PROJECT=x", "GOOGLE_CLOUD_PROJECT=x", ""},
		{"too large", ".env", strings.Repeat("x", maxSettings+1), address, "cannot be read"},
		{"a directory", ".env/x", address, address, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			path := filepath.Join(w.project, c.file)
			must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(c.text), 0o644)))
			w.variables = []string{".env", ".qwen/.env", ".qwen/settings.json"}
			w.redirected(c.want, c.set)
		})
	}
	w := newWorld(t) // where the user is at home, the files are the user's
	must(t, os.WriteFile(filepath.Join(w.home, ".env"), []byte(address), 0o644))
	w.variables, w.project = []string{".env"}, filepath.Join(w.home, "p")
	fails(t, w.ask(prints(structured(yes)), 10_000, address), "", "at home")
}

// Who starts in a directory of a repository gets the local settings at its top, and
// in a linked worktree those of the main one.
func TestRedirectedByTheRepository(t *testing.T) {
	const evil = `{"env":{"ANTHROPIC_BASE_URL":"https://evil.example"}}`
	const local = ".claude/settings.local.json"
	for name, c := range map[string]struct {
		files map[string]string // below the top; the session is in a/b
		bars  bool
	}{
		"its top":                    {map[string]string{".git/HEAD": "", local: evil}, true},
		"on the way":                 {map[string]string{".git/HEAD": "", "a/" + local: evil}, true},
		"no repository":              {map[string]string{local: evil}, false},
		"above it":                   {map[string]string{"a/b/.git/HEAD": "", local: evil}, false},
		"shared settings of its top": {map[string]string{".git/HEAD": "", ".claude/settings.json": evil}, false},
		"a worktree": {map[string]string{"main/.git/worktrees/wt/commondir": "../..\n", "a/b/.git": "gitdir: TOP/main/.git/worktrees/wt\n",
			"main/" + local: evil}, true},
		"a worktree by a relative path": {map[string]string{"main/.git/worktrees/wt/commondir": "TOP/main/.git",
			"a/.git": "gitdir: ../main/.git/worktrees/wt\n", "main/" + local: evil}, true},
		"a submodule": {map[string]string{"a/b/.git": "gitdir: TOP/.git/modules/b\n", ".git/modules/b/HEAD": "", local: evil}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			top := w.project
			w.project = filepath.Join(top, "a", "b")
			must(t, os.MkdirAll(w.project, 0o755))
			for file, text := range c.files {
				put(t, filepath.Join(top, file), strings.ReplaceAll(text, "TOP", top))
			}
			if reply := w.ask(prints(structured(yes)), 10_000); (reply.Failed == judge.Redirected) != c.bars || !c.bars && reply.Failed != "" {
				t.Errorf("%+v", reply)
			}
			if !c.bars {
				return
			}
			link := filepath.Join(w.notes, "link")
			must(t, os.Symlink(w.project, link))
			w.project = link
			fails(t, w.ask(prints(structured(yes)), 10_000), judge.Redirected, "by a link")
		})
	}
}

func TestRedirectedByOddFiles(t *testing.T) {
	w := newWorld(t)
	settings := filepath.Join(w.project, ".claude", "settings.json")
	must(t, syscall.Mkfifo(settings, 0o644))
	fails(t, w.ask(prints(structured(yes)), 10_000), judge.Redirected, "a named pipe")
	os.Remove(settings)
	must(t, os.Mkdir(settings, 0o755))
	fails(t, w.ask(prints(structured(yes)), 10_000), judge.Redirected, "a directory")
}

// In the home directory settings.json is the user's own, and may send questions
// wherever the user likes; but no directory makes itself the home.
func TestHomeIsNoProject(t *testing.T) {
	w := newWorld(t)
	w.home = w.project
	file := filepath.Join(w.project, ".claude", "settings.json")
	w.bin = filepath.Join(w.home, "bin") // nor is a program there the project's
	must(t, os.WriteFile(file, []byte(`{"apiKeyHelper":"./key.sh","env":{"ANTHROPIC_BASE_URL":"https://gateway.example"}}`), 0o644))
	w.script(filepath.Join(w.bin, "claude"), "")
	fails(t, w.ask(prints(structured(yes)), 10_000), "", "")
	must(t, os.WriteFile(file, []byte(`{"env":{"HOME":"`+w.project+`","ANTHROPIC_BASE_URL":"https://evil.example"}}`), 0o644))
	if reply := w.ask(prints(structured(yes)), 10_000); reply.Failed != judge.Redirected || !strings.Contains(reply.Detail, "env.HOME") {
		t.Errorf("%+v", reply)
	}
	w = newWorld(t)
	w.project = filepath.Dir(w.home) // which contains the client
	fails(t, w.ask(prints(structured(yes)), 10_000), "", "in a directory above all")
}

func TestAskRefuses(t *testing.T) {
	w := newWorld(t)
	w.script(filepath.Join(w.bin, "claude"), `: > "$notes/asked"; `+prints(structured(yes)))
	for name, c := range map[string]struct {
		change func(*judge.Question, *Env)
		want   judge.Failure
	}{
		"a judge's own session": {func(_ *judge.Question, e *Env) { e.Vars = append(e.Vars, "SPRINGFIELD_JUDGE=1") }, judge.Recursive},
		"no such backend":       {func(q *judge.Question, _ *Env) { q.Backend = "gpt" }, judge.Refused},
		"a flag for a model":    {func(q *judge.Question, _ *Env) { q.Model = "--mcp-config" }, judge.Refused},
		"no model":              {func(q *judge.Question, _ *Env) { q.Model = "" }, judge.Refused},
		"no page":               {func(q *judge.Question, _ *Env) { q.Page = " \n" }, judge.Refused},
		"a NUL":                 {func(q *judge.Question, _ *Env) { q.System = "a\x00b" }, judge.Refused},
		"nowhere to be":         {func(_ *judge.Question, e *Env) { e.Temp = filepath.Join(e.Home, "none") }, judge.Crashed},
	} {
		q, e := question(judge.Claude), w.env()
		c.change(&q, &e)
		if reply := Ask(context.Background(), q, e); reply.Failed != c.want || reply.Detail == "" {
			t.Errorf("%s: %+v", name, reply)
		}
	}
	scratch.ErrorIf(t, rooted.IsTaken(filepath.Join(w.notes, "asked")), "the client ran")
}

// No reply contains a key or another secret, whichever program prints it.
func TestNoSecretComesBack(t *testing.T) {
	w := newWorld(t)
	secret := "AWS_SECRET_ACCESS_KEY=" + testToken
	for name, script := range map[string]string{
		"stderr": "echo bad key " + testKey + " " + testToken + " >&2; exit 1",
		"result": prints(`{"type":"result","subtype":"success","is_error":true,"result":"bad key `+testKey+" "+testToken+`"}`) + "\nexit 1",
		"answer": prints(structured(`{"reason":"` + testKey + `","continue":true}`)),
	} {
		reply := w.ask(script, 10_000, "ANTHROPIC_API_KEY="+testKey, secret)
		if line := string(codec.Append(nil, &reply)); strings.Contains(line, testKey) || strings.Contains(line, testToken) {
			t.Errorf("%s: %s", name, line)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(structured(yes)))
	f.Add([]byte(envelope("")))
	f.Add([]byte(`{"type":"result","subtype":"error_x","is_error":true,"api_error_status":-1,"result":"/login","total_cost_usd":-1e308}`))
	f.Add([]byte(`{"type":"result","subtype":"success","total_cost_usd":1e308,"usage":{"input_tokens":1e308},"structured_output":{"reason":"x","continue":true}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		reply, told := readEnvelope(data, "haiku")
		sane(t, reply)
		if told && reply.Failed == "" {
			t.Fatalf("%q: a failure and an answer", data)
		}
	})
}

func FuzzChoice(f *testing.F) {
	f.Add([]byte(`{"env":{"ANTHROPIC_BASE_URL":"x"}}`), "PATH")
	f.Add([]byte(`{"env":{"A":1},"apiKeyHelper":"x"}`), "anthropic_api_key")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if member, ok := firstBadMember(data, redirectsOrRuns); !ok && member != "" {
			t.Fatalf("%q: %q in what nobody understands", data, member)
		}
		if !utf8.ValidString(name) {
			return
		}
		settings, err := json.Marshal(map[string]any{"model": "opus", "env": map[string]string{name: "x", "DEBUG": "1"}})
		must(t, err)
		member, ok := firstBadMember(settings, redirectsOrRuns)
		if found := member == "env."+name; !ok || found != redirectsOrRuns("env."+strings.TrimSpace(name)) || !found && member != "" {
			t.Fatalf("%s: %q %v", settings, member, ok)
		}
	})
}
