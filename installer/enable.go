package installer

// Switching a plugin on.
//
// The rules:
//   - all of it is one edit of one scope's file; only a directory marketplace
//     that has to be declared goes elsewhere, into user settings;
//   - double-shot-latte goes off, and so does every other springfield plugin
//     that decides at Stop: one decides. A plugin that decides nothing there
//     switches nobody off;
//   - what another scope decides is not touched but named.

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
)

// Plugin is a plugin that can be switched on.
type Plugin struct {
	Name        string
	Marketplace string
	Suite       string // its marketplace's directory, absolute; "" if it is none
}

// ID is the plugin's key in enabledPlugins.
func (p Plugin) ID() string { return p.Name + "@" + p.Marketplace }

// PluginIn looks at the plugin that lies in a directory, whoever knows of it.
func PluginIn(dir string) Installed {
	i := Installed{Name: filepath.Base(dir), Dir: dir, InPlace: true}
	if err := i.load(item{}); err != nil {
		i.Problem = err.Error()
	}
	return i
}

// InClone is where a plugin lies in its marketplace's own directory, whether it
// is installed or not; "" if the marketplace has it from elsewhere.
func InClone(p Places, plugin Plugin) string {
	stock := p.stock(plugin.Marketplace)
	entry, ok := stock.items[plugin.Name]
	if stock.err != nil || !ok || entry.path == "" {
		return ""
	}
	dir, err := below(stock.root, entry.path)
	if err != nil || !isDir(dir) {
		return ""
	}
	return dir
}

// latte is the plugin that springfield replaces.
const (
	latte       = "double-shot-latte@"
	latteOrigin = latte + "superpowers-marketplace"
)

// BlockCap is how many blocks in a row, without a tool call between them,
// Claude Code honours: the name of the variable that sets it. It says so to
// nobody when it has had enough.
const (
	BlockCap        = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	blockCapDefault = 8
)

// Rivals says what is to happen to plugins that drive the same loop.
type Rivals string

// Answers about rivals; none is asked for with a *RivalsError.
const (
	RivalsOff  Rivals = "off"
	RivalsKeep Rivals = "keep"
)

// Enabling is what PlanEnable is asked for.
type Enabling struct {
	Plugin Plugin
	Scope  Scope
	// Declare has user settings declare the suite's directory as a marketplace,
	// for when there is no client to register it.
	Declare bool
	Keep    bool // other springfield plugins stay on
	// Beside is set for a plugin that decides nothing at Stop, so that all others
	// stay as they are.
	Beside bool
	// Loops is set for a plugin that drives a loop of its own through a spec,
	// which others drive too.
	Loops  bool
	Rivals Rivals
	// Rounds is how often in a row the plugin may let Claude go on without a
	// tool call in between.
	Rounds int
}

// RivalsError says that other plugins drive the same loop, and that somebody has
// to decide about them.
type RivalsError struct {
	Plugin string
	IDs    []string
}

func (e *RivalsError) Error() string {
	return fmt.Sprintf("%s would not be alone: %s would drive the same loop", e.Plugin, strings.Join(e.IDs, ", "))
}

// PlanEnable switches a plugin on in a scope.
func PlanEnable(p Places, e Enabling) (Plan, error) {
	file, doc, err := p.openScope(e.Scope)
	if err != nil {
		return Plan{}, err
	}
	user, _ := p.Settings(User)
	if err := checkDeclared(user, e.Plugin); err != nil {
		return Plan{}, err
	}
	plan := Plan{Did: fmt.Sprintf("enable %s in %s settings", e.Plugin.ID(), e.Scope)}
	changes, err := plan.switches(p, file, doc, e)
	if err != nil {
		return Plan{}, err
	}
	if e.Declare {
		value, err := document.Encode(map[string]source{"source": {Source: "directory", Path: e.Plugin.Suite}})
		if err != nil {
			return Plan{}, err
		}
		change := document.Edit{Path: []string{"extraKnownMarketplaces", e.Plugin.Marketplace}, Value: value}
		userFile, userDoc, err := openSettings(user)
		if err != nil {
			return Plan{}, err
		}
		if userFile.Path == file.Path { // user scope, or a project whose settings are the user's
			changes = append([]document.Edit{change}, changes...)
		} else if err := plan.set(p, userFile, userDoc, []document.Edit{change}, file.Path); err != nil {
			// An absolute path is nobody else's business: never in a project's file.
			return Plan{}, err
		}
	}
	if err := plan.set(p, file, doc, changes, file.Path); err != nil {
		return Plan{}, err
	}
	return plan, nil
}

