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
	group  []string // where its group is
	at     []string // where it is itself
}

func (h handler) memberPath(name string) []string { return append(slices.Clone(h.at), name) }
func (h handler) command() string                 { return h.textAt(h.memberPath("command")...) }
func (h handler) hasMember(name string) bool      { return h.valueAt(h.memberPath(name)...) != nil }

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
			group := []string{"hooks", event, strconv.Itoa(i)}
			for j := range t.listAt(append(group, "hooks")...) {
				all = append(all, handler{t, p, event, group, append(slices.Clone(group), "hooks", strconv.Itoa(j))})
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
		return nil, nil
	}
	made, err := parseJSON(in.expected[i].Data)
	if err != nil {
		return nil, err
	}
	events, _ := made.valueAt("hooks").(map[string]any)
	return slices.Sorted(maps.Keys(events)), nil
}

// lookAtSharedHooks looks at the file that Claude Code, Qwen Code and Droid read.
func (in *inspection) lookAtSharedHooks(p Plugin) error {
	t, ok, err := in.readSubject("hooks", p.Name+"/hooks/hooks.json", "hooks")
	if err != nil || !ok {
		return err
	}
	direct, shell := map[string]bool{}, map[string]string{} // by event; the name of the one in a shell
	for _, h := range t.handlers(p) {
		switch h.command() {
		case hookCommand:
			direct[h.event] = h.lookAtDirect(shell) || direct[h.event]
		case inShell:
			h.lookAtTimeout(1)
			h.lookAtAsync()
			if h.hasMember("args") {
				h.reportMember(check.Failure, "args", "with \"args\" Claude Code takes the quotation marks for a part of the path", "remove it")
			}
			if !h.hasMember("if") {
				h.reportMember(check.Failure, "if", "Claude Code starts it, too, through a shell, which obeys variables of a project", `add "if": "Bash": with it, Claude Code runs no hook at `+h.event)
			}
			shell[h.event] = h.textAt(h.memberPath("name")...)
		default:
			if file, inside := strings.CutPrefix(strings.Trim(h.command(), `"`), pluginRoot); inside && !pathExists(in.pathOf(path.Join(p.Name, file))) {
				h.reportMember(check.Failure, "command", path.Join(p.Name, file)+" is not there", "")
			}
			h.lookAtIf()
		}
	}
	events, err := in.eventsNeeded(t.file)
	for _, event := range events {
		_, other := shell[event]
		switch {
		case !direct[event]:
			t.reportFailure(fmt.Sprintf("%s is not called at %s, so it decides nothing", hookCommand, event), "remove it, then "+in.commandFor("init")+" adds it again")
		case !other:
			t.reportFinding(check.Warning, event+": it has the hook only for Claude Code: Qwen Code and Droid cannot start it below a path with a blank", in.commandFor("update")+" adds it for them")
		}
	}
	return err
}

// lookAtDirect looks at the handler that Claude Code starts without a shell, and tells
// whether it does. shell are the events that have one for the other hosts.
func (h handler) lookAtDirect(shell map[string]string) bool {
	h.lookAtTimeout(1)
	h.lookAtAsync()
	if !h.hasMember("args") {
		h.reportMember(check.Failure, "args", "without \"args\" Claude Code starts it through a shell, which obeys variables of a project, and which ends at a blank in the path", `add "args": []`)
	}
	if name, other := shell[h.event]; other && (name == "" || name != h.textAt(h.memberPath("name")...)) {
		h.reportMember(check.Warning, "name", "Qwen Code starts the hook twice: it ignores the second only if both have one name", fmt.Sprintf(`"name": %q in both`, h.plugin.Name))
	}
	if shellGroup := append(slices.Clone(h.group), "commandRegex"); h.valueAt(shellGroup...) == nil {
		h.reportMember(check.Warning, "commandRegex", "Droid starts this handler, too, through a shell", `add "commandRegex": "^$" beside its "hooks"`)
	}
	return h.lookAtIf()
}

