package client

// What the claude command does for us: getting to know a marketplace, fetching
// a plugin, and forgetting both.
//
// The client writes what it does into settings.json, and re-serialises the whole
// file for it. So it is called with a configuration directory that holds what it
// needs of the user's settings and is thrown away afterwards, while its plugins
// directory is the user's own: what it registers and installs is there for every
// scope, and not one byte of the user's settings has changed. Whether it did
// what it was asked to is read from its own records.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/installer/document"
)

// Patience with one call of the client: registering a directory takes about a
// second, fetching a repository what the network takes.
const (
	clientPatience = 60 * time.Second
	fetchPatience  = 5 * time.Minute
)

// Command is the claude command.
type Command struct {
	Path string   // absolute; "" if there is none
	Env  []string // its environment, KEY=value
}

// Register makes a directory known as a marketplace.
func (c Command) Register(ctx context.Context, s *Snapshot, name, dir string) error {
	if err := c.callClient(ctx, s, clientPatience, func(now *Snapshot) (bool, error) {
		return now.IsRegistered(name, dir)
	}, "plugin", "marketplace", "add", dir); err != nil {
		return fmt.Errorf("register marketplace: %w", err)
	}
	return nil
}

// AddMarket makes a repository known as a marketplace. It returns its name, and
// whether it was not known before. The source is OWNER/REPO or the URL of a git
// repository. A name that is known as something else is refused: the client would
// repoint it.
func (c Command) AddMarket(ctx context.Context, s *Snapshot, source string) (name string, added bool, err error) {
	fail := func(err error) (string, bool, error) { return "", false, fmt.Errorf("add marketplace: %w", err) }
	found, err := c.tryMarket(ctx, s, source)
	if err != nil {
		return fail(err)
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
	if err := c.callClient(ctx, s, fetchPatience, func(now *Snapshot) (bool, error) {
		markets, err := now.Markets()
		_, ok := markets[found.Name]
		return ok, err
	}, "plugin", "marketplace", "add", source); err != nil {
		// Cut off, it may be registered all the same.
		_, _ = c.ForgetMarketplace(context.WithoutCancel(ctx), NewSnapshot(s.Places), found.Name)
		return fail(err)
	}
	return found.Name, true, nil
}

// tryMarket adds a marketplace where nothing is known, since only its catalog says
// its name.
func (c Command) tryMarket(ctx context.Context, s *Snapshot, source string) (found Market, err error) {
	trial, err := os.MkdirTemp("", throwawayPrefix)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(trial)) }()
	there := s.Places
	there.Plugins = trial
	network, err := s.forCommand()
	if err != nil {
		return found, err
	}
	err = c.runClient(ctx, call{there, network, fetchPatience, func(now *Snapshot) (bool, error) {
		markets, err := now.Markets()
		for _, m := range markets {
			found = m
		}
		return len(markets) == 1, err
	}}, "plugin", "marketplace", "add", source)
	return found, err
}

// Install fetches a plugin of a marketplace that is a repository. It tells whether
// nothing of it was installed before, for whatever project.
func (c Command) Install(ctx context.Context, s *Snapshot, id string) (added bool, err error) {
	records, err := s.allRecords()
	if err != nil {
		return false, fmt.Errorf("install %s: %w", id, err)
	}
	if err := c.callClient(ctx, s, fetchPatience, func(now *Snapshot) (bool, error) {
		// A record for another project is none for here.
		return now.Installed(id).Dir != "", nil
	}, "plugin", "install", id); err != nil {
		return false, fmt.Errorf("install %s: %w", id, err)
	}
	return len(records[id]) == 0, nil
}

// Uninstall has the client forget a plugin, and not its marketplace. It says what
// it did or why not, "" if nothing of it is installed.
func (c Command) Uninstall(ctx context.Context, s *Snapshot, id string) (note string, err error) {
	records, err := s.allRecords()
	if err != nil || len(records[id]) == 0 {
		return "", err
	}
	// Claude Code 2.1.197 goes by the name alone.
	bare, _, _ := strings.Cut(id, "@")
	for other := range records {
		if name, _, _ := strings.Cut(other, "@"); other != id && name == bare {
			return id + " stays installed: the claude command could take " + other + " for it", nil
		}
	}
	if err := c.callClient(ctx, s, clientPatience, func(now *Snapshot) (bool, error) {
		records, err := now.allRecords()
		return len(records[id]) == 0, err
	}, "plugin", "uninstall", id); err != nil {
		return "", fmt.Errorf("uninstall %s: %w", id, err)
	}
	return id + " is uninstalled", nil
}

