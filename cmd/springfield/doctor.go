package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
)

type doctorOptions struct {
	fix  bool
	json bool
}

func newDoctor(a *app, runF func(context.Context, *app, doctorOptions) error) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that what you enabled can work, and how to mend what cannot",
		Long: `Check everything between your settings and a running hook, seen from the current directory. Each
check says what it found and what to do about it. With --fix the safe repairs are made; every one
that changes a file of yours is an edit of its own, which springfield undo takes back.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return runF(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.fix, "fix", false, "make the safe repairs")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

// verdict is how a check ended.
type verdict string

const (
	fine    verdict = "ok"
	note    verdict = "note"    // worth knowing
	warning verdict = "warning" // works, but not as one would think
	failure verdict = "failure" // does not work
)

// finding is what a check says.
type finding struct {
	Check string  `json:"check"`
	State verdict `json:"state"`
	Says  string  `json:"says"`
	Fix   string  `json:"fix,omitempty"` // what a person would do
	Fixed bool    `json:"fixed"`         // --fix has done it

	mend func() error // the safe repair, nil if there is none
}

func runDoctor(ctx context.Context, a *app, o doctorOptions) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	d, err := a.diagnose(ctx, places, "")
	if err != nil {
		return err
	}
	findings := d.examine()
	if o.fix {
		if findings, err = a.mend(ctx, d, findings); err != nil {
			return err
		}
	}
	if o.json {
		err = a.encode(struct {
			Checks []finding `json:"checks"`
		}{findings})
	} else {
		err = a.printFindings(findings, o.fix)
	}
	if err != nil {
		return err
	}
	failed := slices.DeleteFunc(slices.Clone(findings), func(f finding) bool { return f.State != failure })
	if len(failed) == 0 {
		return nil
	}
	hint := "what to do is said beside each"
	if !o.fix && slices.ContainsFunc(failed, func(f finding) bool { return f.mend != nil }) {
		hint = "springfield doctor --fix makes the safe repairs"
	}
	return &hinted{fmt.Errorf("%s failed", count(len(failed), "check")), hint}
}

// mend makes the repairs one by one, looking again after each: one repair can
// make another needless. It returns what it mended and what is left.
func (a *app) mend(ctx context.Context, d *diagnosis, findings []finding) ([]finding, error) {
	var mended []finding
	tried := map[string]bool{}
	for {
		i := slices.IndexFunc(findings, func(f finding) bool { return f.mend != nil && !tried[f.Check+f.Says] })
		if i < 0 {
			break
		}
		f := findings[i]
		tried[f.Check+f.Says] = true
		if err := f.mend(); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			a.talk("springfield: note: %s: %v", f.Check, err)
			continue
		}
		next, err := a.diagnose(ctx, d.places, d.version)
		if err != nil {
			return nil, err
		}
		findings = next.examine()
		if !slices.ContainsFunc(findings, func(still finding) bool { return still.Check == f.Check && still.Says == f.Says }) {
			f.State, f.Fixed, f.mend = fine, true, nil
			mended = append(mended, f)
		}
	}
	return append(mended, findings...), nil
}

// Columns of the table: how it ended, the check, what it says.
const (
	stateColumn = 9
	checkColumn = 13
)

func (a *app) printFindings(findings []finding, fix bool) error {
	room := 0 // not a terminal: one line each
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		room = max(30, width-stateColumn-checkColumn)
	}
	for _, f := range findings {
		mark := string(f.State)
		if f.Fixed {
			mark = "fixed"
		}
		lines := wrap(f.Says, room)
		if f.Fix != "" && f.State != fine {
			does := f.Fix
			if f.mend != nil && !fix {
				does += " (or springfield doctor --fix)"
			}
			for i, line := range wrap(does, room-2) {
				lines = append(lines, []string{"→ ", "  "}[min(i, 1)]+line)
			}
		}
		for i, line := range lines {
			if i > 0 {
				mark, f.Check = "", ""
			}
			a.say("%s", fmt.Sprintf("%-*s%-*s%s", stateColumn, mark, checkColumn, f.Check, line))
		}
	}
	return nil
}

// wrap breaks a text at blanks into lines of at most a number of characters; a
// longer word has a line of its own. Without a number it is one line.
func wrap(text string, room int) []string {
	if room <= 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// diagnosis is what the checks look at, read once.
type diagnosis struct {
	a         *app
	ctx       context.Context
	places    installer.Places
	inventory installer.Inventory
	suites    map[string][]string // marketplace name to the suites of that name
	client    installer.Client
	version   string   // of the client, "" if unknown
	made      []string // the suites that init remembers: the user's own
	byUs      []installer.Remembered
	ours      []installer.Switched
}

func (a *app) diagnose(ctx context.Context, places installer.Places, version string) (*diagnosis, error) {
	inventory, err := places.Inventory()
	if err != nil {
		return nil, err
	}
	d := &diagnosis{a: a, ctx: ctx, places: places, inventory: inventory, suites: map[string][]string{}, client: a.claude(places)}
	if d.version = version; version == "" && d.client.Command != "" {
		d.version, _ = d.client.Version(ctx) // unknown is a finding of its own
	}
	if d.made, err = installer.Suites(places); err != nil {
		a.talk("springfield: note: %v", err)
	}
	dirs := slices.Clone(d.made)
	if around, err := generator.FindSuite(places.Work); err == nil && !slices.Contains(dirs, around) {
		dirs = append(dirs, around)
	}
	for _, dir := range dirs {
		if s, err := generator.ReadSuite(dir); err == nil {
			d.suites[s.Marketplace] = append(d.suites[s.Marketplace], dir)
		}
	}
	d.byUs = installer.SwitchedOnByUs(places)
	for _, s := range inventory.Plugins {
		if s.Ours() || d.enabledByUs(s.ID) || len(d.suites[s.Marketplace]) > 0 {
			d.ours = append(d.ours, s)
		}
	}
	return d, nil
}

// apply makes a plan and writes it, as every edit is written.
func (d *diagnosis) apply(plan func() (installer.Plan, error)) error {
	p, err := apply(d.places, plan)
	if err == nil && !p.Changes() {
		return errors.New("there is nothing to change")
	}
	return err
}
