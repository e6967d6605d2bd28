// Validating the hooks of a plugin, host by host. hooks/hooks.json is read by Claude
// Code, which starts a hook without a shell, and by Qwen Code and Droid, which use one.
// So it has the hook twice, and each host runs one of the two. Codex and Copilot are
// given hooks/shell.json, and Gemini CLI a directory of its own. Qwen Code has one, too,
// for a plugin that is linked; it reads hooks/hooks.json of one that is copied.
//
// So much hangs on each member that our handlers have to be as springfield makes them,
// but for their timeouts. What else is in such a file is the user's.

package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/judge"
)

// handler is one hook in a file of hooks.
type handler struct {
	event   string
	place   string         // in words
	group   map[string]any // what stands beside the list of handlers
	members map[string]any // of its own, without the timeout
	timeout any
}

func (h handler) isOurs() bool {
	command, _ := h.members["command"].(string)
	return strings.Contains(command, string(Hook))
}

func (h handler) isLike(other handler) bool {
	return h.event == other.event && reflect.DeepEqual(h.group, other.group) &&
		reflect.DeepEqual(h.members, other.members)
}

// handlersOf are those of a file, by event.
func handlersOf(file document) (all []handler) {
	events, _ := file.valueAt("hooks").(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(events)) {
		for i, one := range file.listAt("hooks", event) {
			group, _ := one.(map[string]any)
			list, _ := group["hooks"].([]any)
			group = maps.Clone(group)
			delete(group, "hooks")
			for j, one := range list {
				is, _ := one.(map[string]any)
				place := fmt.Sprintf("hooks.%s[%d].hooks[%d]: ", event, i, j)
				all = append(all, handler{event, place, group, maps.Clone(is), is["timeout"]})
				delete(all[len(all)-1].members, "timeout")
			}
		}
	}
	return all
}

// lookAtHooks looks at the files of hooks of a plugin: that which Claude Code, Qwen Code and
// Droid read, and those that a manifest names for one host, or that lie where only one host looks.
func (in *inspection) lookAtHooks(p Plugin) {
	differs := check.Warning // another springfield may have made them so
	if in.sameSource {
		differs = check.Failure
	}
	again := "remove the file, then " + in.commandFor("init") + " adds it again"
	for _, own := range []struct {
		file, schema string
		unit         int // of its timeouts in a second
	}{
		{"hooks/hooks.json", "hooks", 1}, {"hooks/shell.json", "shell", 1},
		{"qwen/hooks/hooks.json", "qwen", 1}, {"gemini/hooks/hooks.json", "gemini", 1000},
	} {
		t, ok := in.readSubject(p.Name+"/"+own.file, own.schema)
		if !ok {
			continue
		}
		made, err := parseJSON(in.expected[t.file].Data)
		in.err = cmp.Or(in.err, err)
		wanted, has := handlersOf(made), handlersOf(t.document)
		for _, w := range wanted {
			state := differs
			if slices.Contains([]string{"PermissionRequest", "SessionStart", "UserPromptExpansion"}, w.event) {
				state = check.Warning // only an away order, slash commands, or a loop beside another plugin have something to say there
			} else if !slices.ContainsFunc(has, func(h handler) bool { return h.event == w.event && h.isOurs() }) {
				state = check.Failure
			}
			if !slices.ContainsFunc(has, w.isLike) {
				says := fmt.Sprintf("%v is not called at %s as springfield makes it", w.members["command"], w.event)
				t.reportFinding(state, says, again)
			}
		}
		for _, h := range has {
			if !h.isOurs() {
				continue
			}
			if !slices.ContainsFunc(wanted, h.isLike) {
				t.reportFinding(differs, h.place+"not as springfield makes it: an agent may start the hook twice, "+
					"through a shell, or not at all", again)
			}
			t.lookAtTimeout(p, h, own.unit)
		}
	}
}

// lookAtTimeout compares how long a host waits for the hook with how long the hook may
// take: a host forgets the answer of one that it has to end. unit is how many of the
// file's units make a second.
func (t subject) lookAtTimeout(p Plugin, h handler, unit int) {
	timeout, given := h.timeout.(json.Number)
	n, err := timeout.Float64()
	if !given || err != nil {
		return
	}
	if n < float64(unit) {
		t.reportFailure(h.place+"its timeout is "+timeout.String()+" milliseconds: the hook is ended before it answers",
			fmt.Sprintf("\"timeout\": %d, in milliseconds", p.Timeout()*unit))
		return
	}
	if !slices.Contains(p.Programs(), Judge) {
		return
	}
	var rules struct{ Judge struct{ Within int } }
	data, _, err := t.in.files.ReadFile(p.Name+"/strategy.json", maxText)
	if err != nil || json.Unmarshal(data, &rules) != nil {
		return // said where it is read
	}
	within := judge.Within
	if rules.Judge.Within != 0 {
		within = rules.Judge.Within
	}
	if n/float64(unit) < float64(within+judge.Spare) {
		t.reportFailure(h.place+fmt.Sprintf("its timeout is %v s, and %s/strategy.json gives the judge %d s: "+
			"the hook needs %d s more", n/float64(unit), p.Name, within, judge.Spare),
			fmt.Sprintf("\"timeout\": %d, or a shorter judge.within", (within+judge.Spare)*unit))
	}
}
