// One client of HTTP for two forms: the Messages API, and chat completions as OpenAI has
// them, which many servers speak, also on the user's own machine.

package backend

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/judge"
)

const (
	defaultBase = "https://api.anthropic.com"
	toolName    = "answer"
	maxBody     = 1 << 20 // bytes of an answer, errors included
)

// object is a JSON object on its way out.
type object = map[string]any

func askHTTP(ctx context.Context, q judge.Question, e Env) judge.Reply {
	set := func(name string) string { return strings.TrimSpace(e.Variable(name)) }
	header := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"springfield-judge"}}
	name, base, path := "judge.address", q.Address, "/chat/completions" // the user's own file names it; no variable does
	request, read := completionRequest(q), readCompletion
	if q.Backend == judge.API {
		name, path = "ANTHROPIC_BASE_URL", "/v1/messages"
		base = cmp.Or(set(name), defaultBase)
		request, read = messageRequest(q), readMessage
		header.Set("Anthropic-Version", "2023-06-01")
	}
	address, why := endpointOf(base, name, path)
	if why != "" {
		return failedReply(judge.Refused, why)
	}
	switch {
	case q.Backend == judge.OpenAI:
		if key := set("OPENAI_API_KEY"); key != "" { // a server of one's own may want none
			header.Set("Authorization", "Bearer "+key)
		}
	case set("ANTHROPIC_API_KEY") != "":
		header.Set("X-Api-Key", set("ANTHROPIC_API_KEY"))
	case set("ANTHROPIC_AUTH_TOKEN") != "":
		header.Set("Authorization", "Bearer "+set("ANTHROPIC_AUTH_TOKEN"))
	default:
		return failedReply(judge.NoKey, "neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set")
	}
	body, err := json.Marshal(request)
	if err != nil {
		return failedReply(judge.Refused, "the question is not JSON")
	}
	client := &http.Client{
		Transport: e.transport(),
		// A redirect would take the page, and a key in a header of its own, to
		// wherever the first host says.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for try := 1; ; try++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
		if err != nil {
			return failedReply(judge.Refused, "the address is not one")
		}
		req.Header = header
		data, reply := postRequest(ctx, client, req)
		if reply.Failed == "" {
			return read(data, q.Model)
		}
		if reply.Failed == judge.NoNetwork && reply.Detail == cutOff {
			reply.Micros = judge.PriceAtMost(judge.ModelID(q.Model), q) // the answer may have been on its way
		}
		passes := reply.Failed == judge.RateLimit || reply.Failed == judge.Overloaded
		if try == 2 || !passes {
			return reply
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return reply
		}
	}
}

// endpointOf is where questions go, below an address that has a name, or why they do not.
func endpointOf(base, name, path string) (address, why string) {
	if base == "" {
		return "", name + " is not set"
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", name + " is not an address like " + defaultBase
	}
	switch u.Scheme {
	case "https":
	case "http":
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return "", name + " begins with http:, so others on the network can read the questions: use https, or a proxy on this machine"
		}
	default:
		return "", name + " does not begin with https:"
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+path, ""
	return u.String(), ""
}

// transport knows the user's proxy, and the certificates that Claude Code knows.
func (e Env) transport() *http.Transport {
	t := &http.Transport{Proxy: e.Proxy, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
	if path := e.Variable("NODE_EXTRA_CA_CERTS"); path != "" {
		if pem, err := file.ReadRegular(path, 4<<20); err == nil {
			pool, err := x509.SystemCertPool()
			if err != nil {
				pool = x509.NewCertPool()
			}
			pool.AppendCertsFromPEM(pem)
			t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
		}
	}
	return t
}

// postRequest asks once.
func postRequest(ctx context.Context, client *http.Client, req *http.Request) (data []byte, reply judge.Reply) {
	res, err := client.Do(req)
	if err != nil {
		return nil, connectionFailure(ctx, err)
	}
	defer res.Body.Close()
	data, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	code := strconv.Itoa(res.StatusCode) + ": "
	switch {
	case err != nil:
		return nil, connectionFailure(ctx, err)
	case len(data) > maxBody:
		return nil, failedReply(judge.Junk, "the answer is longer than 1 MB")
	case res.StatusCode == http.StatusOK:
		return data, reply
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return nil, failedReply(judge.Refused, code+"the address redirects elsewhere, and redirects are not followed")
	}
	var says struct{ Error struct{ Message string } }
	_ = json.Unmarshal(data, &says)
	return nil, failedReply(failureOfStatus(res.StatusCode), code+cmp.Or(says.Error.Message, "no reason given"))
}

const cutOff = "the connection was cut"

// connectionFailure is what an error of the connection means. Its text may have the
// address in it, which may have a password in it: only its kind is told.
func connectionFailure(ctx context.Context, err error) judge.Reply {
	if reply, over := overdueReply(ctx); over {
		return reply
	}
	kind := cutOff
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &dns):
		kind = "the host name is unknown"
	case errors.As(err, &cert):
		kind = "the host's certificate is not trusted"
	case errors.As(err, &op) && op.Op == "dial":
		kind = "nothing answers there"
	case errors.As(err, &op) && op.Op == "proxyconnect":
		kind = "the proxy does not answer"
	}
	return failedReply(judge.NoNetwork, kind)
}

