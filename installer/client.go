package installer

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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// Client is the claude command.
type Client struct {
	Command string
	Env     []string // its environment, KEY=value
}

// Register makes a directory known as a marketplace.
func (c Client) Register(ctx context.Context, p Places, name, dir string) error {
	if err := c.call(ctx, p, clientPatience, func() error {
		ok, err := IsRegistered(p, name, dir)
		return orNotRecorded(ok, err)
	}, "plugin", "marketplace", "add", dir); err != nil {
		return fmt.Errorf("register marketplace: %w", err)
	}
	return nil
}

// AddMarket makes a repository known as a marketplace. It returns its name, and
// whether it was not known before. The source is OWNER/REPO or the URL of a git repository. A name that is known as
// something else is refused: the client would repoint it.
func (c Client) AddMarket(ctx context.Context, p Places, source string) (name string, added bool, err error) {
	// Tried out first where nothing is known, since only the catalog says its name.
	trial, err := os.MkdirTemp("", throwawayPrefix)
	if err != nil {
		return "", false, fmt.Errorf("add marketplace: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(trial)) }()
	var found Market
	there := p
	there.Plugins = trial
	network, err := p.forClient()
	if err != nil {
		return "", false, fmt.Errorf("add marketplace: %w", err)
	}
	if err := c.callWith(ctx, there, network, fetchPatience, func() error {
		markets, err := Markets(there)
		for _, m := range markets {
			found = m
		}
		return orNotRecorded(len(markets) == 1, err)
	}, "plugin", "marketplace", "add", source); err != nil {
		return "", false, fmt.Errorf("add marketplace: %w", err)
	}
	markets, err := Markets(p)
	if err != nil {
		return "", false, err
	}
	if known, ok := markets[found.Name]; ok {
		if known.String() == found.String() {
			return found.Name, false, nil
		}
		return "", false, &ConflictError{found.Name, known.String(), found.String()}
	}
	if err := c.call(ctx, p, fetchPatience, func() error {
		markets, err := Markets(p)
		_, ok := markets[found.Name]
		return orNotRecorded(ok, err)
	}, "plugin", "marketplace", "add", source); err != nil {
		// Cut off, it may be registered all the same.
		_, _ = c.forgetMarket(context.WithoutCancel(ctx), p, Plugin{Marketplace: found.Name})
		return "", false, fmt.Errorf("add marketplace: %w", err)
	}
	return found.Name, true, nil
}

// Install fetches a plugin of a marketplace that is a repository. It tells whether
// nothing of it was installed before, for whatever project.
func (c Client) Install(ctx context.Context, p Places, id string) (added bool, err error) {
	records, err := p.allRecords()
	if err != nil {
		return false, fmt.Errorf("install %s: %w", id, err)
	}
	if err := c.call(ctx, p, fetchPatience, func() error {
		// A record for another project is none for here.
		return orNotRecorded(p.Installed(id).Dir != "", nil)
	}, "plugin", "install", id); err != nil {
		return false, fmt.Errorf("install %s: %w", id, err)
	}
	return len(records[id]) == 0, nil
}

// Uninstall has the client forget a plugin, and not its marketplace. It says what
// it did or why not, "" if nothing of it is installed.
func (c Client) Uninstall(ctx context.Context, p Places, id string) (note string, err error) {
	records, err := p.allRecords()
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
	if err := c.call(ctx, p, clientPatience, func() error {
		records, err := p.records(id)
		return orNotRecorded(len(records) == 0, err)
	}, "plugin", "uninstall", id); err != nil {
		return "", fmt.Errorf("uninstall %s: %w", id, err)
	}
	return id + " is uninstalled", nil
}

// Purge has the client forget a plugin, and its marketplace if nothing else of
// it is in use. It says what it did and what it left, a sentence each.
func (c Client) Purge(ctx context.Context, p Places, plugin Plugin) (notes []string, err error) {
	id := plugin.ID()
	records, err := p.allRecords()
	if err != nil {
		return nil, err
	}
	layers, err := p.readLayers()
	if err != nil {
		return nil, err
	}
	if why := p.inUse(id, layers, records[id], ""); why != "" {
		return []string{id + " stays installed: " + why}, nil
	}
	others := othersOf(plugin, records, layers)
	if len(others) == 0 {
		// Removing the last source of a plugin uninstalls it too.
		return c.forgetMarket(ctx, p, plugin)
	}
	note, err := c.Uninstall(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	return append(notes, fmt.Sprintf("marketplace %s stays registered: %s comes from it too", plugin.Marketplace, others[0])), nil
}

// InUse says why a plugin would stay installed when it is disabled in a scope, ""
// if nothing else needs it.
func InUse(p Places, plugin Plugin, scope Scope) (string, error) {
	layers, err := p.readLayers()
	if err != nil {
		return "", err
	}
	records, err := p.allRecords()
	if err != nil {
		return "", err
	}
	path, err := p.Settings(scope)
	if err != nil {
		return "", err
	}
	file, err := resolve(path)
	return p.inUse(plugin.ID(), layers, records[plugin.ID()], file), err
}

// inUse says what else than one file needs a plugin of which the client has
// these records.
func (p Places) inUse(id string, layers []Layer, records []record, except string) string {
	for _, l := range layers {
		if on, _ := l.says(id); on && l.path != except {
			return l.Name + " settings switch it on"
		}
	}
	for _, m := range p.memories() {
		if m.switchedOn(id) && m.File != except && exists(m.File) {
			return "springfield has enabled it in " + m.File + ", too"
		}
	}
	for _, r := range records {
		if !p.fits(r) && isDir(r.ProjectPath) {
			return "Claude Code has installed it for " + r.ProjectPath + ", too"
		}
	}
	return ""
}

// forgetMarket unregisters a plugin's marketplace, and with it what is installed
// from there.
func (c Client) forgetMarket(ctx context.Context, p Places, plugin Plugin) ([]string, error) {
	name := plugin.Marketplace
	markets, err := Markets(p)
	if err != nil {
		return nil, err
	}
	known, ok := markets[name]
	if !ok {
		return []string{"Claude Code does not know marketplace " + name}, nil
	}
	// The client removes what its settings declare.
	declaration, err := document.Encode(map[string]any{"extraKnownMarketplaces": map[string]any{name: map[string]any{"source": known.source}}})
	if err != nil {
		return nil, err
	}
	if err := c.callWith(ctx, p, declaration, clientPatience, func() error {
		markets, err := Markets(p)
		_, still := markets[name]
		return orNotRecorded(!still, err)
	}, "plugin", "marketplace", "remove", name); err != nil {
		return nil, fmt.Errorf("remove marketplace: %w", err)
	}
	return []string{"Claude Code has forgotten marketplace " + name + " and what was installed from it"}, nil
}

// othersOf lists what else of a plugin's marketplace is switched on here or
// installed.
func othersOf(plugin Plugin, records map[string][]record, layers []Layer) []string {
	var ids []string
	for id := range records {
		ids = append(ids, id)
	}
	for _, l := range layers {
		for _, id := range l.ids() {
			if on, _ := l.says(id); on {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool {
		_, marketplace, _ := strings.Cut(id, "@")
		return marketplace != plugin.Marketplace || id == plugin.ID()
	})
}

// Version is the client's version, as 2.1.329.
func (c Client) Version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, clientPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Command, "--version")
	cmd.Dir, cmd.Env = os.TempDir(), c.Env
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("claude --version: %w", err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	return version, nil
}

// allRecords lists where the client has installed what.
func (p Places) allRecords() (map[string][]record, error) {
	fields, _, err := readObject(p.Plugins, "installed_plugins.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	plugins, _ := members(fields["plugins"])
	all := map[string][]record{}
	for id, raw := range plugins {
		var records []record
		_ = json.Unmarshal(raw, &records) // of another shape: it is there all the same
		all[id] = records
	}
	return all, nil
}

// errNotRecorded says that the client did not do, by its own records, what it
// was asked to.
var errNotRecorded = errors.New("its own records do not say so afterwards")

func orNotRecorded(ok bool, err error) error {
	if err != nil || ok {
		return err
	}
	return errNotRecorded
}

// call runs the client with what it needs of the user's settings, and believes only
// what check finds in its records.
func (c Client) call(ctx context.Context, p Places, patience time.Duration, check func() error, args ...string) error {
	settings, err := p.forClient("enabledPlugins", "extraKnownMarketplaces")
	if err != nil {
		return err
	}
	return c.callWith(ctx, p, settings, patience, check, args...)
}

// forClient is what the client needs to know of the user's settings: the members
// that are asked for, and how the network is reached. The rest, tokens among it,
// is no business of a temporary file.
func (p Places) forClient(keys ...string) ([]byte, error) {
	path, err := p.Settings(User)
	if err != nil {
		return nil, err
	}
	l := readLayer("user", path) // unreadable: not in effect
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
		if value, _, ok := envIn([]Layer{l}, name); ok {
			variables[name] = value
		}
	}
	copied["env"] = variables
	return document.Encode(copied)
}

// sweepThrowaways removes what killed calls have left in the temporary directory.
func sweepThrowaways() {
	entries, _ := os.ReadDir(os.TempDir())
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), throwawayPrefix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(os.TempDir(), e.Name())) // somebody else's stays
		}
	}
}

