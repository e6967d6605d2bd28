// Package lastword reads the newest prompt that the user typed: whether it forbids work, asks
// something, is a standing order, or is a bare yes.
//
// Of a long prompt the first 400 bytes and the last 400 are read. The text between them decides
// nothing, nor does half a sentence at the seam. Code,
// quotations, output of programs and what the host adds are not the user's words.
//
// The package is pure. Words are data: classes of the packs of package language.
package lastword

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Kind is the effect that a prompt has on the stops after it.
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
	Unclear  Kind = "unclear"  // it takes a turn at its end ("but", "hmm"), and no word there is known to order, ask or forbid
)

// Word is a prompt that has been read. Evidence quotes the words that decided.
type Word struct {
	Kind     Kind
	Evidence string
}

// Prompt is as much of a prompt as the log keeps: the beginning, and the end. Of a short prompt
// both are the whole text.
type Prompt struct{ Begin, End string }

// maxShort is the length in bytes up to which any word that forbids counts, if it is not followed by an order. If a
// prompt is longer, it must be the last word or the first sentence.
const maxShort = 200

// maxUntold is the length of a prompt, in bytes, that may be too short to tell its language.
const maxUntold = 120

// maxLanguages bounds the languages that a prompt is read in.
const maxLanguages = 4

func Read(p Prompt) Word {
	if strings.TrimSpace(p.Begin+p.End) == "" {
		return Word{}
	}
	if isCommand(p.Begin) {
		return Word{Kind: Orders}
	}
	own, short := ownSentences(p)
	if len(own) == 0 {
		return Word{Kind: Orders}
	}
	var said, folded []string
	for _, s := range own {
		said, folded = append(said, language.FoldText(s.text)), append(folded, fold(s.text))
	}
	told := language.TellLanguages(strings.Join(said, " "))
	foreign := len(strings.Join(said, " ")) <= maxUntold
	word, sure := Word{}, false
	if len(told) > 0 || !foreign {
		word, sure = readIn(readerFor(told, folded), own, short)
	}
	if !sure && foreign {
		words := strings.FieldsFunc(strings.Join(folded, " "), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '\'' })
		if guessed := language.GuessLanguages(words[:min(len(words), 16)]); len(guessed) > 0 || len(told) == 0 {
			word, _ = readIn(readerFor(append(guessed, told...), folded), own, short)
		}
	}
	return word
}

// readerFor returns a reader for these packs and for English, because English words are found in all prompts.
func readerFor(packs []*language.Pack, folded []string) reader {
	all := []*language.Pack{language.PackNamed("en")}
	for _, p := range packs {
		if !slices.Contains(all, p) && len(all) < maxLanguages {
			all = append(all, p)
		}
	}
	return reader{language.FindersFor(all, folded)}
}

// readIn reads a prompt in some languages. sure is set if we know from a word how the last clause acts, because a
// question mark or an unknown order might be different in a different language.
func readIn(in reader, own []sentence, short bool) (word Word, sure bool) {
	var all []clause
	orders := func(c clause) bool { return c.act == does }
	for i, s := range own {
		clauses := in.splitClauses(s)
		for j := range clauses {
			c := &clauses[j]
			c.sentence = i
			c.act, c.sure = in.actOf(*c, clauses[:j])
		}
		if !slices.ContainsFunc(clauses, orders) {
			in.joinForbidding(clauses)
		}
		all = append(all, clauses...)
	}
	if n := len(all); n > 0 {
		sure = all[n-1].sure
	}
	found := func(kind Kind, said string) Word { return Word{kind, quotation.QuoteEvidence(said)} }
	ordered := slices.ContainsFunc(all, orders)
	if len(own) == 1 && !ordered && in.Has(language.Forbid, trimSigns(fold(own[0].text))) {
		return found(Forbids, own[0].text), true
	}
	if c, ok := forbidding(all, short); ok {
		return found(Forbids, c.said), sure
	}
	if in.isYes(own) {
		return found(Yes, own[0].text), true
	}
	first := func(a act) int { return slices.IndexFunc(all, func(c clause) bool { return c.act == a }) }
	switch look, ask := first(looks), first(asks); {
	case look >= 0 && !ordered && ask < 0 && !in.Has(language.Inquire, all[look].text):
		return found(Forbids, all[look].said), sure
	case look >= 0: // the orders beside it say how to look
		return found(Asks, all[look].said), sure
	case ask >= 0 && !ordered:
		return found(Asks, all[ask].said), sure
	case len(all) > 0 && own[len(own)-1].asks && asksBehindOrders(all):
		return found(Asks, all[len(all)-1].said), sure
	}
	if s, ok := in.standing(own); ok {
		return found(Standing, s.text), true
	}
	if n := len(all); n > 0 && all[n-1].act == states {
		switch {
		case in.turns(own):
			return found(Unclear, all[n-1].said), sure
		case short && !ordered && !in.reports(own):
			return found(States, all[n-1].said), sure
		}
	}
	return Word{Kind: Orders}, sure
}

// turns reports whether a prompt takes a turn at its end: "but", "hmm", "actually".
func (in reader) turns(own []sentence) bool {
	return slices.ContainsFunc(own[max(0, len(own)-2):], func(s sentence) bool { return in.Has(language.But, fold(s.text)) })
}

// reports reports whether a prompt names a fault, a file or code, which the agent is to look after.
func (in reader) reports(own []sentence) bool {
	return slices.ContainsFunc(own, func(s sentence) bool {
		return strings.ContainsAny(s.text, "`/\\_=") || in.Has(language.Fault, fold(s.text))
	})
}

func asksBehindOrders(all []clause) bool {
	last := all[len(all)-1]
	return last.act == asks && !slices.ContainsFunc(all, func(c clause) bool { return c.sentence == last.sentence && c.act == does })
}

// forbidding returns the clause that forbids, if it is last or not followed by an order. If the prompt is long, we
// only check the last clause and the first sentence.
func forbidding(all []clause, short bool) (clause, bool) {
	for i := len(all) - 1; i >= 0 && all[i].act != does; i-- {
		c := all[i]
		last := i+1 == len(all)
		alone := last || all[i+1].sentence > c.sentence
		if c.act == forbids && (last || short || c.sentence == 0 && c.first && alone) {
			return c, true
		}
	}
	return clause{}, false
}

// standing finds a standing order. An order to ask first, anywhere, cancels it.
func (in reader) standing(own []sentence) (found sentence, ok bool) {
	for _, s := range own {
		folded := fold(s.text)
		if in.Has(language.Consult, folded) {
			return sentence{}, false
		}
		if !ok && !s.asks && in.Has(language.Standing, folded) {
			found, ok = s, true
		}
	}
	return found, ok
}

// isYes reports whether a prompt is just a yes, apart from words like "please". A question is not, except "why not?".
func (in reader) isYes(own []sentence) (yes bool) {
	for _, s := range own {
		for rest := trimSigns(fold(s.text)); rest != ""; {
			if s.asks && in.Skip(rest+"?", language.Yes) > len(rest) { // "why not?"
				yes, s.asks = true, false
				break
			}
			n := in.Skip(rest, language.Yes)
			yes = yes || n > 0
			if n = max(n, in.Skip(rest, language.Soft, language.And, language.Then)); n == 0 {
				return false
			}
			rest = trimSigns(rest[n:])
		}
		if s.asks {
			return false
		}
	}
	return yes
}
