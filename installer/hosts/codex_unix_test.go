//go:build unix

package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// codexAt is Codex in a scratch home. Its program is a script that runs server if called as app-server.
func codexAt(t *testing.T, settings, server string) Place {
	t.Helper()
	home := t.TempDir()
	write := func(name, data string, mode os.FileMode) string {
		path := filepath.Join(home, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(data), mode))
		return path
	}
	write(".codex/config.toml", settings, 0o600)
	write(".codex/plugins/cache/suite/ned/0.1.0/strategy.json", "{}", 0o600)
	program := write("bin/codex", "#!/bin/sh\n[ \"$1\" = app-server ] || exit 0\n"+server, 0o755)
	h, _ := HostNamed("codex")
	return h.PlaceFor(User{Home: home, Env: []string{"HOME=" + home, "PATH=/usr/bin:/bin", "OPENAI_API_KEY=secret"}, Getenv: none, Look: func(string) string { return program }})
}

// lists returns a server that answers hooks/list with one hook of ned@suite.
func lists(status string, more string) string {
	return fmt.Sprintf(`echo 'a line that is no JSON'
read line; echo '{"method":"configWarning","params":{}}'; echo '{"id":1,"result":{}}'
read line; echo '{"id":2,"result":{"data":[{"hooks":[{"key":"ned@suite:hooks/hooks.json:stop:0:0","eventName":"stop","pluginId":"ned@suite","currentHash":"sha256:aa/sha256:bb","trustStatus":%q,"enabled":true%s},
{"key":"other","pluginId":"other@suite","currentHash":"x","trustStatus":"trusted","enabled":true}],"errors":[],"warnings":["nothing"]}]}}' | tr -d '\n'; echo
`, status, more)
}

const nedOn = "# mine\n[plugins.\"ned@suite\"]\nenabled = true\n\n[plugins.\"../x@y\"]\n\n[plugins.\"off@suite\"]\nenabled = false\n\n[marketplaces.suite]\nsource_type = \"local\"\nsource = \"/s\"\n"

// nedByCodex is a plugin that Codex itself installed.
var nedByCodex = Installed{ID: "ned@suite", Name: "ned", Suite: "/s p", Dir: "/c/ned/0.1.0", On: true, HostRemoves: true}

func TestCodexChecksTrust(t *testing.T) {
	for _, tt := range []struct {
		name, server string
		state        check.State
		says         string
	}{
		{"trusted", lists("trusted", ""), check.Fine, "Codex trusts the hook of ned"},
		{"an administrator's", lists("managed", ""), check.Fine, "Codex trusts the hook of ned"},
		{"new", lists("untrusted", ""), check.Failure, "Codex does not run the hook of ned: you have not trusted it yet"},
		{"changed", lists("modified", ""), check.Failure, "ned has changed since you trusted its hook, so Codex does not run it"},
		{"a status of a later version", lists("expired", ""), check.Failure, "Codex does not run the hook of ned: you have not trusted it yet"},
		{"switched off", lists("trusted", `,"enabled":false`), check.Warning, "the hook of ned is disabled in Codex"},
		{"not listed", "read l; echo '{\"id\":1,\"result\":{}}'; read l; echo '{\"id\":2,\"result\":{\"data\":[{\"hooks\":[],\"errors\":[],\"warnings\":[\"unknown field `x` in '$CODEX_HOME'/c/ned/0.1.0/hooks/hooks.json\"]}]}}'\n", check.Failure, "Codex does not list a hook of ned; it reports: unknown field `x` in HOME/c/ned/0.1.0/hooks/hooks.json"},
		{"ends", "exit 3\n", check.Warning, "codex did not report which hooks it trusts: codex app-server: "},
		{"refuses", "read l; echo '{\"id\":1,\"error\":{\"message\":\"no\"}}'\n", check.Warning, "codex did not report which hooks it trusts: codex app-server: initialize: no"},
		{"prints without end", "yes '{\"id\":7}'\n", check.Warning, "codex did not report which hooks it trusts: codex app-server: "},
		{"a line without end", "yes | tr -d '\\n'\n", check.Warning, "codex did not report which hooks it trusts: codex app-server: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := codexAt(t, nedOn+"\n[tools.update_plan]\nenabled = true\n", tt.server)
			found := at.Host.Check(context.Background(), at, []Installed{nedByCodex})
			if len(found) != 1 || found[0].State != tt.state || !strings.HasPrefix(found[0].Says, strings.Replace(tt.says, "HOME", at.Dir, 1)) || (found[0].Fix == "") != (tt.state == check.Fine) {
				t.Errorf("%+v", found)
			}
		})
	}
}

