//go:build e2e

// A world is a scratch home and project with one version of the client. Environments are made
// from nothing, and a world with a real HOME starts no process. All files are in the test's
// directory, at paths with blanks. The CLI is built from this tree once per run.

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/internal/typist"
)

// limit is how long one process may take; a session takes about a second.
const limit = 120 * time.Second

// noModel is the address of a model that is never asked: validating and registering are done without one.
const noModel = "http://127.0.0.1:9"

func TestMain(m *testing.M) {
	os.Exit(scratch.RunWithDir(prepared{m}))
}

type prepared struct{ *testing.M }

func (p prepared) Run() int {
	flag.Parse()
	var err error
	if *takeNewest {
		err = pinNewest()
	}
	if err == nil {
		err = fetchClients()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "e2e: cannot run: %v\n", err)
		return 1
	}
	fetchHosts()
	return p.M.Run()
}

// springfield carries the programs for this machine, so that they are compiled once.
func springfield(t *testing.T) string {
	t.Helper()
	compiling.Do(func() {
		goroot, gocache := scratch.FindGo(t)
		dir := scratch.PackageTempPath("hooks")
		tools := generator.Toolchain{Go: filepath.Join(goroot, "bin", "go"), Path: filepath.Join(goroot, "bin"), GoCache: gocache}
		built, err := tools.BuildPrograms(t.Context(), []generator.Target{generator.HostTarget()}, generator.Hook, generator.Judge)
		must(t, err)
		must(t, generator.WritePrebuilt(dir, built))
		carrying = scratch.WriteOverlay(t, dir, "../generator/prebuilt")
	})
	return scratch.Program(t, "cmd/springfield", carrying)
}

var (
	compiling sync.Once
	carrying  string // a flag of go build
)

// World is where one test lives.
type World struct {
	Version string // of the client
	Home    string
	Project string // a git repository without a commit

	NoClient bool     // the client is not on the PATH of the CLI
	Tools    bool     // the system's programs are on it: parts of git are shell scripts
	With     []string // more variables for the client, KEY=value

	t   *testing.T
	dir string
}

func newWorld(t *testing.T, version string) *World {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir()) // the client resolves paths, and tests compare them
	must(t, err)
	w := &World{
		Version: version,
		Home:    filepath.Join(dir, "home of a user"),
		Project: filepath.Join(dir, "a project"),
		t:       t,
		dir:     dir,
	}
	for _, d := range []string{w.Home, w.Project, w.bin(), w.tmp()} {
		must(t, os.MkdirAll(d, 0o755))
	}
	// git and go under their names and nothing that happens to lie beside them.
	git, err := exec.LookPath("git")
	must(t, err, "git is needed")
	goroot, _ := scratch.FindGo(t)
	w.link(git, "git")
	w.link(filepath.Join(goroot, "bin", "go"), "go")
	must(t, scratch.TurnGoTelemetryOff(w.Home))
	w.exec("git", w.clientEnv(noModel), "init", "-q").succeeded(t, "git init")
	return w
}

func (w *World) bin() string { return filepath.Join(w.dir, "bin") }
func (w *World) tmp() string { return filepath.Join(w.dir, "tmp") }

func (w *World) link(target, name string) {
	w.t.Helper()
	must(w.t, os.Symlink(target, filepath.Join(w.bin(), name)))
}

// client is the version under test, in a directory where it is called `claude` and is alone.
func (w *World) client() string { return clientPaths[w.Version] }

// Session is one headless conversation. The zero Mode skips permissions; another is passed on as --permission-mode.
type Session struct {
	Script []Turn
	Side   func(Request) string // what judges and title generators are told, "{}" when nil
	Prompt string               // "execute the plan" when empty
	Mode   string
	Args   []string
}

type Result struct {
	Text       string // what the client printed as the result
	IsError    bool
	ID         string
	Transcript string    // path
	Asked      []Request // requests of the main loop
	Aside      []Request // all others
}

func (w *World) Run(s Session) Result {
	w.t.Helper()
	model := newStandIn(w.t, s.Script, s.Side)
	if s.Prompt == "" {
		s.Prompt = "execute the plan"
	}
	args := append([]string{"-p", s.Prompt, "--output-format", "json"}, s.permissions()...)
	out := w.exec(w.client(), w.clientEnv(model.URL), append(args, s.Args...)...)
	result, ok := w.result(out.Stdout, model.Requests())
	if !ok {
		w.t.Fatalf("client %s printed no result (exit %d)\nstdout: %s\nstderr: %s",
			w.Version, out.Code, out.Stdout, out.Stderr)
	}
	return result
}

