// Package git asks git about a checkout, and tells it little: the bit of a file in
// the index, a tag, a new repository. Without git, or outside of a repository, there
// is nothing to ask.
//
// This file is the one place that starts git. The rules:
//   - a repository may come from anyone, with its configuration: no program that it
//     names is run, neither hooks nor filters nor a file monitor nor a signer; those
//     of the user's own configuration, like Git LFS, stay;
//   - nothing is fetched, not even what a partial clone has left out: over the
//     transport that a repository chooses, that could run anything;
//   - the directory says which repository it is, not the environment: springfield
//     may be called by a hook of git, or with the variables of a project's settings;
//   - a directory that only looks like a repository, or whose repository is another
//     one, is not looked at.
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/rooted"
)

// Git is the command, with an environment that names no other repository and no
// program.
type Git struct {
	command string // "" where there is none
	env     []string
	within  time.Duration // of one command
}

// FindGit finds git on PATH. env is the environment of the process; of work, the working
// directory, and home it depends what of that environment a project may have set.
func FindGit(env []string, work, home string) Git {
	g := Git{within: 10 * time.Second}                                               // a pipe in the place of a file that git reads would hold it up without end
	if command, err := exec.LookPath("git"); err == nil && filepath.IsAbs(command) { // else the project's own
		g.command = command
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		switch name = strings.ToUpper(name); name { // as Windows takes names
		case "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_TEST_ASSUME_DIFFERENT_OWNER":
			// With these git only looks at less.
		case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "XDG_CONFIG_HOME":
			if inProject(value, work, home) {
				continue
			}
		default:
			who := strings.HasPrefix(name, "GIT_AUTHOR_") || strings.HasPrefix(name, "GIT_COMMITTER_")
			if strings.HasPrefix(name, "GIT_") && !who || name == "SSH_ASKPASS" {
				continue
			}
		}
		g.env = append(g.env, entry)
	}
	g.env = append(g.env, "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_SSH_COMMAND=false", "GIT_ASKPASS=", "GIT_EDITOR=:", "LC_ALL=C", noText+"=")
	return g
}

// inProject tells whether a path lies in the project around the working directory,
// which can have brought it along. Where that is the home itself, it is the user's.
func inProject(path, work, home string) bool {
	root := cmp.Or(RepositoryRoot(work), work)
	if rooted.IsSame(root, home) {
		return false
	}
	return !filepath.IsAbs(path) || rooted.HoldsPath(root, path) || rooted.HoldsPath(beyondLinks(root), beyondLinks(path))
}

// beyondLinks is a path without links, itself if it leads nowhere.
func beyondLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

// InitRepository makes a repository of a directory. Without git the error wraps
// exec.ErrNotFound.
func (g Git) InitRepository(ctx context.Context, dir string) error {
	_, err := g.callerIn(dir).runGit(ctx, "", "init", "--quiet")
	return err
}

// UserName is git's name of the user, "" if it knows none.
func (g Git) UserName(ctx context.Context, dir string) string {
	name, _ := g.callerIn(dir).runGit(ctx, "", "config", "--get", "user.name")
	return strings.TrimSpace(name)
}

// caller calls git in one directory.
type caller struct {
	Git
	dir   string
	quiet []string // settings that no configuration changes
}

func (g Git) callerIn(dir string) *caller {
	c := &caller{Git: g, dir: dir}
	for _, setting := range []string{
		"core.fsmonitor=", "core.hooksPath=/dev/null", "log.showSignature=false",
		"safe.bareRepository=explicit", // one that lies in a project as plain files
	} {
		c.quiet = append(c.quiet, "-c", setting)
	}
	return c
}

// noText is a variable without a text, for settings whose names have a "=".
const noText = "SPRINGFIELD_NO_TEXT"

// programs matches the settings that name a program, or that make one a must.
const programs = `\.(clean|smudge|process|required|command|cmd|textconv|external|driver|program|defaultkeycommand|helper|askpass|editor|pager|` +
	`sshcommand|gitproxy|alternaterefscommand|packobjectshook|difffilter|templatedir)$`

// withoutPrograms takes away the programs that the repository's own configuration
// names, and hooks of every configuration.
func (c *caller) withoutPrograms(ctx context.Context) error {
	out, err := c.runGit(ctx, "", "config", "--show-scope", "--name-only", "--get-regexp", programs)
	if exitedWith(err, 1) {
		return nil // there are none
	}
	if err != nil { // git 2.26 is the first that has --show-scope
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
			c.quiet = append(c.quiet, "-c", name+"=")
			continue
		}
		// A git before 2.31 refuses every command then.
		c.quiet = append(c.quiet, "--config-env="+name+"="+noText)
	}
	return nil
}

var errSlow = errors.New("git did not answer: is one of its files a pipe?")

// runGit is what a command prints, without the last line end; text is its standard
// input. Without git the error wraps exec.ErrNotFound.
func (c *caller) runGit(ctx context.Context, text string, args ...string) (string, error) {
	if c.command == "" {
		return "", fmt.Errorf("git %s: %w", args[0], exec.ErrNotFound)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.within, errSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.command, slices.Concat([]string{"--no-pager"}, c.quiet, args)...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if args[0] != "check-ignore" { // which takes paths for what they are, and refuses to be told
		cmd.Env = append(slices.Clip(cmd.Env), "GIT_LITERAL_PATHSPECS=1")
	}
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(text)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && errors.Is(context.Cause(ctx), errSlow) {
		return "", fmt.Errorf("git %s in %s: %w", args[0], c.dir, errSlow)
	}
	if err != nil {
		if first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n"); first != "" {
			return "", fmt.Errorf("git %s: %s (%w)", args[0], first, err)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}

func exitedWith(err error, code int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == code
}
