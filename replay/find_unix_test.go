//go:build unix

package replay

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// inChild names the home that this process, started by a test, replays instead of
// running tests.
const inChild = "REPLAY_TEST_HOME"

func TestMain(m *testing.M) {
	home := os.Getenv(inChild)
	if home == "" {
		os.Exit(m.Run())
	}
	r, err := Run(context.Background(), Options{Paths: []string{Projects(home)}})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		os.Exit(1)
	}
}

// What may not be read is named, and the rest is read, as a user who is not root.
func TestUnreadable(t *testing.T) {
	home := t.TempDir()
	secret := stopped("secret").write(t, home)
	stopped("open").write(t, home)
	closed := filepath.Join(Projects(home), "closed")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o700) })
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "replay.test")
	if err := os.WriteFile(copied, program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Env = []string{inChild + "=" + home}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		for _, dir := range []string{home, filepath.Dir(home), filepath.Dir(copied), Projects(home), filepath.Join(Projects(home), "-home-me-project")} {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Join(filepath.Dir(secret), "open.jsonl"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	want := []Skipped{{closed, "permission denied"}, {secret, "permission denied"}}
	if r.Files != 1 || len(r.Rows) != 1 || !slices.Equal(r.Skipped, want) {
		t.Errorf("%d files, %d rows, skipped %v", r.Files, len(r.Rows), r.Skipped)
	}
}

// Symbolic links are followed; those that lead round and nowhere, a file that has
// two names, and what is no file at all delay nothing.
func TestLinksAndPipes(t *testing.T) {
	home := t.TempDir()
	path := stopped("a").write(t, home)
	dir := filepath.Dir(path)
	elsewhere := t.TempDir()
	stopped("b").write(t, elsewhere)
	for name, target := range map[string]string{
		"up": Projects(home), "round.jsonl": "round.jsonl", "there": "back", "back": "there", "nowhere.jsonl": "gone", "again.jsonl": path, "out": elsewhere,
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := replayed(t, home)
	var skipped []string
	for _, s := range r.Skipped {
		skipped = append(skipped, filepath.Base(s.File)+": "+s.Why)
	}
	slices.Sort(skipped)
	round := "symbolic links that lead to each other"
	want := []string{"back: " + round, "nowhere.jsonl: not found", "pipe.jsonl: neither a file nor a directory", "round.jsonl: " + round, "there: " + round}
	if r.Files != 2 || len(r.Rows) != 2 || !slices.Equal(skipped, want) {
		t.Errorf("%d files, %d rows, skipped %q", r.Files, len(r.Rows), skipped)
	}
}
