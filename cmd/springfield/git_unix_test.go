//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// trapped is a project whose repository and environment name a trap wherever git can start a program.
type trapped struct {
	dir  string
	git  string   // the real one
	base []string // an environment without anything hostile
}

func (w trapped) path(name ...string) string {
	return filepath.Join(append([]string{w.dir}, name...)...)
}

// trap is the program that a setting names: its own name is the setting's.
func (w trapped) trap(t *testing.T, name string) string {
	t.Helper()
	path := w.path("traps", strings.ReplaceAll(name, "/", "_"))
	err := os.Symlink(w.path("trap"), path)
	if err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	return path
}

// sprung returns the traps that were started since the last call.
func (w trapped) sprung(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(w.path("sprung"))
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = os.Remove(w.path("sprung"))
	}
	must(t, err)
	return strings.Fields(string(data))
}

// run runs a command in a directory of this world.
func (w trapped) run(t *testing.T, dir string, more []string, command string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env = w.path(dir), slices.Concat(w.base, more)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

func (w trapped) must(t *testing.T, dir, command string, args ...string) {
	t.Helper()
	if out, err := w.run(t, dir, nil, command, args...); err != nil {
		t.Fatalf("%s %q: %v\n%s", command, args, err, out)
	}
}

func (w trapped) write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(w.path(path)), 0o755))
	must(t, os.WriteFile(w.path(path), []byte(text), mode))
}

// hookNames are hooks of git that what springfield calls could start.
var hookNames = strings.Fields(`commit-msg fsmonitor-watchman post-checkout post-commit post-index-change post-rewrite pre-auto-gc pre-commit
	pre-push prepare-commit-msg reference-transaction update`)

// newTrapped makes a project that was published once, and then a trap of everything that a repository can bring.
func newTrapped(t *testing.T) trapped {
	t.Helper()
	git, err := exec.LookPath("git")
	must(t, err)
	goroot, gocache := scratch.FindGo(t)
	self, err := exec.LookPath("springfield")
	must(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	w := trapped{dir: dir, git: git}
	w.base = []string{
		"HOME=" + w.path("home"), "GOCACHE=" + gocache, "PREBUILT=" + carriedHeads(t), "TMPDIR=" + w.path("tmp"), "USER=ned",
		"PATH=" + strings.Join([]string{w.path("bin"), filepath.Dir(self), filepath.Join(goroot, "bin"), "/usr/bin", "/bin"}, ":"),
	}
	w.write(t, "trap", "#!/bin/sh\necho \"${0##*/}\" >>'"+w.path("sprung")+"'\nexit 0\n", 0o755)
	// Every call of git is logged with its arguments and variables.
	w.write(t, "bin/git", "#!/bin/sh\n{ echo \"call $*\"; env | grep ^GIT_; } >>'"+w.path("calls")+"'\nexec '"+git+"' \"$@\"\n", 0o755)
	for _, name := range []string{"traps", "tmp", "home", "project/.claude"} {
		must(t, os.MkdirAll(w.path(name), 0o755))
	}
	must(t, scratch.TurnGoTelemetryOff(w.path("home")))
	w.write(t, "home/.gitconfig", "[user]\n\tname = Ned\n\temail = ned@example.invalid\n[init]\n\tdefaultBranch = main\n", 0o600)
	w.write(t, "market/.claude-plugin/marketplace.json", `{"name": "market", "owner": {"name": "M"}, "plugins": []}`, 0o644)
	w.must(t, "", "springfield", "init", "project/suite", "--yes")
	w.write(t, "project/text", "one\n", 0o644)
	w.must(t, "project", git, "init", "--quiet")
	w.must(t, "project", git, "add", "--all")
	w.must(t, "project", git, "commit", "--quiet", "--message", "one")
	w.must(t, "project", git, "remote", "add", "origin", "ssh://host.invalid/o/project.git")
	w.must(t, "project", git, "update-ref", "refs/remotes/origin/main", "HEAD") // as if it were pushed
	w.must(t, "project/suite", "springfield", "publish", "--to", "../../market", "--note", "One", "--target", generator.HostTarget().String())
	w.must(t, "project", git, "add", "--all")
	w.must(t, "project", git, "commit", "--quiet", "--message", "two")
	w.must(t, "project", git, "update-ref", "refs/remotes/origin/main", "HEAD")

	w.write(t, "project/.git/info/attributes", "text filter=evil=x\n*.md filter=other diff=evil merge=evil\n*.json filter=other\n", 0o644)
	w.write(t, "project/.git/config", w.hostileConfig(t, ""), 0o644)
	for _, name := range hookNames {
		must(t, os.Symlink(w.trap(t, "hook."+name), w.path("project", ".git", "hooks", name)))
	}
	w.staleIndex(t)
	_ = w.sprung(t)
	return w
}

// staleIndex makes git read the contents of files again.
func (w trapped) staleIndex(t *testing.T) {
	t.Helper()
	w.must(t, "project", "find", "suite", "text", "-type", "f", "-exec", "touch", "{}", "+")
}

// programSettings are those that name a program: a place to put it, and its name.
var programSettings = []string{
	"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
	"sequence.editor", "diff.external", "diff.evil.command", "diff.evil.textconv", "interactive.diffFilter",
	"filter.evil=x.process", "filter.evil=x.clean", "filter.evil=x.smudge", "filter.other.clean", "filter.other.smudge", "merge.evil.driver",
	"gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand",
	"credential.helper", "credential.https://host.invalid.helper", "trailer.evil.command", "trailer.evil.cmd", "hook.evil.command",
	"remote.origin.uploadpack", "uploadpack.packObjectsHook", "pager.status", "pager.log", "alias.status", "alias.log", "init.templateDir",
}

// hostileConfig returns a git configuration in which every program is a trap.
func (w trapped) hostileConfig(t *testing.T, prefix string) string {
	t.Helper()
	var b strings.Builder
	set := func(key, value string) {
		section, rest, _ := strings.Cut(key, ".")
		if i := strings.LastIndex(rest, "."); i >= 0 {
			fmt.Fprintf(&b, "[%s %q]\n\t%s = %q\n", section, rest[:i], rest[i+1:], value)
			return
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %q\n", section, rest, value)
	}
	for _, key := range programSettings {
		set(key, w.trap(t, prefix+key))
	}
	for _, key := range [][2]string{
		{"remote.origin.url", "ssh://host.invalid/o/project.git"}, {"remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"},
		{"branch.main.remote", "origin"}, {"branch.main.merge", "refs/heads/main"},
		{"protocol.allow", "always"}, {"protocol.ext.allow", "always"},
		{"log.showSignature", "true"}, {"tag.gpgSign", "true"}, {"commit.gpgSign", "true"}, {"hook.evil.event", "reference-transaction"},
		{"status.submoduleSummary", "true"}, {"submodule.recurse", "true"}, {"core.untrackedCache", "true"},
	} {
		set(key[0], key[1])
	}
	return b.String()
}

// variables returns the same settings as variables, as a project's settings can set them.
func (w trapped) variables(t *testing.T) []string {
	t.Helper()
	for _, name := range []string{"git/config", "global", "system"} {
		w.write(t, "project/evil/"+name, w.hostileConfig(t, name+"/"), 0o644)
	}
	env := []string{
		"XDG_CONFIG_HOME=" + w.path("project", "evil"), "GIT_CONFIG_GLOBAL=" + w.path("project", "evil", "global"),
		"GIT_CONFIG_SYSTEM=" + w.path("project", "evil", "system"), "GIT_TEMPLATE_DIR=" + w.path("project", ".git"),
		"GIT_EXEC_PATH=" + w.path("traps"), "GIT_TRACE=" + w.path("sprung"), "GIT_TRACE2_EVENT=" + w.path("sprung"),
		"GIT_CONFIG_PARAMETERS='core.fsmonitor'='" + w.trap(t, "GIT_CONFIG_PARAMETERS") + "'",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(programSettings)), "GIT_ALLOW_PROTOCOL=ssh:ext", "GIT_NO_LAZY_FETCH=0", "GIT_OPTIONAL_LOCKS=1",
	}
	for i, key := range programSettings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, w.trap(t, "GIT_CONFIG_COUNT/"+key)))
	}
	for _, name := range []string{
		"GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "PAGER", "EDITOR", "VISUAL",
		"GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND",
	} {
		env = append(env, name+"="+w.trap(t, name))
	}
	return env
}

