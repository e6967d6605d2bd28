// What an act is done to.

package grave

import (
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
)

// The kinds of an object.
const (
	unknown = iota
	needed
	inner
	code
	harm
)

// isGrave reports whether an act is grave for its object, and whether the object settles it where it is not.
func (t *tongue) isGrave(r *rule, object string, before []string) (grave, settled bool) {
	kind := t.kindOf(object, r)
	if t.english && kind == harm && r.needs != nil && t.points(t.head(object)) {
		kind = unknown // "run it on the database": what is run
	}
	if kind == unknown && (r.code || r.needs != nil) && t.points(object) {
		for i := 0; i < len(before) && kind == unknown; i++ {
			if kind = t.kindOf(before[i], r); kind != code && !r.harm && !t.has(before[i], t.lists["build"]) && t.has(before[i], r.needs) {
				kind = needed
			}
		}
	}
	switch {
	case r.needs != nil:
		return kind == needed || kind != code && kind != inner && t.has(t.beforeOf(object), r.needs) || t.has(object, r.phrases), kind == code
	case t.has(object, r.except) && kind != harm:
		return false, true
	case r.code && kind == code:
		return false, true
	}
	return kind != inner, true
}

// head is an English object up to its first preposition, but for "all of".
func (t *tongue) head(object string) string { return t.upTo(object, t.lists["preposition"]) }

// beforeOf is an English object without what it is of.
func (t *tongue) beforeOf(object string) string {
	if !t.english {
		return object
	}
	return t.upTo(object, []string{"of", "for", "about"})
}

func (t *tongue) upTo(object string, ends []string) string {
	for from, prev := 0, ""; from < len(object); {
		word := firstWord(object[from:])
		if from > 0 && slices.Contains(ends, word) && !(word == "of" && slices.Contains(t.lists["amount"], prev)) {
			return object[:from]
		}
		if word != "" {
			prev = word
		}
		from += len(word) + 1
	}
	return object
}

// kindOf is the kind of the head of an object, else of what it begins with.
func (t *tongue) kindOf(object string, r *rule) int {
	head, last := object, t.headLast
	if t.english {
		head, last = t.head(object), true
	}
	if kind := t.nounIn(head, r, last); kind != unknown || len(head) == len(object) {
		return kind
	}
	kind := t.nounIn(t.beforeOf(object), r, false)
	if strings.TrimSpace(head) != "" && (kind == code || kind == inner) {
		return unknown // what is only beside the object
	}
	return kind
}

// nounIn is the kind of the last noun that is known, or of the first one.
func (t *tongue) nounIn(text string, r *rule, last bool) (kind int) {
	best, long := -1, 0
	for i, words := range [][]string{r.needs, t.lists["inner"], t.lists["code"], t.lists["harm"]} {
		for _, word := range words {
			for at, end := t.locate(text, word, 0); at >= 0; at, end = t.locate(text, word, end) {
				if t.english && form(text[at:end], word) > present {
					continue
				}
				if best < 0 || last && end > best+long || !last && at < best || at == best && end-at > long {
					best, long, kind = at, end-at, i+needed
				}
				if !last {
					break
				}
			}
		}
	}
	return kind
}

// points reports whether an object is nothing, or a word like "it".
func (t *tongue) points(object string) bool {
	if !t.english {
		return true
	}
	n := 0
	for word := range strings.FieldsSeq(object) {
		if slices.Contains(t.lists["pronoun"], word) {
			return true
		}
		if !slices.Contains(t.lists["article"], word) && !slices.Contains(t.lists["preposition"], word) && !strings.HasSuffix(word, "ly") {
			n++
		}
		if n > 1 {
			return false
		}
	}
	return n == 0
}

// isVerb reports whether an English word is a verb where it is: "the push" is none.
func (t *tongue) isVerb(clause string, h hit) bool {
	front, behind := clause[:h.at], clause[h.end:]
	prev := lastWord(front)
	rest := strings.TrimSuffix(strings.TrimRight(front, " "), prev)
	noun := t.isCompound(clause, h)
	inSlot := prev == "" || slices.Contains(t.lists["slot"], prev) || strings.HasSuffix(prev, "ly")
	if slices.Contains(t.lists["modal"], prev) && strings.TrimSpace(rest) == "" {
		inSlot = false // "should delete ask?"
	}
	if prev == "to" && slices.Contains(t.lists["unto"], lastWord(rest)) {
		inSlot = false
	}
	passive := strings.Contains(" "+front, " be ") || strings.Contains(" "+front, " get ") || strings.Contains(" "+front, " being ")
	switch h.form {
	case base:
		return inSlot && !(noun && (h.rule == nil || h.rule.needs == nil) && (prev == "" || slices.Contains(t.lists["chain"], prev))) || passive && prev == "be"
	case gerund:
		return !noun && !slices.Contains(t.lists["article"], prev) && !slices.Contains([]string{"finished", "done", "completed", "stopped", "for"}, prev)
	case past:
		wants := strings.Contains(" "+front, " want ") || strings.Contains(" "+front, " like ") || strings.Contains(" "+front, " need ") || strings.Contains(" "+front, " have ")
		if (prev == "i" || prev == "we") && strings.HasSuffix(strings.TrimRight(rest, " "), " if") {
			return true // "is it fine if I pushed?"
		}
		return passive && (prev == "be" || prev == "being" || prev == "get" || inSlot || prev == "completely") || wants && !slices.Contains(t.lists["article"], prev) && prev != "i" && prev != "we" && prev != "have" && behind != front
	}
	subject := strings.Fields(front)
	return h.form == present && slices.ContainsFunc(subject[:min(2, len(subject))], func(word string) bool { return slices.Contains(t.lists["subject"], word) })
}

// isCompound reports whether a verb is only the front of a noun: "delete button".
func (t *tongue) isCompound(clause string, h hit) bool {
	if t.english {
		return t.beginsWithNoun(clause[h.end:])
	}
	if h.rule == nil {
		return false
	}
	if t.beginsWithNoun(clause[h.end:]) && t.has(clause, t.lists["build"]) {
		return true
	}
	front := strings.Fields(clause[:h.at])
	if n := len(front); n > 1 && slices.Contains(t.lists["particle"], front[n-1]) {
		front = front[:n-1] // "bouton de suppression"
	}
	if n := len(front); n > 0 && !t.verbLast && t.has(front[n-1], t.lists["code"]) {
		return true // "nút xóa"
	}
	end := h.end
	for end < len(clause) && clause[end] == '-' {
		for end++; end < len(clause) && language.IsWithinWord(clause, end); end++ {
		}
	}
	return slices.ContainsFunc(slices.Concat(t.lists["code"], t.lists["inner"]), func(noun string) bool { return strings.Contains(clause[h.at:end], noun) })
}

// beginsWithNoun reports whether a text begins with a thing of code.
func (t *tongue) beginsWithNoun(text string) bool {
	text = strings.TrimLeft(text, " ")
	for _, list := range []string{"code", "inner"} {
		for _, word := range t.lists[list] {
			if at, _ := t.locate(text, word, 0); at == 0 {
				return true
			}
		}
	}
	return false
}

func lastWord(text string) string {
	text = strings.TrimRight(text, " ")
	return text[strings.LastIndexByte(text, ' ')+1:]
}
