package gemini

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/transcript"
)

var update = flag.Bool("update", false, "write what is made of the recorded logs")

// Each recorded log has a file beside it of what its lines mean.
func TestLog(t *testing.T) {
	logs, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(logs) < 3 {
		t.Fatal(logs, err)
	}
	for _, file := range logs {
		if file == filepath.Join("testdata", "events.jsonl") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			if i == 0 && !owns(line) {
				t.Errorf("%s: owns(%s) is false", file, line)
			}
			if e := (transcript.Entry{Line: line}); parse(&e) {
				got.WriteString(digest(&e) + "\n")
			}
		}
		golden := strings.TrimSuffix(file, ".jsonl") + ".parsed"
		if *update {
			if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || got.String() != string(want) {
			t.Errorf("%s (%v):\n%s", golden, err, got.String())
		}
	}
}

// digest is a line's meaning in one line.
func digest(e *transcript.Entry) string {
	words := []string{string(e.ID)}
	if e.What != transcript.Nothing {
		words = append(words, map[transcript.Happening]string{transcript.Prompted: "prompted", transcript.Joined: "joined", transcript.Woken: "woken", transcript.Pushed: "pushed"}[e.What]+" "+string(e.Words))
	}
	for _, p := range e.Parts {
		switch p.Kind {
		case transcript.Text:
			words = append(words, "says "+string(p.Text))
		case transcript.Call:
			words = append(words, fmt.Sprintf("calls %s %s does %d %s %s", p.ID, p.Name, p.Does, p.Text, p.Input))
		case transcript.Result:
			words = append(words, fmt.Sprintf("result %s failed %t", p.ID, p.Failed))
		case transcript.Ended:
			words = append(words, "ended "+string(p.ID))
		case transcript.HookBlock:
			words = append(words, fmt.Sprintf("block, ours %t", p.Ours))
		default:
			words = append(words, fmt.Sprintf("kind %d", p.Kind))
		}
	}
	return strings.Join(words, " | ")
}

// What stands in no recorded log: lines that other versions and other moments bring.
func TestLines(t *testing.T) {
	for line, want := range lines() {
		e := transcript.Entry{Line: []byte(line)}
		got := "-"
		if parse(&e) {
			got = digest(&e)
		}
		if got != want {
			t.Errorf("%s\nis   %s\nnot  %s", line, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for line := range lines() {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		owns(line)
		e := transcript.Entry{Line: line}
		if !parse(&e) {
			return
		}
		slices := [][]byte{e.ID, e.Time, e.Words, e.PromptID, e.Version, e.Session, e.Cwd}
		for i := range e.Parts {
			p := &e.Parts[i]
			slices = append(slices, p.Text, p.ID, p.Name, p.Input)
		}
		for _, part := range slices {
			// A part of the line shares the line's end, by which its place is known.
			if from := cap(line) - cap(part); part != nil && (from < 0 || from+len(part) > len(line) || !bytes.Equal(line[from:from+len(part)], part)) {
				t.Fatalf("%q is no part of %q", part, line)
			}
		}
	})
}

func lines() map[string]string {
	user := func(content string) string { return `{"id":"u","type":"user","content":` + content + `}` }
	return map[string]string{
		"":                                    "-",
		"{":                                   "-",
		"[]":                                  "-",
		`{"type":"user"}`:                     "-",
		user(`"one text"`):                    "u | prompted one text",
		user(`["one","two"]`):                 "u | prompted one",
		user(`[{"text":"Please continue."}]`): "-",
		user(`[{"text":"System: Please continue."}]`):       "-",
		user(`[{"text":"<session_context>\nhere"}]`):        "-",
		user(`[{"text":"<hook_context>x</hook_context>"}]`): "-",
		user(`[{"text":"[springfield] go on"}]`):            "u | pushed [springfield] go on | block, ours true",
		`{"id":"u","type":"user","content":[{"text":"[springfield] go on"}],"displayContent":[{"text":"execute the plan"}]}`: "u | pushed [springfield] go on | block, ours true",
		user(`[{"inlineData":{"data":"x"}}]`): "u | prompted ",
		user(`[{"text":"User steering update:\nx"},{"functionResponse":{"id":"1","response":{"output":"o"}}}]`):                                                      "u | result 1 failed false",
		user(`[{"functionResponse":{"id":"1","response":{"error":"cancelled"}}}]`):                                                                                   "u | result 1 failed true",
		`{"id":"u","type":"user","content":[{"text":"@a.md and its content"}],"displayContent":[{"text":"@a.md"}]}`:                                                  "u | prompted @a.md",
		`{"id":"m","type":"info","content":"the model has changed"}`:                                                                                                 "-",
		`{"id":"m","type":"gemini","content":""}`:                                                                                                                    "m | says ",
		`{"id":"m","type":"gemini","content":[{"text":"a","thought":true},{"text":"b"}]}`:                                                                            "m | says b",
		`{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"1","name":"write_file","args":{"file_path":"plan.md"}},{"id":"2","name":"ask_user","args":{}}]}`: `2 | says  | calls 1 write_file does 11  {"file_path":"plan.md"} | calls 2 ask_user does 10  {}`,
		`{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"1","name":"activate_skill","args":{"name":"pdf"}}]}`:                                             `1 | says  | calls 1 activate_skill does 6 pdf {"name":"pdf"}`,
		`{"$set":{"messages":[{"id":"u","type":"user","content":"again"}]}}`:                                                                                         "-",
		`{"$rewindTo":"u"}`: "-",
		`{"sessionId":"s","projectHash":"h","kind":"main"}`:     "",
		`{"sessionId":"s","projectHash":"h","kind":"subagent"}`: "-",
		`{"id":"m","type":"gemini","content":"torn`:             "-",
	}
}