// lookAtIf reports a condition, with which Claude Code never runs a handler outside of
// tool events. It tells whether there is none.
func (h handler) lookAtIf() bool {
	if !h.hasMember("if") || strings.Contains(h.event, "Tool") || strings.Contains(h.event, "Permission") {
		return true
	}
	h.reportMember(check.Failure, "if", "a hook with \"if\" never runs at "+h.event, "remove it")
	return false
}

func (h handler) lookAtAsync() {
	if h.valueAt(h.memberPath("async")...) == true {
		h.reportMember(check.Failure, "async", "no host waits for it, so it decides nothing", "remove it")
	}
}

// lookAtOwnHooks looks at a file of hooks that a manifest names for one host, or that lies
// where only one host looks.
func (in *inspection) lookAtOwnHooks(p Plugin, file, schema, command string) error {
	t, ok, err := in.readHost("hooks", p.Name+"/"+file, schema)
	if err != nil || !ok {
		return err
	}
	unit, calls := 1, map[string]bool{}
	if schema == "gemini" {
		unit = 1000
	}
	for _, h := range t.handlers(p) {
		switch h.command() {
		case command:
			calls[h.event] = true
			h.lookAtTimeout(unit)
		case strings.Trim(command, `"`):
			calls[h.event] = true
			h.reportMember(check.Failure, "command", "a shell runs it, which ends at a blank in the path", "quote it: "+quoteJSON(command))
		}
	}
	events, err := in.eventsNeeded(t.file)
	for _, event := range events {
		if !calls[event] {
			t.reportFailure(fmt.Sprintf("%s is not called at %s, so it decides nothing", command, event), "remove it, then "+in.commandFor("init")+" adds it again")
		}
	}
	return err
}

func quoteJSON(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

func (in *inspection) readHost(area, file, schema string) (t subject, ok bool, err error) {
	if !pathExists(in.pathOf(file)) {
		in.subject(area, file).reportFinding(check.Warning, "not found", in.commandFor("init")+" adds it")
		return t, false, nil
	}
	return in.readSubject(area, file, schema)
}

// lookAtHosts looks at what single hosts read: manifests, and files of hooks.
func (in *inspection) lookAtHosts(p Plugin) error {
	for _, file := range []string{".codex-plugin/plugin.json", ".github/plugin/plugin.json", "qwen/qwen-extension.json", "gemini/gemini-extension.json"} {
		t, ok, err := in.readHost("manifest", p.Name+"/"+file, "host")
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		t.requireText("its name", p.Name, "name")
		t.requireText("its version", p.Version, "version")
		if hooks := t.textAt("hooks"); hooks != "./hooks/shell.json" && path.Base(file) == "plugin.json" {
			t.reportFailure("without \"hooks\": \"./hooks/shell.json\" this host takes those of Claude Code, and starts the hook twice", `make it "./hooks/shell.json"`)
		}
	}
	if file := p.Name + "/gemini-extension.json"; pathExists(in.pathOf(file)) {
		in.subject("manifest", file).reportFinding(check.Failure, "with it Qwen Code takes the plugin for an extension of Gemini CLI", "remove it; that of Gemini CLI is in "+p.Name+"/gemini")
	}
	for _, own := range []struct{ file, schema, command string }{
		{"hooks/shell.json", "shell", inShell},
		{"qwen/hooks/hooks.json", "qwen", inQwen},
		{"gemini/hooks/hooks.json", "gemini", inGemini},
	} {
		if err := in.lookAtOwnHooks(p, own.file, own.schema, own.command); err != nil {
			return err
		}
	}
	return nil
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
		h.reportMember(check.Failure, "timeout", fmt.Sprintf("its timeout is %s milliseconds: the hook is ended before it answers", timeout), fmt.Sprintf("\"timeout\": %d, in milliseconds", timeoutOf(h.plugin.Strategy)*unit))
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
