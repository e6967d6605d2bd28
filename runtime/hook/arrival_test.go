package hook

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/transcript"
)

// A host that writes late and sends no last message: the hook waits for the entry of its
// own stop. Without it nothing is decided, whatever the log says of earlier stops.
func TestWaitsForItsOwnStop(t *testing.T) {
	const (
		said  = `{"type":"user.message","data":{"content":"execute the plan","delivery":"idle"},"id":"u1","timestamp":"2026-11-22T00:23:15.005Z"}` + "\n" + `{"type":"assistant.message","data":{"content":"` + progress + `"},"id":"a%d","timestamp":"2026-11-22T00:23:15.172Z"}` + "\n"
		start = `{"type":"hook.start","data":{"hookType":"agentStop","input":{"sessionId":"s1","timestamp":%d}},"id":"h%d","timestamp":"2026-11-22T00:23:15.374Z"}` + "\n"
		event = `{"hook_event_name":"Stop","session_id":"s1","timestamp":"2026-11-22T00:23:15.566Z","cwd":%q,"transcript_path":%q,"stop_reason":"end_turn","stop_hook_active":false}`
		own   = 1795306995566
	)
	for name, test := range map[string]struct {
		before, after string
		rule          string
	}{
		"it is there":           {fmt.Sprintf(said, 1) + fmt.Sprintf(start, own, 1), "", "progress"},
		"it comes":              {"", fmt.Sprintf(said, 1) + fmt.Sprintf(start, own, 1), "progress"},
		"it comes behind other": {fmt.Sprintf(said, 1) + fmt.Sprintf(start, own-900, 1), fmt.Sprintf(said, 2) + fmt.Sprintf(start, own, 2), "progress"},
		"there is no log":       {"", "", "log-lags"},
		"only an earlier one":   {fmt.Sprintf(said, 1) + fmt.Sprintf(start, own-900, 1), "", "log-lags"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, ned)
			log := w.path("events.jsonl")
			if test.before != "" {
				w.write("events.jsonl", test.before)
			}
			come := make(chan error, 1)
			go func() {
				if test.after == "" {
					come <- nil
					return
				}
				time.Sleep(50 * time.Millisecond)
				f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err == nil {
					_, err = f.WriteString(test.after)
					f.Close()
				}
				come <- err
			}()
			out, notes := w.run(fmt.Sprintf(event, w.path("."), log))
			must(t, <-come)
			r, _ := w.newest("session:s1")
			if r.Rule != test.rule || r.Host != "copilot" || (out.Decision == "block") != (test.rule == "progress") {
				t.Errorf("%s of %q, %+v, %s", r.Rule, r.Host, out, notes)
			}
			if out.Decision == "block" && (!strings.HasPrefix(out.Reason, transcript.Mark) || !strings.Contains(out.SystemMessage, "kept Copilot going")) {
				t.Errorf("%+v", out)
			}
		})
	}
}
