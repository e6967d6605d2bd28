//go:build unix

package marketplace

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// written is a suite of the release, with one file for a hook, in a directory.
func written(t *testing.T, version, hook string) string {
	t.Helper()
	suite, err := generator.ReadSuite(".")
	must(t, err)
	suite.Plugins = suite.Plugins[:2]
	for i := range suite.Plugins {
		suite.Plugins[i].Version = version
	}
	files, err := generator.RenderSuite(suite.Spec, generator.Unbuilt(suite.Targets, suite.Programs()))
	must(t, err)
	dir := t.TempDir()
	for _, f := range append(files, generator.File{Path: "ned-flanders/hooks/springfield-hook", Mode: 0o755, Data: []byte(hook)}) {
		at := filepath.Join(dir, filepath.FromSlash(f.Path))
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, f.Data, f.Mode))
	}
	return dir
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	must(t, err, name, strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}

// meddle is a user whose git ignores, converts and hooks in, by files and by variables.
func meddle(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	hook := filepath.Join(dir, "template", "hooks", "reference-transaction")
	for file, text := range map[string]string{
		filepath.Join(dir, "git", "ignore"):               "*.json\nhooks/\n",
		filepath.Join(dir, "git", "attributes"):           "* text eol=crlf ident\n",
		filepath.Join(dir, "template", "info", "exclude"): "*.md\n",
		hook: "#!/bin/sh\necho a hook of the user >&2\nexit 1\n",
	} {
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(text), 0o755))
	}
	for name, value := range map[string]string{
		"XDG_CONFIG_HOME": dir, "GIT_TEMPLATE_DIR": filepath.Join(dir, "template"),
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "i18n.commitEncoding", "GIT_CONFIG_VALUE_0": "latin1",
	} {
		t.Setenv(name, value)
	}
}

// Each branch has one commit per release; the same files and words make the same commits, wherever they are made.
func TestBranches(t *testing.T) {
	one, again, two := t.TempDir(), t.TempDir(), t.TempDir()
	first := written(t, "0.1.0", "first")
	for _, dir := range []string{one, again} {
		if dir == again {
			meddle(t)
		}
		output(t, "sh", "branches.sh", first, dir, "springfield 0.1.0, made from a commit", "1700000000")
	}
	refs := output(t, "git", "-C", one, "for-each-ref")
	if other := output(t, "git", "-C", again, "for-each-ref"); refs != other || strings.Count(refs, "\n") != 2 {
		t.Errorf("the branches are\n%s\nand again\n%s", refs, other)
	}

	const message = "springfield 0.2.0, made from another"
	output(t, "sh", "branches.sh", written(t, "0.2.0", "second"), two, message, "1700000001", one)
	if got := output(t, "git", "-C", two, "log", "--format=%s", "plugins/ned-flanders"); got != message+"\nspringfield 0.1.0, made from a commit" {
		t.Errorf("the second release is\n%s", got)
	}
	output(t, "sh", "branches.sh", written(t, "0.2.0", "second"), two, message, "1700000002")
	scratch.Equal(t, output(t, "git", "-C", two, "rev-list", "--count", "release"), "2",
		"the same release again makes", "commits")
	out, err := exec.Command("sh", "branches.sh", written(t, "0.2.0", "third"), two, message, "1700000003").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "release has springfield 0.2.0 already, with other files") {
		t.Errorf("other files under a version that is out: %v\n%s", err, out)
	}

	// What Gemini CLI needs at the top leads to the program in the plugin.
	show := func(file string) string { return output(t, "git", "-C", two, "show", "plugins/ned-flanders:"+file) }
	if mode := output(t, "git", "-C", two, "ls-tree", "plugins/ned-flanders", "ned-flanders/hooks/springfield-hook"); !strings.HasPrefix(mode, "100755") {
		t.Errorf("the hook is %s", mode)
	}
	var gemini struct{ Name, Version string }
	if err := json.Unmarshal([]byte(show("gemini-extension.json")), &gemini); err != nil || gemini.Name != "ned-flanders" || gemini.Version != "0.2.0" {
		t.Errorf("gemini-extension.json says %+v, %v", gemini, err)
	}
	if text := show("hooks/hooks.json"); !json.Valid([]byte(text)) || strings.Count(text, `"\"${extensionPath}/ned-flanders/hooks/springfield-hook\""`) != 1 {
		t.Errorf("hooks.json is\n%s", text)
	}
}
