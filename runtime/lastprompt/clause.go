package lastprompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
)

type act byte

const (
	states act = iota
	forbids
	bars
	looks
	asks
	does
)

// clause is a part of a sentence that can be a separate act.
type clause struct {
	said     string   // as written
	text     string   // folded, without soft words and signs at its ends
	forms    []string // text, and variants that keep soft and joining words
	asks     bool     // has a question mark
	first    bool     // of its sentence
	listed   bool     // only a word, with just a comma or an "and" before it
	sentence int      // the sentence number
	act      act
	sure     bool // act was determined by a known word
}

type reader struct{ language.Finders }

// spreadForbid makes a clause, except a piece's first, forbid if it only states, but its whole piece forbids. clauses
// are from one sentence, have their acts set, and none orders work.
func (in reader) spreadForbid(clauses []clause) {
	for i := 1; i < len(clauses); i++ {
		c := &clauses[i]
		if split := c.said == clauses[i-1].said; split && c.act == states && in.Has(language.Forbid, in.trimSoft(trimSigns(fold(c.said)))) {
			c.act, c.sure = forbids, true
		}
	}
}

// actOf returns the act of c, and whether a known word determined it. The caller stores both in c. before are the
// sentence's earlier clauses, with their acts.
func (in reader) actOf(c clause, before []clause) (_ act, byWord bool) {
	says := func(class language.Class) bool {
		return slices.ContainsFunc(c.forms, func(text string) bool { return in.Has(class, text) })
	}
	switch {
	case c.text == "" || c.text == "`":
		return states, false
	case says(language.Look):
		return looks, true
	case says(language.Forbid) && !(c.listed && language.UsesBlanks(c.text) && mayNameFollow(before)):
		return forbids, true
	case says(language.Bar):
		return bars, true
	case says(language.Request):
		return does, true
	}
	if n := in.MatchLen(c.text, language.Could); n > 0 {
		return in.actAfterOpener(c, n), true
	}
	switch {
	case says(language.Inquire):
		return asks, true
	case says(language.Command):
		return does, true
	case c.asks:
		return asks, false
	}
	return states, false
}

// mayNameFollow reports whether a word following these clauses can be a name: "add play, pause and stop". A clause has
// to order or ask, and the last can't forbid.
func mayNameFollow(before []clause) bool {
	return slices.ContainsFunc(before, func(c clause) bool { return c.act >= asks }) && before[len(before)-1].act != forbids
}

// actAfterOpener returns the act for c, whose opener ("can you") ends at openerEnd.
func (in reader) actAfterOpener(c clause, openerEnd int) act {
	wanted := in.trimSoft(trimSigns(c.text[openerEnd:]))
	part := c.forms[len(c.forms)-1]
	whole := part[max(0, strings.Index(part, wanted)):]
	switch {
	case in.Has(language.Look, wanted):
		return looks
	case in.Has(language.Forbid, wanted) || in.Has(language.Forbid, whole):
		return forbids
	case in.MatchLen(wanted, language.Tell) > 0 || in.Has(language.Inquire, wanted):
		return asks
	}
	return does
}

// splitClauses returns a sentence's clauses. The caller sets their sentence, act and sure.
func (in reader) splitClauses(s lastmessage.Sentence) (all []clause) {
	pieces := splitAtMarks(s.Text)
	for i, piece := range pieces {
		asks := strings.Contains(piece, "¿") || s.Asks && i == len(pieces)-1
		whole := trimSigns(fold(piece))
		if i+1 < len(pieces) && whole != "" && in.MatchLen(whole, language.Then) == len(whole) { // "if not, fix it"
			pieces[i+1] = piece + " " + pieces[i+1]
			continue
		}
		listed := i > 0
		for _, part := range in.splitAtWords(whole, asks) {
			c := clause{said: piece, asks: asks, first: len(all) == 0}
			if c.text = in.trimSoft(part); c.text != "" {
				own := part // without joining words at its beginning
				for n := 1; n > 0; own = trimSigns(own[n:]) {
					n = in.MatchLen(own, language.Then, language.And)
				}
				c.forms = slices.Compact([]string{c.text, in.withoutSoftEnd(own), own, part})
				c.listed = listed && in.MatchLen(part, language.Then) == 0 && !strings.Contains(own, " ")
				all = append(all, c)
			}
			listed = true
		}
	}
	return all
}

