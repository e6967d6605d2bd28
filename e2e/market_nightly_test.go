//go:build e2e && nightly

// The marketplace of a release, installed without springfield. The catalog is this tree's and
// the release's script makes the branches, with a real hook for this machine only. git's
// configuration redirects github.com to a directory; Gemini CLI ignores it and uses loopback.

package e2e

import (
	"math/rand/v2"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// shop is the repository that people name, and the world of those who release into it.
type shop struct {
	w   *World
	dir string
}

// opened is github.com with our repository, in which the catalog is and no release.
func (w *World) opened() shop {
	w.t.Helper()
	s := shop{newWorld(w.t, w.Version), filepath.Join(w.dir, "github", "cameronsjo", "springfield.git")}
	at := "[url \"file://" + filepath.Join(w.dir, "github") + "/\"]\n"
	for _, address := range []string{"https://github.com/", "git@github.com:", "ssh://git@github.com/"} {
		at += "\tinsteadOf = " + address + "\n"
	}
	write(w.t, filepath.Join(w.Home, ".gitconfig"), at)
	write(w.t, filepath.Join(s.dir, ".claude-plugin", "marketplace.json"), read(w.t, filepath.Join("..", ".claude-plugin", "marketplace.json")))
	w.git(s.dir, "init", "-q", "-b", "main")
	w.git(s.dir, "add", "-A")
	w.git(s.dir, "commit", "-qm", "the catalog")
	return s
}

// release puts a version of ned-flanders into the branches.
func (s shop) release(version string, change func(strategy string) string) {
	s.w.t.Helper()
	suite := filepath.Join(s.w.dir, "releases", version)
	answers := read(s.w.t, filepath.Join("..", "release", "marketplace", "springfield.yaml"))
	head, _, _ := strings.Cut(answers, "- name: lisa-simpson")
	head = strings.ReplaceAll(head, "0.0.0", version)
	before, after, _ := strings.Cut(head, "targets:\n")
	_, after, _ = strings.Cut(after, "repository:")
	write(s.w.t, filepath.Join(suite, "springfield.yaml"), before+"targets:\n- "+hostTarget()+"\nrepository:"+after)
	s.w.Springfield("init", suite, "--yes")
	strategy := filepath.Join(suite, "ned-flanders", "strategy.json")
	write(s.w.t, strategy, change(read(s.w.t, strategy)))
	s.forAll(filepath.Join(suite, "ned-flanders", "hooks"))
	script, err := filepath.Abs("../release/marketplace/branches.sh")
	must(s.w.t, err)
	out := s.w.exec("sh", s.w.env([]string{s.w.bin(), "/usr/bin", "/bin"}), script, suite, s.dir, "springfield "+version+", made from a test", "1700000000")
	out.succeeded(s.w.t, "branches.sh")
}

// forAll makes of a hook for this machine what a build for several makes.
func (s shop) forAll(hooks string) {
	s.w.t.Helper()
	program := []byte(read(s.w.t, filepath.Join(hooks, "springfield-hook")))
	for at, text := range map[string]string{
		"springfield-hook": read(s.w.t, "../templates/shared/launcher/springfield-hook.tmpl"), "springfield-hook.exe": "MZ",
		"linux-amd64/springfield-hook": "\x7fELF", "linux-arm64/springfield-hook": "\x7fELF", "darwin-amd64/springfield-hook": "\xcf\xfa\xed\xfe", "darwin-arm64/springfield-hook": "\xcf\xfa\xed\xfe",
	} {
		data := []byte(text)
		if strings.HasPrefix(at, strings.ReplaceAll(hostTarget(), "/", "-")+"/") {
			data = program
		}
		file := filepath.Join(hooks, filepath.FromSlash(at))
		must(s.w.t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(s.w.t, os.WriteFile(file, data, 0o755))
		must(s.w.t, os.Chmod(file, 0o755))
	}
}

func asItIs(strategy string) string { return strategy }

// Added, installed, at work in the first session; asked and held by slash commands; brought up to date; known to
// springfield, which adds no second hook; removed, and no trace of it is in the settings.
func TestMarketplaceOfARelease(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		s := w.opened()
		s.release("0.1.0", asItIs)
		w.claude("plugin", "marketplace", "add", "cameronsjo/springfield")
		w.claude("plugin", "install", "ned-flanders@springfield")
		first := w.Run(Session{Script: says(plan...)})
		ends(t, first, plan[2], 3)
		why := w.Run(Session{Script: says("That is all."), Prompt: "/ned-flanders:why", Mode: "default", Args: []string{"--resume", first.ID}})
		scratch.Holds(t, "why", why.Text, "ned-flanders let Claude stop", "rule     finished")

		s.release("0.2.0", halting)
		ends(t, w.Run(Session{Script: says(plan...)}), plan[2], 3)
		w.claude("plugin", "marketplace", "update", "springfield")
		w.claude("plugin", "update", "ned-flanders@springfield")
		ends(t, w.Run(Session{Script: says(plan...)}), plan[0], 1)
		scratch.Holds(t, "the client", w.known(), `"0.2.0"`)

		// Who gets the command later.
		before := read(t, w.settings("user"))
		w.Springfield("enable", "ned-flanders")
		says := w.Springfield("status").Stdout
		if !strings.Contains(says, "ned-flanders@springfield decides when Claude stops") || strings.Count(says, "hooks/springfield-hook") != 1 {
			t.Errorf("status says\n%s", says)
		}
		w.Springfield("undo")
		scratch.Equal(t, read(t, w.settings("user")), before, "undone, the settings")

		w.claude("plugin", "uninstall", "ned-flanders@springfield")
		w.claude("plugin", "marketplace", "remove", "springfield")
		scratch.Lacks(t, "the settings still have", read(t, w.settings("user")), "springfield")
	})
}

