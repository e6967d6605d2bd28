package backend

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"

	"github.com/cameronsjo/springfield/internal/scratch"
)

const (
	testKey   = "sk-ant-test-0123456789"
	testToken = "token-9876543210"
)

type turn struct{ Role, Content string }

func question(backend string) judge.Question {
	return judge.Question{Backend: backend, Model: "haiku", System: "THE SYSTEM", Page: "THE PAGE", Within: 10_000}
}

var must, put = scratch.Must, scratch.PutFile

// says is a message of the API with one use of the tool.
func says(input string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-5-5","content":[{"type":"tool_use","id":"t","name":"answer","input":` +
		input + `}],"stop_reason":"tool_use","usage":{"input_tokens":1000,"output_tokens":40}}`
}

const yes = `{"why":"todos are pending","continue":true}`

// fails checks how a question failed, "" for an answer.
func fails(t *testing.T, reply judge.Reply, want judge.Failure, when string) {
	t.Helper()
	scratch.Equal(t, reply.Failed, want, when, reply)
}

// apiError is what the API answers with when it does not answer.
func apiError(message string) string {
	return `{"type":"error","error":{"type":"some_error","message":"` + message + `"}}`
}

// try asks the api backend of a server that answers with handle.
func try(t *testing.T, handle http.HandlerFunc, change func(*judge.Question, *Env)) judge.Reply {
	t.Helper()
	server := httptest.NewServer(handle)
	defer server.Close()
	defer server.CloseClientConnections()
	q, e := question(judge.API), Env{Vars: []string{"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=" + testKey}, Home: t.TempDir(), Temp: t.TempDir()}
	if change != nil {
		change(&q, &e)
	}
	reply := Ask(context.Background(), q, e)
	if strings.Contains(reply.Detail+reply.Why+reply.Model, testKey) || strings.Contains(reply.Detail+reply.Why, testToken) {
		t.Errorf("the key is in the reply: %+v", reply)
	}
	if reply.Failed != "" && (reply.Continue || reply.Why != "" || reply.Detail == "") {
		t.Errorf("a failure with an answer, or without a detail: %+v", reply)
	}
	return reply
}

// statuses answers with one status after the other, the last again and again, and counts.
func statuses(asked *atomic.Int32, header http.Header, codes ...int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		code := codes[min(n, len(codes))-1]
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.WriteHeader(code)
		if code == 200 {
			io.WriteString(w, says(yes))
		} else {
			io.WriteString(w, apiError("the stand-in does not like "+r.Header.Get("X-Api-Key")))
		}
	}
}

func TestAPIStatus(t *testing.T) {
	for _, c := range []struct {
		name   string
		codes  []int
		header http.Header
		failed judge.Failure
		asked  int32
	}{
		{"ok", []int{200}, nil, "", 1},
		{"bad key", []int{401}, nil, judge.LoggedOut, 1},
		{"no such model", []int{404}, nil, judge.Refused, 1},
		{"rate limit twice", []int{429, 429}, nil, judge.RateLimit, 2},
		{"overloaded, then an answer", []int{529, 200}, nil, "", 2},
		{"overloaded twice", []int{529, 529, 200}, nil, judge.Overloaded, 2},
		{"broken", []int{500, 200}, nil, "", 2},
		{"somewhere else", []int{307, 200}, http.Header{"Location": {"/elsewhere"}}, judge.Refused, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int32
			reply := try(t, statuses(&asked, c.header, c.codes...), nil)
			if reply.Failed != c.failed || asked.Load() != c.asked {
				t.Errorf("asked %d times: %+v", asked.Load(), reply)
			}
			if c.failed == "" {
				want := judge.Reply{Continue: true, Why: "todos are pending", Model: "claude-haiku-5-5", Usage: judge.Usage{Input: 1000, Output: 40}, Micros: 120, Took: reply.Took}
				scratch.Equal(t, reply, want)
			}
		})
	}
}

