// Validating the hooks of a plugin, host by host. hooks/hooks.json is read by Claude
// Code, which starts a hook without a shell, and by Qwen Code and Droid, which use one.
// So it has the hook twice, and each host runs one of the two. Codex and Copilot are
// given hooks/shell.json, and Gemini CLI a directory of its own. Qwen Code has one, too,
// for a plugin that is linked; it reads hooks/hooks.json of one that is copied.

package generator

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/judge"
)

const (
	pluginRoot  = "${CLAUDE_PLUGIN_ROOT}/"
	hookCommand = pluginRoot + "hooks/springfield-hook"
	inShell     = `"` + hookCommand + `"`
	inGemini    = `"${extensionPath}/../hooks/springfield-hook"`
	inQwen      = `"${CLAUDE_PLUGIN_ROOT}/../hooks/springfield-hook"`
)

// handler is one hook in a file of hooks.
type handler struct {
	subject
	plugin Plugin
	event  string
	at     []string // where it is
}

func (h handler) command() string { return h.textAt(h.memberPath("command")...) }

// memberPath is where a member of the handler is; that of Droid is beside the list of handlers.
func (h handler) memberPath(name string) []string {
	if name == "commandRegex" {
		return append(slices.Clone(h.at[:len(h.at)-2]), name)
	}
	return append(slices.Clone(h.at), name)
}

// hasMember tells whether a member is there and not false.
func (h handler) hasMember(name string) bool {
	value := h.valueAt(h.memberPath(name)...)
	return value != nil && value != false
}

// reportMember reports a member of the handler, "" for the handler itself.
func (h handler) reportMember(state check.State, name, says, fix string) {
	at := h.at
	if h.hasMember(name) {
		at = h.memberPath(name)
	}
	h.reportFinding(state, placeInWords(at)+says, fix)
}

// handlers are those of a file, by event.
func (t subject) handlers(p Plugin) (all []handler) {
	events, _ := t.valueAt("hooks").(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(events)) {
		for i := range t.listAt("hooks", event) {
			group := []string{"hooks", event, strconv.Itoa(i), "hooks"}
			for j := range t.listAt(group...) {
				all = append(all, handler{t, p, event, append(slices.Clone(group), strconv.Itoa(j))})
			}
		}
	}
	return all
}

// eventsNeeded are the events at which a file has to start our hook: those of the file as it
// would be generated.
func (in *inspection) eventsNeeded(file string) ([]string, error) {
	i := slices.IndexFunc(in.expected, func(f File) bool { return f.Path == file })
	if i < 0 {
		return nil, fmt.Errorf("%s is not among the files that springfield makes", file)
	}
	made, err := parseJSON(in.expected[i].Data)
	events, _ := made.valueAt("hooks").(map[string]any)
	return slices.Sorted(maps.Keys(events)), err
}

// lookAtHooks looks at the files of hooks of a plugin: that which Claude Code, Qwen Code and
// Droid read, and those that a manifest names for one host, or that lie where only one host looks.
func (in *inspection) lookAtHooks(p Plugin) error {
	for _, own := range []struct {
		file, schema, command string
		unit                  int // of its timeouts in a second
	}{
		{"hooks/hooks.json", "hooks", hookCommand, 1},
		{"hooks/shell.json", "shell", inShell, 1},
		{"qwen/hooks/hooks.json", "qwen", inQwen, 1},
		{"gemini/hooks/hooks.json", "gemini", inGemini, 1000},
	} {
		t, ok, err := in.readSubject(p.Name+"/"+own.file, own.schema)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		events, err := in.eventsNeeded(t.file)
		if err != nil {
			return err
		}
		all, calls := t.handlers(p), map[string]bool{}
		for _, h := range all {
			switch h.command() {
			case own.command:
				h.lookAtTimeout(own.unit)
				calls[h.event] = calls[h.event] || own.schema != "hooks" || !h.neverRuns()
			case strings.Trim(own.command, `"`):
				calls[h.event] = true
				h.reportMember(check.Failure, "command", "a shell runs it, which ends at a blank in the path",
					"quote it: "+strconv.Quote(own.command))
			}
			if own.schema == "hooks" {
				h.lookAtShared(all)
			}
		}
		for _, event := range events {
			inShells := func(h handler) bool { return h.event == event && h.command() == inShell }
			switch {
			case !calls[event] && isForAway(event):
				t.reportFinding(check.Warning, fmt.Sprintf("%s is not called at %s, so an away order does less here", own.command, event),
					in.commandFor("update")+" adds it")
			case !calls[event]:
				t.reportFailure(fmt.Sprintf("%s is not called at %s, so it decides nothing", own.command, event),
					"remove it, then "+in.commandFor("init")+" adds it again")
			case own.schema == "hooks" && !isForAway(event) && !slices.ContainsFunc(all, inShells):
				t.reportFinding(check.Warning, event+": it has the hook only for Claude Code: "+
					"Qwen Code and Droid cannot start it below a path with a blank",
					in.commandFor("update")+" adds it for them")
			}
		}
	}
	return nil
}