func (s shop) typed(h *host, address string) (install, update [][]string) {
	const plugin = "ned-flanders@springfield"
	switch h.name {
	case "codex":
		return [][]string{{"plugin", "marketplace", "add", "cameronsjo/springfield", "--sparse", ".claude-plugin"}, {"plugin", "add", plugin}}, [][]string{{"plugin", "add", plugin}}
	case "copilot":
		return [][]string{{"plugin", "marketplace", "add", "cameronsjo/springfield"}, {"plugin", "install", plugin}}, [][]string{{"plugin", "update", "ned-flanders"}}
	case "droid":
		return [][]string{{"plugin", "marketplace", "add", "cameronsjo/springfield"}, {"plugin", "install", plugin, "--scope", "user"}}, [][]string{{"plugin", "update", plugin}}
	case "qwen": // it notices no new version
		again := []string{"extensions", "install", "cameronsjo/springfield:ned-flanders", "--consent"}
		return [][]string{again}, [][]string{{"extensions", "uninstall", "ned-flanders"}, again}
	}
	return [][]string{{"extensions", "install", address + "/cameronsjo/springfield", "--ref", "plugins/ned-flanders", "--consent"}}, [][]string{{"extensions", "update", "ned-flanders"}}
}

// aHost runs a scenario for one of the hosts, drawn anew in each run, and at night for each.
func aHost(t *testing.T, scenario func(t *testing.T, h *host)) {
	if nightly {
		eachHost(t, scenario)
		return
	}
	t.Parallel()
	h := hosts[rand.IntN(len(hosts))]
	t.Run(h.name, func(t *testing.T) { scenario(t, h) })
}

func TestMarketplaceInHosts(t *testing.T) {
	git, err := exec.LookPath("git")
	must(t, err)
	aHost(t, func(t *testing.T, h *host) {
		w := hosted(t, h)
		s := w.opened()
		address := "https://github.com"
		if h.name == "gemini" {
			server := httptest.NewServer(&cgi.Handler{Path: git, Args: []string{"http-backend"}, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Join(w.dir, "github"), "GIT_HTTP_EXPORT_ALL=1", "HOME=" + w.Home}})
			defer server.Close()
			address = server.URL
		}
		install, update := s.typed(h, address)
		do := func(all [][]string) {
			t.Helper()
			for _, args := range all {
				w.exec(filepath.Join(w.bin(), h.name), w.hostEnv(h, noModel, w.tmp()), args...).succeeded(t, h.name, args)
			}
		}
		session := Session{Script: says(plan...)}
		s.release("0.1.0", asItIs)
		do(install)
		w.In(h, session, plan[2], 3)
		s.release("0.2.0", halting)
		do(update)
		w.In(h, session, plan[0], 1)
	})
}
