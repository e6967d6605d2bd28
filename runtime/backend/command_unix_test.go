//go:build unix

package backend

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/judge"
)

// command is a question to a program of the user's own that is the script.
func (w *world) command(script string, named ...string) judge.Question {
	w.t.Helper()
	q := question(judge.Command)
	q.Command, q.Named, q.Project = []string{w.script(filepath.Join(w.home, "ask"), script), "-x", "a b"}, named, w.project
	return q
}

func TestCommandAnswers(t *testing.T) {
	w := newWorld(t)
	q := w.command(`cat > "$notes/page"; printf '<%s>' "$@" > "$notes/args"; env > "$notes/env"; ls -A | wc -l > "$notes/files"
echo thinking; echo '{"continue": true, "reason": "no"}'; echo '{"continue": false, "reason": "it is done"}'; echo`, "MY_KEY", "HTTPS_PROXY")
	reply := Ask(t.Context(), q, w.env("MY_KEY=k", "OTHER_KEY=o", "ANTHROPIC_API_KEY="+testKey, "LANG=C", "LD_LIBRARY_PATH=/x", "https_proxy=p", "HTTPS_PROXY=q"))
	scratch.Equal(t, reply, judge.Reply{Why: "it is done", Took: reply.Took})
	scratch.Equal(t, w.note("page"), "THE SYSTEM\nTHE PAGE")
	scratch.Equal(t, w.note("args"), "<-x><a b>")
	scratch.Equal(t, strings.TrimSpace(w.note("files")), "0", "files where it runs")
	var names []string
	for line := range strings.Lines(w.note("env")) {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "_" || name == "PWD" || name == "SHLVL" || name == "OLDPWD" }) // the shell's
	scratch.Equal(t, names, []string{"HOME", "HTTPS_PROXY", "LANG", "MY_KEY", "PATH", "SPRINGFIELD", "SPRINGFIELD_JUDGE"})
}

func TestCommandFails(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		want   judge.Failure
		detail string
	}{
		"nothing":                 {"true", judge.Junk, "the answer is not a JSON object"},
		"a complaint":             {"echo no route to Shelbyville >&2", judge.Junk, "it says: no route to Shelbyville"},
		"more behind it":          {prints(yes) + "; echo done", judge.Junk, ""},
		"a fence":                 {prints("```\n" + yes + "\n```"), judge.Junk, ""},
		"another form":            {`echo '{"why": "x", "continue": true}'`, judge.Junk, `"why" does not match`},
		"an answer and exit code": {prints(yes) + "\nexit 3", judge.Crashed, "ask ended with exit status 3"},
		"a key that it repeats":   {`echo "bad $MY_KEY" >&2; exit 1`, judge.Crashed, "bad …"},
		"endless":                 {"yes", judge.Junk, "more than 1 MB"},
		"slow":                    {`echo $$ > "$notes/one"; exec sleep 600`, judge.TimedOut, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			q := w.command(test.script, "MY_KEY")
			if q.WithinMs = 20_000; test.want == judge.TimedOut {
				q.WithinMs = 1000
			}
			reply := Ask(t.Context(), q, w.env("MY_KEY="+testKey))
			sane(t, reply)
			scratch.ErrorIf(t, reply.Failed != test.want || reply.Micros != 0 || !strings.Contains(reply.Detail, test.detail), "%+v", reply)
			if test.want == judge.TimedOut {
				w.gone("one")
			}
		})
	}
	w := newWorld(t)
	q := w.command(prints(yes))
	for name, want := range map[string]judge.Failure{"": judge.Refused, "ask": judge.Refused, w.home: judge.NoClient, filepath.Join(w.home, "none"): judge.NoClient} {
		q.Command = []string{name}
		fails(t, Ask(t.Context(), q, w.env()), want, name)
	}
}

