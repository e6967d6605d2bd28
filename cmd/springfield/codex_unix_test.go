//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// standIn is Codex as far as springfield calls it: it copies a plugin, and trusts the copy
// by the length of one of its files, which is no compiled one.
const standIn = `#!/bin/sh
home=${CODEX_HOME:-$HOME/.codex} copy=${CODEX_HOME:-$HOME/.codex}/plugins/cache/hooks/ned-flanders/0.1.0
case "$1 $2" in
"plugin add")
	mkdir -p "$copy" && cp -R hooks/ned-flanders/. "$copy"
	grep -qs ned-flanders "$home/config.toml" || printf '\n[plugins."ned-flanders@hooks"]\nenabled = true\n' >>"$home/config.toml" ;;
"plugin remove") rm -r "$copy"; printf '# gone\n' >"$home/config.toml" ;;
"app-server ")
	sum=$(wc -c <"$copy/README.md" | tr -d ' ')
	status=untrusted
	grep -q "sum:$sum" "$home/config.toml" && status=trusted
	read line; echo '{"id":1,"result":{}}'
	read line; echo '{"id":2,"result":{"data":[{"hooks":[{"key":"k","pluginId":"ned-flanders@hooks","currentHash":"h/sum:'$sum'","trustStatus":"'$status'","enabled":true}]}]}}' ;;
esac
`

// What is trusted is the copy that Codex runs: enable says that trust is missing, --trust
// shows it and writes it, and makes the copy again that the trust is about.
func TestCodexIsToldToTrust(t *testing.T) {
	w := newWorld(t)
	t.Setenv("PATH", filepath.Join(w.dir, "bin")+":/usr/bin:/bin")
	w.must(t, "init", "hooks", "--yes", "--owner", "Ned", "--no-git")
	w.write(t, "bin/codex", strings.ReplaceAll(standIn, "hooks/ned-flanders/.", filepath.Join(w.work(), "hooks/ned-flanders")+"/."))
	must(t, os.Chmod(filepath.Join(w.dir, "bin/codex"), 0o755))
	const settings = "# mine\n[tools]\nupdate_plan.enabled = true\n"
	w.write(t, "home/.codex/config.toml", settings)
	says := func(c called, want string) {
		t.Helper()
		if !strings.Contains(c.out+c.err, want) {
			t.Errorf("no %q in\n%s%s", want, c.out, c.err)
		}
	}
	says(w.must(t, "enable", "ned-flanders", "--host", "codex"), "Codex does not run the hook of ned-flanders until you trust it: start codex")
	says(w.call(t, "doctor", "--host", "codex"), "you have not trusted it yet")
	for _, change := range []string{"", "more words\n"} {
		w.write(t, "work/hooks/ned-flanders/README.md", change)
		done := w.must(t, "enable", "ned-flanders", "--host", "codex", "--trust")
		says(done, "+trusted_content_hash = \"sum:")
		says(w.call(t, "doctor", "--host", "codex"), "Codex trusts the hook of ned-flanders")
	}
	w.must(t, "disable", "ned-flanders", "--host", "codex")
	if left, err := os.ReadFile(filepath.Join(w.home(), ".codex/config.toml")); err != nil || string(left) != settings {
		t.Errorf("the settings are %q, %v", left, err)
	}
}