const throwawayPrefix = "springfield-claude-"

func (c Client) callWith(ctx context.Context, p Places, settings []byte, patience time.Duration, check func() error, args ...string) (err error) {
	sweepThrowaways()
	throwaway, err := os.MkdirTemp("", throwawayPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(throwaway)) }()
	work := filepath.Join(throwaway, "work") // its own, so that no project's settings take part
	if err := os.MkdirAll(filepath.Join(work, ".git"), 0o700); err != nil {
		return err
	}
	if len(settings) > 0 {
		if err := os.WriteFile(filepath.Join(throwaway, "settings.json"), settings, 0o600); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Command, args...)
	cmd.Dir = work
	cmd.Env = append(slices.Clone(c.Env), "CLAUDE_CONFIG_DIR="+throwaway, "CLAUDE_CODE_PLUGIN_CACHE_DIR="+p.Plugins,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	cmd.WaitDelay = time.Second // a child that keeps the pipe must not keep us
	out, runErr := cmd.CombinedOutput()
	checked := check()
	if !errors.Is(checked, errNotRecorded) {
		return checked
	}
	problem := errNotRecorded.Error()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		problem = fmt.Sprintf("no answer within %.0f seconds", patience.Seconds())
	case ctx.Err() != nil:
		return ctx.Err()
	case len(bytes.TrimSpace(out)) > 0:
		problem = complaint(out)
	case runErr != nil:
		problem = runErr.Error()
	}
	return fmt.Errorf("claude %s: %s", strings.Join(args, " "), problem)
}

// complaint is what the client said was wrong: from its last cross on, or its
// last line.
func complaint(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	from := len(lines) - 1
	for i, line := range lines {
		if strings.Contains(line, "✘") {
			from = i
		}
	}
	text := strings.Join(lines[from:], " ")
	if _, after, found := strings.Cut(text, "✘"); found {
		text = after
	}
	return printable(text)
}