func TestAPIRequest(t *testing.T) {
	for _, c := range []struct {
		vars                    []string
		model, want             string
		key, authorization, why string
		forced                  bool
	}{
		{vars: []string{"ANTHROPIC_API_KEY=" + testKey}, model: "haiku", want: "claude-haiku-5-5", key: testKey, forced: true},
		{vars: []string{"ANTHROPIC_AUTH_TOKEN=" + testToken + "\n"}, model: "claude-haiku-4-5", want: "claude-haiku-4-5", authorization: "Bearer " + testToken, forced: true},
		{vars: []string{"ANTHROPIC_API_KEY=" + testKey, "ANTHROPIC_AUTH_TOKEN=" + testToken}, model: "gateway/own", want: "gateway/own", key: testKey, forced: true},
		{vars: []string{"ANTHROPIC_API_KEY=" + testKey}, model: "sonnet", want: "claude-sonnet-5-5", key: testKey},
		{vars: []string{"ANTHROPIC_API_KEY=" + testKey}, model: "opus", want: "claude-opus-5-5", key: testKey},
	} {
		reply := try(t, func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				Model     string
				MaxTokens int `json:"max_tokens"`
				System    string
				Messages  []turn
				Tools     []struct {
					Name   string
					Schema json.RawMessage `json:"input_schema"`
				}
				ToolChoice struct{ Type, Name string } `json:"tool_choice"`
				Thinking   map[string]string
				Stream     bool
			}
			scratch.Equal(t, json.NewDecoder(r.Body).Decode(&m), nil)
			if r.Method != "POST" || r.URL.Path != "/v1/messages" || r.Header.Get("Anthropic-Version") == "" ||
				r.Header.Get("X-Api-Key") != c.key || r.Header.Get("Authorization") != c.authorization {
				t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
			}
			if m.Model != c.want || m.System != "THE SYSTEM" || len(m.Messages) != 1 || m.Messages[0] != (turn{"user", "THE PAGE"}) || m.Stream {
				t.Errorf("%+v", m)
			}
			if len(m.Tools) != 1 || m.Tools[0].Name != toolName || string(m.Tools[0].Schema) != judge.AnswerSchema() {
				t.Errorf("%+v", m.Tools)
			}
			if forced := m.ToolChoice.Type == "tool" && m.ToolChoice.Name == toolName; forced != c.forced || forced && m.MaxTokens != 300 {
				t.Errorf("%s: %+v with %d tokens", c.model, m.ToolChoice, m.MaxTokens)
			}
			scratch.Equal(t, m.Thinking["type"] == "disabled", c.forced && judge.HasPrice(c.model),
				c.model, "thinking", m.Thinking)
			io.WriteString(w, says(yes))
		}, func(q *judge.Question, e *Env) {
			q.Model, e.Vars = c.model, append(e.Vars[:1], c.vars...)
		})
		scratch.Equal(t, reply.Failed, "", c.model, reply)
	}
}

func TestAPIJunk(t *testing.T) {
	text := `{"type":"text","text":"{\"why\":\"x\",\"continue\":true}"}`
	use := `{"type":"tool_use","name":"answer","input":` + yes + `}`
	message := func(content string) string {
		return `{"type":"message","content":[` + content + `],"usage":{"input_tokens":1000,"output_tokens":40}}`
	}
	for name, body := range map[string]string{
		"nothing":             "",
		"no JSON":             "<html>a portal</html>",
		"two objects":         says(yes) + says(yes),
		"no tool":             message(text),
		"the tool twice":      message(use + "," + use),
		"another tool, too":   message(use + `,{"type":"tool_use","name":"Bash","input":{}}`),
		"no input":            message(`{"type":"tool_use","name":"answer"}`),
		"an input in quotes":  says(`"{\"why\":\"x\",\"continue\":true}"`),
		"more than was asked": says(`{"why":"x","continue":true,"also":1}`),
		"a huge answer":       says(`{"why":"` + strings.Repeat("x", 2<<20) + `","continue":true}`),
	} {
		t.Run(name, func(t *testing.T) {
			reply := try(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }, nil)
			fails(t, reply, judge.Junk, name)
			if strings.HasPrefix(body, `{"type":"message","content":[`) && reply.Micros == 0 {
				t.Error("a message without an answer costs nothing")
			}
		})
	}
	reply := try(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, message(`{"type":"thinking","thinking":"hm"},{"type":"text","text":"Well."},`+use))
	}, nil)
	if reply.Failed != "" || !reply.Continue {
		t.Errorf("thinking and text beside the tool: %+v", reply)
	}
}

// A body that trickles, a server that says nothing: the deadline ends both.
func TestAPIDeadline(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		"slow body": func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			reply := try(t, handle, func(q *judge.Question, _ *Env) { q.Within = 150 })
			scratch.FailIf(t, reply.Failed != judge.TimedOut || reply.Took > 8000, "%+v", reply)
		})
	}
	t.Run("ended from outside", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		}))
		defer server.Close()
		reply := Ask(ctx, question(judge.API), Env{Vars: []string{"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=" + testKey}})
		fails(t, reply, judge.TimedOut, "")
	})
}

func TestAPICut(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	}
	fails(t, try(t, cut, nil), judge.NoNetwork, "cut")
	half := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		io.WriteString(w, says(yes))
	}
	fails(t, try(t, half, nil), judge.NoNetwork, "half of it")
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	nobody.Close()
	gone := func(_ *judge.Question, e *Env) {
		e.Vars = []string{"ANTHROPIC_BASE_URL=http://user:" + testToken + "@" + nobody.Addr().String(), "ANTHROPIC_API_KEY=" + testKey}
	}
	fails(t, try(t, cut, gone), judge.NoNetwork, "no server there")
	untrusted := httptest.NewUnstartedServer(http.HandlerFunc(cut))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	reply := try(t, cut, func(_ *judge.Question, e *Env) {
		e.Vars = []string{"ANTHROPIC_BASE_URL=" + untrusted.URL, "ANTHROPIC_API_KEY=" + testKey}
	})
	if reply.Failed != judge.NoNetwork || !strings.Contains(reply.Detail, "certificate") {
		t.Errorf("a certificate that nobody signed: %+v", reply)
	}
}

