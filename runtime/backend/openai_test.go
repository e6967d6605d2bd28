package backend

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/judge"
)

// completed is a chat completion with a text.
func completed(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"id":"c","object":"chat.completion","model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":` + string(quoted) + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":30,"total_tokens":930}}`
}

func TestOpenAI(t *testing.T) {
	for name, test := range map[string]struct {
		body   string
		code   int
		failed judge.Failure
	}{
		"an answer":            {completed(yes), 200, ""},
		"with a line end":      {completed(yes + "\n"), 200, ""},
		"in a fence":           {completed("```json\n" + yes + "\n```"), 200, judge.Junk},
		"words":                {completed("yes"), 200, judge.Junk},
		"two choices":          {strings.Replace(completed(yes), `"choices":[`, `"choices":[{"message":{"content":"x"}},`, 1), 200, judge.Junk},
		"no choice":            {`{"choices":[]}`, 200, judge.Junk},
		"another API's answer": {says(yes), 200, judge.Junk},
		"no JSON":              {"<html>", 200, judge.Junk},
		"a wrong key":          {`{"error":{"message":"Incorrect API key provided: ` + testKey + `"}}`, 401, judge.LoggedOut},
		"an unknown model":     {`{"error":{"message":"no such model"}}`, 404, judge.Refused},
		"elsewhere":            {"", 302, judge.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			var asked completion
			reply := try(t, func(w http.ResponseWriter, r *http.Request) {
				data, err := io.ReadAll(r.Body)
				if err != nil || json.Unmarshal(data, &asked) != nil {
					t.Errorf("%s, %v", data, err)
				}
				if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+testKey || r.Header.Get("X-Api-Key") != "" {
					t.Errorf("%s, %v", r.URL, r.Header)
				}
				w.Header().Set("Location", "http://127.0.0.1:9/")
				w.WriteHeader(test.code)
				io.WriteString(w, test.body)
			}, func(q *judge.Question, e *Env) {
				address, _ := strings.CutPrefix(e.Vars[0], "ANTHROPIC_BASE_URL=")
				q.Backend, q.Address, q.Model = judge.OpenAI, address+"/v1/", "m"
				e.Vars = []string{"OPENAI_API_KEY=" + testKey, "OPENAI_BASE_URL=http://127.0.0.1:9", "ANTHROPIC_API_KEY=" + testToken}
			})
			if reply.Failed != test.failed || (test.failed == "") != (reply.Continue && reply.Why == "todos are pending" && reply.Model == "m-1" && reply.Usage.Input == 900) {
				t.Errorf("%+v", reply)
			}
			if asked.Model != "m" || len(asked.Messages) != 2 || asked.Messages[0].Content != "THE SYSTEM" || asked.Messages[1].Content != "THE PAGE" || !asked.Format.Schema.Strict {
				t.Errorf("asked %+v", asked)
			}
		})
	}
}

// The address is one that the user names, by https or on this machine.
func TestOpenAIAddress(t *testing.T) {
	for address, want := range map[string]string{
		"":                          "judge.address is not set",
		"http://models.example/v1":  "judge.address begins with http:",
		"ftp://models.example":      "judge.address does not begin with https:",
		"https://models.example?x":  "judge.address is not an address",
		"https:///v1":               "judge.address is not an address",
		"http://127.0.0.1.example/": "judge.address begins with http:",
	} {
		q := question(judge.OpenAI)
		q.Address = address
		if reply := Ask(t.Context(), q, Env{Home: t.TempDir(), Vars: []string{"OPENAI_BASE_URL=https://127.0.0.1:9"}}); reply.Failed != judge.Refused || !strings.HasPrefix(reply.Detail, want) {
			t.Errorf("%q: %+v", address, reply)
		}
	}
}
