// The one place that starts git.
//
// The rules:
//   - a repository may be anybody's, with its configuration: no program that it
//     names is run, neither hooks nor filters nor a file monitor nor a signer; those
//     of the user's own configuration, like Git LFS, stay;
//   - nothing is fetched, not even what a partial clone has left out: over the
//     transport that a repository chooses, that could run anything;
//   - which repository it is, the directory says, not the environment: springfield
//     may be called by a hook of git, or with the variables of a project's settings;
//   - a directory that only looks like a repository, or whose repository is another
//     one, is not looked at.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/display"
)

// git is git for one directory.
type git struct {
	command string // "" where there is none
	dir     string
	env     []string
	quiet   []string      // what no configuration gets to say
	within  time.Duration // of one command
}

// gitAt is git for a directory.
func (a *app) gitAt(dir string) *git {
	g := &git{dir: dir, env: a.gitEnv(), within: gitTime}
	if command, err := exec.LookPath("git"); err == nil && filepath.IsAbs(command) { // else the project's own
		g.command = command
	}
	for _, setting := range []string{
		"core.fsmonitor=", "core.hooksPath=/dev/null", "log.showSignature=false",
		"safe.bareRepository=explicit", // one that lies in a project as plain files
	} {
		g.quiet = append(g.quiet, "-c", setting)
	}
	return g
}

// gitEnv is the environment without what would tell git of another repository, of
// more configuration or of a program.
func (a *app) gitEnv() (env []string) {
	for _, entry := range a.env {
		name, value, _ := strings.Cut(entry, "=")
		switch name = strings.ToUpper(name); name { // as Windows takes names
		case "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_TEST_ASSUME_DIFFERENT_OWNER":
			// With these git only looks at less.
		case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "XDG_CONFIG_HOME":
			if a.inProject(value) {
				continue
			}
		default:
			who := strings.HasPrefix(name, "GIT_AUTHOR_") || strings.HasPrefix(name, "GIT_COMMITTER_")
			if strings.HasPrefix(name, "GIT_") && !who || name == "SSH_ASKPASS" {
				continue
			}
		}
		env = append(env, entry)
	}
	return append(env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_SSH_COMMAND=false", "GIT_ASKPASS=", "GIT_EDITOR=:", "LC_ALL=C", noText+"=")
}

// inProject tells whether a path lies in the project around the working directory,
// which can have brought it along. Where that is the home itself, it is the user's.
func (a *app) inProject(path string) bool {
	root := firstOf(repositoryRoot(a.work), a.work)
	if sameDir(root, a.home) {
		return false
	}
	return !filepath.IsAbs(path) || isBelow(root, path) || isBelow(beyondLinks(root), beyondLinks(path))
}

// isBelow tells whether a path is a directory, or lies below it.
func isBelow(dir, path string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(relative)
}

// beyondLinks is a path without links, itself if it leads nowhere.
func beyondLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// noText is a variable without a text, for settings whose names have a "=".
const noText = "SPRINGFIELD_NO_TEXT"

// programs matches the settings that name a program, or that make one a must.
const programs = `\.(clean|smudge|process|required|command|cmd|textconv|external|driver|program|defaultkeycommand|helper|askpass|editor|pager|` +
	`sshcommand|gitproxy|alternaterefscommand|packobjectshook|difffilter|templatedir)$`

// withoutPrograms takes away the programs that the repository's own configuration
// names, and hooks of whatever configuration.
func (g *git) withoutPrograms(ctx context.Context) error {
	out, err := g.run(ctx, "", "config", "--show-scope", "--name-only", "--get-regexp", programs)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // there are none
	}
	if err != nil {
		if old := g.needs(ctx, 2, 26); old != nil { // which has --show-scope
			return old
		}
		return err
	}
	for _, line := range strings.Split(out, "\n") {
		scope, name, _ := strings.Cut(line, "\t")
		hook, isHook := strings.CutSuffix(name, ".command")
		switch {
		case isHook && strings.HasPrefix(name, "hook."):
			name = hook + ".enabled"
		case slices.Contains([]string{"system", "global", "command"}, scope):
			continue
		}
		if !strings.Contains(name, "=") {
			g.quiet = append(g.quiet, "-c", name+"=")
			continue
		}
		if err := g.needs(ctx, 2, 31); err != nil { // which has --config-env
			return err
		}
		g.quiet = append(g.quiet, "--config-env="+name+"="+noText)
	}
	return nil
}

// needs gives an error if git is older than a version, which it names.
func (g *git) needs(ctx context.Context, major, minor int) error {
	out, err := g.run(ctx, "", "version")
	if err != nil {
		return err
	}
	var isMajor, isMinor int
	version := strings.TrimPrefix(out, "git version ")
	if n, _ := fmt.Sscanf(version, "%d.%d", &isMajor, &isMinor); n == 2 && (isMajor < major || isMajor == major && isMinor < minor) {
		return &hinted{fmt.Errorf("git %s is too old to look at %s", display.Line(version), g.dir), fmt.Sprintf("put git %d.%d or newer in front on PATH", major, minor)}
	}
	return nil
}

// gitTime is how long one command of git may take: a pipe in the place of a file
// that git reads would hold it up without end.
const gitTime = 10 * time.Second

var errGitSlow = errors.New("git did not answer: is there a pipe in the place of one of its files?")

// run is what a command prints, without the last line end; text is its standard
// input. Without git the error wraps exec.ErrNotFound.
func (g *git) run(ctx context.Context, text string, args ...string) (string, error) {
	if g.command == "" {
		return "", fmt.Errorf("git %s: %w", args[0], exec.ErrNotFound)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.within, errGitSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.command, slices.Concat([]string{"--no-pager"}, g.quiet, args)...)
	cmd.Dir, cmd.Env = g.dir, g.env
	if args[0] != "check-ignore" { // which takes paths for what they are, and refuses to be told
		cmd.Env = append(slices.Clip(cmd.Env), "GIT_LITERAL_PATHSPECS=1")
	}
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(text)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && context.Cause(ctx) == errGitSlow {
		return "", fmt.Errorf("git %s in %s: %w", args[0], g.dir, errGitSlow)
	}
	if err != nil {
		if first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n"); first != "" {
			return "", fmt.Errorf("git %s: %s (%w)", args[0], first, err)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}
