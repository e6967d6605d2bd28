// Configuration comes in three layers, each over the one before: the plugin's
// strategy.json, the user's <state>/<plugin>.json, and the project's
// .claude/springfield/<plugin>.json.
//
// The project may be one that the user does not trust. Its file can add
// rules that stop, add rules that continue where no other rule decides, with
// reasons of our own, switch continuing rules off and lower limits. Nothing in
// it can push Claude on where the user's configuration would let it stop, or
// bring words of its own to the model.

package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// A configuration file is at most so large, in bytes; a project's, which others may have
// written, at most maxProject.
const (
	maxConfig  = 256 << 10
	maxProject = 64 << 10
)

// Settings are what is in force for a plugin.
type Settings struct {
	Plugin   string
	Strategy strategy.Strategy
	Config   strategy.Config
	Limits   guard.Limits
	// Faults are what is wrong with the files, a line each. What is wrong is not
	// in force.
	Faults []string
}

// Rounds is how often in a row the plugin may make Claude go on: its budget, or
// the most that a loop can ask for.
func (s Settings) Rounds() int {
	switch {
	case s.Strategy.Answers() != "Stop":
		return 0
	case s.Strategy.MaxCeiling > 0:
		return s.Config.Ceiling
	}
	return min(s.Limits.Burst, s.Limits.PerPrompt)
}

// written is one layer as its file has it.
type written struct {
	Schema string `json:"$schema"`
	Plugin string `json:"plugin"`
	strategy.Config
	// Add takes the place of Config's: encoding/json passes over what an array has no
	// room for, where it would make a list of all of it.
	Add    [strategy.MaxRules + 1]*strategy.Rule `json:"add"`
	Budget struct {
		Burst  *int `json:"burst"`  // continues within 5 minutes
		Prompt *int `json:"prompt"` // continues for one prompt
	} `json:"budget"`
}

// Limits that no file can exceed.
const (
	maxBurst  = 100
	maxPrompt = 1000
	maxIDs    = 400 // in off and order: more than there are rules
)

// Limits of what is said about one file.
const (
	maxFaults = 20
	maxFault  = 1000 // bytes
)

// own is a plugin's own file, read before anything is known of the event.
type own struct {
	path     string
	data     []byte
	plugin   string
	strategy strategy.Strategy
}

// readOwn tells which plugin lies in a directory. Without a file the directory's
// name says which, so that a plugin that lost its settings keeps its strategy.
func readOwn(root string) (own, error) {
	o := own{path: filepath.Join(root, configFile)}
	data, err := file.Read(o.path, maxConfig)
	if known, ok := strategy.Named(filepath.Base(root)); ok && os.IsNotExist(err) {
		o.plugin, o.strategy, o.data = known.Name, known, []byte("{}")
		return o, nil
	}
	if err != nil {
		return own{}, err
	}
	// Who we are is read leniently: a fault in the rules must not hide it.
	var who struct{ Plugin, Strategy string }
	if err := json.Unmarshal(data, &who); err != nil {
		return own{}, fmt.Errorf("read %s: %w", o.path, place(data, err))
	}
	known, ok := strategy.Named(who.Strategy)
	if !ok {
		return own{}, fmt.Errorf("read %s: there is no strategy %q; this hook knows %s", o.path, who.Strategy, strings.Join(strategy.Names(), ", "))
	}
	o.data, o.plugin, o.strategy = data, who.Plugin, known
	if !isName(o.plugin) {
		o.plugin = who.Strategy
	}
	return o, nil
}

// ReadSettings reads the layers for the plugin in root. Empty directories for
// state or project leave their layer out.
func ReadSettings(root, state, project string) (Settings, error) {
	o, err := readOwn(root)
	if err != nil {
		return Settings{}, err
	}
	return o.settings(state, project), nil
}

// Unplugged are the settings of a strategy that no plugin has: its defaults, and
// what the user and the project say of a plugin of its name.
func Unplugged(known strategy.Strategy, state, project string) Settings {
	return own{plugin: known.Name, strategy: known, data: []byte("{}")}.settings(state, project)
}

// FromFile are the settings that one file brings: a plugin's strategy.json, or a
// user's own file of rules. One that leaves out whose rules it has is named as its
// strategy, or it is for ned-flanders. What is wrong with it is an error, because it
// is what the user wants to try.
func FromFile(path string) (Settings, error) {
	data, err := file.Read(path, maxConfig)
	if err != nil {
		return Settings{}, err
	}
	var who struct{ Plugin, Strategy string }
	if err := json.Unmarshal(data, &who); err != nil {
		return Settings{}, fmt.Errorf("read %s: %w", path, place(data, err))
	}
	if who.Strategy == "" {
		if who.Strategy = strings.TrimSuffix(filepath.Base(path), ".json"); !slices.Contains(strategy.Names(), who.Strategy) {
			who.Strategy = "ned-flanders"
		}
	}
	known, ok := strategy.Named(who.Strategy)
	if !ok {
		return Settings{}, fmt.Errorf("read %s: there is no strategy %q; there is %s", path, who.Strategy, strings.Join(strategy.Names(), ", "))
	}
	if !isName(who.Plugin) {
		who.Plugin = known.Name
	}
	s := own{path: path, data: data, plugin: who.Plugin, strategy: known}.settings("", "")
	if len(s.Faults) > 0 {
		return Settings{}, errors.New("read " + s.Faults[0])
	}
	return s, nil
}