// The page and the key stay with the host that the user named.
func TestAPINoRedirect(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		io.WriteString(w, says(yes))
	}))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		reply := try(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/v1/messages", code) }, nil)
		scratch.Equal(t, reply.Failed, judge.Refused, code, reply)
	}
	scratch.Equal(t, elsewhere.Load(), 0, "times the other host was asked")
}

func TestAPIProxy(t *testing.T) {
	var through atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through.Add(1)
		io.WriteString(w, says(yes))
	}))
	defer proxy.Close()
	address, err := url.Parse(proxy.URL)
	must(t, err)
	reply := try(t, func(http.ResponseWriter, *http.Request) {}, func(_ *judge.Question, e *Env) {
		e.Proxy = func(*http.Request) (*url.URL, error) { return address, nil }
	})
	if reply.Failed != "" || through.Load() != 1 {
		t.Errorf("%d through the proxy: %+v", through.Load(), reply)
	}
	reply = try(t, func(http.ResponseWriter, *http.Request) {}, func(_ *judge.Question, e *Env) {
		e.Proxy = func(*http.Request) (*url.URL, error) { return nil, errors.New("a bad " + testKey) }
	})
	fails(t, reply, judge.NoNetwork, "a proxy that is none")
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"":                                "",
		"https://gateway.example":         "https://gateway.example/v1/messages",
		"https://gateway.example/claude/": "https://gateway.example/claude/v1/messages",
		"http://localhost:8080":           "http://localhost:8080/v1/messages",
		"http://127.0.0.1:1":              "http://127.0.0.1:1/v1/messages",
		"http://[::1]:1/x":                "http://[::1]:1/x/v1/messages",
		"http://gateway.example":          "",
		"http://127.0.0.1.example":        "",
		"http://0.0.0.0":                  "",
		"file:///etc/passwd":              "",
		"https://gateway.example?a=b":     "",
		"https://gateway.example#a":       "",
		"https://":                        "",
	} {
		got, why := endpointOf(base, "it", "/v1/messages")
		scratch.FailIf(t, got != want || (why == "") != (want != ""), "%q: %q, %q", base, got, why)
	}
}

func TestAPINoKey(t *testing.T) {
	reply := try(t, func(http.ResponseWriter, *http.Request) { t.Error("asked without a key") }, func(_ *judge.Question, e *Env) {
		e.Vars = append(e.Vars[:1], "ANTHROPIC_API_KEY=", "ANTHROPIC_AUTH_TOKEN= ")
	})
	fails(t, reply, judge.NoKey, "")
	reply = try(t, func(http.ResponseWriter, *http.Request) { t.Error("asked with a key that is none") }, func(_ *judge.Question, e *Env) {
		e.Vars = append(e.Vars[:1], "ANTHROPIC_API_KEY="+testKey+"\nX-Evil: 1")
	})
	scratch.FailIf(t, reply.Failed == "", "%+v", reply)
}

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
		"in a fence":           {completed("```json\n" + yes + "\n```"), 200, judge.Junk},
		"two choices":          {strings.Replace(completed(yes), `"choices":[`, `"choices":[{"message":{"content":"x"}},`, 1), 200, judge.Junk},
		"another API's answer": {says(yes), 200, judge.Junk},
		"no JSON":              {"<html>", 200, judge.Junk},
		"a wrong key":          {`{"error":{"message":"Incorrect API key provided: ` + testKey + `"}}`, 401, judge.LoggedOut},
		"elsewhere":            {"", 302, judge.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			var asked struct {
				Model    string
				Messages []turn
				Format   struct {
					Schema struct{ Strict bool } `json:"json_schema"`
				} `json:"response_format"`
			}
			reply := try(t, func(w http.ResponseWriter, r *http.Request) {
				data, err := io.ReadAll(r.Body)
				scratch.FailIf(t, err != nil || json.Unmarshal(data, &asked) != nil, "%s, %v", data, err)
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
		"":                         "judge.address is not set",
		"http://models.example/v1": "judge.address begins with http:",
		"https://models.example?x": "judge.address is not an address",
	} {
		q := question(judge.OpenAI)
		q.Address = address
		if reply := Ask(t.Context(), q, Env{Home: t.TempDir(), Vars: []string{"OPENAI_BASE_URL=https://127.0.0.1:9"}}); reply.Failed != judge.Refused || !strings.HasPrefix(reply.Detail, want) {
			t.Errorf("%q: %+v", address, reply)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(says(yes)))
	f.Add([]byte(`{"type":"message","content":[{"type":"tool_use","name":"answer","input":null}],"usage":{"input_tokens":-1e300,"output_tokens":1e300}}`))
	f.Fuzz(func(t *testing.T, data []byte) { sane(t, readMessage(data, "haiku")) })
}

// sane is what every reply is, whatever it was made of.
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
