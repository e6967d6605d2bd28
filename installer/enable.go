package installer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

type EnableRequest struct {
	Plugin      string // NAME or NAME@MARKETPLACE
	Suite       string // its directory, "" to search
	Marketplace string // its name, OWNER/REPO or URL, "" to search
	Scope       client.Scope
	Keep        bool // leave other springfield plugins enabled
	Conflicts   settings.ConflictAnswer
	NoClaude    bool // do not call the claude command
	DryRun      bool
	Unmade      bool // a dry run that does not even stage a new plugin
	// DefaultSuite receives a plugin that is not found. If nil, this is an error.
	DefaultSuite *DefaultSuite
	// Ask resolves a conflict with plugins that drive the same loop. If nil, the conflict is an error.
	Ask func(*settings.ConflictError) (settings.ConflictAnswer, error)
}

// Done is the result of a request on one host, which enable and disable --json print.
type Done struct {
	Plugin string       `json:"plugin"` // ID, or the name asked for
	Scope  client.Scope `json:"scope"`
	State  string       `json:"state"`
	Suite  string       `json:"suite,omitempty"`
	From   string       `json:"from,omitempty"` // the plugin's source, for display
	Live   string       `json:"live,omitempty"`

	Host   hosts.Host     `json:"-"`
	Change journal.Change `json:"-"`
	Todo   string         `json:"-"` // the call of the claude command that a dry run omits
	Err    error          `json:"-"` // the failure on this host; other hosts may have succeeded
}

type enableRun struct {
	Means
	EnableRequest
	wanted   hosts.Request
	from     string
	adds     *DefaultSuite // receives the plugin; nil if the plugin exists
	register string        // suite that Claude Code does not know yet
	install  string
	added    string   // marketplace that was added to find the plugin
	leaves   []string // changes that undo does not revert
}

// EnablePlugin enables a plugin on a host, or with r.DryRun only plans this. It installs nothing if the settings cannot
// be edited. Only an unknown marketplace is added first, and removed on error. Callers close r.DefaultSuite.
func EnablePlugin(ctx context.Context, m Means, host hosts.Host, r EnableRequest) (done Done, err error) {
	if r.NoClaude || !host.Markets {
		m.Claude.Path = ""
	}
	wanted := settings.Enabling{Scope: r.Scope, Keep: r.Keep, Conflicts: r.Conflicts}
	e := &enableRun{Means: m, EnableRequest: r, wanted: hosts.Request{At: host.PlaceFor(m.User), Enabling: wanted}}
	defer func() {
		if err != nil {
			e.dropMarket(ctx)
		}
		done.Host, done.Scope = host, r.Scope
		done.Change.Edits = slices.DeleteFunc(done.Change.Edits, func(e journal.Edit) bool {
			return r.DefaultSuite != nil && e.In != "" && e.In == r.DefaultSuite.Dir
		})
	}()
	if err := e.wanted.CheckHost(); err != nil {
		return done, err
	}
	if err := e.resolveWantedPlugin(ctx); err != nil {
		return done, err
	}
	if err := e.checkListed(); err != nil {
		return done, err
	}
	dir := e.wanted.DirInSuite()
	if e.from = e.wanted.Plugin.Suite; host.Markets {
		if dir, err = e.resolveInstallSource(); err != nil {
			return done, err
		}
	}
	if e.adds != nil {
		err = e.stageDefault(ctx)
	} else if dir != "" {
		err = e.examinePluginDir(dir)
	}
	if err != nil || r.Unmade && e.adds != nil {
		return done, err
	}
	plan, err := e.askAndPlan(m.Settings)
	if err != nil || r.DryRun {
		return e.summarize(plan), err
	}
	if err := e.installOrRegister(ctx); err != nil {
		return done, err
	}
	plan, err = settings.PlanAndApply(m.Settings.Places, e.askAndPlan) // a fetched plugin is known now, or registration failed
	return e.summarize(plan), err
}