func (s Session) permissions() []string {
	if s.Mode == "" {
		return []string{"--dangerously-skip-permissions"}
	}
	return []string{"--permission-mode", s.Mode}
}

// result is what a line of the client says about a session that has asked these.
func (w *World) result(line string, asked []Request) (r Result, ok bool) {
	w.t.Helper()
	var printed struct {
		Type      string
		Result    string
		IsError   bool   `json:"is_error"`
		SessionID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(line), &printed); err != nil || printed.Type != "result" {
		return r, false
	}
	r = Result{Text: printed.Result, IsError: printed.IsError, ID: printed.SessionID}
	// The directory between is named after the project in a way that is the client's own affair.
	eventually(w.t, "the one transcript of "+r.ID, func() bool {
		found, _ := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", r.ID+".jsonl"))
		if len(found) == 1 {
			r.Transcript = found[0]
		}
		return len(found) == 1
	})
	for _, request := range asked {
		if request.Main {
			r.Asked = append(r.Asked, request)
		} else {
			r.Aside = append(r.Aside, request)
		}
	}
	return r, true
}

// Talk is a session with several prompts, which starts the client once. The older client marks
// its prompts as not typed by a person, so that they share one budget.
type Talk struct {
	w      *World
	model  *StandIn
	in     io.Writer
	out    *bufio.Reader
	stderr bytes.Buffer
	heard  int // requests before the last prompt
	end    func()
}

// Talk begins a session. The Script and the Prompt of s are for Say.
func (w *World) Talk(s Session) *Talk {
	w.t.Helper()
	talk := &Talk{w: w, model: newStandIn(w.t, says("Nothing yet."), s.Side)}
	env := w.clientEnv(talk.model.URL)
	must(w.t, scratchOnly(env, realHomes()), "refused to run the client")
	args := []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}
	args = append(append(args, s.permissions()...), s.Args...)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	cmd := exec.CommandContext(ctx, w.client(), args...)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = w.Project, env, &talk.stderr, 5*time.Second
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	must(w.t, errors.Join(errIn, errOut))
	must(w.t, cmd.Start())
	talk.end = sync.OnceFunc(func() {
		defer cancel()
		in.Close()
		io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil && !w.t.Failed() {
			w.t.Errorf("the client ended with %v\n%s", err, &talk.stderr)
		}
	})
	w.t.Cleanup(talk.end)
	talk.in, talk.out = in, bufio.NewReader(out)
	return talk
}

// End closes the session. Only then all of its transcript is written.
func (talk *Talk) End() { talk.end() }

// Say gives the client a prompt, and the model a script for it.
func (talk *Talk) Say(prompt string, script ...Turn) Result {
	t := talk.w.t
	t.Helper()
	talk.model.play(script)
	message := map[string]string{"role": "user", "content": prompt}
	line, err := json.Marshal(map[string]any{"type": "user", "message": message})
	must(t, err)
	if _, err := talk.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("the client takes no prompt: %v", err)
	}
	for {
		line, err := talk.out.ReadString('\n')
		must(t, err, "the client ended without a result", line)
		requests := talk.model.Requests()
		if r, ok := talk.w.result(line, requests[talk.heard:]); ok {
			talk.heard = len(requests)
			r.awaitLog()
			return r
		}
	}
}

// awaitLog waits, for a second at most, until the log has what the session said last: the
// client writes it some 100 ms late, and a person types slower than that.
func (r Result) awaitLog() {
	text, _ := json.Marshal(r.Text)
	for range 20 {
		if log, err := os.ReadFile(r.Transcript); err != nil || bytes.Contains(log, bytes.Trim(text, `"`)) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

type Output struct {
	Stdout, Stderr string
	Code           int
}

func (o Output) succeeded(t *testing.T, what ...any) Output {
	t.Helper()
	if o.Code != 0 {
		t.Fatalf("%v: exit %d\nstdout: %s\nstderr: %s", what, o.Code, o.Stdout, o.Stderr)
	}
	return o
}

func (w *World) Claude(args ...string) Output {
	w.t.Helper()
	return w.exec(w.client(), w.clientEnv(noModel), args...)
}

// Springfield runs the CLI in the project directory and demands that it succeeds.
func (w *World) Springfield(args ...string) Output {
	w.t.Helper()
	return w.TrySpringfield(args...).succeeded(w.t, "springfield", args)
}

// Resume lifts a hold, at a terminal.
func (w *World) Resume(args ...string) {
	w.t.Helper()
	out := w.atTerminal(springfield(w.t), w.env(nil), append([]string{"resume"}, args...)...)
	out.succeeded(w.t, "springfield resume", args)
}

func (w *World) atTerminal(name string, env []string, args ...string) Output {
	w.t.Helper()
	return w.start(name, env, args, func(cmd *exec.Cmd) error {
		screen, err := typist.RunTyping(cmd, typist.AgreeToAll)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, screen)
		}
		return nil
	})
}

