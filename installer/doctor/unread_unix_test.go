//go:build unix

package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// doctor reports what it cannot read, with a fix.
func TestDoctorNamesWhatCannotBeRead(t *testing.T) { scratch.AsUnprivileged(t, checkUnreadable) }

func checkUnreadable(t *testing.T, dir string) {
	const home, project = "home/.claude", "project/.claude"
	setting := func(mode os.FileMode, path string) func(string) error {
		return func(root string) error { return os.Chmod(filepath.Join(root, path), mode) }
	}
	closed := func(path string) func(string) error { return setting(0, path) }
	inPlace := func(path string, of func(string) error) func(string) error {
		return func(root string) error {
			path := filepath.Join(root, path)
			return errors.Join(os.RemoveAll(path), of(path))
		}
	}
	asDir := func(path string) error { return os.Mkdir(path, 0o755) }
	asFile := func(path string) error { return os.WriteFile(path, []byte("{}"), 0o644) }
	nowhere := func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "nowhere"), path) }
	ofRoot := func(path string) error { return os.Symlink("/usr", path) } // whose files are
	holding := func(path, text string) func(string) error {
		return func(root string) error { return os.WriteFile(filepath.Join(root, path), []byte(text), 0o644) }
	}
	for name, test := range map[string]struct {
		make  func(root string) error
		check string
		state check.State
		says  string // ROOT is where the home lies
		fix   string
	}{
		"home":                {closed(home), "settings", check.Failure, "ROOT/home/.claude/settings.json: permission denied", "chmod u+rwX ROOT/home/.claude"},
		"settings":            {closed(home + "/settings.json"), "settings", check.Failure, "ROOT/home/.claude/settings.json: permission denied", "chmod u+rwX ROOT/home/.claude/settings.json"},
		"home, read-only":     {setting(0o555, home), "settings", check.Warning, "ROOT/home/.claude/settings.json: permission denied, so nothing can be enabled", "ROOT/home/.claude is read-only; make it writable if springfield may change it"},
		"settings, read-only": {setting(0o444, home+"/settings.json"), "settings", check.Warning, "ROOT/home/.claude/settings.json: permission denied, so nothing can be enabled", "ROOT/home/.claude/settings.json is read-only; make it writable if springfield may change it"},
		"plugins":             {closed(home + "/plugins"), "marketplace", check.Warning, "known_marketplaces.json: permission denied", "chmod u+rwX ROOT/home/.claude/plugins"},
		"state":               {closed(home + "/springfield"), "state", check.Failure, "ROOT/home/.claude/springfield: permission denied", "chmod u+rwX ROOT/home/.claude/springfield"},
		"journal":             {closed(home + "/springfield/journal"), "state", check.Failure, "ROOT/home/.claude/springfield/journal: permission denied", "chmod u+rwX ROOT/home/.claude/springfield/journal"},
		"suites":              {closed(home + "/springfield/suites.json"), "settings", check.Failure, "suites.json: permission denied", "chmod u+rwX ROOT/home/.claude/springfield/suites.json"},
		"state of root":       {inPlace(home+"/springfield/sessions", ofRoot), "state", check.Failure, " belongs to another user, so hooks may not record decisions", `sudo chown -R "$(id -u)" ROOT/home/.claude/springfield`},
		"project":             {closed(project), "settings", check.Failure, "ROOT/project/.claude/settings.json: permission denied", "chmod u+rwX ROOT/project/.claude"},
		"home, a file":        {inPlace(home, asFile), "settings", check.Failure, "not a directory", "move ROOT/home/.claude away, or fix it"},
		"settings, a dir":     {inPlace(home+"/settings.json", asDir), "settings", check.Failure, "ROOT/home/.claude/settings.json: not a regular file", "move ROOT/home/.claude/settings.json away, or fix it"},
		"plugins, a file":     {inPlace(home+"/plugins", asFile), "marketplace", check.Warning, "not a directory", "move ROOT/home/.claude/plugins away, or fix it"},
		"state, a file":       {inPlace(home+"/springfield", asFile), "state", check.Failure, "not a directory", "move ROOT/home/.claude/springfield away, or fix it"},
		"project, a file":     {inPlace(project, asFile), "settings", check.Failure, "not a directory", "move ROOT/project/.claude away, or fix it"},
		"home, a link":        {inPlace(home, nowhere), "state", check.Failure, "no such file or directory; without it", "move ROOT/home/.claude away, or fix it"},
		"comments":            {holding(home+"/settings.json", "{\n// no\n}"), "settings", check.Failure, "line 2, column 1: comments", "correct that line"},
		"suites, cut short":   {holding(home+"/springfield/suites.json", "{"), "settings", check.Failure, "read ROOT/home/.claude/springfield/suites.json: unexpected end", "rm ROOT/home/.claude/springfield/suites.json"},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(dir, strings.NewReplacer(" ", "-", ",", "").Replace(name))
			for _, made := range []string{"springfield/journal", "springfield/sessions"} {
				must(t, os.MkdirAll(filepath.Join(root, home, made), 0o755))
			}
			for file, text := range map[string]string{home + "/settings.json": "{}", project + "/settings.json": "{}", project + "/settings.local.json": "{}", home + "/springfield/suites.json": `{"suites": []}`, home + "/plugins/known_marketplaces.json": "{}"} {
				scratch.PutFile(t, filepath.Join(root, file), text)
			}
			must(t, test.make(root))
			t.Cleanup(func() { reopen(root) })
			found, err := check.RunAll(t.Context(), Inspect(Request{Places: placesIn(root), Now: time.Now()}), ClaudeChecks()...)
			must(t, err)
			says, fix := strings.ReplaceAll(test.says, "ROOT", root), strings.ReplaceAll(test.fix, "ROOT", root)
			for _, f := range found {
				if f.Check == test.check && f.State == test.state && strings.Contains(f.Text(), says) && strings.Contains(f.Fix, fix) {
					return
				}
			}
			t.Errorf("no %s of %q says %q, to be mended by %q:\n%s", test.state, test.check, says, fix, listed(found))
		})
	}
}

// A full disk is no reason to move the records away.
func TestHowToRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for fault, want := range map[error]string{
		syscall.ENOSPC: "fix the cause, then run springfield doctor", syscall.EMFILE: "fix the cause, then run springfield doctor",
		syscall.ENOTDIR: "move " + filepath.Dir(path) + " away, or fix it",
	} {
		scratch.Equal(t, HowToRead(&fs.PathError{Op: "open", Path: path, Err: fault}), want, fault)
	}
}

func listed(found []check.Finding) (text string) {
	for _, f := range found {
		text += fmt.Sprintf("%s %s: %s → %s\n", f.State, f.Check, f.Text(), f.Fix)
	}
	return text
}

func placesIn(root string) client.Places {
	config := filepath.Join(root, "home", ".claude")
	work := filepath.Join(root, "project")
	return client.Places{Config: config, Plugins: filepath.Join(config, "plugins"), Home: filepath.Join(root, "home"), Work: work, Root: work}
}

// reopen makes a directory removable.
func reopen(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil || d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
}