func (e *enableRun) checkListed() error {
	plugin := e.wanted.Plugin
	if !e.wanted.At.Host.Markets || plugin.Suite == "" || e.adds != nil {
		return nil
	}
	names, err := e.Settings.PluginsOffered(client.Directory(plugin.Marketplace, plugin.Suite))
	if err != nil || slices.Contains(names, plugin.Name) {
		return err
	}
	catalog := filepath.Join(plugin.Suite, ".claude-plugin", "marketplace.json")
	return check.Advisef("run springfield update "+check.QuoteArgument(plugin.Suite)+" to get "+catalog+
		".new, and copy the plugin's entry from it",
		"%s does not list %s, so Claude Code would not find it", catalog, plugin.Name)
}

// resolveWantedPlugin sets e.wanted.Plugin. It first adds a marketplace given as OWNER/REPO or URL. The default suite
// provides the plugin for a strategy not found.
func (e *enableRun) resolveWantedPlugin(ctx context.Context) (err error) {
	name, source, host := e.EnableRequest.Plugin, e.Marketplace, e.wanted.At.Host
	bare, _, both := strings.Cut(name, "@")
	switch {
	case source == "":
	case !host.Markets && strings.ContainsAny(source, "/:") && !filepath.IsAbs(source) && !strings.HasPrefix(source, "."):
		return check.Advisef("clone the repository and pass it as --suite DIR", "%s can only take a plugin from a directory", host.Title)
	case both || e.Suite != "":
		return check.Misusef("use only one of NAME@MARKETPLACE, --marketplace and --suite", "the marketplace is given twice")
	case filepath.IsAbs(source) || strings.HasPrefix(source, "."):
		e.Suite = source
	case !strings.ContainsAny(source, "/:"):
		name = bare + "@" + source
	default:
		market, err := e.addMarketplace(ctx, bare, source)
		if err != nil {
			return err
		}
		name = bare + "@" + market
	}
	e.wanted.Plugin, err = e.FindPlugin(name, e.Suite)
	if dir := filepath.Join(e.Settings.Work, source); errors.Is(err, errUnknown) && source != "" && e.Suite == "" && rooted.TargetIsDir(dir) {
		err = check.Advise(err, "if you mean the directory, pass --marketplace "+check.QuoteArgument("./"+source))
	}
	_, known := registry.StrategyNamed(name)
	if suite := e.DefaultSuite; known && errors.Is(err, errUnknown) && suite != nil && suite.Dir != "" {
		e.adds = suite
		e.wanted.Plugin, err = e.adds.addUnsaved(e.Means, name)
	}
	if e.wanted.ID = e.wanted.Plugin.Name; err == nil && !host.Markets && e.wanted.Plugin.Suite == "" {
		err = check.Advisef("clone its repository and pass it as --suite DIR", "%s can only take a plugin from a directory, and %s has none", host.Title, e.wanted.Plugin.ID())
	}
	return err
}

func (e *enableRun) addMarketplace(ctx context.Context, plugin, source string) (newOrKnown string, err error) {
	known, err := e.Settings.MarketFromIfAny(source)
	shown := secret.Mask(source)
	switch {
	case err != nil || known != "":
		return known, err
	case !client.CanFetch(source):
		return "", check.Misusef("write OWNER/REPO, https://HOST/PATH or USER@HOST:PATH; or clone it, and enable with --suite DIR",
			"--marketplace %s: Claude Code fetches no such address", shown)
	case e.Claude.Path == "":
		return "", check.Advisef("clone the repository and pass it as --suite DIR", "marketplace %s is unknown, and %s",
			shown, e.whyNoClaude())
	case e.DryRun:
		return "", check.Advisef(fmt.Sprintf("fetch it first: run springfield enable %s --marketplace %s; to remove it again, run springfield disable %s --purge", plugin, shown, plugin),
			"marketplace %s is not known yet, so the changes cannot be predicted", shown)
	}
	e.Tell("fetching marketplace %s with the claude command", shown)
	market, added, err := e.Claude.AddMarket(ctx, e.Settings.Snapshot, source)
	if added {
		e.added = market
	}
	return market, err
}

