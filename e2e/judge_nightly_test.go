//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/judge"
)

// Every way to be logged in that works without a person keeps working.
func TestJudgeIsLoggedIn(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		for _, c := range []struct {
			name, file, text string // in ~/.claude
			env              string
			header, want     string
		}{
			{"key", "", "", "ANTHROPIC_API_KEY=sk-ant-of-the-variable", "X-Api-Key", "sk-ant-of-the-variable"},
			{"token", "", "", "ANTHROPIC_AUTH_TOKEN=of-the-variable", "Authorization", "Bearer of-the-variable"},
			{"token of setup-token", "", "", "CLAUDE_CODE_OAUTH_TOKEN=of-setup-token", "Authorization", "Bearer of-setup-token"},
			{"helper", "settings.json", `{"apiKeyHelper": "echo of-the-helper"}`, "", "X-Api-Key", "of-the-helper"},
			{"token in the settings", "settings.json", `{"env": {"ANTHROPIC_AUTH_TOKEN": "of-the-settings"}}`, "", "Authorization", "Bearer of-the-settings"},
			// What a login with a subscription leaves where there is no keychain. The token is made up.
			{"subscription, as a file", ".credentials.json", `{"claudeAiOauth": {"accessToken": "made-up", "refreshToken": "made-up-again", "expiresAt": ` +
				fmt.Sprint(time.Now().Add(24*time.Hour).UnixMilli()) + `, "scopes": ["user:inference", "user:profile"], "subscriptionType": "max"}}`, "", "Authorization", "Bearer made-up"},
			{"no model", "", "", "", "", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, version)
				if c.file != "" {
					write(t, filepath.Join(w.Home, ".claude", c.file), c.text)
				}
				var seen http.Header
				model := newStandIn(t, says("Not me."), func(Request) string { return theAnswer })
				server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/v1/messages" {
						seen = r.Header.Clone()
					}
					model.ServeHTTP(rw, r)
				}))
				defer server.Close()
				env := slices.DeleteFunc(w.clientEnv(server.URL), func(v string) bool { return strings.HasPrefix(v, "ANTHROPIC_API_KEY=") })
				reply := w.Judge(append(env, c.env), nil)
				if c.want == "" {
					errorIf(t, reply.Failed != judge.LoggedOut || seen != nil, "%+v", reply)
					return
				}
				errorIf(t, reply.Failed != "" || !reply.Continue, "%+v", reply)
				if seen.Get(c.header) != c.want {
					t.Errorf("%s: %q, want %q", c.header, seen.Get(c.header), c.want)
				}
			})
		}
	})
}

// What the real client says when the model does not answer is understood.
func TestJudgeFails(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		for _, c := range []struct {
			status int
			answer string
			want   judge.Failure
		}{
			{400, "", judge.Refused},
			{401, "", judge.LoggedOut},
			{403, "", judge.LoggedOut},
			{404, "", judge.Refused},
			{429, "", judge.RateLimit},
			{500, "", judge.Overloaded},
			{529, "", judge.Overloaded},
			{0, "", judge.NoNetwork},
			{-1, "", judge.TimedOut},
			{200, `{"reason": "no decision"}`, judge.Junk},
			{200, `{"reason": "a word", "continue": "yes"}`, judge.Junk},
		} {
			t.Run(fmt.Sprint(c.status, c.want), func(t *testing.T) {
				t.Parallel() // some are long waits
				w := newWorld(t, version)
				model := newStandIn(t, says("Not me."), func(Request) string { return c.answer })
				server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					switch {
					case c.status == 200 || r.Method != http.MethodPost:
						model.ServeHTTP(rw, r)
					case c.status == 0:
						panic(http.ErrAbortHandler) // cuts the connection
					case c.status < 0:
						io.Copy(io.Discard, r.Body) // else the server does not see that the client has gone
						<-r.Context().Done()
					default:
						rw.Header().Set("Content-Type", "application/json")
						rw.WriteHeader(c.status)
						fmt.Fprint(rw, `{"type": "error", "error": {"type": "api_error", "message": "the stand-in does not want to"}}`)
					}
				}))
				defer server.Close()
				defer server.CloseClientConnections()
				reply := w.Judge(w.clientEnv(server.URL), func(q *judge.Question) {
					if c.want == judge.TimedOut {
						q.WithinMs = 3000
					}
					if c.want == judge.Junk {
						q.WithinMs = 20_000
					}
				})
				if reply.Failed != c.want || reply.Continue || reply.Detail == "" {
					t.Errorf("%+v, want %s", reply, c.want)
				}
				if n := len(questions(model)); c.status == 200 && n != 1 {
					t.Errorf("asked %d times, where the first answer counts", n)
				}
				t.Logf("%d ms, %s", reply.Took, reply.Detail)
			})
		}
	})
}