// A project sets none of the variables that the user has named, nor where programs are.
func TestCommandIsTheUsers(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"nothing":         {".claude/settings.json", `{"env":{"OTHER_KEY":"x","OPENAI_BASE_URL":"x"}}`, ""},
		"a named one":     {".claude/settings.json", `{"env":{"MY_KEY":"x"}}`, "settings.json sets env.MY_KEY"},
		"in another case": {".claude/settings.local.json", `{"env":{"my_key":"x"}}`, "settings.local.json sets env.my_key"},
		"its programs":    {".claude/settings.json", `{"env":{"PATH":"x"}}`, "env.PATH"},
		"a host's file":   {".env", "MY_KEY=x", ".env sets MY_KEY"},
		"of no use":       {".env", "OPENAI_API_KEY=x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			put(t, filepath.Join(w.project, test.file), test.text)
			q := w.command(`: > "$notes/asked"; `+prints(yes), "MY_KEY")
			q.Variables = []string{".env"}
			reply := Ask(t.Context(), q, w.env("MY_KEY=x", "OPENAI_API_KEY=x"))
			_, err := os.Stat(filepath.Join(w.notes, "asked"))
			if test.want == "" && reply.Failed != "" || test.want != "" && (reply.Failed != judge.Redirected || !strings.Contains(reply.Detail, test.want)) || (err == nil) != (test.want == "") {
				t.Errorf("%+v, want %q", reply, test.want)
			}
		})
	}
}

// The scripts of the documentation ask as their servers want it, whatever is on a page, and read what these answer.
func TestScriptsOfTheDocs(t *testing.T) {
	files, err := filepath.Glob("../../docs/ask/*.sh")
	must(t, err)
	scratch.Equal(t, len(files), 2, "scripts in the documentation")
	const answer = "{\"reason\":\n \"it says \\\"go \\\\ on\\\" <b>, é\\nnow\",\n\t\"continue\": true}\n"
	quoted, err := json.MarshalIndent(answer, "", " ")
	must(t, err)
	for _, file := range files {
		script := string(scratch.ReadFile(t, file))
		var text, key string
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			var body struct {
				Model, Prompt string
				Stream        *bool
				Messages      []struct{ Role, Content string }
			}
			data, _ := io.ReadAll(r.Body)
			if err := json.Unmarshal(data, &body); err != nil || body.Model == "" {
				t.Errorf("%v: %s", err, data)
			}
			key, text = r.Header.Get("Authorization"), body.Prompt
			switch r.URL.Path {
			case "/api/generate":
				if body.Stream == nil || *body.Stream {
					t.Error("a stream is asked for")
				}
				io.WriteString(rw, `{"model":"m","response":`+string(quoted)+`,"done":true,"context":[1,2]}`)
			case "/v1/chat/completions":
				text = body.Messages[0].Content
				io.WriteString(rw, "{\n  \"choices\": [\n    {\"message\": {\"role\": \"assistant\", \"reasoning_content\": \"x\", \"content\": "+string(quoted)+",\n  \"refusal\": null}}]\n}\n")
			default:
				http.NotFound(rw, r)
			}
		}))
		w := newWorld(t)
		for _, address := range []string{"http://127.0.0.1:11434", "https://api.openai.com"} {
			script = strings.ReplaceAll(script, address, server.URL)
		}
		q := w.command(script, "OPENAI_API_KEY")
		q.System, q.Page, q.WithinMs = judge.SystemPrompt("Claude"), judge.Page{Message: "50 % of \"C:\\new\" $HOME `id` 'x'\n{\"a\": é}"}.String(), 60_000
		reply := Ask(t.Context(), q, w.env("OPENAI_API_KEY="+testKey))
		if reply.Failed != "" || !reply.Continue || !strings.HasPrefix(reply.Why, `it says "go `) {
			t.Errorf("%s\n%+v", script, reply)
		}
		scratch.Equal(t, text, q.System+"\n"+q.Page, "asked")
		scratch.Equal(t, key == "Bearer "+testKey, strings.Contains(script, "OPENAI_API_KEY"), key)
		server.Close()
		if reply := Ask(t.Context(), q, w.env()); reply.Failed != judge.Junk || !strings.Contains(reply.Detail, "curl") {
			t.Errorf("where nothing answers: %+v", reply)
		}
	}
}