// ForgetMarketplace has the client forget a marketplace, and with it what is installed from
// there. It says what it did.
func (c Command) ForgetMarketplace(ctx context.Context, s *Snapshot, name string) (note string, err error) {
	markets, err := s.Markets()
	if err != nil {
		return "", err
	}
	known, ok := markets[name]
	if !ok {
		return "Claude Code does not know marketplace " + name, nil
	}
	// The client removes what its settings declare.
	declaration, err := document.EncodeValue(map[string]any{"extraKnownMarketplaces": map[string]any{name: known.Declaration()}})
	if err != nil {
		return "", err
	}
	if err := c.runClient(ctx, call{s.Places, declaration, clientPatience, func(now *Snapshot) (bool, error) {
		markets, err := now.Markets()
		_, still := markets[name]
		return !still, err
	}}, "plugin", "marketplace", "remove", name); err != nil {
		return "", fmt.Errorf("remove marketplace: %w", err)
	}
	return "Claude Code has forgotten marketplace " + name + " and what was installed from it", nil
}

// UsesOf lists what else of a plugin's marketplace is switched on here or installed.
func (s *Snapshot) UsesOf(plugin Plugin) ([]string, error) {
	records, err := s.allRecords()
	if err != nil {
		return nil, err
	}
	ids := slices.Collect(maps.Keys(records))
	for _, l := range s.AllLayers() {
		ids = append(ids, l.IDsOn()...)
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool {
		_, marketplace, _ := strings.Cut(id, "@")
		return marketplace != plugin.Marketplace || id == plugin.ID()
	}), nil
}

// Version is the client's version, as 2.1.329.
func (c Command) Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, clientPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, "--version")
	cmd.Dir, cmd.Env = os.TempDir(), c.Env
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("claude --version: %w", err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}

// recorded tells whether the client has done, by its own records, what it was asked to.
type recorded func(now *Snapshot) (bool, error)

// callClient runs the client with what it needs of the user's settings.
func (c Command) callClient(ctx context.Context, s *Snapshot, patience time.Duration, done recorded, args ...string) error {
	settings, err := s.forCommand("enabledPlugins", "extraKnownMarketplaces")
	if err != nil {
		return err
	}
	defer s.readAgain()
	return c.runClient(ctx, call{s.Places, settings, patience, done}, args...)
}

// forCommand is what the client needs to know of the user's settings: the members
// that are asked for, and how the network is reached. The rest, tokens among it,
// is no business of a temporary file.
func (s *Snapshot) forCommand(keys ...string) ([]byte, error) {
	l := s.userLayer() // unreadable: not in effect
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
	return document.EncodeValue(copied)
}

const throwawayPrefix = "springfield-claude-"

// call is one call of the client.
type call struct {
	places   Places
	settings []byte // that it finds as the user's
	patience time.Duration
	recorded
}

// runClient runs the client in a directory of its own, and believes its records only.
func (c Command) runClient(ctx context.Context, l call, args ...string) (err error) {
	throwaway, err := os.MkdirTemp("", throwawayPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(throwaway)) }()
	work := filepath.Join(throwaway, "work") // its own, so that no project's settings take part
	if err := os.MkdirAll(filepath.Join(work, ".git"), 0o700); err != nil {
		return err
	}
	if len(l.settings) > 0 {
		if err := os.WriteFile(filepath.Join(throwaway, "settings.json"), l.settings, 0o600); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	cmd := c.commandIn(ctx, throwaway, args)
	cmd.Dir = work
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_PLUGIN_CACHE_DIR="+l.places.Plugins)
	out, runErr := cmd.CombinedOutput()
	if done, err := l.recorded(NewSnapshot(l.places)); err != nil || done {
		return err
	}
	if runErr == nil {
		runErr = errors.New("its own records do not say so afterwards")
	}
	return CallError("claude "+strings.Join(args, " "), out, runErr, ctx.Err(), l.patience)
}

// CallError says why a call of a program has failed, if it has: it took too long, the user has ended it, or
// what it printed.
func CallError(call string, out []byte, err, ended error, patience time.Duration) error {
	switch {
	case errors.Is(ended, context.DeadlineExceeded):
		return fmt.Errorf("%s: no answer within %.0f seconds", call, patience.Seconds())
	case ended != nil:
		return ended
	case err != nil && len(bytes.TrimSpace(out)) > 0:
		return fmt.Errorf("%s: %s", call, errorInOutput(out))
	case err != nil:
		return fmt.Errorf("%s: %w", call, err)
	}
	return nil
}

// commandIn is a call with a configuration of its own, in its directory.
func (c Command) commandIn(ctx context.Context, config string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, args...)
	cmd.Dir = config
	cmd.Env = append(slices.Clone(c.Env), "CLAUDE_CONFIG_DIR="+config,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	cmd.WaitDelay = time.Second // a child that keeps the pipe must not keep us
	return cmd
}

// errorInOutput is what the client said was wrong: from its last cross on, or its
// last line.
func errorInOutput(out []byte) string {
	text := strings.TrimSpace(string(out))
	if i := strings.LastIndex(text, "✘"); i >= 0 {
		return printable(text[i+len("✘"):])
	}
	return printable(text[strings.LastIndexByte(text, '\n')+1:])
}