// switches are the members to set in the scope's file.
func (p *Plan) switches(places Places, file *File, doc *document.Document, e Enabling) ([]document.Edit, error) {
	if _, _, err := doc.Get("enabledPlugins", e.Plugin.ID()); err != nil {
		return nil, refused(file, err) // before anybody is asked anything
	}
	v, err := places.viewFrom(e.Scope, file, doc)
	if err != nil {
		return nil, err
	}
	if e.Beside {
		p.noteOverruled(v, e.Plugin.ID(), e.Scope, true)
		return []document.Edit{switchTo(e.Plugin.ID(), "true")}, nil
	}
	changes := p.raiseCap(v, e)
	changes = append(changes, switchTo(latteOrigin, "false"))
	var rivals []string
	read := stocks{}
	if e.Plugin.Suite != "" { // known or not: with this edit it will be
		here, err := MarketOf(places, e.Plugin)
		if err != nil {
			return nil, err
		}
		read[here.Name] = here.stock()
	}
	for _, id := range v.ids() {
		if id == e.Plugin.ID() {
			continue
		}
		isLatte := strings.HasPrefix(id, latte)
		if _, _, err := doc.Get("enabledPlugins", id); isLatte && err != nil {
			return nil, refused(file, err)
		}
		switch {
		case isLatte, places.drives(v, id, read):
			if !isLatte && e.Keep {
				if v.on(id) {
					p.Notes = append(p.Notes, id+" stays on too: both decide at every stop, either can make Claude go on, and they share one budget")
				}
				continue
			}
			if v.on(id) && id != latteOrigin {
				changes = append(changes, switchTo(id, "false"))
			}
			if _, stays, _ := v.overruled(id); v.on(id) && !stays {
				p.Notes = append(p.Notes, id+" is switched off")
			}
			p.noteOverruled(v, id, e.Scope, false)
		case e.Loops && isRival(id):
			if _, on, says := v.overruled(id); v.on(id) || says && on {
				rivals = append(rivals, id)
			}
		}
	}
	if len(rivals) > 0 && e.Rivals == "" {
		return nil, &RivalsError{e.Plugin.ID(), rivals}
	}
	for _, id := range rivals {
		if e.Rivals == RivalsKeep {
			p.Notes = append(p.Notes, id+" stays on too: both drive a loop, and either can make Claude go on")
			continue
		}
		changes = append(changes, p.removeRival(v, id)...)
		p.noteOverruled(v, id, e.Scope, false)
	}
	p.noteOverruled(v, e.Plugin.ID(), e.Scope, true)
	return append(changes, switchTo(e.Plugin.ID(), "true")), nil
}

func switchTo(id, value string) document.Edit {
	return document.Edit{Path: []string{"enabledPlugins", id}, Value: json.RawMessage(value)}
}

// drives tells whether a plugin is one of ours that decides at Stop. Of one that
// is not there any more only our memory can tell.
func (p Places) drives(v view, id string, read stocks) bool {
	if i := p.installed(id, read); i.Dir != "" {
		return i.Drives()
	}
	return slices.ContainsFunc(v.known, func(m *memory) bool { return m.switchedOn(id) })
}

// isRival tells whether a plugin is known to drive a loop through a spec or a
// promise, and is not ours.
func isRival(id string) bool {
	name, _, _ := strings.Cut(id, "@")
	return name == "ralph-wiggum" || name == "ralph-loop" || id == "ralph-specum@smart-ralph"
}

// removeRival takes a rival's entry out, and says false where a lower scope
// would switch it on again.
func (p *Plan) removeRival(v view, id string) []document.Edit {
	_, says := v.own.says(id)
	switch {
	case v.scopeBelow(id) != "":
		p.Notes = append(p.Notes, id+" is switched off")
		return []document.Edit{switchTo(id, "false")}
	case says:
		p.Notes = append(p.Notes, id+" is taken out")
		return []document.Edit{{Path: []string{"enabledPlugins", id}}}
	}
	return nil
}

// noteOverruled says when another scope decides about a plugin, against what is
// wanted of it.
func (p *Plan) noteOverruled(v view, id string, scope Scope, wanted bool) {
	name, on, says := v.overruled(id)
	if !says || on == wanted {
		return
	}
	verb, state := "disable", "on"
	if wanted {
		verb, state = "enable", "off"
	}
	if name == "managed" {
		p.Notes = append(p.Notes, fmt.Sprintf("%s stays %s: managed settings say so, and only an administrator can change them", id, state))
		return
	}
	where := "--scope " + name
	if name == string(Project) {
		where += " for everybody who works on it, or --scope local for you alone"
	}
	p.Notes = append(p.Notes, fmt.Sprintf("%s stays %s here: %s settings say so, and they win over %s settings; to change that: springfield %s %s %s",
		id, state, name, scope, verb, id, where))
}

// raiseCap has Claude Code honour as many blocks in a row as the plugin may need.
func (p *Plan) raiseCap(v view, e Enabling) []document.Edit {
	if value, from, found := envIn(v.above, BlockCap); found {
		if honoured(value, true) < e.Rounds {
			p.Notes = append(p.Notes, fmt.Sprintf("%s is %s in %s settings, which win: Claude Code ends the turn after so many continues in a row, where %s may need %d",
				BlockCap, value, from, e.Plugin.ID(), e.Rounds))
		}
		return nil
	}
	value, _, found := envIn(append([]Layer{v.own}, v.below...), BlockCap)
	if honoured(value, found) >= e.Rounds {
		return nil
	}
	p.Notes = append(p.Notes, fmt.Sprintf("%s is set to %d: Claude Code would end the turn after %d continues in a row",
		BlockCap, e.Rounds, honoured(value, found)))
	return []document.Edit{{Path: []string{"env", BlockCap}, Value: json.RawMessage(strconv.Quote(strconv.Itoa(e.Rounds)))}}
}

// honoured is how many blocks in a row Claude Code honours with a value of
// BlockCap.
func honoured(value string, found bool) int {
	const unlimited = 1 << 30
	n, err := strconv.Atoi(strings.TrimSpace(value))
	switch {
	case !found || err != nil:
		return blockCapDefault
	case n <= 0:
		return unlimited
	}
	return n
}

// checkDeclared refuses a marketplace name that user settings declare as
// something else.
func checkDeclared(user string, plugin Plugin) error {
	if plugin.Suite == "" {
		return nil // known by its name alone
	}
	file, doc, err := openSettings(user)
	if err != nil {
		return err
	}
	raw, found, err := doc.Get("extraKnownMarketplaces", plugin.Marketplace)
	if err != nil {
		return refused(file, err)
	}
	var declared struct {
		Source source `json:"source"`
	}
	if !found || json.Unmarshal(raw, &declared) == nil && (declared.Source.isDirectory(plugin.Suite) || declared.Source.isGone()) {
		return nil
	}
	return &ConflictError{plugin.Marketplace, declared.Source.String(), plugin.Suite}
}
