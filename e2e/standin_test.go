//go:build e2e

// The stand-in plays a script as the model of the Messages API. Each request of the main loop,
// which has the tool Bash or Read, gets the next turn; the last one repeats. Other requests get
// the side answer, as the input of a tool call if the request forces one. All are recorded.

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Turn is one answer of the model in the main loop.
type Turn struct {
	Blocks []Block
	Fails  string // how the API does: a status; "reset"; "cut" in mid-answer
	Before func() // when set, runs after the request has come in and before it is answered
}

// Block is a text block, or a tool call when Tool is set.
type Block struct {
	Text  string
	Tool  string
	Input any
}

func says(texts ...string) []Turn {
	var script []Turn
	for _, text := range texts {
		script = append(script, Turn{Blocks: []Block{{Text: text}}})
	}
	return script
}

func calls(text, tool string, input any) Turn {
	return Turn{Blocks: []Block{{Text: text}, {Tool: tool, Input: input}}}
}

type Request struct {
	Path     string
	Main     bool
	Model    string
	System   string
	Messages []Message
	Tools    []string
	Stream   bool
	Body     []byte
}

// Message is one message of a request with the text of all its blocks, tool results included.
type Message struct {
	Role string
	Text string
}

type StandIn struct {
	URL    string
	t      *testing.T
	script []Turn
	side   func(Request) string

	mu       sync.Mutex
	requests []Request
	turns    int // main-loop turns given
	ids      int
}

func newStandIn(t *testing.T, script []Turn, side func(Request) string) *StandIn {
	t.Helper()
	if len(script) == 0 {
		t.Fatal("a session needs a script of at least one turn")
	}
	if side == nil {
		side = func(Request) string { return "{}" }
	}
	s := &StandIn{t: t, script: script, side: side}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *StandIn) play(script []Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.turns = script, 0
}

func (s *StandIn) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *StandIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("stand-in: %s %s: %v", r.Method, r.URL.Path, err)
		return
	}
	request := Request{Path: r.URL.Path, Body: body}
	if api, ok := apiOf(r); ok {
		s.speak(w, request, api.decode, func(w http.ResponseWriter, r Request) { api.answer(s, w, r) })
		return
	}
	switch {
	case r.Method != http.MethodPost:
		s.keep(request)
		reply(w, map[string]any{"data": []any{}, "has_more": false})
	case r.URL.Path != "/v1/messages":
		s.keep(request)
		reply(w, map[string]any{"input_tokens": 10})
	default:
		s.speak(w, request, (*Request).decode, s.answer)
	}
}

func (s *StandIn) speak(w http.ResponseWriter, r Request, decode func(*Request) error, answer func(http.ResponseWriter, Request)) {
	if err := decode(&r); err != nil {
		s.t.Errorf("stand-in: a request that is not what %s takes: %v\n%s", r.Path, err, r.Body)
		http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"not a request"}}`, http.StatusBadRequest)
		return
	}
	s.keep(r)
	answer(w, r)
}

func (s *StandIn) keep(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

func (s *StandIn) answer(w http.ResponseWriter, r Request) {
	var content []map[string]any
	stop := "end_turn"
	blocks, fails := s.blocks(r)
	if fails != "" {
		fail(w, fails)
		return
	}
	for _, block := range blocks {
		if block.Tool == "" {
			content = append(content, map[string]any{"type": "text", "text": block.Text})
			continue
		}
		input, err := json.Marshal(block.Input)
		if err != nil {
			s.t.Errorf("stand-in: the input of %s is no JSON: %v", block.Tool, err)
			input = []byte("{}")
		}
		stop = "tool_use"
		content = append(content, map[string]any{"type": "tool_use", "id": s.id("toolu"), "name": block.Tool, "input": json.RawMessage(input)})
	}
	message := map[string]any{
		"id": s.id("msg"), "type": "message", "role": "assistant", "model": r.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 12, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9},
	}
	if r.Stream {
		stream(w, message)
	} else {
		reply(w, message)
	}
}

// fail answers with an error of the API, or breaks the connection.
func fail(w http.ResponseWriter, how string) {
	if status, err := strconv.Atoi(how); err == nil {
		kind := map[int]string{529: "overloaded_error", 500: "api_error", 429: "rate_limit_error"}[status]
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":"Sorry"}}`, cmp.Or(kind, "invalid_request_error"))
		return
	}
	if how == "cut" {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n")
		w.(http.Flusher).Flush()
	}
	panic(http.ErrAbortHandler)
}

// blocks is what the model says to r: the script's next turn, or the side answer.
func (s *StandIn) blocks(r Request) (blocks []Block, fails string) {
	if !r.Main {
		answer := s.side(r)
		if len(r.Tools) == 0 {
			return []Block{{Text: answer}}, ""
		}
		return []Block{{Tool: r.Tools[len(r.Tools)-1], Input: json.RawMessage(answer)}}, ""
	}
	s.mu.Lock()
	turn := s.script[min(s.turns, len(s.script)-1)]
	s.turns++
	s.mu.Unlock()
	if turn.Before != nil {
		turn.Before()
	}
	return turn.Blocks, turn.Fails
}

// id is unlike every other of this session, and long enough to look like the real one.
func (s *StandIn) id(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("%s_%024d", kind, s.ids)
}

func reply(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

// stream sends a message as the API does: an empty one first, each block in pieces, and how it ended.
func stream(w http.ResponseWriter, message map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(event string, data map[string]any) {
		data["type"] = event
		line, _ := json.Marshal(data) // strings, numbers and inputs that were marshalled before
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, line)
		w.(http.Flusher).Flush()
	}

	content := message["content"].([]map[string]any)
	end := map[string]any{"stop_reason": message["stop_reason"], "stop_sequence": nil}
	message["content"], message["stop_reason"] = []any{}, nil
	send("message_start", map[string]any{"message": message})
	send("ping", map[string]any{})
	for i, block := range content {
		empty, kind, key, whole := maps.Clone(block), "text_delta", "text", ""
		if block["type"] == "text" {
			whole, empty["text"] = block["text"].(string), ""
		} else {
			kind, key, whole = "input_json_delta", "partial_json", string(block["input"].(json.RawMessage))
			empty["input"] = map[string]any{}
		}
		send("content_block_start", map[string]any{"index": i, "content_block": empty})
		for _, piece := range strings.SplitAfter(whole, " ") {
			send("content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, key: piece}})
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", map[string]any{"delta": end, "usage": map[string]any{"output_tokens": 9}})
	send("message_stop", map[string]any{})
}

// decode reads the parts of the body that tests ask about.
func (r *Request) decode() error {
	var body struct {
		Model    string
		Stream   bool
		System   content
		Messages []struct {
			Role    string
			Content content
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	r.Model, r.Stream, r.System = body.Model, body.Stream, string(body.System)
	for _, m := range body.Messages {
		r.Messages = append(r.Messages, Message{Role: m.Role, Text: string(m.Content)})
	}
	for _, tool := range body.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	r.Main = slices.Contains(r.Tools, "Bash") || slices.Contains(r.Tools, "Read")
	return nil
}

// content is what the API allows as content, a string or a list of blocks, as its text.
type content string

func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var blocks []struct {
		Text    string
		Content content
	}
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	var texts []string
	for _, block := range blocks {
		if text := block.Text + string(block.Content); text != "" {
			texts = append(texts, text)
		}
	}
	*c = content(strings.Join(texts, "\n"))
	return nil
}