// Where no rule is sure, a program of the user's own decides, and nobody else is asked.
func TestJudgeIsTheUsersOwn(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "lisa-simpson")
		ask := filepath.Join(w.Home, "bin", "ask")
		write(t, ask, "#!/bin/sh\ncat >\"$HOME/page\"\necho \"$1 $MY_KEY\" >\"$HOME/given\"\necho thinking\necho '"+theAnswer+"'\n")
		must(t, os.Chmod(ask, 0o755))
		write(t, filepath.Join(w.Home, ".claude", "springfield", "lisa-simpson.json"),
			`{"judge": {"backend": "command", "command": ["`+ask+`", "first"], "variables": ["MY_KEY"], "cost": 0.002}}`)
		var settings map[string]any // the user's own, whose env hooks get
		own := filepath.Join(w.Home, ".claude", "settings.json")
		must(t, json.Unmarshal([]byte(read(t, own)), &settings))
		settings["env"] = map[string]any{"MY_KEY": "mine"}
		w.keep(own, settings)
		unsure := says("Line 58 has bytes, which should be a slice of them.")[0]
		session := Session{Script: []Turn{shell("true"), unsure, says("All done.")[0]}, Prompt: "fix the types"}
		r := w.Run(session)
		scratch.Equal(t, r.Text, "All done.")
		for _, q := range r.Aside {
			errorIf(t, strings.Contains(string(q.Body), "DECIDE:"), "the model was asked, too")
		}
		scratch.Holds(t, "the page", read(t, filepath.Join(w.Home, "page")), "In doubt: stop.", `Last message: "Line 58`, "DECIDE:")
		scratch.Equal(t, read(t, filepath.Join(w.Home, "given")), "first mine\n")
		scratch.Holds(t, "log", w.Springfield("log").Stdout, "three todos are pending", "$0.002")
		scratch.Holds(t, "status", w.Springfield("status").Stdout, "judge today: 1 question, $0.002")

		// A project that sets what the user has named for it bars it.
		write(t, filepath.Join(w.Project, ".claude", "settings.json"), `{"env": {"MY_KEY": "theirs"}}`)
		session.Script = []Turn{shell("true"), unsure}
		w.Run(session)
		scratch.Holds(t, "why", w.Springfield("why").Stdout, "unanswered", "settings.json sets env.MY_KEY")
	})
}

// What a project's settings set does reach the hook, and then no model is asked.
func TestJudgeIsNotRedirected(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "lisa-simpson")
		const unsure = "Line 58 has bytes, which should be a slice of them."
		run := func() (asked int) {
			r := w.Run(Session{Script: []Turn{shell("true"), says(unsure)[0], says("All done.")[0]}, Side: func(Request) string { return theAnswer }, Prompt: "fix the types"})
			for _, q := range r.Aside {
				if strings.Contains(q.System, judge.SystemPrompt("Claude")) {
					asked++
				}
			}
			want := unsure
			if asked > 0 {
				want = "All done."
			}
			scratch.Equal(t, r.Text, want, "after", asked, "questions the turn ended")
			return asked
		}
		if n := run(); n != 1 {
			t.Fatalf("%d questions without settings of the project", n)
		}
		write(t, filepath.Join(w.Project, ".claude", "settings.local.json"), `{"env": {"ANTHROPIC_DEFAULT_HAIKU_MODEL": "claude-opus-4-1"}}`)
		scratch.Equal(t, run(), 0, "questions where the project says what haiku")
		if out := w.Springfield("why").Stdout; !strings.Contains(out, ".claude/settings.local.json sets env.ANTHROPIC_DEFAULT_HAIKU_MODEL") {
			t.Errorf("why does not say what redirects:\n%s", out)
		}
		// Nor from a directory of the repository, where newer clients take the local settings at its top.
		must(t, os.MkdirAll(filepath.Join(w.Project, ".git"), 0o755))
		w.Project = filepath.Join(w.Project, "sub")
		must(t, os.MkdirAll(w.Project, 0o755))
		scratch.Equal(t, run(), 0, "questions where the top of the repository says what haiku")
	})
}