// whyNoClaude returns why the claude command cannot fetch the plugin.
func (e *enableRun) whyNoClaude() string {
	if e.NoClaude {
		return "--no-activate forbids fetching it with the claude command"
	}
	return "there is no claude command to fetch it"
}

func (e *enableRun) dropMarket(ctx context.Context) {
	if e.added == "" {
		return
	}
	now := settings.NewSettings(e.Settings.Places)
	notes, err := now.PurgeIfUnused(context.WithoutCancel(ctx), e.Claude, client.Plugin{Name: e.EnableRequest.Plugin, Marketplace: e.added})
	if err != nil {
		notes = []string{err.Error()}
	}
	for _, note := range notes {
		e.Tell("%s", note)
	}
}

// resolveInstallSource returns the directory with the plugin's files ("" if none yet). It sets e.register or e.install
// if Claude Code has to register the suite or install the plugin, and e.wanted.Declare if settings have to declare the
// suite.
func (e *enableRun) resolveInstallSource() (dirIfThere string, err error) {
	plugin := e.wanted.Plugin
	if plugin.Suite != "" {
		registered, err := e.Settings.IsRegistered(plugin.Marketplace, plugin.Suite)
		if conflict := (*client.NameTakenError)(nil); errors.As(err, &conflict) {
			return "", check.Advisef("run springfield disable "+plugin.ID()+" --purge to make Claude Code forget the other one; or "+client.HowToRenameMarket(plugin.Suite), "%w", err)
		}
		if err != nil {
			return "", err
		}
		if e.adds != nil {
			e.wanted.Declare = !registered // the claude command cannot find it yet
			return "", nil
		}
		if !registered {
			e.register = plugin.Suite
			e.wanted.Declare = e.Claude.Path == ""
		}
		if i := e.Settings.Installed(plugin.ID()); i.InPlace && rooted.HoldsPath(plugin.Suite, i.Dir) {
			return i.Dir, nil
		}
		return e.wanted.DirInSuite(), nil
	}
	i := e.Settings.Installed(plugin.ID())
	if e.from = i.Source; i.Dir != "" {
		return i.Dir, nil
	}
	if e.Claude.Path == "" {
		return "", check.Advisef("run /plugin install "+plugin.ID()+" in Claude Code", "%s is not installed, and %s", plugin.ID(),
			e.whyNoClaude())
	}
	e.install = plugin.ID()
	return e.Settings.DirInClone(plugin), nil
}

// examinePluginDir returns an error if the plugin cannot run here, is not springfield's or lacks a file that the host
// needs. Otherwise it sets the kind and MaxContinues in e.wanted. For Claude Code, it prints a note if the plugin's
// settings cannot be read.
func (e *enableRun) examinePluginDir(dir string) error {
	plugin, host := e.wanted.Plugin, e.wanted.At.Host
	found := e.Settings.ReadPluginIn(dir)
	fix, itself := "fix it, or enable another plugin", "use "+host.Title+"'s own plugin commands"
	if host.Markets {
		fix, itself = "Claude Code would not load it either; "+fix, "enable it in Claude Code with /plugin install "+plugin.ID()
	}
	if err := generator.CheckCanStart(dir, generator.HostTarget(), generator.Plugin{Strategy: found.Strategy}.Programs()...); err != nil {
		return check.Advisef(generator.HowToFixProgram(err, plugin.Suite), "%s cannot run here: %w", plugin.ID(), err)
	}
	if found.Problem != "" {
		return check.Advisef(fix, "%s cannot run: %s", plugin.ID(), found.Problem)
	}
	if !found.IsOurs() {
		return check.Advisef(itself, "%s is not a springfield plugin", plugin.ID())
	}
	if err := e.wanted.CheckHasFiles(); err != nil {
		return &hosts.PassedOverError{Err: check.Advise(fmt.Errorf("%s does not support %s: %w", plugin.ID(), host.Title, err),
			"run springfield update "+check.QuoteArgument(plugin.Suite)+" to add it")}
	}
	e.setKind(found.Strategy, found.IsOursAtStop())
	if settings, err := hook.ReadSettings(dir, e.Settings.StatePath(), ""); err == nil {
		e.wanted.MaxContinues = settings.MaxContinues()
	} else if host.Markets {
		e.Tell("springfield: note: %v; if the hook cannot read it either, it lets Claude stop", err)
	}
	return nil
}