// Around are the settings of the plugin that a hook lies in.
func Around(executable, state, project string) (Settings, error) {
	root, err := findRoot(executable, "")
	if err != nil {
		return Settings{}, err
	}
	return ReadSettings(root, state, project)
}

// settings puts the layers over the plugin's own file.
func (o own) settings(state, project string) Settings {
	s := Settings{
		Plugin: o.plugin, Strategy: o.strategy, Limits: guard.Defaults(),
		Config: strategy.Config{Strategy: o.strategy.Name, Ceiling: o.strategy.Ceiling, Stale: o.strategy.Stale, Judge: unasked(o.strategy)},
	}
	s.layer(o.path, o.data, byAuthor)
	for _, l := range []struct {
		dir string
		by  writer
	}{{state, byUser}, {inProject(project), byProject}} {
		if l.dir == "" {
			continue
		}
		path, most := filepath.Join(l.dir, s.Plugin+".json"), maxConfig
		if l.by == byProject {
			most = maxProject
		}
		data, err := file.Read(path, most)
		switch {
		case os.IsNotExist(err):
		case err != nil:
			s.fault(path, err)
		default:
			s.layer(path, data, l.by)
		}
	}
	return s
}

// writer is who wrote a layer: what it may say depends on that.
type writer int

const (
	byAuthor  writer = iota // of the plugin
	byUser                  // whose machine it is
	byProject               // of a project, whoever that is
)

func inProject(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, ".claude", "springfield")
}

// layer puts a file over what is in force.
func (s *Settings) layer(path string, data []byte, by writer) {
	var f written
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		if strings.Contains(err.Error(), "unknown field") {
			err = fmt.Errorf("%s: %w", lineOf(data, d.InputOffset()), err)
		} else {
			err = place(data, err)
		}
		s.fault(path, err)
		return
	}
	defer s.fewFaults(path, len(s.Faults))
	c, burst, prompt := f.Config, f.Budget.Burst, f.Budget.Prompt
	c.Strategy = s.Config.Strategy
	for i, r := range f.Add {
		switch {
		case r == nil:
		case i == strategy.MaxRules:
			s.fault(path, fmt.Errorf("add: more than %d rules", strategy.MaxRules))
		default:
			c.Add = append(c.Add, *r)
		}
	}
	for _, list := range []struct {
		name string
		ids  *[]string
	}{{"off", &c.Off}, {"order", &c.Order}, {"checks", &c.Checks}} {
		if len(*list.ids) > maxIDs {
			s.fault(path, fmt.Errorf("%s: more than %d names", list.name, maxIDs))
			*list.ids = (*list.ids)[:maxIDs]
		}
	}
	s.ceiling(path, &c, by)
	s.progress(path, &c, by)
	s.stale(path, &c, by)
	s.cascade(path, &c, by)
	s.judge(path, &c, by)
	if by == byProject {
		c = s.restrict(c)
		burst, prompt = lower(burst, s.Limits.Burst), lower(prompt, s.Limits.PerPrompt)
	}
	c.Add = slices.Concat(c.Add, s.Config.Add)
	c.Off = slices.Concat(c.Off, s.Config.Off)
	c.Last = slices.Concat(s.Config.Last, c.Last)
	if c.Rules == "" {
		c.Rules = s.Config.Rules
	}
	if len(c.Order) == 0 {
		c.Order = s.Config.Order
	}
	s.checks(path, &c)
	if c.Protocol == "" {
		c.Protocol = s.Config.Protocol
	}
	if c.Protocol != "" && c.Protocol != "json" && c.Protocol != "exit2" {
		s.fault(path, fmt.Errorf("protocol: there is no %q: choose json or exit2", c.Protocol))
		c.Protocol = s.Config.Protocol
	}
	if s.Strategy.Mend != nil {
		mended, faults := s.Strategy.Mend(c)
		for _, err := range faults {
			s.fault(path, err)
		}
		c = mended
	}
	s.Config = c
	for _, l := range []struct {
		name  string
		value *int
		most  int
		limit *int
	}{{"burst", burst, maxBurst, &s.Limits.Burst}, {"prompt", prompt, maxPrompt, &s.Limits.PerPrompt}} {
		switch {
		case l.value == nil:
		case *l.value < 0 || *l.value > l.most:
			s.fault(path, fmt.Errorf("budget: %s must be from 0 to %d", l.name, l.most))
		default:
			*l.limit = *l.value
		}
	}
}

