package interview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"
	"golang.org/x/term"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

// onTerminal asks by survey/v2, which is archived upstream: nothing else knows it. It
// moves the cursor, so it writes past display.Writer: what others wrote goes through
// display.Line. The options are springfield's own.
type onTerminal struct {
	Terminal
	ctx   context.Context
	stdio survey.AskOpt
}

func newSurvey(ctx context.Context, t Terminal) Asker {
	core.DisableColor = !t.Color // survey does not read NO_COLOR itself
	survey.MultiSelectQuestionTemplate, survey.SelectQuestionTemplate = listTemplate(survey.MultiSelectQuestionTemplate), listTemplate(survey.SelectQuestionTemplate)
	survey.ErrorTemplate = strings.Replace(survey.ErrorTemplate, "Sorry, your reply was invalid", "invalid answer", 1)
	return onTerminal{t, ctx, survey.WithStdio(&keys{File: t.In}, t.Screen, t.Screen)}
}

// A list calls its Description for all texts that have to be laid out. The mark in
// front of its argument says which.
const (
	theAnswer = "=" // what was chosen
	theKeys   = "/" // what keys do, or that no option has what was typed
	theHelp   = "?" // about the option at the cursor
)

// listTemplate is a template of survey's with our layout: below the question what keys
// do, then about the option at the cursor, then the options, each on one line.
func listTemplate(theirs string) string {
	option, _, known := strings.Cut(theirs, "{{- if .ShowHelp }}")
	if !known {
		return theirs // ours already
	}
	option = strings.Replace(option, `{{ if ne ($.GetDescription .CurrentOpt) "" }} - {{color "cyan"}}{{ $.GetDescription .CurrentOpt }}{{color "reset"}}{{end}}`, `{{color "cyan"}}{{ $.GetDescription .CurrentOpt }}{{color "reset"}}`, 1)
	option = strings.Replace(option, `{{ if ne ($.GetDescription .CurrentOpt) "" }} - {{color "cyan"}}{{ $.GetDescription .CurrentOpt }}{{end}}`, `{{color "cyan"}}{{ $.GetDescription .CurrentOpt }}`, 1)
	return option + `
{{- color .Config.Icons.Question.Format }}{{ .Config.Icons.Question.Text }} {{color "reset"}}
{{- color "default+hb"}}{{ .Message }}{{color "reset"}}
{{- if .ShowAnswer}}{{color "cyan"}}{{ call .Description (printf "` + theAnswer + `%s" .Answer) 0 }}{{color "reset"}}{{"\n"}}
{{- else }}
  {{- "\n"}}{{ color "cyan"}}{{ call .Description (printf "` + theKeys + `%s" .FilterMessage) 0 }}{{color "reset"}}{{"\n"}}
  {{- with index .PageEntries .SelectedIndex }}{{ call $.Description (printf "` + theHelp + `%s" .Value) .Index }}{{end}}
  {{- range $ix, $option := .PageEntries}}
    {{- template "option" $.IterateOption $ix $option}}
  {{- end}}
{{- end}}`
}

// refusal is what is wrong, broken between words.
func (p onTerminal) refusal(err error) error {
	return errors.New(strings.Join(layout.Hang("", "", display.Line(p.problem(err)), p.width()-4), "\n "))
}

// ask asks in the background, because survey knows no context: a signal that ends
// springfield would wait for a key. The terminal is then given back as it was.
func (p onTerminal) ask(q survey.Prompt, answer any, opts ...survey.AskOpt) error {
	mode, modeErr := term.GetState(int(p.In.Fd()))
	asked := make(chan error, 1)
	go func() {
		asked <- survey.AskOne(q, answer, append(opts, p.stdio, survey.WithRemoveSelectAll(), survey.WithRemoveSelectNone())...)
	}()
	select {
	case err := <-asked:
		if errors.Is(err, terminal.InterruptErr) || errors.Is(err, io.EOF) {
			return ErrCancelled
		}
		return err
	case <-p.ctx.Done():
		if modeErr == nil {
			_ = term.Restore(int(p.In.Fd()), mode)
		}
		fmt.Fprint(p.Screen, "\x1b[?25h\r\n") // a list hides the cursor
		return ErrCancelled
	}
}

func (p onTerminal) Many(question string, options []Option, chosen []string, check func([]string) error) ([]string, error) {
	var answer []string
	l := newList(p.width(), question, options, "arrows move, space marks, Enter goes on; letters search")
	q := &survey.MultiSelect{Message: l.question, Options: values(options), Default: chosen, Description: l.text, Filter: l.filter, PageSize: len(options)}
	err := p.ask(q, &answer, survey.WithValidator(func(v any) error {
		var chosen []string
		if list, ok := v.([]core.OptionAnswer); ok {
			for _, o := range list {
				chosen = append(chosen, o.Value)
			}
		}
		if err := check(chosen); err != nil {
			q.Default = chosen // what was marked stays marked
			return p.refusal(err)
		}
		return nil
	}))
	return answer, err
}

