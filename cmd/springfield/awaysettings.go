package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/terminal"
)

// The settings that away offers to add for a night. back --clean removes them.

const limitSetting = "autoContinueAtUsageLimit"

// waitAtLimit returns the edit of user settings that lets Claude Code wait at a usage limit. It keeps a value already
// set.
func waitAtLimit() settings.Member {
	return settings.Member{
		Scope: client.User, Path: []string{limitSetting}, Did: "set " + limitSetting + " in user settings",
		Change: func(was json.RawMessage) (json.RawMessage, error) {
			if was != nil {
				return nil, nil
			}
			return json.RawMessage("true"), nil
		},
	}
}

// allowRule returns the edit that adds a permission rule to the project's local settings.
func allowRule(rule string) settings.Member {
	return settings.Member{
		Scope: client.Local, Path: []string{"permissions", "allow"}, Did: "allow " + rule + " in local settings",
		Change: func(was json.RawMessage) (json.RawMessage, error) { return addMissingRule(was, rule) },
	}
}

// notesOnSettings returns notes on the Claude Code settings that affect an absence. before has its sessions and Claude
// Code's version.
func (o awayOptions) notesOnSettings(before absence.Preflight) (notes []string) {
	layers := settings.NewSettings(o.places).AllLayers()
	own := slices.DeleteFunc(slices.Clone(layers), func(l client.Layer) bool { // Claude Code ignores these in a project
		return l.Name == string(client.Project) || l.Name == string(client.Local)
	})
	mode, from := client.MemberIn(layers, "permissions", "defaultMode")
	if mode == "" && absence.NewerVersion(before.Version, "0.0.0") && !absence.NewerVersion(before.Version, "2.1.329") {
		mode = "default" // later ones begin in auto mode
	}
	if warning := absence.ModeWarnings[mode]; warning != "" && len(before.Sessions) == 0 {
		notes = append(notes, "new sessions begin in "+mode+" mode"+settingOrigin("permissions.defaultMode", from)+": "+strings.TrimPrefix(warning, "in "+mode+" mode, ")+
			"; press Shift+Tab in a session to change its mode")
	}
	if value, from := client.MemberIn(own, "permissions", "denyInsteadOfPrompting"); value == "true" {
		notes = append(notes, "Claude Code denies every permission request at once instead of waiting for you"+settingOrigin("permissions.denyInsteadOfPrompting", from))
	}
	if value, from := client.MemberIn(own, "askUserQuestionTimeout"); value != "" && value != "never" {
		notes = append(notes, "a dialog that is left to you closes after "+value+", and Claude decides by itself"+
			settingOrigin("askUserQuestionTimeout", from)+"; set it to never with /config in Claude Code")
	}
	if value, from := client.MemberIn(own, limitSetting); value == "false" {
		notes = append(notes, "at a usage limit Claude Code stops until you return"+settingOrigin(limitSetting, from)+"; turn it on with /config in Claude Code")
	}
	return notes
}

// settingOrigin returns " (name in from settings)", or "" if from is "".
func settingOrigin(name, from string) string {
	if from == "" {
		return ""
	}
	return " (" + name + " in " + from + " settings)"
}

// askSettings asks about each settings edit the order needs and returns the agreed ones. --yes agrees to all. Callers
// make the edits. It prints a note if the order's check still lacks permission.
func (o awayOptions) askSettings(ctx context.Context, tty *terminal.Terminal, order ledger.AwayOrder, claudeVersion string) (agreed []settings.Member) {
	offer := func(question string, m settings.Member) {
		c, err := settings.NewSettings(o.places).PlanMember(m)
		if (err != nil || !c.IsEmpty()) && (o.yes || o.confirmOn(ctx, tty, question) == nil) {
			agreed = append(agreed, m)
		}
	}
	if absence.NewerVersion(claudeVersion, "2.1.233") { // older ones lack this setting
		offer("Let Claude Code pause at a usage limit and resume by itself ("+limitSetting+" in your settings)?", waitAtLimit())
	}
	lacks, others := o.howToAllow(order), len(agreed)
	if rule := activity.AllowRule(o.check); rule != "" && !o.all && lacks != "" {
		offer("Allow "+rule+" in this project (permissions.allow in .claude/settings.local.json)?", allowRule(rule))
	}
	if lacks != "" && len(agreed) == others && ctx.Err() == nil {
		o.notePrinter().InYellow().PrintFolded("note: ", "%s", lacks)
	}
	return agreed
}

// applyMember makes and journals the edit and prints the diff. On error, it only prints a note.
func (o awayOptions) applyMember(member settings.Member) {
	c, err := settings.PlanAndApply(o.places, func(now *settings.Settings) (journal.Change, error) { return now.PlanMember(member) })
	if err != nil {
		o.talk("springfield: note: springfield could not %s: %v", member.Did, err)
		return
	}
	o.resultPrinter().PrintDiff(c.Diff())
	o.talk("%s: done%s", member.Did, map[bool]string{false: "; run springfield undo to revert it"}[c.IsEmpty()])
}

