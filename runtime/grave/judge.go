// Which verb of a clause is the act, and what it is done to.

package grave

import (
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
)

// A hit is a verb of a clause.
type hit struct {
	at, end int
	rule    *rule // nil: it builds
	form    int   // of an English verb
	apart   bool  // its object may stand within: "shut it down"
}

// findVerbs lists the verbs of a clause in their order.
func (t *tongue) findVerbs(clause string) (all []hit) {
	add := func(words []string, r *rule) {
		for _, word := range words {
			for at, end := t.locate(clause, word, 0); at >= 0; at, end = t.locate(clause, word, end) {
				h := hit{at: at, end: end, rule: r}
				if first, _, apart := strings.Cut(word, "~"); t.english && apart {
					h.form, h.apart = form(firstWord(clause[at:]), first), true
				} else if t.english {
					h.form = form(clause[at:end], word)
				}
				all = append(all, h)
			}
		}
	}
	for i := range t.rules {
		add(t.rules[i].verbs, &t.rules[i])
	}
	add(t.lists["build"], nil)
	slices.SortStableFunc(all, func(a, b hit) int {
		if t.verbLast {
			return b.at - a.at
		}
		return a.at - b.at
	})
	return all
}

// judge reports whether a clause has a grave act, asked for or stated. Before are the clauses in
// front of it, the nearest first: what "it" is.
func (t *tongue) judge(clause string, before []string, asks bool) (act string, found bool) {
	whole := clause
	if t.english {
		clause = strings.ReplaceAll(clause, "-", " ")
	}
	clause = t.cut(clause)
	if !asks && !t.english && t.has(clause, t.lists["past"]) {
		return "", false
	}
	builds, front := false, ""
	for _, part := range t.parts(clause) {
		for i := 0; i < len(part.hits); {
			h := part.hits[i]
			t.understood = t.understood || asks || h.at > 0
			i++
			object, next := t.object(part, i)
			grave, settled := false, true
			if h.rule != nil {
				if t.english {
					front = clause[:h.at]
				}
				grave, settled = t.isGrave(h.rule, object, append([]string{front}, before...))
			}
			if grave {
				return part.clause[h.at:h.end], true
			}
			if settled { // what it governs is built
				builds = true
				t.builds = t.builds || asks && !t.points(object)
				if i == len(part.hits) || part.hits[i].at != h.at { // else it is in another rule, too
					i = next
				}
			}
		}
		front += " " + part.clause
	}
	frames := "frame"
	if !asks {
		frames = "hint"
	}
	if !builds {
		if act, found := t.asksLeave(clause, t.lists[frames]); found {
			return act, true
		}
	}
	for _, kind := range []string{"sure", "context"} {
		for _, words := range t.lists[kind] {
			if at, end := t.locate(whole, words, 0); at >= 0 && !builds && (asks || kind == "sure") && !t.beginsWithNoun(whole[end:]) {
				return whole[at:end], true
			}
		}
	}
	return "", false
}

// cut drops from a clause what only says when, why or what for.
func (t *tongue) cut(clause string) string {
	for _, word := range t.lists["lead"] {
		if at, _ := t.locate(clause, word, 0); at == 0 {
			return ""
		}
	}
	for _, word := range t.lists["cut"] {
		if at, _ := t.locate(clause, word, 1); at > 0 {
			clause = clause[:at]
		}
	}
	return clause
}

// A part of a clause is what stands between words like "and", in English a whole clause. Its verbs
// are in the order of their rank: the first one governs.
type part struct {
	clause string
	hits   []hit
}

func (t *tongue) parts(clause string) (all []part) {
	if t.english {
		hits := slices.DeleteFunc(t.findVerbs(clause), func(h hit) bool { return !t.isVerb(clause, h) })
		return []part{{clause, hits}}
	}
	for _, word := range t.lists["and"] {
		if language.HasBlanks(word) {
			word = " " + word + " "
		}
		clause = strings.ReplaceAll(clause, word, "\n")
	}
	for words := range strings.SplitSeq(clause, "\n") {
		all = append(all, part{words, slices.DeleteFunc(t.findVerbs(words), func(h hit) bool { return t.isCompound(words, h) })})
	}
	return all
}

// object returns what a verb is done to, and the next verb that it does not govern. The verb is the one in front of i.
func (t *tongue) object(p part, i int) (object string, next int) {
	h := p.hits[i-1]
	if !t.english {
		return p.clause[:h.at] + " " + p.clause[h.end:], len(p.hits)
	}
	if h.form == past {
		return p.clause[:h.at], len(p.hits)
	}
	from := h.end
	if h.apart {
		from = h.at + len(firstWord(p.clause[h.at:])) // "take it down"
	}
	for next = i; next < len(p.hits); next++ {
		if n := p.hits[next]; n.at >= h.end && slices.Contains(t.lists["chain"], lastWord(p.clause[:n.at])) {
			return p.clause[from:n.at], next
		}
	}
	return p.clause[from:], next
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// asksLeave finds the act that a question asks leave for where no rule knows it: in doubt it is grave.
func (t *tongue) asksLeave(clause string, frames []string) (act string, found bool) {
	for _, frame := range frames {
		at, end := t.locate(clause, frame, 0)
		if at < 0 {
			continue
		}
		if t.english {
			return t.unknownVerb(clause[end:])
		}
		if !t.has(clause, t.lists["build"]) && !t.has(clause, t.lists["plain"]) && t.kindOf(clause, &rule{}) == harm {
			for _, noun := range t.lists["harm"] {
				if at, end := t.locate(clause, noun, 0); at >= 0 {
					return clause[at:end], true
				}
			}
		}
	}
	return "", false
}

// unknownVerb returns the word that an English text begins with where it is no verb that is known.
func (t *tongue) unknownVerb(text string) (verb string, unknown bool) {
	for word := range strings.FieldsSeq(text) {
		if slices.Contains(t.lists["slot"], word) || strings.HasSuffix(word, "ly") {
			continue
		}
		for _, kind := range []string{"build", "plain"} {
			for _, known := range t.lists[kind] {
				if form(word, known) != none {
					return "", false
				}
			}
		}
		return word, !slices.ContainsFunc(t.rules, func(r rule) bool {
			return slices.ContainsFunc(r.verbs, func(known string) bool {
				first, _, _ := strings.Cut(strings.ReplaceAll(known, "~", " "), " ")
				return form(word, first) != none
			})
		})
	}
	return "", false
}
