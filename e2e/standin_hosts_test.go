//go:build e2e

// The APIs of the other hosts: OpenAI's Responses and Chat Completions, and Gemini's
// generateContent. Only requests of the main loop have tools.

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

type api struct {
	decode func(*Request) error
	answer func(*StandIn, http.ResponseWriter, Request)
}

func apiOf(r *http.Request) (api, bool) {
	if r.Method != http.MethodPost {
		return api{}, false
	}
	for end, a := range map[string]api{
		"/responses":             {decodeResponses, (*StandIn).respond},
		"/chat/completions":      {decodeChat, (*StandIn).complete},
		":generateContent":       {decodeGemini, (*StandIn).generate},
		":streamGenerateContent": {decodeGemini, (*StandIn).generate},
	} {
		if strings.HasSuffix(r.URL.Path, end) {
			return a, true
		}
	}
	return api{}, false
}

// said is the text of a turn and its calls, whose inputs are JSON.
func (s *StandIn) said(r Request) (text string, calls []call) {
	blocks, _ := s.blocks(r)
	for _, block := range blocks {
		if block.Tool == "" {
			text += block.Text
			continue
		}
		if !slices.Contains(r.Tools, block.Tool) {
			s.t.Errorf("stand-in: the script calls %s, and the host offers %q", block.Tool, r.Tools)
		}
		input, err := json.Marshal(block.Input)
		errorIf(s.t, err != nil, "stand-in: the input of %s is no JSON: %v", block.Tool, err)
		calls = append(calls, call{s.id("call"), block.Tool, string(input)})
	}
	return text, calls
}

type call struct{ id, name, input string }

// events writes a stream: each piece is one event, called name where the API names them.
func events(w http.ResponseWriter, pieces ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range pieces {
		if named, ok := piece.(map[string]any); ok && named["type"] != nil {
			fmt.Fprintf(w, "event: %s\n", named["type"])
		}
		line, _ := json.Marshal(piece) // maps of strings and numbers
		fmt.Fprintf(w, "data: %s\n\n", line)
		w.(http.Flusher).Flush()
	}
}

func decodeResponses(r *Request) error {
	var body struct {
		Model        string
		Stream       bool
		Instructions string
		Input        []struct {
			Type, Role, Output string
			Content            content
		}
		Tools []struct{ Type, Name string }
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	r.Model, r.Stream, r.System = body.Model, body.Stream, body.Instructions
	for _, item := range body.Input {
		r.Messages = append(r.Messages, Message{Role: item.Role, Text: string(item.Content) + item.Output})
	}
	for _, tool := range body.Tools {
		r.Tools = append(r.Tools, tool.Name)
	}
	r.Main = len(r.Tools) > 0
	return nil
}

// respond answers by the Responses API, as a stream: nothing else is asked for.
func (s *StandIn) respond(w http.ResponseWriter, r Request) {
	errorIf(s.t, !r.Stream, "stand-in: a response is asked for that is no stream")
	text, calls := s.said(r)
	response := map[string]any{"id": s.id("resp"), "object": "response", "model": r.Model, "status": "in_progress"}
	pieces := []any{map[string]any{"type": "response.created", "response": response}}
	item := func(item map[string]any, deltas ...map[string]any) {
		at := (len(pieces) - 1) // only its being different counts
		pieces = append(pieces, map[string]any{"type": "response.output_item.added", "output_index": at, "item": item})
		for _, delta := range deltas {
			delta["output_index"], delta["item_id"] = at, item["id"]
			pieces = append(pieces, delta)
		}
		pieces = append(pieces, map[string]any{"type": "response.output_item.done", "output_index": at, "item": item})
	}
	if text != "" {
		item(map[string]any{"type": "message", "id": s.id("msg"), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}},
			map[string]any{"type": "response.output_text.delta", "content_index": 0, "delta": text})
	}
	for _, c := range calls {
		item(map[string]any{"type": "function_call", "id": s.id("fc"), "call_id": c.id, "name": c.name, "arguments": c.input, "status": "completed"})
	}
	events(w, append(pieces, map[string]any{"type": "response.completed", "response": map[string]any{
		"id": response["id"], "object": "response", "model": r.Model, "status": "completed",
		"usage": map[string]any{"input_tokens": 12, "output_tokens": 9, "total_tokens": 21},
	}})...)
}

func decodeChat(r *Request) error {
	var body struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content content
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	r.Model, r.Stream = body.Model, body.Stream
	for _, m := range body.Messages {
		if m.Role == "system" {
			r.System += string(m.Content)
			continue
		}
		r.Messages = append(r.Messages, Message{Role: m.Role, Text: string(m.Content)})
	}
	for _, tool := range body.Tools {
		r.Tools = append(r.Tools, tool.Function.Name)
	}
	r.Main = len(r.Tools) > 0
	return nil
}

// complete answers by Chat Completions, in one piece or as a stream.
func (s *StandIn) complete(w http.ResponseWriter, r Request) {
	text, calls := s.said(r)
	message, reason := map[string]any{"role": "assistant", "content": text}, "stop"
	var list []any
	for i, c := range calls {
		reason = "tool_calls"
		list = append(list, map[string]any{"index": i, "id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": c.input}})
	}
	if list != nil {
		message["tool_calls"] = list
	}
	usage := map[string]any{"prompt_tokens": 12, "completion_tokens": 9, "total_tokens": 21}
	id := s.id("chatcmpl")
	if !r.Stream {
		reply(w, map[string]any{"id": id, "object": "chat.completion", "model": r.Model, "created": 1, "usage": usage,
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": reason}}})
		return
	}
	chunk := func(usage any, choices ...any) map[string]any {
		if choices == nil {
			choices = []any{}
		}
		return map[string]any{"id": id, "object": "chat.completion.chunk", "model": r.Model, "created": 1, "choices": choices, "usage": usage}
	}
	events(w,
		chunk(nil, map[string]any{"index": 0, "delta": message}),
		chunk(nil, map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}),
		chunk(usage))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func decodeGemini(r *Request) error {
	type parts struct {
		Role  string
		Parts []struct {
			Text             string
			FunctionResponse struct{ Response json.RawMessage }
		}
	}
	var body struct {
		SystemInstruction parts
		Contents          []parts
		Tools             []struct {
			FunctionDeclarations []struct{ Name string }
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	text := func(p parts) string {
		var all []string
		for _, part := range p.Parts {
			if text := part.Text + string(part.FunctionResponse.Response); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, "\n")
	}
	r.System, r.Stream = text(body.SystemInstruction), strings.Contains(r.Path, ":stream")
	for _, c := range body.Contents {
		r.Messages = append(r.Messages, Message{Role: c.Role, Text: text(c)})
	}
	for _, tool := range body.Tools {
		for _, f := range tool.FunctionDeclarations {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	r.Main = len(r.Tools) > 0
	return nil
}

// generate answers by generateContent, in one piece or as a stream of one.
func (s *StandIn) generate(w http.ResponseWriter, r Request) {
	text, calls := s.said(r)
	var parts []any
	if text != "" {
		parts = append(parts, map[string]any{"text": text})
	}
	for _, c := range calls {
		parts = append(parts, map[string]any{"functionCall": map[string]any{"id": c.id, "name": c.name, "args": json.RawMessage(c.input)}})
	}
	answer := map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP"}},
		"usageMetadata": map[string]any{"promptTokenCount": 12, "candidatesTokenCount": 9, "totalTokenCount": 21},
	}
	if r.Stream {
		events(w, answer)
		return
	}
	reply(w, answer)
}
