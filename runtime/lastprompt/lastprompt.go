// Package lastprompt classifies the last prompt that the user typed: whether it forbids work, asks something,
// is a standing order, or is a bare yes.
//
// Only the beginning and the end of a long prompt are read. Code, quotations, output of programs and text
// added by the host are ignored.
//
// The package is pure. Its words are in package language.
package lastprompt

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Kind is the effect of a prompt on the stops after it.
type Kind string

// The kinds, from the strongest to the weakest.
const (
	Unknown  Kind = ""         // the prompt is not known
	Forbids  Kind = "forbids"  // stop, wait, let me think
	Asks     Kind = "asks"     // a question, or an order to look and change nothing
	Standing Kind = "standing" // a literal order to go on without asking
	Yes      Kind = "yes"      // a bare yes or "continue"
	Orders   Kind = "orders"   // anything else
	States   Kind = "states"   // it is short, orders nothing and reports no fault: "anna has to see it first"
	Unclear  Kind = "unclear"  // it ends with an objection or doubt ("but", "hmm"), and no known word there orders, asks or forbids
)

// Word is the result of reading a prompt. Evidence quotes the words that decided. Held is for FindBanned.
type Word struct {
	Kind     Kind
	Evidence string
	Held     string
}

// Prompt is the part of a prompt that the log keeps: the beginning and the end. For a short prompt both are
// the whole text.
type Prompt struct{ Begin, End string }

// maxShort is the maximum length of a short prompt in characters. In a short prompt any clause that forbids counts
// if no order follows. In a longer prompt only the last clause or the first sentence does.
const maxShort = 200

const maxUntold = 120 // bytes: a shorter prompt may not show its language

const maxLanguages = 4

func Read(p Prompt) Word {
	if strings.TrimSpace(p.Begin+p.End) == "" {
		return Word{}
	}
	if isSlashCommand(p.Begin) {
		return Word{Kind: Orders}
	}
	own, short := ownSentences(p)
	if len(own) == 0 {
		return Word{Kind: Orders}
	}
	var said, folded []string
	for _, s := range own {
		said, folded = append(said, language.FoldText(s.Text)), append(folded, fold(s.Text))
	}
	told := language.TellLanguages(strings.Join(said, " "))
	foreign := len(strings.Join(said, " ")) <= maxUntold
	word, sure := Word{}, false
	if len(told) > 0 || !foreign {
		word, sure = readIn(readerWithEnglish(told, folded), own, short)
	}
	if !sure && foreign {
		words := strings.FieldsFunc(strings.Join(folded, " "), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '\'' })
		if guessed := language.GuessLanguages(words[:min(len(words), 16)]); len(guessed) > 0 || len(told) == 0 {
			word, _ = readIn(readerWithEnglish(append(guessed, told...), folded), own, short)
		}
	}
	return word
}

// readerWithEnglish returns a reader for English and these packs, at most maxLanguages in all. The caller folds the
// sentences with fold.
func readerWithEnglish(packs []*language.Pack, folded []string) reader {
	all := []*language.Pack{language.PackNamed("en")}
	for _, p := range packs {
		if !slices.Contains(all, p) && len(all) < maxLanguages {
			all = append(all, p)
		}
	}
	return reader{language.AllFinders(all, folded)}
}

