package rules

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The agent kills a slow hook. Therefore all rules of a decision share a budget in steps, so that the outcome
// depends only on the rules and the message. A step is one instruction of a regular expression at one byte:
// 20 to 60 ns. A project's rules share a smaller budget.
const (
	maxSteps   = 100 << 20 // for all rules of the user and the plugin: takes seconds
	maxProgram = 20_000    // instructions of a pattern in these rules
	// For a project's rules: the decision takes less than 50 ms.
	maxProjectSteps   = 1 << 20
	maxProjectProgram = 1000
)

// StepBudget limits the steps of patterns. A nil StepBudget, as for built-in phrases, is unlimited.
type StepBudget struct {
	left       int // steps, below 0 if overspent
	maxProgram int // instructions of a pattern
}

// spendSteps reports whether the steps are left, and spends them in any case. A nil m is unlimited.
func (m *StepBudget) spendSteps(steps int) (ok bool) {
	if m == nil {
		return true
	}
	m.left -= steps
	return m.left >= 0
}

// spendIfLeft spends the steps and returns true, or spends nothing and returns false if too few are left. m is set.
func (m *StepBudget) spendIfLeft(steps int) (ok bool) {
	return steps <= m.left && m.spendSteps(steps)
}

var errSteps = errors.New("takes more steps than are left for this decision")

type pattern struct {
	re   *regexp.Regexp
	size int
}

// matchPattern returns the bounds of the first match for expr in text (nil if none). It spends steps of m, which is
// set, and returns errSteps if too few are left.
func (c *Cache) matchPattern(expr, text string, m *StepBudget) (at []int, err error) {
	if !m.spendIfLeft(2 * parsingCost(expr)) { // parsed here and by regexp
		return nil, errSteps
	}
	known, ok := c.patterns[expr]
	if !ok {
		if known.size, err = measurePattern(expr, m.maxProgram); err != nil {
			return nil, err
		}
	}
	if !m.spendIfLeft(known.size * (compiling + len(text) + 1)) {
		return nil, errSteps
	}
	if !ok {
		if known.re, err = regexp.Compile(expr); err != nil {
			return nil, err
		}
		if c.patterns == nil {
			c.patterns = map[string]pattern{}
		}
		c.patterns[expr] = known
	}
	return known.re.FindStringIndex(text), nil
}

const compiling = 60 // steps of an instruction

// measurePattern returns an upper bound for a pattern's number of instructions. More than most is an error.
func measurePattern(expr string, most int) (size int, err error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 0, err
	}
	size = 2 + countInstructions(tree)
	if size > most {
		return 0, errors.New("pattern has " + strconv.Itoa(size) + " instructions, more than " + strconv.Itoa(most) + ": use fewer repetitions")
	}
	return size, nil
}

func countInstructions(re *syntax.Regexp) int {
	const enough = 1 << 30 // more than any limit, but does not overflow
	n := 0
	for _, sub := range re.Sub {
		n = min(enough, n+countInstructions(sub))
	}
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpAlternate:
		n += len(re.Sub)
	case syntax.OpCapture, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		n += 2
	case syntax.OpRepeat: // one copy per repetition, and one more instruction if it is optional
		if re.Max < 0 {
			n = n*max(re.Min, 1) + 2
		} else {
			n = n*re.Max + re.Max - re.Min
		}
	}
	return min(enough, max(n, 1))
}

func parsingCost(expr string) int {
	steps := 20*(len(expr)+1) + 10_000*(strings.Count(expr, `\p`)+strings.Count(expr, `\P`))
	if !foldsCase(expr) {
		return steps
	}
	// Every character of a range is looked up. Escaped bounds are below 512, unless hexadecimal.
	const escaped, folding = 512, 0x1e943
	hex := strings.Contains(expr, `\x`)
	for i := strings.IndexByte(expr, '['); i >= 0 && i < len(expr); i++ {
		if expr[i] != '-' {
			continue
		}
		low, _ := utf8.DecodeLastRuneInString(expr[:i])
		high, _ := utf8.DecodeRuneInString(expr[i+1:])
		width := int(min(max(high-low, 0), folding)) + escaped
		if hex {
			width = folding
		}
		steps += 2 * width
	}
	return steps
}

func foldsCase(expr string) bool {
	return slices.ContainsFunc(strings.Split(expr, "(?")[1:], func(group string) bool {
		return strings.HasPrefix(strings.TrimLeft(group, "msU-"), "i")
	})
}