func decodeAllowRules(was json.RawMessage) (rules []any, err error) {
	if was != nil && json.Unmarshal(was, &rules) != nil {
		return nil, errors.New("permissions.allow is not a list")
	}
	return rules, nil
}

// addMissingRule returns the list with the rule added (nil if it has the rule).
func addMissingRule(was json.RawMessage, rule string) (list json.RawMessage, err error) {
	rules, err := decodeAllowRules(was)
	if err != nil || slices.Contains(rules, any(rule)) {
		return nil, err
	}
	return document.EncodeValue(append(rules, rule))
}

// removeRule returns the list without the rule: nil if it lacks the rule, settings.Absent if no rule is left.
func removeRule(was json.RawMessage, rule string) (list json.RawMessage, err error) {
	rules, err := decodeAllowRules(was)
	if err != nil || !slices.Contains(rules, any(rule)) {
		return nil, err
	}
	if rules = slices.DeleteFunc(rules, func(r any) bool { return r == rule }); len(rules) == 0 {
		return settings.Absent, nil
	}
	return document.EncodeValue(rules)
}

// cleanAfterAway removes everything that away added for the orders (oldest first).
func (a *app) cleanAfterAway(ctx context.Context, orders []ledger.AwayOrder, dryRun bool) error {
	seen, found := map[int]bool{}, false
	for _, order := range slices.Backward(orders) {
		settings, err := a.removeSettings(order, seen, dryRun)
		if err != nil {
			return err
		}
		snapshot, err := a.removeSnapshot(ctx, order, dryRun)
		if err != nil {
			return err
		}
		found = found || settings || snapshot
	}
	switch {
	case !found:
		a.say("nothing that springfield away added is left")
	case dryRun:
		a.talk("run springfield back --clean to remove this")
	default:
		a.talk("removed")
	}
	return nil
}

// removeSettings reverts the order's settings edits missing from seen, adds their journal IDs to seen and prints their
// diffs. With dryRun it reverts nothing. found is true if there were any.
func (a *app) removeSettings(order ledger.AwayOrder, seen map[int]bool, dryRun bool) (found bool, err error) {
	places := a.placesFrom(cmp.Or(order.Project, a.work))
	for _, m := range a.newestEditsLike(order, places) {
		plan := func() (journal.Change, error) {
			c, _, err := m.planRemoval(places)
			return c, err
		}
		c, err := plan()
		if seen[m.made.ID] || err == nil && c.IsEmpty() {
			continue
		}
		seen[m.made.ID], found = true, true
		a.resultPrinter().PrintDiff(c.Diff())
		if err == nil && !dryRun {
			_, err = settings.Journal(places).PlanAndApply(plan)
		}
		if err != nil {
			return found, check.Advise(fmt.Errorf("%s: %w", m.Did, err), "remove it by hand; run springfield doctor to see the problem")
		}
	}
	return found, nil
}

// awayEdit is an edit of settings that away made for an order, and its reverse.
type awayEdit struct {
	settings.Member
	stays string // that it is in force, for the user
	made  journal.Entry
}

// planRemoval plans to undo the edit: byte for byte if the file is unchanged since, otherwise by removing only the
// member.
func (d awayEdit) planRemoval(places client.Places) (c journal.Change, exact bool, err error) {
	if c, err := settings.Journal(places).PlanRevert(d.made, d.Did); err == nil {
		return c, true, nil
	}
	c, err = settings.NewSettings(places).PlanMember(d.Member)
	return c, false, err
}

// newestEditsLike returns the newest journal entry, of any order, for each edit away can make, with the reverse edit.
// places are for the order's project.
func (a *app) newestEditsLike(order ledger.AwayOrder, places client.Places) (all []awayEdit) {
	entries, _ := settings.Journal(places).ReadEntries()
	add := func(m settings.Member, stays string, remove func(was json.RawMessage) (json.RawMessage, error)) {
		at, _ := journal.Resolve(places.Settings(m.Scope))
		i := slices.IndexFunc(entries, func(e journal.Entry) bool {
			return e.Did == m.Did && slices.ContainsFunc(e.Edits, func(edit journal.Edit) bool { return edit.At == at })
		})
		if i >= 0 {
			m.Did, m.Change = revert+m.Did, remove
			all = append(all, awayEdit{m, stays, entries[i]})
		}
	}
	add(waitAtLimit(), limitSetting+" is still set in your settings", func(was json.RawMessage) (json.RawMessage, error) {
		if !bytes.Equal(was, []byte("true")) {
			return nil, nil
		}
		return settings.Absent, nil
	})
	if rule := activity.AllowRule(order.Check); rule != "" && order.Project != "" {
		add(allowRule(rule), secret.Mask(rule)+" is still allowed in .claude/settings.local.json", func(was json.RawMessage) (json.RawMessage, error) { return removeRule(was, rule) })
	}
	return all
}
