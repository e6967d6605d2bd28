//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/replay"
)

// clone is a cloned repository with a suite and a marketplace, next to a canary directory.
type clone struct {
	t         *testing.T
	dir       string // holds clone, canary, home
	env       []string
	snapshots map[string]string
}

// theirs are the files of the canary: every name that a verb writes.
var theirs = []string{
	"springfield.yaml", "README.md", "CLAUDE.md", "CHANGELOG.md", "strategy.json", "plugin.json", "hooks.json", "marketplace.json", "rendered.sha256",
	"springfield-hook", "settings.json", "settings.local.json", "workflow-state.json", "continuation-loop.md", "ralph-loop.local.md", "page.html",
	"hooks/hooks.json", "hooks/springfield-hook", "hooks/springfield-hook.exe", "hooks/linux-arm64/springfield-hook",
	".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", ".claude/settings.json",
}

// newClone makes the clone and the canary. If old, the suite has the hook of another springfield.
func newClone(t *testing.T, carried string, old bool) *clone {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	_, gocache := scratch.FindGo(t)
	c := &clone{t: t, dir: dir}
	c.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.at("home"), "TERM=dumb",
		"GOCACHE=" + gocache, "PREBUILT=" + carried,
	}
	// The suite is declared already, so that enabling it in a project changes only the project.
	c.write("home/.claude/settings.json", `{"extraKnownMarketplaces": {"suite": {"source": {"source": "directory", "path": "`+c.at("clone/suite")+`"}}}}`+"\n")
	c.write("home/.claude/CLAUDE.md", "Mine.\n")
	c.write("home/log.jsonl", `{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-01-10T10:00:00Z","message":{"role":"user","content":"go"}}`+"\n")
	for _, name := range theirs {
		c.write("canary/"+name, "theirs\n")
	}
	for _, name := range []string{"settings.json", "settings.local.json", ".claude/settings.json"} {
		c.write("canary/"+name, "{}\n")
	}
	for _, name := range []string{"marketplace.json", ".claude-plugin/marketplace.json"} {
		c.write("canary/"+name, "{\"name\": \"theirs\", \"plugins\": []}\n")
	}
	c.write("canary/workflow-state.json", "{\"tasks_total\": 3, \"tasks_completed\": 1, \"waiting_for_user\": false}\n")
	c.write("canary/continuation-loop.md", "---\nactive: true\niteration_count: 1\nmax_iterations: 5\n---\n\nx\n")
	c.write("canary/page.html", "<!doctype html>"+replay.PageMark+"\n")
	c.write("canary/rendered.sha256", "# theirs\n")

	c.write("clone/.claude-plugin/marketplace.json", "{\"name\": \"market\", \"owner\": {\"name\": \"x\"}, \"plugins\": []}\n")
	c.write("clone/elsewhere/keep", "in the clone\n")
	c.forget()
	if out, err := exec.Command("git", "init", "-q", c.at("clone")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, code := c.run("clone", "init", "suite", "--yes", "--owner", "Sideshow"); code != 0 {
		t.Fatalf("%s", out)
	}
	// Every file has something to write.
	if old {
		c.write("clone/suite/ned-flanders/hooks/springfield-hook", "an older hook\n")
	}
	text := string(scratch.ReadFile(c.t, c.at("clone/suite/springfield.yaml")))
	c.write("clone/suite/springfield.yaml", strings.Replace(text, "name: Sideshow", "name: Bob", 1))
	c.snapshots = map[string]string{"canary": c.tree("canary"), "home/.claude": c.tree("home/.claude")}
	return c
}

func (c *clone) at(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func (c *clone) write(name, text string) {
	c.t.Helper()
	scratch.PutFile(c.t, c.at(name), text)
}

// tree returns modes, links and bytes below a directory, without springfield's own state.
func (c *clone) tree(top string) string {
	c.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(c.at(top), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == c.at("home/.claude/springfield") || d.Name() == ".git") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var data []byte
		target := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err = os.Readlink(path)
		} else if info.Mode().IsRegular() {
			data, err = os.ReadFile(path)
		}
		fmt.Fprintf(&b, "%s %v %s%s\n", strings.TrimPrefix(path, c.dir), info.Mode(), target, data)
		return err
	})
	must(c.t, err)
	return b.String()
}

