package interview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"
	"golang.org/x/term"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

// Asker asks a question with survey, and asks again if check returns an error. It returns ErrCancelled on Ctrl-C. It
// moves the cursor, so it bypasses display.SafeWriter and applies display.OneLine to foreign text.
type Asker struct {
	Terminal
	ctx   context.Context
	stdio survey.AskOpt
}

// NewAsker returns an Asker for t. t.Hint must be set. Questions return ErrCancelled if ctx is cancelled. It changes
// package variables in survey.
func (t Terminal) NewAsker(ctx context.Context) Asker {
	core.DisableColor = !t.Color // survey does not read NO_COLOR itself
	survey.ErrorTemplate = strings.Replace(survey.ErrorTemplate, "Sorry, your reply was invalid", "invalid answer", 1)
	hint := strings.NewReplacer(`"  "}}{{- color "cyan"}}[Use arrows to move`, `"\n  "}}{{- color "cyan"}}[arrows move`, "space to select", "space selects", "for more help", "for help")
	for _, question := range []*string{&survey.SelectQuestionTemplate, &survey.MultiSelectQuestionTemplate} {
		*question = hint.Replace(*question) // fits into 60 columns, where survey breaks lines within words
	}
	return Asker{t, ctx, survey.WithStdio(&keys{File: t.In}, t.Screen, t.Screen)}
}

// fold makes a list's question, or an error, safe to print and wraps it to the terminal's width.
func (p Asker) fold(question string) string {
	return strings.Join(layout.HangText("", "  ", display.OneLine(question), p.widthOf()-4), "\n")
}

func (p Asker) badAnswerError(err error) error {
	return errors.New(p.fold(p.errorWithHint(err)))
}

// askOrCancel asks a question and sets answer. On cancellation it restores the terminal and returns ErrCancelled.
func (p Asker) askOrCancel(q survey.Prompt, answer any, opts ...survey.AskOpt) error {
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

// Many returns the chosen options' values. preset lists those marked initially. checkAnswer is set. If it returns an
// error, Many asks again.
func (p Asker) Many(
	question string, options []Option, preset []string, checkAnswer func([]string) error,
) ([]string, error) {
	var answer []string
	q := &survey.MultiSelect{
		Message: p.fold(question), Options: valuesOf(options), Default: preset, PageSize: len(options),
		Description: p.printIfLong(options), Help: p.helpText(options), Filter: filterOptions(options),
	}
	err := p.askOrCancel(q, &answer, survey.WithValidator(func(v any) error {
		marked, _ := v.([]core.OptionAnswer)
		chosen := check.NamesOf(marked, func(o core.OptionAnswer) string { return o.Value })
		if err := checkAnswer(chosen); err != nil {
			q.Default = chosen // keep the marks
			return p.badAnswerError(err)
		}
		return nil
	}))
	return answer, err
}

// One asks for an option's value. preset is one.
func (p Asker) One(question string, options []Option, preset string) (string, error) {
	var answer string
	err := p.askOrCancel(&survey.Select{
		Message: p.fold(question), Options: valuesOf(options), Default: preset, PageSize: len(options),
		Description: p.printIfLong(options), Help: p.helpText(options), Filter: filterOptions(options),
	}, &answer)
	return answer, err
}

// Text asks for a line of text, again if check returns an error. Enter alone returns preset. check is set.
func (p Asker) Text(question, preset string, check func(string) error) (string, error) {
	var answer string
	err := p.askOrCancel(&survey.Input{Message: display.OneLine(question), Default: display.OneLine(preset)}, &answer, survey.WithValidator(func(v any) error {
		if err := check(fmt.Sprint(v)); err != nil {
			return p.badAnswerError(err)
		}
		return nil
	}))
	return answer, err
}

// Confirm asks a question. Enter alone means yes. On an error the answer has no meaning.
func (p Asker) Confirm(question string) (bool, error) {
	answer := true
	err := p.askOrCancel(&survey.Confirm{Message: display.OneLine(question), Default: true}, &answer)
	return answer, err
}

func valuesOf(options []Option) []string {
	return check.NamesOf(options, func(o Option) string { return o.Value })
}

// printIfLong returns a function that returns the label of option i. If a label is too long, it prints all options, and
// the function returns "".
func (p Asker) printIfLong(options []Option) (unprinted func(value string, i int) string) {
	const frame = 12 // columns around value and label
	if !slices.ContainsFunc(options, func(o Option) bool { return layout.TextWidth(o.Value+o.Label) > p.widthOf()-frame }) {
		return func(_ string, i int) string { return options[i].Label }
	}
	for _, o := range options {
		for _, line := range layout.HangText(o.Value+": ", "  ", o.Label, p.widthOf()-1) {
			fmt.Fprintln(p.Screen, line)
		}
	}
	return func(string, int) string { return "" }
}

func (p Asker) helpText(options []Option) string {
	var lines []string
	for _, o := range options {
		if o.Help != "" {
			lines = append(lines, layout.HangText(o.Value+": ", "  ", o.Label+". "+o.Help, p.widthOf()-3)...)
		}
	}
	return strings.Join(lines, "\n")
}

// filterOptions returns a filter for options containing the typed text (all if none). Values are in lower case.
func filterOptions(options []Option) (hasOrNoneHas func(typed, value string, i int) bool) {
	return func(typed, value string, _ int) bool {
		has := func(value string) bool { return strings.Contains(value, strings.ToLower(typed)) }
		return has(value) || !slices.ContainsFunc(valuesOf(options), has)
	}
}

// keys reads the terminal. survey asks the terminal for the cursor's position before it reads a line, and
// drops keys read together with the reply. Therefore keys returns the reply in a separate read.
type keys struct {
	*os.File
	left []byte
}

var cursorReply = regexp.MustCompile(`\x1b\[\d+;\d+R`)

func (k *keys) Read(p []byte) (int, error) {
	if len(k.left) == 0 {
		buffer := make([]byte, len(p))
		n, err := k.File.Read(buffer)
		if err != nil {
			return 0, err
		}
		k.left = buffer[:n]
	}
	end := len(k.left)
	if reply := cursorReply.FindIndex(k.left); reply != nil {
		end = cmp.Or(reply[0], reply[1])
	}
	n := copy(p, k.left[:end])
	k.left = k.left[n:]
	return n, nil
}
