package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// made is a session in the format of Claude Code.
type made struct {
	id, cwd string
	lines   []string
	at      time.Time
	called  int
}

func newMade(id string) *made {
	return &made{id: id, cwd: "/home/me/project", at: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
}

// add writes a line with these members, ten seconds after the one before.
func (m *made) add(kind, members string) *made {
	m.at = m.at.Add(10 * time.Second)
	return m.raw(fmt.Sprintf(`{"parentUuid":"p","isSidechain":false,"userType":"external","cwd":%s,"sessionId":%s,"version":"2.1.300","type":%q,%s,"uuid":"%s-%d","timestamp":%q}`,
		quoted(m.cwd), quoted(m.id), kind, members, m.id, len(m.lines)+1, m.at.Format("2006-01-02T15:04:05.000Z")))
}

func (m *made) raw(line string) *made { m.lines = append(m.lines, line); return m }

func (m *made) wait(d time.Duration) *made { m.at = m.at.Add(d); return m }

func (m *made) asks(words string) *made {
	return m.add("user", `"promptId":"`+fmt.Sprint("p", len(m.lines))+`","permissionMode":"default","message":{"role":"user","content":`+quoted(words)+`}`)
}

func (m *made) meta(words string) *made {
	return m.add("user", `"isMeta":true,"message":{"role":"user","content":`+quoted(words)+`}`)
}

func (m *made) says(words string) *made {
	return m.add("assistant", `"message":{"id":"msg","role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":`+quoted(words)+`}],"stop_reason":null}`)
}

func (m *made) call(name, input string) *made {
	m.called++
	return m.add("assistant", fmt.Sprintf(`"message":{"id":"msg","role":"assistant","model":"claude-opus-4-5","content":[{"type":"tool_use","id":"toolu_%d","name":%q,"input":%s}],"stop_reason":"tool_use"}`, m.called, name, input))
}

func (m *made) returns(text string) *made {
	return m.add("user", fmt.Sprintf(`"message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":%s}]},"toolUseResult":{"stdout":%s,"stderr":"","interrupted":false}`, m.called, quoted(text), quoted(text)))
}

// works calls a tool that says something.
func (m *made) works() *made { return m.call("Bash", `{"command":"make test"}`).returns("ok") }

func (m *made) rests() *made {
	return m.add("system", `"subtype":"stop_hook_summary","hookCount":1,"hookInfos":[],"hookErrors":[]`)
}

func (m *made) attaches(attachment string) *made {
	return m.add("attachment", `"attachment":`+attachment)
}

func (m *made) queue(operation, content string) *made {
	return m.raw(`{"type":"queue-operation","operation":"` + operation + `","timestamp":"2026-03-04T05:06:07.000Z","sessionId":` + quoted(m.id) + `,"content":` + quoted(content) + `}`)
}

func (m *made) text() string { return strings.Join(m.lines, "\n") + "\n" }

// write puts the session where Claude Code would.
func (m *made) write(t testing.TB, home string) string {
	t.Helper()
	dir := filepath.Join(home, "projects", strings.NewReplacer("/", "-", ".", "-").Replace(m.cwd))
	must(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, m.id+".jsonl")
	must(t, os.WriteFile(path, []byte(m.text()), 0o600))
	return path
}

// quoted encodes a string as Claude Code does, without escaping < and >.
func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// working is a made session of about size bytes: mostly tool results, some sentences, a stop after some 15 calls.
func working(id string, size int, seed int64) *made {
	rng := rand.New(rand.NewSource(seed))
	m := newMade(id)
	code := strings.Repeat("func (s *Server) handle(w http.ResponseWriter, r *http.Request) error {\n\tif err := s.check(r); err != nil {\n\t\treturn fmt.Errorf(\"check: %w\", err)\n\t}\n}\n", 900)
	says := []string{
		"Now let me look at the handler.", "The test fails because the clock is read twice. Let me fix that:", "I'll run the whole suite now.",
		"Two callers are left. Updating them both.", "That explains it: the lock is taken in the other order there.",
	}
	ends := []string{
		"All tests pass. The handler reads the clock once now, and both callers are updated.\n\n- `server.go`: one clock\n- `server_test.go`: a test for it\n\nShall I open a pull request?",
		"Done. Task 1 is complete; Task 2 is next.", "Pushed. Let me know what you think.", "I've finished the parser. Next I'll write its tests.",
	}
	asks := []string{"now fix the flaky test in the server package", "continue", "yes", "looks good, commit it", "move the lock to the top"}
	written := 0
	for written < size {
		from := len(m.lines)
		m.asks(asks[rng.Intn(len(asks))])
		for range 5 + rng.Intn(20) {
			if rng.Intn(3) == 0 {
				m.says(says[rng.Intn(len(says))])
			}
			m.call("Read", `{"file_path":"/home/me/project/server.go"}`)
			// Sizes from 200 bytes to 100 KB, most of them small.
			n := 200 << rng.Intn(10)
			m.returns(code[:min(len(code), n)])
		}
		m.says(ends[rng.Intn(len(ends))]).rests().wait(time.Minute)
		for _, line := range m.lines[from:] {
			written += len(line) + 1
		}
	}
	return m
}
