package backend

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/judge"
)

const (
	defaultBase = "https://api.anthropic.com"
	apiVersion  = "2023-06-01"
	toolName    = "answer"
	maxBody     = 1 << 20 // bytes of an answer, errors included
)

// message is a request to the Messages API.
type message struct {
	Model        string         `json:"model"`
	MaxTokens    int            `json:"max_tokens"`
	System       string         `json:"system"`
	Messages     []turn         `json:"messages"`
	Tools        []tool         `json:"tools"`
	ToolChoice   toolChoice     `json:"tool_choice"`
	Thinking     map[string]any `json:"thinking,omitempty"`
	OutputConfig map[string]any `json:"output_config,omitempty"`
}

type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type                   string `json:"type"`
	Name                   string `json:"name,omitempty"`
	DisableParallelToolUse bool   `json:"disable_parallel_tool_use"`
}

// request is the question as the Messages API takes it. The newest models refuse
// a forced tool and think whether one wants it or not: they are asked to use the
// tool, with room to think shortly, and an answer without it is none.
func request(q judge.Question) message {
	model := judge.ID(q.Model)
	m := message{
		Model: model, MaxTokens: 300, System: q.System,
		Messages: []turn{{"user", q.Page}},
		Tools: []tool{{toolName, "Your only way to answer. Call it exactly once, at once, and write nothing else.",
			json.RawMessage(judge.Schema())}},
		ToolChoice: toolChoice{"tool", toolName, true},
	}
	switch {
	case unforced(model):
		m.MaxTokens, m.ToolChoice = judge.MaxOutput, toolChoice{"auto", "", true}
		m.OutputConfig = map[string]any{"effort": "low"}
	case judge.Known(model): // a gateway's own model may not know the member
		m.Thinking = map[string]any{"type": "disabled"}
	}
	return m
}

// unforced are the models that answer a forced tool with 400.
func unforced(model string) bool {
	for _, m := range []string{"claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5"} {
		if strings.Contains(model, m) {
			return true
		}
	}
	return false
}

// askAPI asks the Messages API.
func askAPI(ctx context.Context, q judge.Question, e Env) judge.Reply {
	address, why := messagesAt(e.Get("ANTHROPIC_BASE_URL"))
	if why != "" {
		return failed(judge.Refused, why)
	}
	header := http.Header{"Content-Type": {"application/json"}, "Anthropic-Version": {apiVersion}, "User-Agent": {"springfield-judge"}}
	key, token := strings.TrimSpace(e.Get("ANTHROPIC_API_KEY")), strings.TrimSpace(e.Get("ANTHROPIC_AUTH_TOKEN"))
	switch {
	case key != "":
		header.Set("X-Api-Key", key)
	case token != "":
		header.Set("Authorization", "Bearer "+token)
	default:
		return failed(judge.NoKey, "neither ANTHROPIC_API_KEY nor ANTHROPIC_AUTH_TOKEN is set")
	}
	body, err := json.Marshal(request(q))
	if err != nil {
		return failed(judge.Refused, "the question is not JSON")
	}
	return e.send(ctx, post{address: address, header: header, body: body, model: q.Model, read: readMessage})
}

// send asks, and once more if that may help.
func (e Env) send(ctx context.Context, p post) judge.Reply {
	p.client = &http.Client{
		Transport: e.transport(),
		// A redirect would take the page, and a key in a header of its own, to
		// wherever the first host says.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer p.client.CloseIdleConnections()
	reply, again := p.do(ctx)
	if again > 0 && pause(ctx, again) {
		reply, _ = p.do(ctx)
	}
	return reply
}

// messagesAt is where messages go, or why they do not.
func messagesAt(base string) (address, why string) {
	if base = strings.TrimSpace(base); base == "" {
		base = defaultBase
	}
	return endpoint(base, "ANTHROPIC_BASE_URL", "/v1/messages")
}

// endpoint is where questions go, below an address that has a name, or why they do not.
func endpoint(base, name, path string) (address, why string) {
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
	u.Path = strings.TrimRight(u.Path, "/") + path
	u.RawPath = ""
	return u.String(), ""
}

// transport knows the user's proxy, and the certificates that Claude Code knows.
func (e Env) transport() *http.Transport {
	t := &http.Transport{Proxy: e.Proxy, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
	if path := e.Get("NODE_EXTRA_CA_CERTS"); path != "" {
		if pem, err := file.Read(path, 4<<20); err == nil {
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

// defaultPause is how long to wait before the second try when the server does
// not say.
const defaultPause = time.Second

// post is a question on its way.
type post struct {
	client  *http.Client
	address string
	header  http.Header
	body    []byte
	model   string
	read    func(data []byte, model string) judge.Reply
}

// do asks once. Again is how long to wait before asking once more, 0 when that
// is no use.
func (p post) do(ctx context.Context) (reply judge.Reply, again time.Duration) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.address, bytes.NewReader(p.body))
	if err != nil {
		return failed(judge.Refused, "the address is not one"), 0
	}
	req.Header = p.header.Clone()
	res, err := p.client.Do(req)
	if err != nil {
		return unreachable(ctx, err), 0
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return unreachable(ctx, err), 0
	case len(data) > maxBody:
		return failed(judge.Junk, "the answer is longer than 1 MB"), 0
	case res.StatusCode == http.StatusOK:
		return p.read(data, p.model), 0
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return failed(judge.Refused, strconv.Itoa(res.StatusCode)+": the address redirects elsewhere, and redirects are not followed"), 0
	}
	reply = failed(status(res.StatusCode), strconv.Itoa(res.StatusCode)+": "+errorText(data))
	if reply.Failed == judge.RateLimit || reply.Failed == judge.Overloaded {
		again = defaultPause
		if s, err := strconv.ParseFloat(strings.TrimSpace(res.Header.Get("Retry-After")), 64); err == nil && s >= 0 && s < 3600 {
			again = max(time.Duration(s*float64(time.Second)), time.Millisecond)
		}
	}
	return reply, again
}

// pause waits before a second try, if there is then time left for one.
func pause(ctx context.Context, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait+wait/2 {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// unreachable is what an error of the connection means. Its text may have the
// address in it, which may have a password in it: only its kind is told.
func unreachable(ctx context.Context, err error) judge.Reply {
	if reply, over := overdue(ctx); over {
		return reply
	}
	kind := "the connection was cut"
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
	return failed(judge.NoNetwork, kind)
}

// errorText is what an error's body says.
func errorText(data []byte) string {
	var body struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &body) != nil || body.Error.Message == "" {
		return "no reason given"
	}
	return body.Error.Message
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
		return failed(judge.Junk, "the answer is not a message")
	}
	reply := judge.Reply{Model: judge.OneLine(body.Model, 100), Usage: body.Usage.read()}
	if reply.Model == "" {
		reply.Model = judge.ID(model)
	}
	reply.Micros = judge.Micros(reply.Model, reply.Usage)
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
	return answered(reply, inputs[0])
}

// answered puts an answer into the reply, or says that it is none.
func answered(reply judge.Reply, data []byte) judge.Reply {
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

// read makes whole numbers of it that make sense.
func (u usage) read() judge.Usage {
	return judge.Usage{Input: whole(u.Input), Output: whole(u.Output), CacheRead: whole(u.CacheRead), CacheWrite: whole(u.CacheWrite)}
}

// whole is n as a count, between nothing and what no use reaches.
func whole(n float64) int64 {
	const most = 1e12
	if !(n > 0) { // not a number either
		return 0
	}
	return int64(min(n, most))
}
