// Package git queries a git checkout, sets executable bits, and takes snapshots.
//
// A repository may come from anyone:
//   - No program in its configuration is run. Programs in the user's configuration, such as Git LFS, are.
//   - Nothing is fetched, because the repository chooses the transport, which could run anything.
//   - Environment variables that name a repository are ignored, because a project's settings may have set them.
//   - A bare repository, or the .git of another checkout, is not used.
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

// Git is the git command with a safe environment.
type Git struct {
	command string // "" if git is not installed
	env     []string
	within  time.Duration // timeout of a command
}

// FindGit finds git in searchPath, for commands that never prompt or use the network. It removes variables from env
// that redirect git, or let the project around untrustedDir configure git. A project in the home directory itself is
// trusted.
func FindGit(env []string, searchPath, untrustedDir, home string) Git {
	// If there is a pipe among the files, git would wait forever.
	g := Git{command: rooted.FindProgram("git", searchPath), within: 10 * time.Second}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		switch name = strings.ToUpper(name); name { // Windows ignores case
		case "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_TEST_ASSUME_DIFFERENT_OWNER":
			// These only restrict git.
		case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "XDG_CONFIG_HOME":
			if inProject(value, untrustedDir, home) {
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

// inProject reports whether a path is relative, or in the project around work. It returns false if the project is
// trustedRoot.
func inProject(path, work, trustedRoot string) bool {
	root := cmp.Or(RepositoryRoot(work), work)
	return !rooted.SameFile(root, trustedRoot) &&
		(!filepath.IsAbs(path) || rooted.HoldsPath(root, path) || rooted.HoldsPath(resolveLinks(root), resolveLinks(path)))
}

func resolveLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}

func (g Git) UserName(ctx context.Context, dir string) string {
	name, _ := g.callerIn(dir).runGit(ctx, "", "config", "--get", "user.name")
	return strings.TrimSpace(name)
}

type caller struct {
	Git
	dir   string
	quiet []string // options to override any configuration
}

// callerIn returns a caller in dir. The repository's programs can run until ignorePrograms is called.
func (g Git) callerIn(dir string) *caller {
	return &caller{Git: g, dir: dir, quiet: []string{
		"-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
		"-c", "safe.bareRepository=explicit", // a bare repository among a project's files
	}}
}

// noText is an empty variable, to override settings whose names contain "=".
const noText = "SPRINGFIELD_NO_TEXT"

// programs matches the settings that name or require a program.
const programs = `\.(clean|smudge|process|required|command|cmd|textconv|external|driver|program|defaultkeycommand|helper|askpass|editor|pager|` +
	`sshcommand|gitproxy|alternaterefscommand|packobjectshook|difffilter|templatedir)$`

// ignorePrograms adds options to c.quiet that disable the programs in the repository's configuration, and all hooks. It
// fails with git before 2.26.
func (c *caller) ignorePrograms(ctx context.Context) error {
	out, err := c.runGit(ctx, "", "config", "--show-scope", "--name-only", "--get-regexp", programs)
	if exitedWith(err, 1) {
		return nil // no such setting
	}
	if err != nil { // also from git before 2.26, without --show-scope
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
		// git before 2.31 fails on this option.
		c.quiet = append(c.quiet, "--config-env="+name+"="+noText)
	}
	return nil
}

var errSlow = errors.New("git did not answer; maybe one of its files is a pipe")

// runGit runs git with stdin, and returns the output less trailing newlines. If git is not installed, the error wraps
// exec.ErrNotFound.
func (c *caller) runGit(ctx context.Context, stdin string, args ...string) (string, error) {
	if c.command == "" {
		return "", fmt.Errorf("git %s: %w", args[0], exec.ErrNotFound)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.within, errSlow)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.command, slices.Concat([]string{"--no-pager"}, c.quiet, args)...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if args[0] != "check-ignore" { // it takes literal paths and refuses this variable
		cmd.Env = append(slices.Clip(cmd.Env), "GIT_LITERAL_PATHSPECS=1")
	}
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(stdin)
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