// setKind sets whether the plugin decides at Stop, and whether it drives a spec loop, and records the strategies of
// this kind.
func (e *enableRun) setKind(ownStrategy string, decides bool) {
	known, ok := registry.StrategyNamed(ownStrategy)
	e.wanted.DecidesNothing, e.wanted.Loops, e.wanted.SameKind = !decides, ok && known.KindOf() == strategy.SpecLoop, nil
	for _, other := range registry.Strategies {
		if ok && other.KindOf() == known.KindOf() {
			e.wanted.SameKind = append(e.wanted.SameKind, other.Name)
		}
	}
}

// askAndPlan plans the edit. It asks what to do about plugins that drive the same loop, and keeps the answer in
// e.wanted.
func (e *enableRun) askAndPlan(now *settings.Settings) (journal.Change, error) {
	c, err := e.wanted.At.Host.PlanOn(now, e.wanted)
	if conflicts := (*settings.ConflictError)(nil); errors.As(err, &conflicts) && e.Ask != nil {
		if e.wanted.Conflicts, err = e.Ask(conflicts); err == nil {
			c, err = e.wanted.At.Host.PlanOn(now, e.wanted)
		}
	}
	if err != nil {
		return c, err
	}
	if c.Leaves = e.leaves; e.Suite != "" {
		list, unread := settings.PlanAddSuite(now.Places, e.wanted.Plugin.Suite)
		if c.Edits = append(c.Edits, list); unread != nil { // then list changes nothing
			c.Notes = append(c.Notes, "the next enable will also need --suite: "+unread.Error())
		}
	} else if says := e.howToUseNearby(e.EnableRequest.Plugin, e.wanted.Plugin.Suite); says != "" && e.Marketplace == "" {
		c.Notes = append(c.Notes, says)
	}
	if e.adds != nil {
		if c, err = e.adds.addFilesTo(c, now); err != nil {
			return c, err
		}
	}
	return c, c.CheckAccess()
}

// installOrRegister installs a plugin or registers its marketplace with the claude command, as needed. It uninstalls a
// new unusable plugin. If the marketplace cannot be registered, it sets e.wanted.Declare for the next plan.
func (e *enableRun) installOrRegister(ctx context.Context) error {
	snapshot := e.Settings.Snapshot
	switch {
	case e.Claude.Path == "":
	case e.install != "":
		e.Tell("fetching %s with the claude command", e.install)
		added, err := e.Claude.Install(ctx, snapshot, e.install)
		if err != nil {
			return check.Advisef("to get the latest catalog, run: claude plugin marketplace update "+e.wanted.Plugin.Marketplace, "%w", err)
		}
		if err := e.examinePluginDir(snapshot.Installed(e.install).Dir); err != nil {
			if added {
				_, _ = e.Claude.Uninstall(ctx, snapshot, e.install)
			}
			return err
		}
		e.noteUndoLeaves("still has " + e.install + " installed")
	case e.register != "":
		e.Tell("registering %s with the claude command", e.register)
		if err := e.Claude.Register(ctx, snapshot, e.wanted.Plugin.Marketplace, e.register); err != nil && ctx.Err() == nil {
			e.Tell("springfield: note: %v; declaring the marketplace in user settings instead", err)
			e.wanted.Declare = true
		} else if err == nil {
			e.noteUndoLeaves("still knows " + e.register + " as marketplace " + e.wanted.Plugin.Marketplace)
		}
	}
	return ctx.Err() // Ctrl-C, even after the client succeeded
}

