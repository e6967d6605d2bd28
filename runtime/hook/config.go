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
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/object"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// A configuration file is at most so large, in bytes; a project's, which others may have
// written, at most maxProject.
const (
	maxConfig  = 256 << 10
	maxProject = 64 << 10
)

// Settings is what is in force for a plugin.
type Settings struct {
	Plugin   string
	Strategy strategy.Strategy
	// Options are the strategy's own.
	Options strategy.Options
	// Protocol is how a continue is said: "context", "block", or "exit2", words on
	// standard error and exit code 2. "" is the strategy's own choice.
	Protocol string
	// Progress is how the user wants to hear of a loop, nil for not at all.
	Progress *strategy.Progress
	Limits   guard.Limits
	// Faults are what is wrong with the files, a line each. What is wrong is not in
	// force.
	Faults []string
	// Prepared decides in place of the options, for who has many situations.
	Prepared func(strategy.Situation) strategy.Verdict
}

// blocks tells that a continue is a decision to block, also for a Claude Code that knows
// the quieter form.
func (s Settings) blocks() bool {
	switch s.Protocol {
	case "context":
		return false
	case "block":
		return true
	}
	return s.Strategy.Blocks
}

// Rounds is how often in a row the plugin may make Claude go on: its budget, or
// the most that a loop can ask for.
func (s Settings) Rounds() int {
	if s.Strategy.Answers() != "Stop" {
		return 0
	}
	if rounds, ok := s.Ceiling(); ok {
		return rounds
	}
	return min(s.Limits.Burst, s.Limits.PerPrompt, s.Limits.PerHour)
}

// Ceiling is the most that a loop can ask for; not ok for a strategy without one.
func (s Settings) Ceiling() (rounds int, ok bool) {
	loop, ok := s.Options.(strategy.Looping)
	if !ok {
		return 0, false
	}
	return loop.Rounds(), true
}

// Judge is who is asked where the rules are not sure; not ok if no judge is.
func (s Settings) Judge() (j judge.Options, ok bool) {
	asks, ok := s.Options.(interface{ Judge() judge.Options })
	if !ok {
		return j, false
	}
	return asks.Judge(), true
}