// forget removes springfield's state, except the key that lets it reuse compiled hooks.
func (c *clone) forget() {
	c.t.Helper()
	must(c.t, os.RemoveAll(c.at("home/.claude/springfield")))
	must(c.t, scratch.TurnGoTelemetryOff(c.at("home")))
}

// link puts a link in the place of whatever is there.
func (c *clone) link(name, target string) {
	c.t.Helper()
	must(c.t, errors.Join(os.RemoveAll(c.at(name)), os.MkdirAll(filepath.Dir(c.at(name)), 0o755), os.Symlink(target, c.at(name))))
}

func (c *clone) run(dir string, args ...string) (out string, code int) {
	c.t.Helper()
	var b bytes.Buffer
	cmd := exec.Command("springfield", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = c.at(dir), &b, &b, c.env
	code = runHere(cmd)
	return b.String(), code
}

// Verbs in a clone with links change nothing outside, and nothing at all if they report the link.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	type call struct {
		dir  string
		args []string
	}
	host := generator.HostTarget().String()
	suite := map[string]call{
		"build":        {"clone/suite", []string{"build"}},
		"build DIR":    {"clone", []string{"build", "suite"}},
		"build more":   {"clone/suite", []string{"build", "--target", host, "--target", "linux/arm64"}},
		"init":         {"clone/suite", []string{"init", ".", "--yes"}},
		"update":       {"clone/suite", []string{"update"}},
		"new":          {"clone/suite", []string{"new", "left-handed", "--from", "ned-flanders"}},
		"publish":      {"clone/suite", []string{"publish", "--target", host, "--bump", "minor"}},
		"publish --to": {"clone/suite", []string{"publish", "--target", host, "--to", "..", "--bump", "minor"}},
		"validate":     {"clone/suite", []string{"validate"}},
	}
	project := map[string]call{
		"enable project":  {"clone", []string{"enable", "ned-flanders", "--suite", "suite", "--scope", "project"}},
		"enable local":    {"clone", []string{"enable", "ned-flanders", "--suite", "suite", "--scope", "local"}},
		"disable project": {"clone", []string{"disable", "ned-flanders@suite", "--scope", "project"}},
		"memory":          {"clone", []string{"init", "suite", "--yes", "--memory", "CLAUDE.md"}},
		"memory below":    {"clone", []string{"init", "suite", "--yes", "--memory", "out/CLAUDE.md"}},
		"page":            {"clone", []string{"replay", "--html", "page.html", "../home/log.jsonl"}},
		"page below":      {"clone", []string{"replay", "--html", "out/page.html", "../home/log.jsonl"}},
		"loop start":      {"clone", []string{"loop", "start", "--replace", "A goal"}},
		"loop stop":       {"clone", []string{"loop", "stop", "--delete"}},
		"doctor":          {"clone", []string{"doctor"}},
		"init below":      {"clone", []string{"init", "out/another", "--yes", "--owner", "Ned"}},
		"init":            {"clone", []string{"init", "out", "--yes", "--owner", "Ned"}},
		"build":           {"clone", []string{"build", "out"}},
		"publish --to":    {"clone", []string{"publish", "suite", "--target", host, "--to", "out"}},
	}
	all := func(calls map[string]call, but ...string) []string {
		return slices.DeleteFunc(slices.Collect(maps.Keys(calls)), func(name string) bool { return slices.Contains(but, name) })
	}
	writers := all(suite, "validate")
	plugin := all(suite, "validate", "build more") // that meet any link in a plugin, not only those on their way
	releases := []string{"publish", "publish --to"}
	carried := carriedHeads(t)
	entries := func() []string { return slices.Sorted(maps.Keys(scratch.ReadTree(t, "."))) }
	before := entries()
	t.Cleanup(func() { scratch.Equal(t, entries(), before, "what a path relative to this process would name") })
	for _, tt := range []struct {
		link, target string
		calls        map[string]call
		refuse       []string // the calls that have to say so
	}{
		{"suite/ned-flanders", "../../canary", suite, writers},
		{"suite/ned-flanders", "../elsewhere", suite, writers},
		{"suite/ned-flanders/hooks/springfield-hook", "../../../../canary/springfield-hook", suite, plugin},
		{"suite/ned-flanders/hooks/linux-arm64", "../../../../canary/hooks/linux-arm64", suite, append([]string{"build more"}, releases...)},
		{"suite/ned-flanders/.claude-plugin", "../../../canary/.claude-plugin", suite, all(suite, "validate", "build", "build DIR", "build more")},
		{"suite/ned-flanders/README.md", "../../../canary/README.md", suite, releases},
		{"suite/left-handed", "../../canary", suite, append([]string{"new"}, releases...)},
		{"suite/.claude-plugin", "../../canary/.claude-plugin", suite, all(suite, "validate", "build", "build DIR", "build more")},
		{"suite/.springfield", "../../canary/new", suite, writers},
		{"suite/.springfield/rendered.sha256", "../../../canary/rendered.sha256", suite, writers},
		{"suite/springfield.yaml", "../../canary/springfield.yaml", suite, all(suite, "validate")},
		{"suite", "../canary", suite, nil},
		{".claude-plugin/marketplace.json", "../../canary/marketplace.json", suite, []string{"publish --to"}},

		{".claude", "../canary", project, []string{"enable project", "enable local", "disable project"}},
		{".claude/settings.json", "../../home/.claude/settings.json", project, []string{"enable project", "disable project"}},
		{".claude/ralph-loop.local.md", "../../canary/ralph-loop.local.md", project, nil},
		{".stravinsky", "../canary/new", project, nil},
		{".stravinsky/continuation-loop.md", "../../canary/continuation-loop.md", project, nil},
		{"CLAUDE.md", "../canary/CLAUDE.md", project, []string{"memory"}},
		{"page.html", "../canary/page.html", project, []string{"page"}},
		{"out", "../canary", project, []string{"memory below", "page below", "init below", "init", "build", "publish --to"}},
	} {
		t.Run(tt.link+" to "+tt.target, func(t *testing.T) {
			t.Parallel()
			c := newClone(t, carried, tt.calls["update"].args != nil)
			first := filepath.Join(c.dir, "first")
			must(t, os.CopyFS(first, os.DirFS(c.at("clone"))))
			for _, name := range slices.Sorted(maps.Keys(tt.calls)) {
				if slices.Contains(tt.refuse, name) && scratch.Skipped(4) || !slices.Contains(tt.refuse, name) && scratch.Skipped(12) {
					continue
				}
				must(t, errors.Join(os.RemoveAll(c.at("clone")), os.CopyFS(c.at("clone"), os.DirFS(first))))
				c.forget()
				c.link("clone/"+tt.link, tt.target)
				before := c.tree("clone")
				at := tt.calls[name]
				if _, err := os.Stat(c.at(at.dir)); err != nil {
					continue
				}
				out, code := c.run(at.dir, at.args...)
				for _, top := range []string{"canary", "home/.claude"} {
					if c.tree(top) != c.snapshots[top] {
						t.Fatalf("%s has written to the %s:\n%s\n%s", name, top, out, c.tree(top))
					}
				}
				refused := strings.Contains(out, "is a link")
				if slices.Contains(tt.refuse, name) {
					says := tt.link + " is a link, to " + tt.target
					if code == 0 || !refused || !strings.Contains(out, says) && !strings.Contains(out, filepath.Base(tt.link)+" is a link") || !strings.Contains(out, "hint: ") {
						t.Errorf("%s: exit code %d, want it to say %q and a hint:\n%s", name, code, says, out)
					}
				}
				if refused && c.tree("clone") != before {
					t.Errorf("%s was refused and has written all the same:\n%s", name, out)
				}
				if strings.Contains(out, "theirs") && !strings.Contains(tt.target, "home") {
					t.Errorf("%s shows what the link leads to:\n%s", name, out)
				}
			}
		})
	}
}
