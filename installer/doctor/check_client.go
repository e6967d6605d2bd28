package doctor

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func (in *Inspection) checkClient() []check.Finding {
	const tested = "2.1.197" // the oldest version that releases are tested with
	found := check.Passed("Claude Code " + in.Version)
	switch older, known := client.IsOlder(in.Version, tested); {
	case in.Client.Path == "":
		found = check.Warned("there is no claude on PATH, so enable can only declare marketplaces, "+
			"and plugins from repositories cannot be fetched", "add the directory of Claude Code's claude to PATH")
	case !known:
		found = check.Warned(in.Client.Path+" does not print its version", "run claude --version to see why")
	case older:
		says := fmt.Sprintf("Claude Code %s is old: springfield is tested with %s and later", in.Version, tested)
		found = check.Warned(says, "claude update")
	}
	return []check.Finding{found}
}

func (in *Inspection) checkSilenced() (bad []check.Finding) {
	if in.Silenced != "" {
		bad = append(bad, check.Failed(in.Silenced, "remove that setting where it is set"))
	}
	for _, says := range in.offInSettingsNotes() {
		bad = append(bad, check.Warned(says, "remove it from env in those settings"))
	}
	return bad
}

func (in *Inspection) offInSettingsNotes() (notes []string) {
	if value, from, ok := client.VariableIn(in.Settings, "SPRINGFIELD"); ok && hook.IsOffWord(value) {
		notes = append(notes, from+" settings set SPRINGFIELD="+value+", so hooks always let Claude stop")
	}
	return notes
}

func (in *Inspection) listOtherAccounts() (all []check.Finding) {
	for _, a := range in.Accounts {
		says := cmp.Or(a.EnabledClause(), a.Config+" is another account of Claude Code, without a springfield plugin")
		all = append(all, check.Noted(says, a.SpringfieldCommand("status")))
	}
	return all
}

func (in *Inspection) otherAccountsInWords() []string {
	return slices.DeleteFunc(check.NamesOf(in.Accounts, settings.ClaudeAccount.EnabledClause), func(says string) bool { return says == "" })
}

func (in *Inspection) checkOffAndHeld() (bad []check.Finding) {
	if in.Off {
		bad = append(bad, check.Warned("SPRINGFIELD=off is set, so hooks let every agent stop", "unset SPRINGFIELD"))
	}
	if in.stateDirError() == nil {
		for _, says := range slices.Concat(in.HoldsInWords()) {
			bad = append(bad, check.Noted(says, ""))
		}
	}
	return bad
}

// checkTodoTool returns a finding on whether Claude has a todo list, if a running springfield plugin decides at Stop or
// lists todos.
func (in *Inspection) checkTodoTool() []check.Finding {
	const variable = "CLAUDE_CODE_ENABLE_TODO_TOOLS"
	older, known := client.IsOlder(in.Version, "2.1.233")
	reminded := slices.ContainsFunc(in.OursNotAtStop(), func(s client.Switched) bool {
		known, _ := registry.StrategyNamed(s.Strategy)
		return known.Event == "UserPromptSubmit"
	})
	if older || !known || len(in.OursAtStop()) == 0 && !reminded {
		return nil
	}
	if value, _, ok := client.VariableIn(in.Settings, variable); ok && value == "1" {
		return []check.Finding{check.Passed(variable + " is set: every model has a todo list")}
	}
	const newest = "Opus 4.8, Sonnet 5, Fable 5, Mythos 5 and later have no todo list, so "
	fix := fmt.Sprintf(`set "env": {"%s": "1"} in your settings to restore it`, variable)
	if reminded {
		return []check.Finding{check.Warned(newest+"todo-continuation has nothing to remind Claude of with these models", fix)}
	}
	return []check.Finding{check.Noted(newest+"rules about open todos never match with these models; the others work", fix)}
}