// Limits that no file can exceed.
const (
	maxBurst  = 100
	maxPrompt = 1000
	maxEvery  = 1000
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

// owner is whose settings a file has.
type owner struct{ Plugin, Strategy string }

func (o *owner) Members(m *codec.Members) {
	m.Text("plugin", &o.Plugin)
	m.Text("strategy", &o.Strategy)
}

// whose reads that, strictly only where the file is not as it is generated.
func whose(data []byte) (o owner, err error) {
	fault := codec.Check(data)
	if fault == nil && codec.Read(data, &o) == nil && o.Strategy != "" {
		return o, nil
	}
	o = owner{}
	for _, m := range object.Members(data) {
		for _, known := range []strategy.Member{strategy.Text("plugin", &o.Plugin), strategy.Text("strategy", &o.Strategy)} {
			if fault == nil && strings.EqualFold(known.Name, m.Name) {
				fault = codec.ReadMember(data, known.Name, m.Value, known.Into)
			}
		}
	}
	if fault == nil {
		fault = notObject(data)
	}
	return o, place(data, fault)
}

// readOwn tells which plugin lies in a directory. Without a file the directory's
// name says which, so that a plugin that lost its settings keeps its strategy.
func readOwn(root string) (own, error) {
	o := own{path: filepath.Join(root, configFile)}
	data, err := file.Read(o.path, maxConfig)
	if known, ok := registry.Named(filepath.Base(root)); ok && os.IsNotExist(err) {
		o.plugin, o.strategy, o.data = known.Name, known, []byte("{}")
		return o, nil
	}
	if err != nil {
		return own{}, err
	}
	// Who we are is read leniently: a fault in the rules must not hide it.
	who, err := whose(data)
	if err != nil {
		return own{}, errors.New("read " + o.path + ": " + err.Error())
	}
	known, ok := registry.Named(who.Strategy)
	if !ok {
		return own{}, errors.New("read " + o.path + ": there is no strategy " + strconv.Quote(who.Strategy) + "; this hook knows " + strings.Join(registry.Names(), ", "))
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
// strategy, or it is for the default one. What is wrong with it is an error, because it
// is what the user wants to try.
func FromFile(path string) (Settings, error) {
	data, err := file.Read(path, maxConfig)
	if err != nil {
		return Settings{}, err
	}
	who, err := whose(data)
	if err != nil {
		return Settings{}, errors.New("read " + path + ": " + err.Error())
	}
	if who.Strategy == "" {
		if who.Strategy = strings.TrimSuffix(filepath.Base(path), ".json"); !slices.Contains(registry.Names(), who.Strategy) {
			who.Strategy = registry.Default()
		}
	}
	known, ok := registry.Named(who.Strategy)
	if !ok {
		return Settings{}, errors.New("read " + path + ": there is no strategy " + strconv.Quote(who.Strategy) + "; there is " + strings.Join(registry.Names(), ", "))
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
	s := Settings{Plugin: o.plugin, Strategy: o.strategy, Limits: guard.Defaults(), Options: o.strategy.New()}
	s.layer(o.path, o.data, strategy.Author)
	for _, l := range []struct {
		dir string
		by  strategy.Writer
	}{{state, strategy.User}, {inProject(project), strategy.Project}} {
		if l.dir == "" {
			continue
		}
		path, most := filepath.Join(l.dir, s.Plugin+".json"), maxConfig
		if l.by == strategy.Project {
			most = maxProject
		}
		data, err := file.Read(path, most)
		switch {
		case os.IsNotExist(err):
		case err != nil:
			s.fault(path, err.Error())
		default:
			s.layer(path, data, l.by)
		}
	}
	return s
}

// With are the settings with what another file of the user's chooses, like
// {"rules": "seed"}. What is wrong with it is an error.
func (s Settings) With(chosen string) (Settings, error) {
	s, faults := s.Layered([]byte(chosen), strategy.User)
	if len(faults) > 0 {
		return s, errors.New(faults[0])
	}
	return s, nil
}

// Layered are the settings with another file over them, and what is wrong with it: that
// is not in force. A fault that begins with a line is about the whole file.
func (s Settings) Layered(data []byte, by strategy.Writer) (Settings, []string) {
	faults := s.put(data, by)
	return s, faults
}

func inProject(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, ".claude", "springfield")
}

// layer puts a file over what is in force.
func (s *Settings) layer(path string, data []byte, by strategy.Writer) {
	faults := s.put(data, by)
	for _, says := range faults[:min(len(faults), maxFaults)] {
		s.fault(path, says)
	}
	if more := len(faults) - maxFaults; more > 0 {
		s.fault(path, strconv.Itoa(more)+" more faults")
	}
}

// spending are the limits that a file sets.
type spending struct {
	Burst  *int // continues within 5 minutes
	Prompt *int // continues for one prompt
	Hour   *int // continues within an hour
}

func (b *spending) Members(m *codec.Members) {
	codec.Given(m, "burst", &b.Burst, codec.Number[int])
	codec.Given(m, "prompt", &b.Prompt, codec.Number[int])
	codec.Given(m, "hour", &b.Hour, codec.Number[int])
}

// put puts a file over what is in force, and says what is wrong with it.
func (s *Settings) put(data []byte, by strategy.Writer) (faults []string) {
	var f struct {
		text     string // what is read elsewhere, or not at all
		protocol string
		progress *strategy.Progress
		budget   spending
	}
	options := s.Strategy.New()
	others, err := decode(data, append(options.Members(),
		strategy.Text("$schema", &f.text), strategy.Text("plugin", &f.text), strategy.Text("strategy", &f.text), strategy.Text("protocol", &f.protocol),
		strategy.Member{Name: "progress", Into: func(m *codec.Members) { codec.Optional(m, "progress", &f.progress) }},
		strategy.Member{Name: "budget", Into: func(m *codec.Members) { m.Object("budget", &f.budget) }}))
	if err != nil {
		return []string{err.Error()}
	}
	l := strategy.Layer{By: by, Strategy: s.Strategy.Name, IsAbs: filepath.IsAbs}
	for _, m := range others {
		if m.Without != "" {
			l.Fault(m.Name + ": " + l.Strategy + " " + m.Without)
		}
	}
	options.Over(s.Options, &l)
	s.Options = options
	s.progress(f.progress, &l)
	switch {
	case f.protocol == "" || by == strategy.Project:
	case !slices.Contains([]string{"context", "block", "exit2"}, f.protocol):
		l.Fault("protocol: there is no " + strconv.Quote(f.protocol) + ": choose context, block or exit2")
	default:
		s.Protocol = f.protocol
	}
	budget("burst", f.budget.Burst, &s.Limits.Burst, maxBurst, &l)
	budget("prompt", f.budget.Prompt, &s.Limits.PerPrompt, maxPrompt, &l)
	budget("hour", f.budget.Hour, &s.Limits.PerHour, guard.MaxHour, &l)
	return l.Faults
}

// progress takes the command that the user names; a file of another writer names none.
func (s *Settings) progress(p *strategy.Progress, l *strategy.Layer) {
	switch {
	case p == nil:
	case l.By != strategy.User:
		l.Fault("progress: only your own file can name a command")
	case len(p.Command) == 0 || !filepath.IsAbs(p.Command[0]):
		l.Fault("progress: command begins with the absolute path of a program")
	case p.Every < 0 || p.Every > maxEvery:
		l.Fault("progress: every must be from 0 to " + strconv.Itoa(maxEvery))
	default:
		s.Progress = p
	}
}

// budget takes a limit, of a project only downwards.
func budget(name string, value, limit *int, most int, l *strategy.Layer) {
	switch {
	case value == nil || l.By == strategy.Project && *value > *limit:
	case *value < 0 || *value > most:
		l.Fault("budget: " + name + " must be from 0 to " + strconv.Itoa(most))
	default:
		*limit = *value
	}
}

// decode reads a file of settings, strictly: each member goes where the strategy has
// it, or all have. A member that only other strategies have is returned; one that none
// has is an error, which begins with its line and column.
func decode(data []byte, members []strategy.Member) (others []strategy.Member, err error) {
	whole, fault := codec.First(data)
	if fault == nil {
		fault = notObject(whole)
	}
	if fault != nil {
		return nil, place(data, fault)
	}
	for _, m := range object.Members(data) {
		i := slices.IndexFunc(members, func(known strategy.Member) bool { return strings.EqualFold(known.Name, m.Name) })
		if i < 0 {
			other, ok := ofAnother(m.Name)
			if !ok {
				return nil, place(data, codec.Unknown(m.Name, m.Key))
			}
			others = append(others, other)
			continue
		}
		if fault := codec.ReadMember(data, members[i].Name, m.Value, members[i].Into); fault != nil {
			return nil, place(data, fault)
		}
	}
	return others, nil
}

// ofAnother is a member that some strategy has.
func ofAnother(name string) (strategy.Member, bool) {
	for _, known := range registry.All() {
		for _, m := range known.New().Members() {
			if strings.EqualFold(m.Name, name) {
				return m, true
			}
		}
	}
	return strategy.Member{}, false
}

func (s *Settings) fault(path, says string) {
	s.Faults = append(s.Faults, short(path+": "+says, maxFault))
}

// isName tells whether a plugin's name may be part of a path.
func isName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

// notObject is the fault of a file that is another value; null is a file without
// members.
func notObject(data []byte) *codec.Fault {
	start := bytes.TrimLeft(data, " \t\r\n")
	if kind := codec.Kind(start); kind != "object" && kind != "null" {
		return &codec.Fault{At: len(data) - len(start), Says: "the file cannot be " + codec.WithArticle(kind)}
	}
	return nil
}

// place is a fault with its line and column in front.
func place(data []byte, f *codec.Fault) error {
	if f == nil {
		return nil
	}
	line, column := object.Position(data, f.At)
	return errors.New("line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ": " + f.Says)
}
