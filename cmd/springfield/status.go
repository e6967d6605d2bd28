// What is in effect: which springfield plugin decides when Claude stops, what
// else runs then, and what that comes to together.

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/command"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// columns is how wide text may get; paths may be longer.
const columns = 80

type statusOptions struct{ json bool }

func newStatus(a *app, runF func(context.Context, *app, statusOptions) error) *cobra.Command {
	var o statusOptions
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is in effect: which plugin decides, every hook at a stop, how they combine",
		Long: `Show what is in effect for a session that starts in the current directory, from the settings of
all scopes and the plugins that they switch on: which springfield plugin decides when Claude stops,
every hook on Stop, SubagentStop and UserPromptSubmit, and how they combine. Changes nothing.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return runF(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runStatus(_ context.Context, a *app, o statusOptions) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	inventory, err := places.Inventory()
	if err != nil {
		return err
	}
	state := filepath.Join(places.Config, "springfield")
	hold, held := ledger.HoldOf(state, "", time.Now())
	cannot := map[string]string{}
	for _, d := range slices.Concat(inventory.Drivers(), inventory.Beside()) {
		if err := generator.CheckHook(d.Dir, generator.Host()); err != nil {
			cannot[d.ID] = err.Error()
		}
	}
	s := status{Inventory: inventory, cannot: cannot, made: a.made(places), held: held, until: hold.Until}
	s.set, s.holds = command.HoldNews(state, time.Now())
	// One that cannot be read is for doctor to tell.
	s.purse, _ = ledger.ReadPurse(state, time.Now())
	s.steering, s.others = steered(places, inventory)
	if o.json {
		return a.encode(s.shape())
	}
	a.sayStatus(s)
	return nil
}

// status is an inventory with what it comes to.
type status struct {
	installer.Inventory
	cannot map[string]string // plugins whose hook would not start here: ID to reason
	made   string            // a plugin that could be enabled, "" if init has made none
	held   bool              // all sessions are to stop
	until  int64             // when that ends, Unix milliseconds; 0: when it is lifted
	set    string            // who ordered that, "" if it is not on file
	holds  []string          // how holds have ended lately
	purse  ledger.Purse      // what judges have cost today

	steering []setting // variables of the project that could move a hook
	others   []string  // its other variables
}

// deciding are the plugins that decide at Stop.
func (s status) deciding() []installer.Switched { return s.able(s.Drivers()) }

// beside are those that run and decide nothing there.
func (s status) beside() []installer.Switched { return s.able(s.Beside()) }

func (s status) able(plugins []installer.Switched) []installer.Switched {
	return slices.DeleteFunc(plugins, func(p installer.Switched) bool { return s.cannot[p.ID] != "" })
}

// headline is who decides.
func (s status) headline() string {
	switch drivers := s.deciding(); len(drivers) {
	case 0:
		return "no springfield plugin decides when Claude stops"
	case 1:
		return drivers[0].ID + " decides when Claude stops"
	default:
		return fmt.Sprintf("%d springfield plugins decide when Claude stops", len(drivers))
	}
}

// reasons say why nobody decides.
func (s status) reasons() (all []string) {
	if len(s.deciding()) > 0 {
		return nil
	}
	if s.Silenced != "" {
		all = append(all, s.Silenced+" keeps hooks from running")
	}
	known := false
	for _, p := range s.Plugins {
		switch {
		case !p.Drives():
			continue
		case !p.On && p.Decides != "":
			all = append(all, fmt.Sprintf("%s is off: %s settings say so%s", p.ID, p.Decides, over(p)))
		case !p.On:
			all = append(all, p.ID+" is off until settings switch it on")
		case s.Silenced == "":
			all = append(all, p.ID+" is on, but "+s.fault(p))
		}
		known = true
	}
	switch {
	case known || len(s.broken()) > 0:
	case s.made != "":
		all = append(all, "none is switched on; springfield enable "+s.made+" does it")
	default:
		all = append(all, "springfield init makes a suite of plugins, springfield enable switches one on")
	}
	return all
}

// made is a plugin that decides at Stop, of the suite around the working
// directory or of one that init has made.
func (a *app) made(places installer.Places) string {
	suites, _ := installer.Suites(places) // a list that cannot be read is no news here
	if around, err := generator.FindSuite(a.work); err == nil {
		suites = append([]string{around}, suites...)
	}
	for _, dir := range suites {
		s, err := generator.ReadSuite(dir)
		if err != nil {
			continue
		}
		p := s.Suggested()
		if known, ok := strategy.Named(p.Strategy); ok && known.Answers() == "Stop" {
			return p.Name
		}
	}
	return ""
}

// fault is why a plugin that is on does not decide: one of its own hooks cannot
// run.
func (s status) fault(p installer.Switched) string {
	if why := s.cannot[p.ID]; why != "" {
		return why
	}
	for _, h := range s.Idle {
		if h.Source == p.ID && h.Event == "Stop" {
			return h.Never
		}
	}
	return "nothing of it runs"
}

// over names the layers that say something else than the one that decides.
func over(p installer.Switched) string {
	var names []string
	for _, said := range p.Says {
		if said.On != p.On {
			names = append(names, said.Layer)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", over " + strings.Join(names, " and ") + " settings"
}

// broken lists the plugins that are on and not found to run.
func (s status) broken() (all []installer.Switched) {
	for _, p := range s.Plugins {
		if p.On && p.Problem != "" {
			all = append(all, p)
		}
	}
	return all
}

// notes are what a person may want to do something about.
func (s status) notes() (all []string) {
	if s.held {
		until := "until you resume"
		if s.until != 0 {
			until = "until " + time.UnixMilli(s.until).Local().Format("2006-01-02 15:04")
		}
		if s.set != "" {
			until += " (it " + s.set + ")"
		}
		all = append(all, "a hold is in force "+until+": springfield plugins let Claude stop; springfield resume lifts it")
	}
	all = append(all, s.holds...)
	for _, v := range s.steering {
		all = append(all, v.says())
	}
	if len(s.others) > 0 {
		all = append(all, "project or local settings set variables that every hook sees: "+strings.Join(s.others, ", "))
	}
	for _, p := range s.Beside() {
		if why := s.cannot[p.ID]; why != "" {
			all = append(all, p.ID+" is on, but "+why)
		}
	}
	for _, p := range slices.Concat(s.deciding(), s.beside()) {
		if err := generator.CheckRecorded(p.Dir, generator.Host()); err != nil {
			all = append(all, p.ID+" is on, but "+err.Error()+": springfield build "+filepath.Dir(p.Dir)+" compiles it again")
		}
	}
	drivers := s.deciding()
	if len(drivers) > 1 {
		var ids []string
		for _, d := range drivers {
			ids = append(ids, d.ID)
		}
		all = append(all, "each of "+strings.Join(ids, ", ")+" can make Claude go on, and they share one budget; springfield disable NAME switches one off")
	}
	for _, p := range s.Plugins {
		if p.Runs() && p.Name == "double-shot-latte" {
			all = append(all, p.ID+" is on: it asks a model about every stop; "+howToSwitchOff(p))
		}
		if p.Runs() {
			for _, fault := range p.Faults {
				all = append(all, "of "+p.ID+" Claude Code passes over a part: "+fault)
			}
		}
		if p.Runs() && p.Ours() && p.Offered != "" && p.Version != p.Offered {
			all = append(all, fmt.Sprintf("%s runs from a copy of version %s, and its marketplace has %s: claude plugin update %s gets it",
				p.ID, orUnknown(p.Version), p.Offered, p.ID))
		}
	}
	return all
}

// combination says how several hooks on one event come to one answer.
func (s status) combination() (title string, rules []string) {
	count := map[string]int{}
	asks := false
	for _, h := range s.Hooks {
		if h.Event != "UserPromptSubmit" && !h.Async {
			count[h.Event]++
			asks = asks || h.Type == "prompt" || h.Type == "agent"
		}
	}
	var events []string
	for _, event := range installer.Events() {
		if n := count[event]; n > 1 {
			events = append(events, fmt.Sprintf("%d hooks at %s", n, event))
		}
	}
	if len(events) == 0 {
		return "", nil
	}
	rules = []string{
		"all of them are started at the same time, and each is heard",
		`if one answers "continue": false, the turn ends, whatever the others say`,
		"else, if one blocks, Claude goes on and gets every reason: a hook that lets it stop cannot overrule one that blocks",
	}
	if asks {
		rules = append(rules, "a hook of type prompt or agent asks a model each time")
	}
	return "how the " + strings.Join(events, " and the ") + " combine",
		append(rules, "/goal adds one more to its session, which cannot be seen from here")
}

// sayStatus prints a status for people.
func (a *app) sayStatus(s status) {
	a.say("%s", s.headline())
	for _, r := range s.reasons() {
		a.item("", r)
	}
	for _, d := range s.deciding() {
		a.sayDriver(d, len(s.deciding()) > 1)
	}
	for _, d := range s.beside() {
		a.say("%s runs too, and decides nothing at a stop", d.ID)
		a.sayDriver(d, false)
	}
	if s.purse.Questions > 0 {
		a.say("judges, today: %s", judgeToday(s.purse))
	}
	for _, n := range s.notes() {
		a.item("note: ", n)
	}

	if broken := s.broken(); len(broken) > 0 {
		a.say("\nswitched on, but not found to run")
		for _, p := range broken {
			a.item(p.ID+": ", p.Problem)
		}
	}
	title := "\nsettings that Claude Code passes over"
	for _, l := range s.Settings {
		if l.Problem != "" {
			if title != "" {
				a.say("%s", title)
			}
			title = ""
			a.say("  %s", l.File)
			a.item("  ", l.Problem)
		}
	}

	if len(s.Hooks) > 0 {
		a.say("\nhooks in effect")
		a.sayHooks(s.Hooks)
	} else {
		a.say("\nno hook runs at Stop, SubagentStop or UserPromptSubmit")
	}
	if len(s.Idle) > 0 {
		a.say("\nhooks that never run")
		a.sayHooks(s.Idle)
	}
	if title, rules := s.combination(); title != "" {
		a.say("\n%s", title)
		for _, r := range rules {
			a.item("- ", r)
		}
	}
}

func (a *app) sayDriver(d installer.Switched, named bool) {
	indent := "  "
	if named {
		a.say("  %s", d.ID)
		indent = "    "
	}
	place := "runs where it lies"
	if !d.InPlace {
		place = "a copy from " + d.Source
	}
	by := d.Decides + " settings" + over(d)
	if d.Decides == "" {
		by = "itself, as every plugin that lies there"
	}
	for _, fact := range [][2]string{
		{"strategy", d.Strategy},
		{"version", orUnknown(d.Version) + ", " + place},
		{"in", display.Line(d.Dir)},
		{"on by", by},
	} {
		a.say("%s%-8s  %s", indent, fact[0], fact[1])
	}
}

// sayHooks prints two lines or three for each hook, as commands are long.
func (a *app) sayHooks(hooks []installer.Hook) {
	events, sources := 0, 0
	for _, h := range hooks {
		events, sources = max(events, len(h.Event)), max(sources, len(h.Source))
	}
	indent := strings.Repeat(" ", events+4)
	for _, event := range installer.Events() {
		for _, h := range hooks {
			if h.Event != event {
				continue
			}
			does := h.Does
			if h.Type != "command" {
				does = h.Type + ": " + does
			}
			a.say("  %-*s  %-*s  timeout %s s", events, event, sources, h.Source, strconv.FormatFloat(h.Limit(), 'g', -1, 64))
			a.say("%s%s", indent, clip(does, columns-len(indent)))
			if h.Matcher != "" {
				a.say("%sfor subagents %s", indent, h.Matcher)
			}
			if h.Async {
				a.say("%sin the background: what it answers is not heard", indent)
			}
			if h.Never != "" {
				a.say("%s%s", indent, h.Never)
			}
		}
	}
}

// item prints a sentence below a title, its lines no wider than columns.
func (a *app) item(mark, text string) {
	line, begun := "  "+display.Line(mark), false
	for _, word := range strings.Fields(text) {
		word = display.Line(word)
		if begun && utf8.RuneCountInString(line+" "+word) > columns {
			a.say("%s", line)
			line, begun = "    ", false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	a.say("%s", line)
}

func clip(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

func orUnknown(version string) string { return firstOf(version, "unknown") }

// The JSON shape; docs/files.md describes it.

type (
	statusShape struct {
		Deciding []string      `json:"deciding"` // IDs of springfield plugins that decide at Stop
		Reasons  []string      `json:"reasons"`  // why none does
		Beside   []string      `json:"beside"`   // IDs of those that run and decide nothing at Stop
		Notes    []string      `json:"notes"`
		Silenced string        `json:"silenced,omitempty"`
		Settings []layerShape  `json:"settings"`
		Plugins  []pluginShape `json:"plugins"`
		Hooks    []hookShape   `json:"hooks"` // that run
		Idle     []hookShape   `json:"idle"`  // that do not
		Judge    judgeShape    `json:"judge"` // what judges have done today
	}
	judgeShape struct {
		Questions int     `json:"questions"`
		Dollars   float64 `json:"dollars"`
		Failures  int     `json:"failures"` // in a row, up to now
	}
	layerShape struct {
		Scope   string `json:"scope"`
		File    string `json:"file"`
		Exists  bool   `json:"exists"`
		Problem string `json:"problem,omitempty"`
	}
	pluginShape struct {
		ID       string      `json:"id"`
		On       bool        `json:"on"`
		Decides  string      `json:"decides,omitempty"` // the scope that has the last word
		Says     []saidShape `json:"says"`
		Runs     bool        `json:"runs"`
		Problem  string      `json:"problem,omitempty"`
		Faults   []string    `json:"faults"` // parts that the client passes over
		Strategy string      `json:"strategy,omitempty"`
		Version  string      `json:"version,omitempty"`
		Offered  string      `json:"offered,omitempty"`
		Source   string      `json:"source,omitempty"`
		Dir      string      `json:"dir,omitempty"`
		Place    string      `json:"place,omitempty"` // marketplace or cache
	}
	saidShape struct {
		Scope string `json:"scope"`
		On    bool   `json:"on"`
	}
	hookShape struct {
		Event   string  `json:"event"`
		Type    string  `json:"type"`
		Does    string  `json:"does"`
		Timeout float64 `json:"timeout"` // seconds, the client's default filled in
		Source  string  `json:"source"`
		File    string  `json:"file"`
		Matcher string  `json:"matcher,omitempty"`
		Async   bool    `json:"async,omitempty"`
		Never   string  `json:"never,omitempty"`
	}
)

func (s status) shape() statusShape {
	shape := statusShape{
		Deciding: []string{}, Beside: []string{}, Reasons: list(s.reasons()), Notes: list(s.notes()), Silenced: s.Silenced,
		Settings: []layerShape{}, Plugins: []pluginShape{}, Hooks: hookShapes(s.Hooks), Idle: hookShapes(s.Idle),
		Judge: judgeShape{s.purse.Questions, float64(s.purse.Micros) / 1e6, s.purse.Failures},
	}
	for _, d := range s.beside() {
		shape.Beside = append(shape.Beside, d.ID)
	}
	for _, d := range s.deciding() {
		shape.Deciding = append(shape.Deciding, d.ID)
	}
	for _, l := range s.Settings {
		shape.Settings = append(shape.Settings, layerShape{l.Name, l.File, l.Exists, l.Problem})
	}
	for _, p := range s.Plugins {
		says := []saidShape{}
		for _, said := range p.Says {
			says = append(says, saidShape{said.Layer, said.On})
		}
		place := ""
		switch {
		case p.InPlace:
			place = "marketplace"
		case p.Dir != "":
			place = "cache"
		}
		shape.Plugins = append(shape.Plugins, pluginShape{
			p.ID, p.On, p.Decides, says, p.Runs(), p.Problem, list(p.Faults), p.Strategy, p.Version, p.Offered, p.Source, p.Dir, place,
		})
	}
	return shape
}

func hookShapes(hooks []installer.Hook) []hookShape {
	shapes := []hookShape{}
	for _, h := range hooks {
		shapes = append(shapes, hookShape{h.Event, h.Type, h.Does, h.Limit(), h.Source, h.File, h.Matcher, h.Async, h.Never})
	}
	return shapes
}