// A script that starts the real program, which keeps its output open, ends with it at the timeout.
func TestCodexThatDoesNotAnswer(t *testing.T) {
	at := codexAt(t, nedOn, `sleep 300 & echo $! > "$HOME/pid"; mv "$HOME/pid" "$HOME/started"; wait`+"\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		_, err := at.askProgram(ctx, []string{"app-server"}, question{"initialize", nil})
		answered <- err
	}()
	started, pid := filepath.Join(at.Home, "started"), 0
	within(t, "it has not started", func() bool {
		data, err := os.ReadFile(started)
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	defer syscall.Kill(pid, syscall.SIGKILL)
	cancel()
	within(t, "it is still asked", func() bool { return len(answered) > 0 })
	scratch.Equal(t, errors.Is(<-answered, context.Canceled), true, "cancelled")
	scratch.WaitOrKill(t, pid, "what it has started", 10*time.Second)
}

// within waits for a condition or fails.
func within(t *testing.T, says string, done func() bool) {
	t.Helper()
	for range 1000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal(says)
}

// Codex gets only those user settings that decide whether a hook runs.
func TestCodexIsAskedWithoutSecrets(t *testing.T) {
	at := codexAt(t, nedOn+"\n[mcp_servers.x]\nenv = {TOKEN = \"secret\"}\n", `{ env; cat config.toml; ls plugins/cache/suite/ned/; } > "$HOME/asked"`+"\n"+lists("trusted", ""))
	if found := at.Host.Check(context.Background(), at, []Installed{nedByCodex}); len(found) != 1 || found[0].State != check.Fine {
		t.Errorf("trusted, and still to do: %+v", found)
	}
	asked := scratch.ReadFile(t, filepath.Join(at.Home, "asked"))
	scratch.Holds(t, "asked", string(asked), "CODEX_HOME=", "ned@suite", "enabled = true\n", "\n0.1.0\n")
	scratch.Lacks(t, "asked", string(asked), "secret")
	scratch.Holds(t, "the settings", scratch.ReadOrNone(t, at.SettingsFile()), "# mine")
}

// No name in settings leads out of the cache. A table without a copy is not a plugin.
func TestCodexInstalled(t *testing.T) {
	at := codexAt(t, nedOn, "")
	all, err := at.Host.Installed(at)
	want := fmt.Sprintf("[{ned@suite ned /s %s 0.1.0 true user true}]", filepath.Join(at.Dir, "plugins", "cache", "suite", "ned", "0.1.0"))
	must(t, err)
	scratch.Equal(t, fmt.Sprint(all), want, "installed")
	for _, settings := range []string{"plugins = 3\n", "[plugins]\nx = 1\n", "[marketplaces]\ny = []\n"} {
		at := codexAt(t, settings, "")
		_, err := at.Host.Installed(at)
		must(t, err)
	}
	broken := codexAt(t, "a = \n", "")
	if _, err := broken.Host.Installed(broken); err == nil {
		t.Error("settings that cannot be read have plugins")
	}
}

// The hook of an entry in hooks.json is found by its command and keeps its trust.
func TestCodexChecksTrustInAnEntry(t *testing.T) {
	for status, want := range map[string]check.State{"trusted": check.Fine, "untrusted": check.Failure} {
		at := codexAt(t, "", `{ cat hooks.json config.toml; } > "$HOME/asked"`+"\n"+strings.NewReplacer(`"pluginId":"ned@suite"`, `"command":"\u0027/s p/ned/hooks/springfield-hook\u0027"`).Replace(lists(status, "")))
		scratch.PutFile(t, filepath.Join(at.Dir, "hooks.json"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "'/s p/ned/hooks/springfield-hook'"}]}]}}`)
		scratch.PutFile(t, at.SettingsFile(), "[hooks.state.\""+filepath.Join(at.Dir, "hooks.json")+":stop:0:0\"]\ntrusted_hash = \"sha256:aa\"\n[mcp_servers.x]\nenv = {TOKEN = \"secret\"}\n")
		on, err := at.Host.Installed(at)
		must(t, err)
		found := at.Host.Check(context.Background(), at, on)
		if len(found) != 1 || found[0].State != want {
			t.Errorf("%s: %+v of %+v", status, found, on)
		}
		asked := scratch.ReadOrNone(t, filepath.Join(at.Home, "asked"))
		scratch.Holds(t, "asked", asked, "/s p/ned/hooks")
		if !regexp.MustCompile(`springfield-host-\d+/hooks.json:stop:0:0`).MatchString(asked) {
			t.Errorf("the trust stays behind: %s", asked)
		}
		scratch.Lacks(t, "asked", asked, "secret")
	}
}

// Codex's key of an entry has the resolved directory, and the file as named there (stablyai/orca#4324).
func TestCodexTrustBehindTwoLinks(t *testing.T) {
	at := codexAt(t, "", `cat config.toml > "$HOME/asked"`+"\n"+lists("trusted", ""))
	elsewhere, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	scratch.PutFile(t, filepath.Join(elsewhere, "dotfiles", "hooks.json"), "{}")
	must(t, os.Rename(at.Dir, filepath.Join(elsewhere, "codex")))
	must(t, os.Symlink(filepath.Join(elsewhere, "codex"), at.Dir))
	must(t, os.Symlink("../dotfiles/hooks.json", filepath.Join(at.Dir, "hooks.json")))
	scratch.PutFile(t, at.SettingsFile(), "[hooks.state.\""+filepath.Join(elsewhere, "codex", "hooks.json")+":stop:0:0\"]\ntrusted_hash = \"sha256:aa\"\n")
	at.Host.Check(context.Background(), at, []Installed{nedByCodex})
	if asked := scratch.ReadOrNone(t, filepath.Join(at.Home, "asked")); !regexp.MustCompile(`springfield-host-\d+/hooks.json:stop:0:0`).MatchString(asked) {
		t.Errorf("the trust stays behind: %s", asked)
	}
}