func (p onTerminal) One(question string, options []Option, chosen string) (string, error) {
	var answer string
	l := newList(p.width(), question, options, "arrows move, Enter chooses; letters search")
	err := p.ask(&survey.Select{Message: l.question, Options: values(options), Default: chosen, Description: l.text, Filter: l.filter, PageSize: len(options)}, &answer)
	return answer, err
}

func (p onTerminal) Text(question, preset string, check func(string) error) (string, error) {
	var answer string
	err := p.ask(&survey.Input{Message: display.Line(question), Default: display.Line(preset)}, &answer, survey.WithValidator(func(v any) error {
		if err := check(fmt.Sprint(v)); err != nil {
			return p.refusal(err)
		}
		return nil
	}))
	return answer, err
}

func (p onTerminal) Confirm(question string) (bool, error) {
	answer := true
	err := p.ask(&survey.Confirm{Message: display.Line(question), Default: true}, &answer)
	return answer, err
}

func values(options []Option) []string {
	var list []string
	for _, o := range options {
		list = append(list, o.Value)
	}
	return list
}

// list lays a list out: survey breaks lines in the middle of words.
type list struct {
	question, keys string
	options        []Option
	names, width   int // columns: of the longest value, of the terminal
	helps          []string
}

const (
	frame    = 10 // columns of a row that are neither value nor label: marker, box, gap, and the last one
	tooShort = 24 // columns in which a label says nothing
)

func newList(width int, question string, options []Option, keys string) list {
	l := list{question: strings.Join(layout.Hang("", "  ", display.Line(question), width-3), "\n"), keys: keys, options: options, width: width}
	for _, o := range options {
		l.names = max(l.names, layout.Width(o.Value))
	}
	most := 0
	for i, o := range options {
		about := o.Help
		if l.label(i) != o.Label {
			about = o.Label + ". " + about
		}
		var lines []string
		if strings.TrimSpace(about) != "" {
			lines = layout.Hang("  ", "  ", about, l.width-1)
		}
		most = max(most, len(lines))
		l.helps = append(l.helps, strings.Join(lines, "\n"))
	}
	for i, help := range l.helps { // all as tall, so that the options stay where they are
		if most > 0 {
			l.helps[i] = help + strings.Repeat("\n", most-strings.Count(help, "\n")-1) + "\n\n"
		}
	}
	return l
}

// label is what fits of an option's label.
func (l list) label(i int) string {
	room := l.width - l.names - frame
	label := l.options[i].Label
	switch {
	case layout.Width(label) <= room:
		return label
	case room < tooShort:
		return ""
	}
	return layout.Hang("", "", label, room-2)[0] + " …"
}

// text is what the template asks for.
func (l list) text(about string, i int) string {
	switch mark, rest := about[:1], about[1:]; mark {
	case theHelp:
		return l.helps[i]
	case theKeys:
		switch typed := strings.TrimSpace(rest); {
		case typed == "":
			return strings.Join(layout.Hang("  ", "  ", l.keys, l.width-1), "\n")
		case !l.matches(typed):
			return strings.Join(layout.Hang("  ", "  ", fmt.Sprintf("no match for %q; Backspace takes it back", typed), l.width-1), "\n")
		default:
			return strings.Join(layout.Hang("  ", "  ", fmt.Sprintf("with %q; Backspace takes it back", typed), l.width-1), "\n")
		}
	case theAnswer:
		if last := l.question[strings.LastIndex(l.question, "\n")+1:]; layout.Width(last)+layout.Width(rest)+4 < l.width {
			return " " + rest
		}
		return "\n" + strings.Join(layout.Hang("  ", "  ", rest, l.width-1), "\n")
	}
	if label := l.label(i); label != "" {
		return strings.Repeat(" ", l.names-layout.Width(about)+2) + label
	}
	return ""
}

// filter keeps the options that have what was typed. Where none has, all stay: survey
// cannot move in an empty list.
func (l list) filter(typed, _ string, i int) bool { return l.has(i, typed) || !l.matches(typed) }

func (l list) matches(typed string) bool {
	for i := range l.options {
		if l.has(i, typed) {
			return true
		}
	}
	return false
}

func (l list) has(i int, typed string) bool {
	return strings.Contains(strings.ToLower(l.options[i].Value+" "+l.options[i].Label), strings.ToLower(strings.TrimSpace(typed)))
}
