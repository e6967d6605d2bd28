//go:build e2e

// Published plugins in the real client. The marketplace is another author's checkout, and
// repositories are served from disk.

package e2e

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// market is the checkout of a marketplace that has an entry already.
func (w *World) market(name string) string {
	w.t.Helper()
	dir := filepath.Join(w.dir, "checkouts", name)
	write(w.t, filepath.Join(dir, ".claude-plugin", "marketplace.json"), `{
    "name": "`+name+`",
    "description": "Somebody's plugins",
    "owner": {"name": "Somebody"},
    "plugins": [
        {"name": "other", "source": "./other", "description": "another author's"}
    ]
}
`)
	write(w.t, filepath.Join(dir, "other", ".claude-plugin", "plugin.json"), `{"name": "other", "version": "1.0.0"}`)
	w.Tools = true
	return dir
}

func (w *World) git(dir string, args ...string) string {
	w.t.Helper()
	env := append(w.clientEnv(noModel), "GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid")
	out := w.exec("git", env, append([]string{"-C", dir}, args...)...).succeeded(w.t, "git", args)
	return strings.TrimSpace(out.Stdout)
}

// served pushes a directory to a repository of its own and gives its address.
func (w *World) served(dir string) string {
	w.t.Helper()
	bare := filepath.Join(w.dir, "repositories", filepath.Base(dir)+".git")
	address := "https://git.example.invalid/" + filepath.Base(bare)
	write(w.t, filepath.Join(w.Home, ".gitconfig"), "[url \"file://"+filepath.Dir(bare)+"/\"]\n\tinsteadOf = https://git.example.invalid/\n[user]\n\tname = T\n\temail = t@example.invalid\n")
	must(w.t, os.MkdirAll(bare, 0o755))
	w.git(bare, "init", "-q", "--bare", "-b", "main")
	w.git(dir, "init", "-q", "-b", "main")
	w.git(dir, "remote", "add", "origin", address)
	w.commit(dir, "first")
	return address
}

func (w *World) commit(dir, message string) {
	w.t.Helper()
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-qm", message)
	w.git(dir, "push", "-q", "-u", "origin", "main")
}

// halting is a strategy.json that lets Claude stop where ours goes on.
func halting(strategy string) string {
	return strings.Replace(strategy, `"add": []`, `"add": [{"id": "halt", "says": ["moving to"], "then": "stop"}]`, 1)
}

func (w *World) claude(args ...string) {
	w.t.Helper()
	w.Claude(args...).succeeded(w.t, "claude", args)
}

// Published in a repository, installed with the client's own commands for the user and for a project; then a new
// version, which is the one that runs after an update, and not before. By day only one of the two is tried.
func TestPublishedInARepository(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		market := w.market("neighbors")
		suite := filepath.Join(market, "springfield")
		w.Springfield(initOf(suite, "ned-flanders")...)
		publish := []string{"publish", suite, "--to", market, "--target", hostTarget()}
		w.Springfield(publish...)
		address := w.served(market)
		buyers := map[string]*World{"user": newWorld(t, version), "project": newWorld(t, version)}
		if !nightly {
			delete(buyers, []string{"user", "project"}[rand.IntN(2)])
		}
		for scope, buyer := range buyers {
			write(t, filepath.Join(buyer.Home, ".gitconfig"), read(t, filepath.Join(w.Home, ".gitconfig")))
			buyer.claude("plugin", "marketplace", "add", address)
			buyer.claude("plugin", "install", "ned-flanders@neighbors", "--scope", scope)
			ends(t, buyer.Run(Session{Script: says(plan...)}), plan[2], 3)
		}

		// A version that lets Claude stop where this one goes on.
		strategy := filepath.Join(suite, "ned-flanders", "strategy.json")
		write(t, strategy, halting(read(t, strategy)))
		out := w.TrySpringfield(publish...)
		if out.Code != 1 || !strings.Contains(out.Stderr, "its files have changed since 0.1.0 was published") {
			t.Errorf("exit %d\n%s", out.Code, out.Stderr)
		}
		w.Springfield(append(publish, "--bump", "minor")...)
		w.commit(market, "second")
		for scope, buyer := range buyers {
			ends(t, buyer.Run(Session{Script: says(plan...)}), plan[2], 3)
			buyer.claude("plugin", "marketplace", "update", "neighbors")
			buyer.claude("plugin", "update", "ned-flanders@neighbors", "--scope", scope)
			ends(t, buyer.Run(Session{Script: says(plan...)}), plan[0], 1)
			if records := buyer.known(); !strings.Contains(records, `"0.2.0"`) {
				t.Errorf("the client has, for the %s:\n%s", scope, records)
			}
		}
	})
}
