package hook

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/judge"
)

// planted are texts with a secret in them, whose parts of eight are found in no file.
const planted = "Zq7Rt2Lm9Xw4Kb8Nc3Vd6Hf1"

var plantings = []string{
	"ghp_" + planted, "sk-ant-api03-" + planted, "password=" + planted, "Authorization: Bearer " + planted, "postgres://app:" + planted + "@db/x",
	"AccountKey=" + planted + "==", `{"token": "` + planted + `"}`, "export NPM_TOKEN=" + planted, "eyJ" + planted + "." + planted,
	"https://api.telegram.org/bot123456789:AA" + planted + "-x1y2z3w_/getMe", "https://a.webhook.office.com/webhookb2/" + planted, "https://x/?key=" + planted,
	"machine x login y password " + planted, "aws_session_token IQoJb3JpZ2lu" + planted + "/" + planted,
	"-----BEGIN PRIVATE KEY-----\n" + planted + planted + planted + "\n" + planted + planted + planted + "\n-----END PRIVATE KEY-----",
}

// keepsNoSecret looks for parts of the secret in all that the hook has written, and shown to the user.
func (w *world) keepsNoSecret(when string, out output) {
	w.t.Helper()
	has := func(where, text string) {
		for i := 0; i+8 <= len(planted); i += 4 {
			if part := planted[i : i+8]; strings.Contains(text, part) {
				w.t.Errorf("%s: %s has %s: %.2000s", when, where, part, text)
			}
		}
	}
	has("systemMessage", out.SystemMessage)
	has("standard error", w.noted)
	files := 0
	must(w.t, filepath.WalkDir(w.path(".claude/springfield"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			must(w.t, err)
			has(path, string(data))
			files++
		}
		return err
	}))
	if files == 0 {
		w.t.Errorf("%s: nothing is written, so this shows nothing", when)
	}
}

// stops are worlds in which a stop writes down something of the message.
var stops = map[string]func(t testing.TB, text string) (*world, output){
	"ned-flanders": func(t testing.TB, text string) (*world, output) {
		w := newWorld(t, ned)
		out, _ := w.run(w.event(map[string]any{"last_assistant_message": text}))
		return w, out
	},
	"in the background": func(t testing.TB, text string) (*world, output) {
		w := newWorld(t, ned)
		out, _ := w.run(w.event(map[string]any{"background_tasks": []any{map[string]any{"id": "1", "type": "shell", "description": text + strings.Repeat(" and more", 99) + " " + text}}}))
		return w, out
	},
	"a rule of the user's": func(t testing.TB, text string) (*world, output) {
		w := newWorld(t, ned)
		w.layers("ned-flanders", `{"add": [{"id": "all", "text": "(?s).+", "then": "continue"}]}`, "")
		out, _ := w.run(w.event(map[string]any{"last_assistant_message": text}))
		return w, out
	},
	"a loop": func(t testing.TB, text string) (*world, output) {
		w := newWorld(t, wiggumOne)
		w.write(loopFile, loopText)
		w.host.Project = w.path("work")
		w.old(loopFile)
		out, _ := w.run(w.event(map[string]any{"cwd": w.path("work"), "last_assistant_message": text}))
		return w, out
	},
	"away": func(t testing.TB, text string) (*world, output) {
		w := newWorld(t, ned)
		w.host.Project = w.path("project")
		w.away(nil)
		input, err := json.Marshal(map[string]any{"command": text})
		must(t, err)
		w.run(w.request("Bash", string(input)))
		out, _ := w.run(w.inProject(map[string]any{"last_assistant_message": text + " Shall I go on with that?"}))
		return w, out
	},
}

func TestNoSecretIsWrittenDown(t *testing.T) {
	for name, stop := range stops {
		for _, secret := range plantings {
			for _, text := range []string{"Next I set " + secret + " in the file.", "I will use\n\n" + secret, secret + " is set. Moving to Task 2.", strings.Repeat("x ", 30) + secret + "\nShall I use it?"} {
				w, out := stop(t, text)
				w.keepsNoSecret(name+", "+text, out)
			}
		}
	}
}

// A model gets no secret either, wherever the session has it.
func TestNoSecretIsOnThePage(t *testing.T) {
	for _, secret := range plantings {
		for _, text := range []string{secret, "do it, " + secret, "/p/" + secret, "export A=1 && printf '%s' '" + secret + "' | base64"} {
			w := newWorld(t, lisa)
			quoted, err := json.Marshal(text)
			must(t, err)
			w.write(".claude/projects/-w/s.jsonl", strings.ReplaceAll(`{"type":"user","uuid":"u1","message":{"content":SECRET}}
{"type":"assistant","uuid":"a1","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":SECRET}}]}}
{"type":"user","uuid":"u2","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":SECRET}]}}
{"type":"assistant","uuid":"a2","message":{"content":[{"type":"tool_use","id":"t2","name":"Write","input":{"file_path":SECRET,"content":SECRET}},{"type":"tool_use","id":"t3","name":"TaskUpdate","input":{"taskId":SECRET,"status":SECRET}}]}}
`, "SECRET", string(quoted)))
			page := judge.PageFor(w.examineLisa(text).Situation)
			for i := 0; i+8 <= len(planted); i += 4 {
				if strings.Contains(page, planted[i:i+8]) {
					t.Errorf("%q: the page has %s:\n%s", text, planted[i:i+8], page)
				}
			}
		}
	}
}

func FuzzNoSecretIsWrittenDown(f *testing.F) {
	f.Add(byte(0), "Moving to Task 2: ", ". Next I test it.")
	f.Add(byte(3), "Shall I use ", "?")
	f.Fuzz(func(t *testing.T, n byte, before, behind string) {
		for name, stop := range stops {
			w, out := stop(t, before+" "+plantings[int(n)%len(plantings)]+" "+behind)
			w.keepsNoSecret(name, out)
		}
	})
}
