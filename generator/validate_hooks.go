// Validation of a plugin's hooks for each host. Claude Code starts the hook in hooks/hooks.json directly. Qwen Code
// and Droid read the same file but use a shell, so the hook is listed twice. Codex and Copilot read hooks/shell.json.
// Gemini CLI and, for a linked plugin, Qwen Code read their own directories.
//
// Our handlers must be as springfield makes them, except for timeouts. Other handlers belong to the user.

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

type handler struct {
	event   string
	ours    bool           // it starts the hook
	place   string         // for display
	group   map[string]any // without the list of handlers
	members map[string]any // without the timeout
	timeout any
}

// isLike ignores place and timeout.
func (h handler) isLike(other handler) bool {
	return h.event == other.event && reflect.DeepEqual(h.group, other.group) &&
		reflect.DeepEqual(h.members, other.members)
}

func handlersOf(file document) (all []handler) {
	events, _ := file.valueAt("hooks").(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(events)) {
		groups, _ := events[event].([]any)
		for i, one := range groups {
			group, _ := one.(map[string]any)
			list, _ := group["hooks"].([]any)
			group = maps.Clone(group)
			delete(group, "hooks")
			for j, one := range list {
				is, _ := one.(map[string]any)
				place := fmt.Sprintf("hooks.%s[%d].hooks[%d]: ", event, i, j)
				command, _ := is["command"].(string)
				all = append(all, handler{event, strings.Contains(command, string(Hook)), place, group, maps.Clone(is), is["timeout"]})
				delete(all[len(all)-1].members, "timeout")
			}
		}
	}
	return all
}

func (in *inspection) lookAtHooks(p Plugin) {
	differs := check.Warning // might be from a different springfield
	if in.sameSource {
		differs = check.Failure
	}
	again := "remove the file, then run springfield init " + in.called + " to add it again"
	for _, own := range []struct {
		file, schema string
		unit         int // of timeouts, per second
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
			if slices.Contains([]string{"PermissionRequest", "SessionStart", "StopFailure", "UserPromptExpansion"}, w.event) {
				state = check.Warning // these serve only away orders, API errors, slash commands, and loops with another plugin
			} else if !slices.ContainsFunc(has, func(h handler) bool { return h.event == w.event && h.ours }) {
				state = check.Failure
			}
			if !slices.ContainsFunc(has, w.isLike) {
				says := fmt.Sprintf("%v is not called at %s in the way that springfield sets it up", w.members["command"], w.event)
				t.reportFinding(state, says, again)
			}
		}
		for _, h := range has {
			if !h.ours {
				continue
			}
			if !slices.ContainsFunc(wanted, h.isLike) {
				t.reportFinding(differs, h.place+"not as springfield makes it: an agent may start the hook twice, "+
					"through a shell, or not at all", again)
			}
			t.flagShortTime(p, h, own.unit)
		}
	}
}

// flagShortTime reports a failure if the hook can exceed its timeout, in units of perSecond a second.
func (t subject) flagShortTime(p Plugin, h handler, perSecond int) {
	timeout, given := h.timeout.(json.Number)
	n, err := timeout.Float64()
	if !given || err != nil {
		return
	}
	if n < float64(perSecond) {
		t.reportFailure(h.place+"its timeout is "+timeout.String()+map[int]string{1: " s", 1000: " ms"}[perSecond]+", too short for the hook to answer",
			fmt.Sprintf("set \"timeout\": %d", p.Timeout()*perSecond))
		return
	}
	if !slices.Contains(p.Programs(), Judge) {
		return
	}
	var rules struct{ Judge struct{ Within int } }
	data, _, err := t.in.files.ReadFile(p.Name+"/strategy.json", maxText)
	if err != nil || json.Unmarshal(data, &rules) != nil {
		return // reported by lookAtRules
	}
	within := cmp.Or(rules.Judge.Within, judge.Within)
	if n/float64(perSecond) < float64(within+judge.Spare) {
		t.reportFailure(h.place+fmt.Sprintf("its timeout is %v s, but %s/strategy.json gives the judge %d s: "+
			"the hook needs %d s more", n/float64(perSecond), p.Name, within, judge.Spare),
			fmt.Sprintf("set \"timeout\": %d, or a shorter judge.within", (within+judge.Spare)*perSecond))
	}
}