// ceiling keeps a layer's ceiling if its writer may set it: anybody lower, only
// the user higher.
func (s *Settings) ceiling(path string, c *strategy.Config, by writer) {
	most := s.Strategy.MaxCeiling
	switch {
	case c.Ceiling == 0:
	case most == 0:
		s.fault(path, errors.New("ceiling: "+s.Strategy.Name+" has none"))
	case c.Ceiling < 0 || c.Ceiling > most:
		s.fault(path, fmt.Errorf("ceiling: must be from 1 to %d", most))
	case c.Ceiling > s.Config.Ceiling && by != byUser:
		s.fault(path, errors.New("ceiling: only your own file can raise it"))
	default:
		return
	}
	c.Ceiling = s.Config.Ceiling
}

// checks keeps the checks that there are, or those of the layers below.
func (s *Settings) checks(path string, c *strategy.Config) {
	if c.Checks == nil {
		c.Checks = s.Config.Checks
	}
	c.Checks = slices.DeleteFunc(slices.Clone(c.Checks), func(name string) bool {
		known := slices.Contains(s.Strategy.Checks, name)
		if !known {
			s.fault(path, fmt.Errorf("checks: %s has none called %q", s.Strategy.Name, name))
		}
		return !known
	})
}

// progress keeps the command that the user names; nobody else names one.
func (s *Settings) progress(path string, c *strategy.Config, by writer) {
	switch p := c.Progress; {
	case p == nil:
	case by != byUser:
		s.fault(path, errors.New("progress: only your own file can name a command"))
	case len(p.Command) == 0 || !filepath.IsAbs(p.Command[0]):
		s.fault(path, errors.New("progress: command begins with the absolute path of a program"))
	case p.Every < 0 || p.Every > 1000:
		s.fault(path, errors.New("progress: every must be from 0 to 1000"))
	default:
		return
	}
	c.Progress = s.Config.Progress
}

// maxStale is the longest time after which a ledger says nothing any more, in
// minutes: a week.
const maxStale = 7 * 24 * 60

// stale keeps a layer's time after which a ledger is stale: a project may only
// make it shorter.
func (s *Settings) stale(path string, c *strategy.Config, by writer) {
	switch {
	case c.Stale == 0:
	case s.Strategy.Stale == 0:
		s.fault(path, errors.New("stale: "+s.Strategy.Name+" reads no ledgers"))
	case c.Stale < 0 || c.Stale > maxStale:
		s.fault(path, fmt.Errorf("stale: must be from 1 to %d minutes", maxStale))
	case c.Stale > s.Config.Stale && by == byProject:
	default:
		return
	}
	c.Stale = s.Config.Stale
}

// restrict keeps of a project's configuration what cannot push Claude on
// against the user's.
func (s *Settings) restrict(c strategy.Config) strategy.Config {
	out := strategy.Config{Strategy: c.Strategy, Ceiling: c.Ceiling, Stale: c.Stale, Progress: c.Progress, Cascade: c.Cascade, Judge: c.Judge}
	for _, r := range c.Add {
		r.Reason, r.Sure = "", 0 // a rule that is not sure has a judge asked
		r.Foreign = true
		if r.Then == strategy.Stop {
			out.Add = append(out.Add, r)
		} else {
			out.Last = append(out.Last, r)
		}
	}
	var rules []strategy.Rule
	if s.Strategy.Rules != nil {
		rules = s.Strategy.Rules(s.Config)
	}
	for _, id := range c.Off {
		if !slices.ContainsFunc(rules, func(r strategy.Rule) bool { return r.ID == id && r.Then == strategy.Stop }) {
			out.Off = append(out.Off, id)
		}
	}
	if s.Strategy.Judges {
		out.Off, out.Muted = nil, out.Off
	}
	return out
}

// lower takes a limit only downwards.
func lower(value *int, limit int) *int {
	if value == nil || *value > limit {
		return nil
	}
	return value
}

func (s *Settings) fault(path string, err error) {
	s.Faults = append(s.Faults, short(fmt.Sprintf("%s: %v", path, err), maxFault))
}

// fewFaults bounds what is said of one file: of the faults behind the first before
// ones.
func (s *Settings) fewFaults(path string, before int) {
	if more := len(s.Faults) - before - maxFaults; more > 0 {
		s.Faults = s.Faults[:before+maxFaults]
		s.fault(path, fmt.Errorf("%d more faults", more))
	}
}

// isName tells whether a plugin's name may be part of a path.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

// place puts line and column in front of a decoding error and says it in words
// that have nothing of Go's types.
func place(data []byte, err error) error {
	switch e := err.(type) { // not errors.As, which costs 28 KB of binary
	case *json.SyntaxError:
		return fmt.Errorf("%s: %w", lineOf(data, e.Offset), err)
	case *json.UnmarshalTypeError:
		return fmt.Errorf("%s: %s cannot be a %s", lineOf(data, e.Offset), field(e.Field), e.Value)
	}
	return err
}

func field(name string) string {
	if name == "" {
		return "the file"
	}
	return strings.TrimPrefix(name, "Config.")
}

func lineOf(data []byte, offset int64) string {
	line, column := 1, 1
	for _, r := range string(data[:max(0, min(int(offset)-1, len(data)))]) {
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return fmt.Sprintf("line %d, column %d", line, column)
}