// readIn classifies a prompt in the languages of in. sure is false if no known word determines the result.
func readIn(in reader, typed []lastmessage.Sentence, short bool) (word Word, sure bool) {
	var all []clause
	orders := func(c clause) bool { return c.act == does }
	for i, s := range typed {
		clauses := in.splitClauses(s)
		for j := range clauses {
			c := &clauses[j]
			c.sentence = i
			c.act, c.sure = in.actOf(*c, clauses[:j])
		}
		if !slices.ContainsFunc(clauses, orders) {
			in.spreadForbid(clauses)
		}
		all = append(all, clauses...)
	}
	if n := len(all); n > 0 {
		sure = all[n-1].sure
	}
	held := in.holdingClauses(all)
	found := func(kind Kind, said string) Word { return Word{kind, quotation.QuoteEvidence(said), held} }
	ordered := slices.ContainsFunc(all, orders)
	if len(typed) == 1 && !ordered && in.Has(language.Forbid, trimSigns(fold(typed[0].Text))) {
		return found(Forbids, typed[0].Text), true
	}
	for i := len(all) - 1; i >= 0 && all[i].act != does; i-- {
		c, last := all[i], i+1 == len(all)
		if c.act == forbids && (last || short || c.sentence == 0 && c.first && all[i+1].sentence > 0) {
			return found(Forbids, c.said), sure
		}
	}
	first := func(a act) int { return slices.IndexFunc(all, func(c clause) bool { return c.act == a }) }
	if bar := first(bars); bar >= 0 && !ordered && first(asks) < 0 {
		return found(Forbids, all[bar].said), sure
	}
	if in.isBareYes(typed) {
		return found(Yes, typed[0].Text), true
	}
	switch look, ask := first(looks), first(asks); {
	case look >= 0 && !ordered && ask < 0 && !in.Has(language.Inquire, all[look].text):
		return found(Forbids, all[look].said), sure
	case look >= 0: // the orders beside it say how to look
		return found(Asks, all[look].said), sure
	case ask >= 0 && !ordered:
		return found(Asks, all[ask].said), sure
	case len(all) > 0 && typed[len(typed)-1].Asks && lastSentenceOnlyAsks(all):
		return found(Asks, all[len(all)-1].said), sure
	}
	if s, ok := in.standingLeave(typed); ok {
		return found(Standing, s.Text), true
	}
	if n := len(all); n > 0 && all[n-1].act == states {
		switch {
		case in.hasContrast(typed):
			return found(Unclear, all[n-1].said), sure
		case short && !ordered && !in.namesFaultOrCode(typed):
			return found(States, all[n-1].said), sure
		}
	}
	return Word{Kind: Orders, Held: held}, sure
}

func (in reader) hasContrast(typed []lastmessage.Sentence) bool {
	return slices.ContainsFunc(typed[max(0, len(typed)-2):], func(s lastmessage.Sentence) bool { return in.Has(language.But, fold(s.Text)) })
}

func (in reader) namesFaultOrCode(typed []lastmessage.Sentence) bool {
	return slices.ContainsFunc(typed, func(s lastmessage.Sentence) bool {
		return strings.ContainsAny(s.Text, "`/\\_=") || in.Has(language.Fault, fold(s.Text))
	})
}

// lastSentenceOnlyAsks reports whether the last clause asks and its sentence orders no work. all is not empty.
func lastSentenceOnlyAsks(all []clause) bool {
	last := all[len(all)-1]
	return last.act == asks && !slices.ContainsFunc(all, func(c clause) bool { return c.sentence == last.sentence && c.act == does })
}

func (in reader) standingLeave(typed []lastmessage.Sentence) (found lastmessage.Sentence, ok bool) {
	for _, s := range typed {
		folded := fold(s.Text)
		if in.Has(language.Consult, folded) {
			return lastmessage.Sentence{}, false
		}
		if !ok && !s.Asks && in.Has(language.Standing, folded) {
			found, ok = s, true
		}
	}
	return found, ok
}

func (in reader) isBareYes(typed []lastmessage.Sentence) (yes bool) {
	for _, s := range typed {
		for rest := trimSigns(fold(s.Text)); rest != ""; {
			if s.Asks && in.MatchLen(rest+"?", language.Yes) > len(rest) { // "why not?"
				yes, s.Asks = true, false
				break
			}
			n := in.MatchLen(rest, language.Yes)
			yes = yes || n > 0
			if n = max(n, in.MatchLen(rest, language.Soft, language.And, language.Then)); n == 0 {
				return false
			}
			rest = trimSigns(rest[n:])
		}
		if s.Asks {
			return false
		}
	}
	return yes
}
