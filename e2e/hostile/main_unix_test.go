//go:build unix

package hostile

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

var (
	full = scratch.Full
	seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of what is drawn at random")
)

// runDir holds all that one run writes. A user without rights can go through it, because hooks are run as one.
var runDir string

func TestMain(m *testing.M) {
	if job := os.Getenv(meterJob); job != "" {
		os.Exit(meter(job))
	}
	os.Exit(func() int {
		flag.Parse()
		base, err := os.MkdirTemp("", "springfield-hostile-")
		if err == nil {
			defer os.RemoveAll(base)
			err = os.Chmod(base, 0o755)
		}
		if err == nil {
			runDir, err = filepath.EvalSymlinks(base)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "hostile: cannot run:", err)
			return 1
		}
		return m.Run()
	}())
}

// draw is the random source of one test: every test has its own, so that one alone repeats what it did among others.
func draw(t *testing.T) *rand.Rand {
	t.Helper()
	var name uint64
	for _, c := range t.Name() {
		name = name*31 + uint64(c)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to repeat: go test ./e2e/hostile -run '^%s$' -seed %d", t.Name(), *seed)
		}
	})
	return rand.New(rand.NewPCG(*seed, name))
}

// some is all of a list in a full run, else at most n of it, drawn.
func some[T any](r *rand.Rand, list []T, n int) []T {
	if *full || len(list) <= n {
		return list
	}
	drawn := make([]T, 0, n)
	for _, i := range r.Perm(len(list))[:n] {
		drawn = append(drawn, list[i])
	}
	return drawn
}

func size(much, little int) int {
	if *full {
		return much
	}
	return little
}

// cli compiles springfield. It carries its hooks, as a release does, so that verbs compile none. In a full run, and in
// one of four others, it carries none.
var cli = sync.OnceValues(func() (string, error) {
	path, carried := filepath.Join(runDir, "bin", "springfield"), filepath.Join(runDir, "carried")
	build := func(flags ...string) error {
		args := append(append([]string{"build", "-o", path}, flags...), "github.com/cameronsjo/springfield/cmd/springfield")
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("the CLI does not build: %w\n%s", err, out)
		}
		return nil
	}
	if err := build(); err != nil || !scratch.Skipped(4) {
		return path, err
	}
	if out, err := exec.Command(path, "prebuild", carried, "--target", runtime.GOOS+"/"+runtime.GOARCH).CombinedOutput(); err != nil {
		return "", fmt.Errorf("the hooks do not build: %w\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(carried, "*"))
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for _, file := range files {
		replace[filepath.Join("..", "..", "generator", "prebuilt", filepath.Base(file))] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err == nil {
		err = os.WriteFile(carried+".json", overlay, 0o600)
	}
	if err != nil {
		return "", err
	}
	return path, build("-overlay=" + carried + ".json")
})

// springfield runs the CLI in a directory, with a home and a PATH of go and the system's own; vars come over that.
func springfield(home, work string, vars []string, args ...string) (string, error) {
	program, err := cli()
	if err != nil {
		return "", err
	}
	tool, err := goTool()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = work
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(tool.Root, "bin") + ":/usr/bin:/bin", "HOME=" + home, "GOCACHE=" + tool.Cache,
		"TERM=dumb",
	}, vars...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// goTool is what the toolchain says of itself.
var goTool = sync.OnceValues(func() (tool struct{ Root, Cache string }, err error) {
	for name, to := range map[string]*string{"GOROOT": &tool.Root, "GOCACHE": &tool.Cache} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			return tool, fmt.Errorf("go env: %w", err)
		}
		*to = string(out[:max(0, len(out)-1)])
	}
	return tool, nil
})

// each does something with every item, a few at a time. What gives up gives up its own item.
func each[T any](list []T, do func(T)) {
	var done sync.WaitGroup
	room := make(chan struct{}, 4)
	for _, item := range list {
		room <- struct{}{}
		done.Add(1)
		go func() {
			defer func() { <-room; done.Done() }()
			do(item)
		}()
	}
	done.Wait()
}

var must, write = scratch.Must, scratch.PutFile
