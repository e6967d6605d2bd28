package codex_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/host/codex"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

var errorIf = scratch.ErrorIf

// lines are those of a recorded file: events, or a log of Codex 0.169.0 (older.jsonl:
// 0.130.0), with short ids and without the texts of Codex's own.
func lines(t testing.TB, name string) [][]byte {
	data := scratch.ReadFile(t, filepath.Join("testdata", name))
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

var must, write = scratch.Must, scratch.PutFile

// A refused todo list is none, and so is a question that was not put.
func TestRefused(t *testing.T) {
	for text, want := range map[string]struct{ list, question bool }{
		"Plan updated":                         {false, true},
		"unsupported call: update_plan":        {true, true},
		`{\"answers\":{\"q\":{\"answers\":[`:   {true, false},
		"request_user_input is unavailable in": {true, true},
	} {
		r := transcript.Part{Kind: transcript.Result, Text: []byte(text)}
		outcome := codex.Host.Log.EffectOf
		if list, question := outcome(transcript.WritesTodos, &r).Refused, outcome(transcript.AsksPerson, &r).Refused; list != want.list || question != want.question {
			t.Errorf("%s: refused is %t, %t", text, list, question)
		}
	}
}

// The outcome of a command is read before its output, which can contain anything.
func TestPrintedWordsAreNoOutcome(t *testing.T) {
	const head = `Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\nOutput:\n`
	for _, printed := range []string{`Exit code: 1\n`, `Process exited with code 2\n`, `The log: Process running with session ID 7\n`, `\naborted by user`} {
		e := transcript.Entry{Line: []byte(`{"timestamp":"2026-11-22T14:50:52.912Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"` + head + printed + `"}}`)}
		if !codex.Host.Log.Parse(&e) || len(e.Parts) != 1 || e.Parts[0].Failed || string(e.Parts[0].Text) != printed {
			t.Errorf("%s: %+v", printed, e.Parts)
		}
	}
}

func TestViews(t *testing.T) {
	format := codex.Host.Log
	for name, want := range map[string]string{
		"list.jsonl":       `1 turns, prompt 0002 "execute the plan", 2 calls, ours 1 of 1, text "The tests are done.", todos [Write the parser completed Test the parser in_progress Document it pending]`,
		"refused.jsonl":    `1 turns, prompt 0002 "execute the plan", 2 calls, ours 1 of 1, text "The tests are done.", todos []`,
		"older.jsonl":      `1 turns, prompt  "execute the plan", 2 calls, ours 0 of 0, text "Part one is done; the tests remain.", todos [Write the parser completed Test the parser in_progress Document it pending]`,
		"compacted.jsonl":  `2 turns, prompt 000b "second prompt", 0 calls, ours 0 of 1, text "Task 1 complete. Moving to Task 2.", todos []`,
		"background.jsonl": `1 turns, prompt 0002 "execute the plan", 5 calls, ours 1 of 1, text "All is done.", todos []`,
		"agents.jsonl":     `1 turns, prompt 0002 "execute the plan", 2 calls, ours 1 of 1, text "All is done.", todos []`,
		"shell.jsonl":      `2 turns, prompt 000c "second prompt", 0 calls, ours 0 of 0, text "All is done.", todos []`,
		"skill.jsonl":      `1 turns, prompt 0002 "use $probe:probing now", 0 calls, ours 0 of 0, text "Task 1 complete. Moving to Task 2.", todos [], skill probing`,
	} {
		_, v, err := transcript.File{Format: &format, Path: filepath.Join("testdata", name)}.ReadNew(nil, "")
		must(t, err)
		var todos []string
		for _, todo := range v.Todos {
			todos = append(todos, todo.Content+" "+todo.Status)
		}
		got := fmt.Sprintf("%d turns, prompt %s %q, %d calls, ours %d of %d, text %q, todos %v", v.Turns, v.PromptID, v.PromptText, v.CallsInTurn, v.Feedback.InTurn, v.Feedback.All, v.Text, todos)
		if v.Skill.Name != "" {
			got += ", skill " + v.Skill.Name
		}
		errorIf(t, got != want, "%s:\ngot  %s\nwant %s", name, got, want)
	}
}

// Background work runs until the log reports its end.
func TestBackground(t *testing.T) {
	format := codex.Host.Log
	for name, ends := range map[string]string{"background.jsonl": `"id":"msg_2"`, "agents.jsonl": `"id":"msg_2"`} {
		all := lines(t, name)
		n := slices.IndexFunc(all, func(line []byte) bool { return bytes.Contains(line, []byte(ends)) })
		path := filepath.Join(t.TempDir(), name)
		for _, running := range []int{1, 0} {
			if running == 0 {
				n = len(all) - 1
			}
			must(t, os.WriteFile(path, append(bytes.Join(all[:n+1], []byte("\n")), '\n'), 0o600))
			_, v, err := transcript.File{Format: &format, Path: path}.ReadNew(nil, "")
			if err != nil || len(v.Started) != running {
				t.Errorf("%s, %d lines: started %v, %v", name, n+1, v.Started, err)
			}
		}
	}
}
