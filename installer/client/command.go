package client

// The claude command rewrites settings.json as a whole. It therefore runs in a temporary configuration
// directory with the necessary settings, but with the user's plugins directory. It installs for every scope
// and cannot change the user's settings. Success is read from its records.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/runtime/secret"
)

const (
	clientPatience = 60 * time.Second // registering a directory takes about a second
	fetchPatience  = 5 * time.Minute
)

type Command struct {
	Path string   // absolute; "" if it is not installed
	Env  []string // KEY=value
}

// Register runs claude to add dir, an absolute path, as a marketplace. market is the name in its catalog. IsRegistered
// is called before, without an error: claude replaces a marketplace of that name.
func (c Command) Register(ctx context.Context, s *Snapshot, market, dir string) error {
	done := func(now *Snapshot) (bool, error) { return now.IsRegistered(market, dir) }
	return c.callClient(ctx, s, "register marketplace", clientPatience, done, "marketplace", "add", dir)
}

// fetched matches the addresses that claude plugin marketplace add fetches; it refuses file://, ssh:// and git://.
var fetched = regexp.MustCompile(`^(https?://[^/]|[A-Za-z0-9][\w.-]*@[^/:]+:|[A-Za-z0-9][\w.-]*/[\w.-]+([@#].*)?$)`)

func CanFetch(source string) bool { return fetched.MatchString(source) }

// AddMarket adds a repository (OWNER/REPO or a URL) as a marketplace. If the name has a different source, the error is
// a *NameTakenError.
func (c Command) AddMarket(ctx context.Context, s *Snapshot, source string) (name string, added bool, err error) {
	found, err := c.probeMarket(ctx, s, source)
	if err != nil {
		return "", false, fmt.Errorf("add marketplace: %w", err)
	}
	markets, err := s.Markets()
	if err != nil {
		return "", false, err
	}
	if known, ok := markets[found.Name]; ok {
		if known.String() == found.String() {
			return found.Name, false, nil
		}
		return "", false, &NameTakenError{found.Name, known.String(), found.String()}
	}
	done := hasMarket(found.Name, true)
	if err := c.callClient(ctx, s, "add marketplace", fetchPatience, done, "marketplace", "add", source); err != nil {
		// After a cancellation the marketplace may be registered.
		_, _ = c.RemoveMarketAndPlugins(context.WithoutCancel(ctx), NewSnapshot(s.Places), found.Name)
		return "", false, err
	}
	return found.Name, true, nil
}

// probeMarket runs claude to add a marketplace to an empty temporary directory.
func (c Command) probeMarket(ctx context.Context, s *Snapshot, source string) (found Market, err error) {
	trial, err := os.MkdirTemp("", throwawayPrefix)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(trial)) }()
	there := s.Places
	there.Plugins = trial
	err = c.runClient(ctx, there, s.userSettingsForClient(), fetchPatience, func(now *Snapshot) (bool, error) {
		markets, err := now.Markets()
		for _, m := range markets {
			found = m
		}
		return len(markets) == 1, err
	}, "marketplace", "add", source)
	return found, err
}

// Install runs claude to install a plugin from a repository. added is false if it was already installed, even for a
// different project. For a directory, it can succeed although claude failed.
func (c Command) Install(ctx context.Context, s *Snapshot, id string) (added bool, err error) {
	records, err := s.allRecords()
	if err != nil {
		return false, fmt.Errorf("install %s: %w", id, err)
	}
	// A record can be for a different project.
	done := func(now *Snapshot) (bool, error) { return now.Installed(id).Dir != "", nil }
	err = c.callClient(ctx, s, "install "+id, fetchPatience, done, "install", id)
	return err == nil && len(records[id]) == 0, err
}

// Uninstall uninstalls a plugin and returns a note for the user ("" if not installed). If other installed plugins share
// the name, it only returns a note.
func (c Command) Uninstall(ctx context.Context, s *Snapshot, id string) (outcome string, err error) {
	records, err := s.allRecords()
	if err != nil || len(records[id]) == 0 {
		return "", err
	}
	// Claude Code 2.1.197 ignores the marketplace in the ID.
	for other := range records {
		if other != id && NameOf(other) == NameOf(id) {
			return id + " stays installed, because the claude command could confuse " + other + " with it", nil
		}
	}
	done := func(now *Snapshot) (bool, error) {
		records, err := now.allRecords()
		return len(records[id]) == 0, err
	}
	if err := c.callClient(ctx, s, "uninstall "+id, clientPatience, done, "uninstall", id); err != nil {
		return "", err
	}
	return id + " is uninstalled", nil
}

// RemoveMarketAndPlugins removes a marketplace and its installed plugins. It returns a note for the user, even if the
// marketplace is unknown. s does not read the changed files again.
func (c Command) RemoveMarketAndPlugins(ctx context.Context, s *Snapshot, name string) (note string, err error) {
	markets, err := s.Markets()
	if err != nil {
		return "", err
	}
	known, ok := markets[name]
	if !ok {
		return "Claude Code does not know marketplace " + name, nil
	}
	// The client only removes a marketplace that settings declare.
	declaration, _ := document.EncodeValue(map[string]any{"extraKnownMarketplaces": map[string]json.RawMessage{name: known.Declaration()}})
	forgotten := hasMarket(name, false)
	if err := c.runClient(ctx, s.Places, declaration, clientPatience, forgotten, "marketplace", "remove", name); err != nil {
		return "", fmt.Errorf("remove marketplace: %w", err)
	}
	return "Claude Code has forgotten marketplace " + name + " and what was installed from it", nil
}

