package main

import (
	"strings"
	"testing"
)

// Wrong usage exits with 2, in every command: a wrong number of arguments, an unknown
// command or flag, a value that the flag does not take.
func TestWrongUsage(t *testing.T) {
	w := newWorld(t)
	for _, line := range []string{
		"nope", "--nope", "help nope", "help loop nope",
		"init a b", "init --target linux", "init --target mips/x --yes", "init --owner", "init x --yes --set foo", "init x --yes --set ned-flanders.nope=1",
		"init x --yes --set ned-flanders.rules=nope", "init x --yes --strategy nelson", "init x --yes --marketplace Bad_Name", "init x --all --strategy ned-flanders",
		"new", "new a b", "new Bad --from ned-flanders", "new x --from nelson", "new x",
		"build a b", "build --builder x", "update a b", "update --builder x", "validate a b",
		"enable", "enable x --scope y", "enable x --conflicts y", "disable", "disable x --scope y",
		"set", "set ned-flanders --scope project", "set a b=c --scope c",
		"doctor x", "undo x", "undo --list --forget", "undo --list --dry-run", "status x", "list x",
		"why a b", "log x", "log -n 0", "log -n x", "why --all=x", "hold x", "hold 9999d", "resume x",
		"loop nope", "loop set max", "loop history x", "loop history -n 0", "loop history show", "loop history rerun", "loop stop x", "loop status x", "loop start x --max 0",
		"replay --since x", "replay --list x", "replay -n 3", "replay --strategy nope", "replay --list all --html x",
		"explain", "explain a b", "explain a --line -1", "explain ../log.jsonl --strategy nope", "explain ../log.jsonl --rules nope",
		"publish a b", "publish --bump x", "publish --bump patch --version 1.0.0", "publish --source x", "publish --note", "publish --check --tag",
		"completion", "completion x", "version x", "prebuild",
	} {
		c := w.call(t, strings.Fields(line)...)
		if c.code != wrongUsage || !strings.Contains(c.err, "hint: ") || strings.Contains(c.err, "strconv") {
			t.Errorf("springfield %s: exit code %d\n%s%s", line, c.code, c.out, c.err)
		}
	}
}
