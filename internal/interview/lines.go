package interview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/internal/layout"
)

// onLines asks line by line, without redrawing, for screen readers, logs and simple terminals.
type onLines struct {
	Terminal
	ctx   context.Context
	lines <-chan string // closed at the end of input
}

func (p onLines) readLine(prompt string) (string, error) {
	lines := layout.HangText("", "", prompt, p.widthOf()-10) // leaves room for the answer
	fmt.Fprint(p.Out, strings.Join(lines, "\n")+" ")
	select {
	case line, ok := <-p.lines:
		if ok {
			return strings.TrimSpace(line), nil
		}
	case <-p.ctx.Done():
	}
	fmt.Fprintln(p.Out)
	return "", ErrCancelled
}

func (p onLines) askUntilTaken(prompt string, take func(line string) error) error {
	for {
		line, err := p.readLine(prompt)
		if err != nil {
			return err
		}
		if err = take(line); err == nil {
			return nil
		}
		p.Note("Invalid answer: " + p.problem(err) + ".")
	}
}

func (p onLines) listOptions(question string, options []Option, chosen []string) {
	p.Note(question)
	for i, o := range options {
		line := o.Value
		if slices.Contains(chosen, o.Value) {
			line += ", preset"
		}
		if o.Label != "" {
			line += ": " + o.Label
		}
		for _, part := range layout.HangText(fmt.Sprintf("%d. ", i+1), "   ", line, p.widthOf()-1) {
			fmt.Fprintln(p.Out, part)
		}
	}
}

func (p onLines) Many(question string, options []Option, chosen []string, check func([]string) error) (answer []string, err error) {
	p.listOptions(question, options, chosen)
	err = p.askUntilTaken(fmt.Sprintf("Type numbers or names separated by spaces, or all; press Enter for %s:", strings.Join(chosen, " ")), func(line string) error {
		answer = nil
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' })
		switch {
		case len(fields) == 0:
			answer = chosen
		case len(fields) == 1 && fields[0] == "all":
			answer = valuesOf(options)
		}
		for _, field := range fields {
			if len(answer) == len(options) {
				break
			}
			value, err := pickOption(field, options)
			if err != nil {
				return err
			}
			if !slices.Contains(answer, value) {
				answer = append(answer, value)
			}
		}
		return check(answer)
	})
	return answer, err
}

func (p onLines) One(question string, options []Option, chosen string) (answer string, err error) {
	p.listOptions(question, options, []string{chosen})
	err = p.askUntilTaken(fmt.Sprintf("Type a number or name; press Enter for %s:", chosen),
		func(line string) (err error) {
			answer, err = pickOption(cmp.Or(line, chosen), options)
			return err
		})
	return answer, err
}

func (p onLines) Text(question, preset string, check func(string) error) (answer string, err error) {
	if preset != "" {
		question += " Press Enter for " + preset + ":"
	}
	err = p.askUntilTaken(question, func(line string) error {
		answer = cmp.Or(line, preset)
		return check(answer)
	})
	return answer, err
}

func (p onLines) Confirm(question string) (yes bool, err error) {
	err = p.askUntilTaken(question+" Type yes or no; press Enter for yes:", func(line string) error {
		yes = slices.Contains([]string{"", "y", "yes"}, strings.ToLower(line))
		if !yes && !slices.Contains([]string{"n", "no"}, strings.ToLower(line)) {
			return fmt.Errorf("%q is neither yes nor no", line)
		}
		return nil
	})
	return yes, err
}

func pickOption(text string, options []Option) (string, error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(options) {
		return options[n-1].Value, nil
	}
	if slices.Contains(valuesOf(options), text) {
		return text, nil
	}
	return "", fmt.Errorf("%q is neither a number from 1 to %d nor a name in the list", text, len(options))
}