// No verb starts a program that a repository or the environment names for git.
func TestVerbsSpringNoTrap(t *testing.T) {
	t.Parallel()
	w := newTrapped(t)
	w.write(t, "project/transcript.jsonl", `{"type":"user","message":{"role":"user","content":"go"}}`+"\n", 0o644)
	host := generator.HostTarget().String()
	lines := []string{
		"publish suite --to ../market --check", "publish suite --to ../market --target " + host, "publish suite --dry-run --target " + host,
		"init another --yes --target " + host, "init suite --yes", "init ../beside --yes --target " + host,
		"new left-handed --from ned-flanders --suite suite", "build suite --target " + host, "update suite", "validate suite",
		"enable ned-flanders --suite suite", "enable ned-flanders --suite suite --scope project", "enable ned-flanders --suite suite --scope local",
		"status", "doctor", "list", "set ned-flanders budget.burst=4 --scope project", "log", "explain transcript.jsonl", "replay",
		"loop start goal", "loop stop", "disable ned-flanders --scope local", "disable ned-flanders --scope project", "disable ned-flanders", "undo",
	}
	// Plain git springs the traps.
	out, _ := w.run(t, "project", nil, w.git, "status", "--porcelain")
	scratch.ErrorIf(t, !slices.Contains(w.sprung(t), "core.fsmonitor"), "git starts no trap: %s", out)
	asked := map[string]bool{}
	for _, env := range [][]string{nil, w.variables(t)} {
		for _, line := range lines {
			if env != nil && scratch.Skipped(8) {
				continue
			}
			w.staleIndex(t)
			_ = os.Remove(w.path("calls"))
			with := env
			if strings.Contains(line, "beside") {
				with = slices.Concat(env, []string{"PREBUILT="}) // it compiles
			}
			out, err := w.run(t, "project", with, "springfield", strings.Fields(line)...)
			if got := w.sprung(t); len(got) > 0 {
				t.Errorf("%d variables: springfield %s starts %q\n%s", len(env), line, got, out)
			}
			data, _ := os.ReadFile(w.path("calls"))
			for _, call := range bytes.Split(data, []byte("call "))[1:] {
				asked[strings.Fields(line)[0]] = true
				for _, want := range []string{"GIT_NO_LAZY_FETCH=1\n", "GIT_ALLOW_PROTOCOL=\n", "GIT_OPTIONAL_LOCKS=0\n", "GIT_TERMINAL_PROMPT=0\n"} {
					if !bytes.Contains(call, []byte(want)) {
						t.Errorf("springfield %s calls git without %s: %s", line, strings.TrimSpace(want), call)
					}
				}
			}
			if err != nil {
				t.Logf("%d variables: springfield %s: %v", len(env), line, err)
			}
		}
	}
	if !asked["init"] || !asked["publish"] {
		t.Errorf("git is asked by %v alone", asked)
	}
}