// isForAway tells an event at which only an away order has something to say.
func isForAway(event string) bool { return event == "PermissionRequest" || event == "SessionStart" }

// sharedMember is a member that a handler of hooks/hooks.json has to have, or must not have.
type sharedMember struct {
	command   string // of the handlers that it is about, "" for those of others
	name      string
	wanted    bool
	state     check.State
	says, fix string
}

func sharedMembers(event string) []sharedMember {
	const async = "no host waits for it, so it decides nothing"
	never := `a hook with "if" never runs at ` + event
	return []sharedMember{
		{hookCommand, "async", false, check.Failure, async, "remove it"},
		{hookCommand, "args", true, check.Failure, "without \"args\" Claude Code starts it through a shell, " +
			"which obeys variables of a project, and which ends at a blank in the path", `add "args": []`},
		{hookCommand, "commandRegex", true, check.Warning, "Droid starts this handler, too, through a shell",
			`add "commandRegex": "^$" beside its "hooks"`},
		{hookCommand, "if", false, check.Failure, never, "remove it"},
		{inShell, "async", false, check.Failure, async, "remove it"},
		{inShell, "args", false, check.Failure,
			"with \"args\" Claude Code takes the quotation marks for a part of the path", "remove it"},
		{inShell, "if", true, check.Failure,
			"Claude Code starts it, too, through a shell, which obeys variables of a project",
			`add "if": "Bash": with it, Claude Code runs no hook at ` + event},
		{"", "if", false, check.Failure, never, "remove it"},
	}
}

// neverRuns tells of a handler with a condition, which Claude Code runs only at events of tools.
func (h handler) neverRuns() bool {
	return h.hasMember("if") && !strings.Contains(h.event, "Tool") && !strings.Contains(h.event, "Permission")
}

// lookAtShared looks at a handler of hooks/hooks.json, among all that are in there.
func (h handler) lookAtShared(all []handler) {
	command := h.command()
	switch file, inside := strings.CutPrefix(strings.Trim(command, `"`), pluginRoot); {
	case command == inShell:
		h.lookAtTimeout(1)
	case command == hookCommand:
		name := h.textAt(h.memberPath("name")...)
		if slices.ContainsFunc(all, func(other handler) bool {
			return other.event == h.event && other.command() == inShell &&
				(name == "" || other.textAt(other.memberPath("name")...) != name)
		}) {
			h.reportMember(check.Warning, "name",
				"Qwen Code starts the hook twice: it ignores the second only if both have one name",
				fmt.Sprintf(`"name": %q in both`, h.plugin.Name))
		}
	default:
		if command = ""; inside && !rooted.IsTaken(h.in.pathOf(path.Join(h.plugin.Name, file))) {
			h.reportMember(check.Failure, "command", path.Join(h.plugin.Name, file)+" is not there", "")
		}
	}
	for _, m := range sharedMembers(h.event) {
		fits := h.hasMember(m.name) == m.wanted || m.name == "if" && !m.wanted && !h.neverRuns()
		if m.command == command && !fits {
			h.reportMember(m.state, m.name, m.says, m.fix)
		}
	}
}

// lookAtTimeout compares how long a host waits for the hook with how long the hook may
// take: a host forgets the answer of one that it has to end. unit is how many of the
// file's units make a second.
func (h handler) lookAtTimeout(unit int) {
	timeout, given := h.valueAt(h.memberPath("timeout")...).(json.Number)
	n, err := timeout.Float64()
	if !given || err != nil {
		return
	}
	if n < float64(unit) {
		h.reportMember(check.Failure, "timeout",
			fmt.Sprintf("its timeout is %s milliseconds: the hook is ended before it answers", timeout),
			fmt.Sprintf("\"timeout\": %d, in milliseconds", h.plugin.Timeout()*unit))
		return
	}
	if !slices.Contains(h.plugin.Programs(), Judge) {
		return
	}
	var rules struct{ Judge struct{ Within int } }
	data, err := h.in.readText(h.plugin.Name + "/strategy.json")
	if err != nil || json.Unmarshal(data, &rules) != nil {
		return // said where it is read
	}
	within := judge.Within
	if rules.Judge.Within != 0 {
		within = rules.Judge.Within
	}
	if n/float64(unit) < float64(within+judge.Spare) {
		h.reportMember(check.Failure, "timeout", fmt.Sprintf("its timeout is %v s, and %s/strategy.json gives the judge %d s: the hook needs %d s more", n/float64(unit), h.plugin.Name, within, judge.Spare),
			fmt.Sprintf("\"timeout\": %d, or a shorter judge.within", (within+judge.Spare)*unit))
	}
}