// messageRequest is the question as the Messages API takes it. The newest models refuse
// a forced tool and think whether one wants it or not: they are asked to use the
// tool, with room to think shortly, and an answer without it is none.
func messageRequest(q judge.Question) object {
	model := judge.ModelID(q.Model)
	m := object{
		"model": model, "max_tokens": 300, "system": q.System, "messages": []object{{"role": "user", "content": q.Page}},
		"tools": []object{{
			"name": toolName, "input_schema": json.RawMessage(judge.AnswerSchema()),
			"description": "Your only way to answer. Call it exactly once, at once, and write nothing else.",
		}},
		"tool_choice": object{"type": "tool", "name": toolName, "disable_parallel_tool_use": true},
	}
	newest := []string{"claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5"} // they answer a forced tool with 400
	switch {
	case slices.ContainsFunc(newest, func(name string) bool { return strings.Contains(model, name) }):
		m["max_tokens"], m["tool_choice"] = judge.MaxOutput, object{"type": "auto", "disable_parallel_tool_use": true}
		m["output_config"] = object{"effort": "low"}
	case judge.HasPrice(model): // a gateway's own model may not know the member
		m["thinking"] = object{"type": "disabled"}
	}
	return m
}

// readMessage reads the model's message: exactly one use of our tool, and its
// input an answer. Text and thinking beside it are passed over.
func readMessage(data []byte, model string) judge.Reply {
	var body struct {
		Type       string `json:"type"`
		Model      string `json:"model"`
		StopReason string `json:"stop_reason"`
		Content    []struct {
			Type  string          `json:"type"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		Usage usage `json:"usage"`
	}
	if json.Unmarshal(data, &body) != nil || body.Type != "message" {
		return failedReply(judge.Junk, "the answer is not a message")
	}
	reply := replyWithCost(cmp.Or(body.Model, judge.ModelID(model)), body.Usage)
	var inputs []json.RawMessage
	for _, block := range body.Content {
		if block.Type == "tool_use" {
			if block.Name != toolName {
				inputs = nil
				break
			}
			inputs = append(inputs, block.Input)
		}
	}
	if len(inputs) != 1 {
		reply.Failed, reply.Detail = judge.Junk, "the message does not use the tool once (it ended with "+strconv.Quote(judge.OneLine(body.StopReason, 40))+")"
		return reply
	}
	return takeAnswer(reply, inputs[0])
}

// completionRequest is the question as a chat completion whose text is an answer.
func completionRequest(q judge.Question) object {
	return object{
		"model": q.Model, "max_completion_tokens": judge.MaxOutput,
		"messages": []object{{"role": "system", "content": q.System}, {"role": "user", "content": q.Page}},
		"response_format": object{"type": "json_schema", "json_schema": object{
			"name": toolName, "strict": true, "schema": json.RawMessage(judge.AnswerSchema()),
		}},
	}
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
		return failedReply(judge.Junk, "the answer is not a chat completion")
	}
	reply := replyWithCost(cmp.Or(body.Model, model), usage{Input: body.Usage.Input, Output: body.Usage.Output})
	if len(body.Choices) != 1 {
		reply.Failed, reply.Detail = judge.Junk, "the completion has "+strconv.Itoa(len(body.Choices))+" choices"
		return reply
	}
	return takeAnswer(reply, []byte(strings.TrimSpace(body.Choices[0].Message.Content)))
}

// replyWithCost is a reply that has no answer yet, by its use of a model.
func replyWithCost(model string, u usage) judge.Reply {
	reply := judge.Reply{Model: judge.OneLine(model, 100), Usage: judge.Usage{
		Input: wholeCount(u.Input), Output: wholeCount(u.Output), CacheRead: wholeCount(u.CacheRead), CacheWrite: wholeCount(u.CacheWrite),
	}}
	reply.Micros = judge.PriceInMicros(reply.Model, reply.Usage)
	return reply
}

// takeAnswer puts an answer into the reply, or says that it is none.
func takeAnswer(reply judge.Reply, data []byte) judge.Reply {
	cont, why, err := judge.ReadAnswer(data)
	if err != nil {
		reply.Failed, reply.Detail = judge.Junk, err.Error()
		return reply
	}
	reply.Continue, reply.Why = cont, why
	return reply
}

// usage is a count of tokens as the API and the client write it.
type usage struct {
	Input      float64 `json:"input_tokens"`
	Output     float64 `json:"output_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
}

// wholeCount is n as a count, between nothing and what no use reaches.
func wholeCount(n float64) int64 {
	const most = 1e12
	if !(n > 0) { // not a number either
		return 0
	}
	return int64(min(n, most))
}