// Version returns the client's version, e.g. 2.1.329 ("" on failure).
func (c Command) Version(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, clientPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, "--version")
	cmd.Dir, cmd.Env = os.TempDir(), c.Env
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version
}

// isRecorded reports whether the client's records show success.
type isRecorded func(now *Snapshot) (bool, error)

func hasMarket(name string, want bool) isRecorded {
	return func(now *Snapshot) (bool, error) {
		markets, err := now.Markets()
		_, ok := markets[name]
		return ok == want, err
	}
}

// callClient runs claude plugin with a copy of the user's plugin settings. s then reads changed files again. Errors
// begin with task.
func (c Command) callClient(
	ctx context.Context, s *Snapshot, task string, patience time.Duration, didWork isRecorded, pluginArgs ...string,
) error {
	settings := s.userSettingsForClient("enabledPlugins", "extraKnownMarketplaces")
	defer s.forgetPlugins()
	if err := c.runClient(ctx, s.Places, settings, patience, didWork, pluginArgs...); err != nil {
		return fmt.Errorf("%s: %w", task, err)
	}
	return nil
}

// userSettingsForClient returns settings text for the client: the given user settings, and of env only network
// variables. Tokens must not get into a temporary file.
func (s *Snapshot) userSettingsForClient(keys ...string) (andNetEnv []byte) {
	l := s.userLayer()
	copied := map[string]any{}
	for _, key := range keys {
		if raw, ok := l.fields[key]; ok {
			copied[key] = raw
		}
	}
	variables := map[string]string{}
	for _, name := range []string{
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSH", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK", "CLAUDE_CODE_PLUGIN_PREFER_HTTPS",
	} {
		if value, _, ok := VariableIn([]Layer{l}, name); ok {
			variables[name] = value
		}
	}
	copied["env"] = variables
	settings, _ := document.EncodeValue(copied)
	return settings
}

const throwawayPrefix = "springfield-claude-"

// runClient runs claude plugin with temporary settings, so it changes places.Plugins. It succeeds if
// didWork returns true, whatever the exit status.
func (c Command) runClient(
	ctx context.Context, places Places, settings []byte, patience time.Duration, didWork isRecorded, pluginArgs ...string,
) (err error) {
	throwaway, err := os.MkdirTemp("", throwawayPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(throwaway)) }()
	work := filepath.Join(throwaway, "work") // without a project's settings
	if err := os.MkdirAll(filepath.Join(work, ".git"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(throwaway, "settings.json"), settings, 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pluginArgs = append([]string{"plugin"}, pluginArgs...)
	cmd := c.commandIn(ctx, throwaway, pluginArgs)
	cmd.Dir = work
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_PLUGIN_CACHE_DIR="+places.Plugins)
	out, runErr := cmd.CombinedOutput()
	if ok, err := didWork(NewSnapshot(places)); err != nil || ok {
		return err
	}
	if runErr == nil {
		runErr = errors.New("it reported success, but its records show no change")
	}
	return CallError("claude "+strings.Join(pluginArgs, " "), out, runErr, ctx.Err(), patience)
}

// CallError returns a failed call's error, or nil after success. It prefers ctxErr, from the call's context, then the
// message in out, then err.
func CallError(call string, out []byte, err, ctxErr error, patience time.Duration) error {
	call = secret.Mask(call)
	switch {
	case errors.Is(ctxErr, context.DeadlineExceeded):
		return fmt.Errorf("%s: no answer within %.0f seconds", call, patience.Seconds())
	case ctxErr != nil:
		return ctxErr
	case err != nil && len(bytes.TrimSpace(out)) > 0:
		return fmt.Errorf("%s: %s", call, secret.Mask(errorOrLastLine(out)))
	case err != nil:
		return fmt.Errorf("%s: %w", call, err)
	}
	return nil
}

func (c Command) commandIn(ctx context.Context, configAndWorkDir string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, args...)
	cmd.Dir = configAndWorkDir
	cmd.Env = append(slices.Clone(c.Env), "CLAUDE_CONFIG_DIR="+configAndWorkDir,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	cmd.WaitDelay = time.Second // a child may keep the pipe open
	return cmd
}

// errorOrLastLine returns the text after the last ✘, or the last line.
func errorOrLastLine(out []byte) string {
	text := strings.TrimSpace(string(out))
	if i := strings.LastIndex(text, "✘"); i >= 0 {
		return printable(text[i+len("✘"):])
	}
	return printable(text[strings.LastIndexByte(text, '\n')+1:])
}

// IsOlder reports whether version is older than mustParse, which is valid. isValid is about version.
func IsOlder(version, mustParse string) (older, isValid bool) {
	v, err := semver.StrictNewVersion(version)
	return err == nil && v.LessThan(semver.MustParse(mustParse)), err == nil
}
