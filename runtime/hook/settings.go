// Settings come in three layers: the plugin's strategy.json, the user's <state>/<plugin>.json, and the
// project's .claude/springfield/<plugin>.json. The project is not trusted. Its file can add rules that stop,
// add rules that continue where no other rule decides, disable continuing rules and lower limits. It can
// neither continue where the user's settings stop, nor send text to the model.

package hook

import (
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
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// The maximum sizes of settings files, in bytes. A project's file is not the user's.
const (
	maxConfig  = 256 << 10
	maxProject = 64 << 10
)

// Limits that no file can exceed.
const (
	maxBurst  = 100
	maxPrompt = 1000
	maxEvery  = 1000
)

// Limits of the report about one file.
const (
	maxFaults = 20
	maxFault  = 1000 // bytes
)

// Settings are the settings in force for a plugin.
type Settings struct {
	Plugin   string
	Strategy strategy.Strategy
	Options  strategy.Options
	// Protocol is the form of a continue: "context", "block", "exit2" (standard error and exit status 2), or
	// "" for the strategy's choice.
	Protocol string
	Progress *ProgressCommand // for loops, or nil
	// AfterError is set if sessions are woken after API errors even if there is no away order.
	AfterError bool
	Limits     guard.Limits
	lowered    []string // limits that the project sets
	// Faults contains a line for each mistake in the files. Only the part with the mistake is ignored, unless
	// the line begins with WholeFile.
	Faults []string
	// Prepared, if set, decides in place of Options.
	Prepared func(strategy.Situation) strategy.Verdict
}

// MaxContinues returns the maximum iterations for a plugin that drives loops, and the maximum continues in a row with
// no tool call for others. It returns 0 if the plugin does not decide at Stop.
func (s Settings) MaxContinues() int {
	if s.Strategy.Event != "Stop" {
		return 0
	}
	if rounds, ok := s.MaxIterations(); ok {
		return rounds
	}
	return min(s.Limits.Burst, s.Limits.PerPrompt, s.Limits.PerHour, s.Limits.Idle)
}

// MaxIterations returns a loop's maximum. loops is false for a strategy with no loops.
func (s Settings) MaxIterations() (rounds int, loops bool) {
	loop, loops := s.Options.(strategy.Looping)
	if !loops {
		return 0, false
	}
	return loop.MaxIterations(), true
}

func (s Settings) JudgeOptions() (j judge.Options, ok bool) {
	asks, ok := s.Options.(interface{ Judge() judge.Options })
	if !ok {
		return j, false
	}
	return asks.Judge(), true
}

// ReadSettings reads the settings of the plugin in root. An empty state or project leaves out its file.
func ReadSettings(root, state, project string) (Settings, error) {
	p, err := ReadPlugin(root)
	if err != nil {
		return Settings{}, err
	}
	return p.ReadSettings(state, project), nil
}

// FindSettings returns the settings of the plugin with this hook executable, a path without symlinks.
func FindSettings(executable, state, project string) (Settings, error) {
	root, err := findRoot(executable, "")
	if err != nil {
		return Settings{}, err
	}
	return ReadSettings(root, state, project)
}

// LayerFile is a file of settings and its writer.
type LayerFile struct {
	Path string
	By   strategy.Writer
	most int // bytes
}

// LayerFiles returns the plugin's settings files, weakest first. Files can be missing. An empty state or project leaves
// out its file. In the home directory, the project's file is the user's and listed once.
func (p Plugin) LayerFiles(state, project string) (authorFirst []LayerFile) {
	all := make([]LayerFile, 0, 3)
	own := p.path
	if p.Root != "" {
		own = filepath.Join(p.Root, configFile)
	}
	if own != "" {
		all = append(all, LayerFile{own, strategy.Author, maxConfig})
	}
	if state != "" {
		all = append(all, LayerFile{filepath.Join(state, p.Name+".json"), strategy.User, maxConfig})
	}
	if dir := filepath.Join(project, ".claude", "springfield"); project != "" && dir != filepath.Clean(state) {
		all = append(all, LayerFile{filepath.Join(dir, p.Name+".json"), strategy.Project, maxProject})
	}
	return all
}

// ReadSettings merges the plugin's layers over the strategy's defaults, and lists mistakes in Faults.
func (p Plugin) ReadSettings(state, project string) Settings {
	s := Settings{Plugin: p.Name, Strategy: p.Strategy, Limits: guard.Defaults, Options: p.Strategy.New()}
	for _, layer := range p.LayerFiles(state, project) {
		data, err := p.data, error(nil)
		if layer.By != strategy.Author {
			data, err = file.ReadRegular(layer.Path, layer.most)
		}
		if os.IsNotExist(err) {
			continue
		}
		var faults []string
		if err == nil {
			s, faults, err = s.Overlay(data, layer.By)
		}
		if err != nil {
			faults = []string{WholeFile + err.Error()}
		}
		for _, says := range faults {
			s.Faults = append(s.Faults, shortenText(layer.Path+": "+says, maxFault))
		}
	}
	return s
}

// Defaults returns a strategy's settings with no file read. ruleSet names one rule set ("" for the first).
func Defaults(known strategy.Strategy, ruleSet string) (Settings, error) {
	s := Plugin{Name: known.Name, Strategy: known}.ReadSettings("", "")
	if ruleSet == "" {
		return s, nil
	}
	s, faults, err := s.Overlay([]byte(`{"rules": `+strconv.Quote(ruleSet)+`}`), strategy.User)
	if len(faults) > 0 {
		err = errors.New(faults[0])
	}
	return s, err
}

// budget is the limits from a file: per 5 minutes, per prompt, per hour.
type budget [3]*int

func (b *budget) Members(m *codec.Coder) {
	for i, name := range []string{"burst", "prompt", "hour"} {
		codec.ReadOptional(m, name, &b[i], codec.Number[int])
	}
}

type settingsMembers struct {
	options  strategy.Options
	protocol string
	after    string
	progress *ProgressCommand
	budget   budget
}

func (f *settingsMembers) Members(m *codec.Coder) {
	f.options.Members(m)
	var other string // already read by ReadPlugin, or for editors
	m.Text("$schema", &other)
	m.Text("plugin", &other)
	m.Text("strategy", &other)
	m.Text("protocol", &f.protocol)
	m.Text("after-error", &f.after)
	codec.Optional(m, "progress", &f.progress)
	m.Object("budget", &f.budget)
}

// WholeFile begins the fault of a file ignored as a whole.
const WholeFile = "the whole file is not in force: "

// Overlay returns s overridden by data, and a line for each mistake, up to a maximum. Settings with mistakes and a
// project's higher limits are ignored. Other strategies' members are allowed, except Special ones. It is an error if
// all data is ignored.
func (s Settings) Overlay(data []byte, by strategy.Writer) (Settings, []string, error) {
	l := strategy.Layer{By: by, Strategy: s.Strategy.Name, IsAbs: filepath.IsAbs}
	f := settingsMembers{options: s.Strategy.New()}
	parts, whole := codec.ReadStrictly(data, &f, func(name string) bool { return anyStrategyHas(name, &l) })
	if whole != nil {
		return s, nil, errors.New(whole.DescribeIn(data))
	}
	for _, fault := range parts[:min(len(parts), maxFaults+1)] {
		l.NoteFault(fault.DescribeIn(data))
	}
	f.options.Over(s.Options, &l)
	s.Options = f.options
	switch p := f.progress; {
	case p == nil:
	case by != strategy.User:
		l.NoteFault("progress: only your own file can name a command")
	case len(p.Command) == 0 || !filepath.IsAbs(p.Command[0]):
		l.NoteFault("progress: command begins with the absolute path of a program")
	case p.Every < 0 || p.Every > maxEvery:
		l.NoteFault("progress: every must be from 0 to " + strconv.Itoa(maxEvery))
	default:
		s.Progress = p
	}
	if f.protocol != "" && by != strategy.Project {
		if slices.Contains([]string{"context", "block", "exit2"}, f.protocol) {
			s.Protocol = f.protocol
		} else {
			l.NoteFault("protocol: there is no " + strconv.Quote(f.protocol) + ": choose context, block or exit2")
		}
	}
	switch {
	case f.after == "off":
		s.AfterError = false
	case f.after == "on" && by == strategy.User:
		s.AfterError = true
	case f.after == "on":
		l.NoteFault("after-error: only your own file can turn it on")
	case f.after != "":
		l.NoteFault("after-error: there is no " + strconv.Quote(f.after) + ": choose on or off")
	}
	for i, limit := range limitsOf(&s.Limits) {
		switch set := f.budget[i]; {
		case set == nil || by == strategy.Project && *set > *limit.value:
		case *set < 0 || *set > limit.most:
			l.NoteFault("budget: " + limit.name + " must be from 0 to " + strconv.Itoa(limit.most))
		default:
			*limit.value = *set
			if by == strategy.Project {
				s.lowered = append(slices.Clone(s.lowered), limit.name)
			}
		}
	}
	if len(l.Faults) > maxFaults {
		l.Faults = append(l.Faults[:maxFaults], "there are more faults")
	}
	return s, l.Faults, nil
}

type limit struct {
	name  string
	value *int
	most  int
}

func limitsOf(l *guard.Limits) []limit {
	return []limit{{"burst", &l.Burst, maxBurst}, {"prompt", &l.PerPrompt, maxPrompt}, {"hour", &l.PerHour, guard.MaxHour}}
}

// raiseCommand returns the command, in backticks, for the user to raise a limit: burst, prompt or hour. If caller, from
// cliCommand, is not the CLI, it adds instructions to edit the file. It returns "" for other limits, and if at the
// maximum or set by the project.
func (s Settings) raiseCommand(limitName, stateDir, home, caller string) string {
	for _, l := range limitsOf(&s.Limits) {
		if l.name != limitName || *l.value >= l.most || slices.Contains(s.lowered, limitName) {
			continue
		}
		more := strconv.Itoa(min(max(10, 2**l.value), l.most))
		command := "`springfield set " + s.Plugin + " budget." + limitName + "=" + more + "`"
		if caller == cliName {
			return command
		}
		if rest, below := strings.CutPrefix(stateDir, home+string(filepath.Separator)); below && home != "" {
			stateDir = filepath.Join("~", rest)
		}
		return command + " (without that program: {\"budget\":{\"" + limitName + "\":" + more + "}} in " + filepath.Join(stateDir, s.Plugin+".json") + ")"
	}
	return ""
}

// anyStrategyHas reports whether any strategy defines this member, ignoring case. Callers check first that
// faults.Strategy does not. A Special member is noted in faults.
func anyStrategyHas(name string, faults *strategy.Layer) bool {
	named := func(member string) bool { return strings.EqualFold(member, name) }
	for _, known := range registry.Strategies {
		if !slices.ContainsFunc(codec.MemberNames(known.New()), named) {
			continue
		}
		for _, own := range known.Special {
			if named(own[0]) {
				faults.NoteFault(own[0] + ": " + faults.Strategy + " " + own[1])
			}
		}
		return true
	}
	return false
}

// ReadExisting returns a single file's settings. The strategy is the one it names, or is named after, or the default.
// Any mistake is an error. A strategy is set even with wrong rules or options.
func ReadExisting(path string) (Settings, error) {
	data, err := file.ReadRegular(path, maxConfig)
	if err != nil {
		return Settings{}, err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".json")
	if _, ok := registry.StrategyNamed(name); !ok {
		name = registry.Default()
	}
	p, err := parseStrategy(path, data, name)
	if err != nil {
		return Settings{}, err
	}
	s := p.ReadSettings("", "")
	if len(s.Faults) > 0 {
		return s, errors.New("read " + s.Faults[0])
	}
	return s, nil
}
