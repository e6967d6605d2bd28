// Chat completions as OpenAI has them, which many servers speak, also on the user's own
// machine. The user's own file names the address; no variable does.

package backend

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/judge"
)

// completion is a request for a chat completion whose text is an answer.
type completion struct {
	Model    string         `json:"model"`
	Messages []turn         `json:"messages"`
	Most     int            `json:"max_completion_tokens"`
	Format   responseFormat `json:"response_format"`
}

type responseFormat struct {
	Type   string     `json:"type"`
	Schema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// askOpenAI asks for a chat completion.
func askOpenAI(ctx context.Context, q judge.Question, e Env) judge.Reply {
	if q.Address == "" {
		return failed(judge.Refused, "judge.address is not set")
	}
	address, why := endpoint(q.Address, "judge.address", "/chat/completions")
	if why != "" {
		return failed(judge.Refused, why)
	}
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"springfield-judge"}}
	if key := strings.TrimSpace(e.Get("OPENAI_API_KEY")); key != "" { // a server of one's own may want none
		header.Set("Authorization", "Bearer "+key)
	}
	body, err := json.Marshal(completion{
		Model: q.Model, Messages: []turn{{"system", q.System}, {"user", q.Page}}, Most: judge.MaxOutput,
		Format: responseFormat{"json_schema", jsonSchema{toolName, true, json.RawMessage(judge.Schema())}},
	})
	if err != nil {
		return failed(judge.Refused, "the question is not JSON")
	}
	return e.send(ctx, post{address: address, header: header, body: body, model: q.Model, read: readCompletion})
}

// readCompletion reads a chat completion: exactly one choice, and its text an answer.
func readCompletion(data []byte, model string) judge.Reply {
	var body struct {
		Model   string `json:"model"`
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
		Usage struct {
			Input  float64 `json:"prompt_tokens"`
			Output float64 `json:"completion_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(data, &body) != nil || body.Choices == nil {
		return failed(judge.Junk, "the answer is not a chat completion")
	}
	reply := judge.Reply{Model: judge.OneLine(body.Model, 100), Usage: judge.Usage{Input: whole(body.Usage.Input), Output: whole(body.Usage.Output)}}
	if reply.Model == "" {
		reply.Model = model
	}
	reply.Micros = judge.Micros(reply.Model, reply.Usage)
	if len(body.Choices) != 1 {
		reply.Failed, reply.Detail = judge.Junk, "the completion has "+strconv.Itoa(len(body.Choices))+" choices"
		return reply
	}
	return answered(reply, []byte(strings.TrimSpace(body.Choices[0].Message.Content)))
}