func splitAtMarks(text string) (all []string) {
	start := 0
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch r {
		case ',', ';', ':', '-', '،', '；':
			if next < len(text) && text[next] != ' ' && text[next] < utf8.RuneSelf || r == '-' && (i == 0 || text[i-1] != ' ' && text[i-1] != '-') {
				continue
			}
		case '，', '、', '：', '—', '–', '(', '（', '…':
		default:
			if !unicode.Is(unicode.So, r) { // 👍
				continue
			}
		}
		if len(all) < 20 {
			all = append(all, text[start:i])
			start = next
		}
	}
	return append(all, text[start:])
}

// splitAtWords splits a piece at joining words, but not a question without an order, nor an order to explain at "and".
func (in reader) splitAtWords(folded string, asks bool) (all []string) {
	classes := []language.Class{language.Then, language.And}
	begin := in.trimSoft(folded)
	could := in.MatchLen(begin, language.Could)
	switch {
	case asks && (could == 0 || in.Has(language.How, folded)):
		return []string{folded}
	case in.Has(language.Inquire, folded) && (could == 0 && in.MatchLen(begin, language.Tell) == 0 || in.Has(language.How, folded)):
		classes = classes[:1]
	}
	start := 0
	for i := range folded {
		if i > start && !language.IsWithinWord(folded, i) && folded[i] != ' ' && in.MatchLen(folded[i:], classes...) > 0 {
			all = append(all, trimSigns(folded[start:i]))
			start = i
		}
	}
	return append(all, trimSigns(folded[start:]))
}

// trimSoft removes soft and joining words and backticks from a folded text's beginning, and soft words from its end.
func (in reader) trimSoft(folded string) string {
	for {
		n := max(in.MatchLen(folded, language.Soft, language.Then, language.And), len(folded)-len(strings.TrimLeft(folded, "`")))
		if n == 0 {
			return in.withoutSoftEnd(folded)
		}
		folded = trimSigns(folded[n:])
	}
}

func (in reader) withoutSoftEnd(folded string) string {
	for from := len(folded); from > 0 && len(folded)-from <= 30; {
		_, size := utf8.DecodeLastRuneInString(folded[:from])
		from -= size
		if from > 0 && !language.IsWithinWord(folded, from) && folded[from] != ' ' && in.MatchLen(folded[from:], language.Soft) == len(folded)-from {
			folded = trimSigns(folded[:from])
			from = len(folded)
		}
	}
	return folded
}

// accented are letters with diacritics. plain are the letters that replace them in the packs.
var (
	accented = []rune("àáâãäåāăąçćčèéêëēęěìíîïīıłñńňòóôõöøőùúûüūůűýÿśšşžźżğďťřœæ")
	plain    = "aaaaaaaaaccceeeeeeeiiiiiilnnnooooooouuuuuuuyyssszzzgdtroa"
)

// fold normalises a text, removes accents, and reduces three or more of the same letter ("stoppp") to one.
func fold(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= 0xdf && r < 0x180 {
			if i := slices.Index(accented, r); i >= 0 {
				return rune(plain[i])
			}
		}
		return r
	}, language.FoldText(text))
	for i := 0; i+2 < len(text); i++ {
		if c := text[i]; 'a' <= c && c <= 'z' && text[i+1] == c && text[i+2] == c {
			text = text[:i+1] + strings.TrimLeft(text[i+1:], string(rune(c)))
		}
	}
	return text
}

func trimSigns(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r != '`' && (unicode.IsSpace(r) || unicode.IsPunct(r)) })
}