func (w *World) TrySpringfield(args ...string) Output {
	w.t.Helper()
	_, cache := scratch.FindGo(w.t)
	path := []string{w.bin()}
	if !w.NoClient {
		path = append(path, filepath.Dir(w.client()))
	}
	if w.Tools {
		path = append(path, "/usr/bin", "/bin")
	}
	return w.exec(springfield(w.t), w.env(path, "GOCACHE="+cache), args...)
}

func (w *World) clientEnv(url string) []string {
	path := []string{filepath.Dir(w.client()), w.bin(), "/usr/bin", "/bin"}
	return append(w.env(path,
		"IS_SANDBOX=1", // containers run tests as root, which otherwise may not skip permissions
		"ANTHROPIC_BASE_URL="+url,
		"ANTHROPIC_API_KEY=sk-ant-stand-in",
	), w.With...)
}

// env is what every process gets. The client's own switches are in it because the CLI starts the client too.
func (w *World) env(path []string, more ...string) []string {
	return append([]string{
		"PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"HOME=" + w.Home,
		"SHELL=/bin/bash", // else Claude Code takes what the machine has: zsh ends a command whose pattern matches no file
		"TMPDIR=" + w.tmp(),
		"TERM=dumb",
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}, more...)
}

// exec runs one process in the project directory, without an input.
func (w *World) exec(name string, env []string, args ...string) Output {
	w.t.Helper()
	return w.start(name, env, args, (*exec.Cmd).Run)
}

func (w *World) start(name string, env, args []string, run func(*exec.Cmd) error) Output {
	w.t.Helper()
	must(w.t, scratchOnly(env, realHomes()), "refused to run", name)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = w.Project, env
	cmd.WaitDelay = 5 * time.Second // a child that was left behind may hold our pipes open
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := run(cmd)
	if ctx.Err() != nil {
		w.t.Fatalf("%s %s: not done after %v\nstdout: %s\nstderr: %s", name, strings.Join(args, " "), limit, &stdout, &stderr)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s: %v", name, err)
	}
	return Output{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}

// realHomes are a person's own homes: the one the environment names and the one the account has.
func realHomes() []string {
	var homes []string
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, home)
	}
	if account, err := user.Current(); err == nil {
		homes = append(homes, account.HomeDir)
	}
	return homes
}

// scratchOnly says why env could let a process reach the configuration of a person.
func scratchOnly(env, homes []string) error {
	var home string
	for _, variable := range env {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "HOME":
			home = value
		case "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "QWEN_HOME", "FACTORY_HOME_OVERRIDE", "GEMINI_CLI_HOME":
			return fmt.Errorf("%s is set: the configuration would not be in HOME", name)
		}
	}
	if !filepath.IsAbs(home) {
		return fmt.Errorf("HOME is %q, not a scratch directory", home)
	}
	if slices.ContainsFunc(homes, func(real string) bool { return sameDirectory(home, real) }) {
		return fmt.Errorf("HOME is %s, a real home", home)
	}
	return nil
}

func sameDirectory(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// The guard is the one part of a world that must be right before anything runs.
func TestScratchOnly(t *testing.T) {
	real := t.TempDir()
	alias := filepath.Join(t.TempDir(), "alias")
	must(t, os.Symlink(real, alias))
	for _, env := range [][]string{
		{},
		{"HOME="},
		{"HOME=relative"},
		{"HOME=" + real},
		{"HOME=" + real + "/"},
		{"HOME=" + alias},
		{"HOME=" + t.TempDir(), "HOME=" + real}, // the last one counts
		{"HOME=" + t.TempDir(), "CLAUDE_CONFIG_DIR=" + t.TempDir()},
		{"HOME=" + t.TempDir(), "CLAUDE_CONFIG_DIR="},
		{"HOME=" + t.TempDir(), "CODEX_HOME=" + t.TempDir()},
	} {
		errorIf(t, scratchOnly(env, []string{real}) == nil, "%q was let through", env)
	}
	scratch.Equal(t, scratchOnly([]string{"HOME=" + t.TempDir(), "TERM=dumb"}, []string{real}), nil,
		"a scratch home was refused")
	errorIf(t, len(realHomes()) == 0, "no real home is known, so none would be refused")
}