// noteUndoLeaves records a change that undo does not revert. change continues "Claude Code".
func (e *enableRun) noteUndoLeaves(change string) {
	e.leaves = append(e.leaves, "Claude Code "+change+": run springfield disable "+e.wanted.Plugin.ID()+" --purge to change that")
}

func (e *enableRun) summarize(plan journal.Change) Done {
	plugin, byHand := e.wanted.Plugin, e.wanted.At.Host.ByHand
	d := Done{
		Plugin: plugin.ID(), State: "enabled", Suite: plugin.Suite, From: e.from,
		Live: "takes effect in your next session", Change: plan,
	}
	if e.wanted.Declare {
		d.Live += " (before Claude Code 2.1.285, in the one after that)"
	}
	switch { // a dry run describes the call of installOrRegister
	case e.DryRun && e.install != "":
		d.Todo = "run: claude plugin install " + e.install + " (without changing your settings)"
	case e.DryRun && e.register != "" && e.Claude.Path != "":
		d.Todo = fmt.Sprintf("run: claude plugin marketplace add %q (without changing your settings)", e.register)
	case !e.DryRun:
		if e.Scope != client.User {
			d.Change.Notes = append(d.Change.Notes, e.scopeReachNotes()...)
		}
		if byHand != nil && !plan.IsEmpty() {
			d.Change.Notes = append(d.Change.Notes, byHand(e.wanted)...)
		}
	}
	if silent := e.wanted.At.FindSilencer(); silent != nil {
		d.Change.Notes = append(d.Change.Notes, silent.Text()+"; "+silent.Fix)
	}
	return d
}

// scopeReachNotes returns who gets the plugin. e.Scope is not client.User.
func (e *enableRun) scopeReachNotes() []string {
	plugin := e.wanted.Plugin
	places := e.Settings.Places
	file, user := places.Settings(e.Scope), places.Settings(client.User)
	switch {
	case file == user || rooted.SameFile(file, user):
		return []string{"in this directory, that file is your user settings, so the plugin is enabled in all your sessions"}
	case e.Scope == client.Local:
		return nil
	case plugin.Suite != "":
		return []string{"the marketplace is a directory on this machine, so others cannot get the plugin until you publish it as a repository"}
	}
	return []string{fmt.Sprintf("others who work on this project must also run springfield enable %s --scope project, to fetch the plugin", plugin.ID())}
}

// stageDefault checks the settings, then stages and examines the plugin of e.adds, which is set. With e.Unmade, it only
// checks settings. Unless e.DryRun is set, the suite is locked until e.adds.Close.
func (e *enableRun) stageDefault(ctx context.Context) error {
	known, _ := registry.StrategyNamed(e.wanted.Plugin.Name)
	e.setKind(known.Name, known.Event == "Stop")
	if err := e.checkSettings(); err != nil || e.Unmade {
		return err
	}
	if err := e.adds.stageFiles(ctx, e.Means, !e.DryRun); err != nil {
		return err
	}
	e.wanted.Stage = e.adds.stage
	return e.examinePluginDir(e.wanted.DirInSuite())
}

// checkSettings returns an error if Claude Code's settings cannot be edited, or managed settings disable hooks. It asks
// like askAndPlan. For another agent, it checks only if nothing will be staged.
func (e *enableRun) checkSettings() error {
	markets := e.wanted.At.Host.Markets
	switch {
	case !markets && e.Unmade:
		return e.Settings.CheckHostFile(e.wanted.EntryFile())
	case !markets: // the entry needs the staged files
		return nil
	}
	if why := e.Settings.Inventory().Silenced; strings.HasSuffix(why, "managed settings") {
		return check.Advisef("only an administrator can change that", "%s keeps hooks from running", why)
	}
	_, err := e.askAndPlan(e.Settings)
	return err
}
