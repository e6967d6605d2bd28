// What rules may cost. Claude waits for a decision, and a hook that takes too long is
// ended without one. So the rules of a decision have a number of steps between them,
// counted from the rules and the message alone: the same on every machine. A step is
// what a regular expression does with one instruction at one byte, 20 to 60 ns. Those
// that a project brings have their own, far smaller number: it may belong to people whom the user does not trust.

package rules

import (
	"errors"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxSteps   = 100 << 20 // for the rules of the user and of the plugin, all together: seconds
	maxProgram = 20_000    // instructions of a pattern of theirs
	// The same for the rules of a project: the decision stays below 50 ms.
	maxProjectSteps   = 1 << 20
	maxProjectProgram = 1000
)

// meter counts the steps that are left, below 0 when there are none.
type meter struct{ left int }

// unlimitedMeter is for phrases that no file brings.
func unlimitedMeter() *meter { return &meter{math.MaxInt} }

func (m *meter) spendSteps(steps int) (ok bool) {
	m.left -= steps
	return m.left >= 0
}

// canAfford spends steps only if they are there: what costs less can still be asked.
func (m *meter) canAfford(steps int) (ok bool) {
	return steps <= m.left && m.spendSteps(steps)
}

// errSteps says that a rule is not asked, because the steps are used up.
var errSteps = errors.New("takes more steps than are left for this decision")

type pattern struct {
	re   *regexp.Regexp // nil until a text may match
	size int
	// needs are words, one of which is in all that matches; none if nothing is known.
	needs []string
}

// matchPattern finds the first match of a pattern in a text, nil if there is none. A pattern
// that is known costs the same again: what a rule may cost depends on nothing that was
// before.
func (c *Cache) matchPattern(expr, text string, most int, m *meter) (at []int, err error) {
	if !m.canAfford(2 * parsingCost(expr)) { // here and by regexp
		return nil, errSteps
	}
	known, ok := c.patterns[expr]
	if !ok {
		if known.size, known.needs, err = measurePattern(expr, most); err != nil {
			return nil, err
		}
	}
	if !m.canAfford(known.size * (compiling + len(text) + 1)) {
		return nil, errSteps
	}
	if may := len(known.needs) == 0 || slices.ContainsFunc(known.needs, func(word string) bool { return strings.Contains(text, word) }); !may {
		c.keepPattern(expr, known)
		return nil, nil
	}
	if known.re == nil {
		if known.re, err = regexp.Compile(expr); err != nil {
			return nil, err
		}
		c.keepPattern(expr, known)
	}
	return known.re.FindStringIndex(text), nil
}

// compiling is what an instruction costs to be made, in steps.
const compiling = 60

// measurePattern is how many instructions a pattern has, and what a text needs to match it; an
// error for one that is none or has more instructions than most. Nothing of its
// repetitions is written out for that.
func measurePattern(text string, most int) (size int, needs []string, err error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, nil, err
	}
	size = 2 + countInstructions(tree)
	if size > most {
		return 0, nil, errors.New("pattern has " + strconv.Itoa(size) + " instructions, more than " + strconv.Itoa(most) + ": use fewer repetitions")
	}
	return size, neededWords(tree), nil
}

// maxNeeds is how many words are looked for before a pattern is.
const maxNeeds = 16

// neededWords are words, one of which is in every match of a tree, none if that is not known.
func neededWords(re *syntax.Regexp) (words []string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return neededWords(re.Sub[0])
	case syntax.OpConcat: // the part whose shortest word is the longest
		for _, sub := range re.Sub {
			if part := neededWords(sub); shortestLength(part) > shortestLength(words) {
				words = part
			}
		}
		return words
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			part := neededWords(sub)
			if len(part) == 0 || len(words)+len(part) > maxNeeds {
				return nil
			}
			words = append(words, part...)
		}
		return words
	}
	return nil
}

// shortestLength is the length of the shortest of some words, 0 of none.
func shortestLength(words []string) (n int) {
	for i, w := range words {
		if i == 0 || len(w) < n {
			n = len(w)
		}
	}
	return n
}

// countInstructions is how many instructions a tree becomes at most. A tree is as deep as
// the parser lets it be, 1000 at most.
func countInstructions(re *syntax.Regexp) int {
	const enough = 1 << 30 // beyond every limit, and no overflow
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
	case syntax.OpRepeat: // each once, those that may be missing with one beside them
		if re.Max < 0 {
			n = n*max(re.Min, 1) + 2
		} else {
			n = n*re.Max + re.Max - re.Min
		}
	}
	return min(enough, max(n, 1))
}

// parsingCost is what a pattern costs to be read, in steps: more than its length says where
// it names classes of Unicode, or a range of characters in any case.
func parsingCost(text string) int {
	steps := 20 * (len(text) + 1)
	steps += 10_000 * (strings.Count(text, `\p`) + strings.Count(text, `\P`))
	if !foldsCase(text) {
		return steps
	}
	// Every character of a range is looked up. Ends that are escaped are below 512,
	// but for those in hexadecimal.
	const escaped, folding = 512, 0x1e943
	hex := strings.Contains(text, `\x`)
	for i := strings.IndexByte(text, '['); i >= 0 && i < len(text); i++ {
		if text[i] != '-' {
			continue
		}
		low, _ := utf8.DecodeLastRuneInString(text[:i])
		high, _ := utf8.DecodeRuneInString(text[i+1:])
		width := int(min(max(high-low, 0), folding)) + escaped
		if hex {
			width = folding
		}
		steps += 2 * width
	}
	return steps
}

// foldsCase tells whether a pattern has a flag for any case.
func foldsCase(text string) bool {
	for {
		_, after, found := strings.Cut(text, "(?")
		if !found {
			return false
		}
		text = after
		for _, c := range after {
			if c == 'i' {
				return true
			}
			if !strings.ContainsRune("msU-", c) {
				break
			}
		}
	}
}
