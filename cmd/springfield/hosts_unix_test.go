//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// aDroid is a stand-in for Droid: it copies plugins, and writes its records.
const aDroid = `#!/bin/sh
at=$HOME/.factory/plugins
mkdir -p $at/installed_plugins $at/known_marketplaces
case "$*" in
"plugin marketplace add "*)
	echo "{\"name\": \"hooks\", \"entry\": {\"source\": {\"source\": \"local\", \"path\": \"$4\"}}}" >$at/known_marketplaces/hooks.json ;;
"plugin install "*)
	cp -r SUITE/${3%@hooks} $at/
	echo "{\"pluginId\": \"$3\", \"entry\": {\"scope\": \"user\", \"installPath\": \"$at/${3%@hooks}\", \"source\": \"hooks\"}}" >$at/installed_plugins/$3.json ;;
"plugin uninstall "*)
	rm -r $at/${3%@hooks} $at/installed_plugins/$3.json ;;
esac
`

// interrupting calls something when it is written to for the first time.
type interrupting struct{ do func() }

func (i *interrupting) Write(p []byte) (int, error) {
	if do := i.do; do != nil {
		i.do = nil
		do()
	}
	return len(p), nil
}

// A plugin that another springfield switches on between our plan and our edit is seen: of
// one kind, one stays on.
func TestTwoEnablesOnOneHost(t *testing.T) {
	w := newWorld(t)
	w.write(t, "bin/droid", strings.ReplaceAll(aDroid, "SUITE", filepath.Join(w.work(), "hooks")))
	must(t, os.Chmod(filepath.Join(w.dir, "bin", "droid"), 0o755))
	t.Setenv("PATH", filepath.Join(w.dir, "bin")+":"+os.Getenv("PATH"))
	w.must(t, "init", "hooks", "--yes", "--strategy", "ned-flanders", "--strategy", "bart-simpson", "--owner", "Ned", "--no-git")
	other := func() { w.must(t, "enable", "bart-simpson", "--suite", "hooks", "--host", "droid") }
	var said bytes.Buffer
	if code := w.callTo(t, &said, &interrupting{other}, "enable", "ned-flanders", "--suite", "hooks", "--host", "droid"); code != 0 || !strings.Contains(said.String(), "bart-simpson@hooks is switched off") {
		t.Errorf("exit code %d\n%s", code, &said)
	}
	settings, err := os.ReadFile(filepath.Join(w.home(), ".factory", "settings.json"))
	if err != nil || !strings.Contains(string(settings), `"ned-flanders@hooks": true`) || strings.Contains(string(settings), "bart-simpson@hooks") {
		t.Errorf("%s, %v", settings, err)
	}
}
