// Package grave finds questions about acts that only the user may decide: one that cannot be undone or reaches other
// people. It is pure.
//
// The verb that the agent would carry out and its object decide: to delete a table is grave, to delete an
// unused import is not. What a verb of building governs is built, not done: "add a delete button". What
// is quoted is a name. Circumstances decide in doubt: before customers see it, or where git has no copy, all is
// grave but work on text. The words are in grave.txt, a section for a language.
package grave

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

// maxLength and maxClause bound in bytes what is looked at; maxBefore how many clauses "it" can be behind what it is.
const maxLength, maxClause, maxBefore = 8192, 512, 8

// Find reports whether a question asks for a grave act, and the words by which it does. The text
// may begin with what leads to the question.
func Find(question string) (act string, found bool) {
	if len(question) > maxLength {
		question = strings.ToValidUTF8(question[len(question)-maxLength:], "")
	}
	text, clauses := language.FoldText(question), splitClauses(question)
	tongues := []*tongue{readTongue(text, "en", "all")}
	tongues[0].find(clauses)
	for _, p := range language.TellLanguages(text) {
		if p.Code != "en" && !tongues[0].understood {
			tongues = append(tongues, readTongue(text, p.Code, "*", "all"))
			tongues[len(tongues)-1].find(clauses)
		}
	}
	act = weigh(tongues[min(1, len(tongues)-1):], text, clauses)
	return act, act != ""
}

// weigh judges the act together with its circumstances. Where they reach beyond the repository, an act that
// is not known to be mild is grave. Where they do not, a grave one is mild if something brings back its object.
func weigh(tongues []*tongue, text string, clauses []clause) (act string) {
	beyond, mild, back := "", false, false
	for _, t := range tongues {
		for _, c := range clauses {
			beyond = cmp.Or(t.first(c.text, "beyond"), t.first(c.text, "live"), beyond)
		}
		for _, word := range append(t.lists["back"], t.lists["back "+t.by]...) {
			back = back || !t.far && strings.Contains(text, word)
		}
		act, mild = cmp.Or(act, t.act), mild || t.mild
	}
	if act == "" && mild || act != "" && (beyond != "" || !back) {
		return act
	}
	return beyond
}

// find looks at the questions first. One that builds nothing may point to what a statement says:
// "This drops the table. Shall I?"
func (t *tongue) find(clauses []clause) {
	for _, asks := range []bool{true, false} {
		for i, c := range clauses {
			if t.act == "" && c.asks == asks && (asks || !t.builds) {
				t.act = t.judge(c, clauses[max(0, i-maxBefore):i])
			}
		}
	}
}

// judge returns the grave act of a clause, asked for or stated. Before are the clauses in front of it.
func (t *tongue) judge(c clause, before []clause) (act string) {
	text := t.upTo(c.text, "cut", 0)
	if t.built = false; !c.asks && t.first(text, "past") != "" {
		return ""
	}
	for _, word := range t.lists["and"] { // English tells two acts by the places of their verbs
		text = strings.ReplaceAll(text, word, "\n")
	}
	for part := range strings.SplitSeq(text, "\n") {
		if act = t.actOf(clause{part, c.asks}, before); act != "" {
			return act
		}
		before = append(slices.Clip(before), clause{text: part})
	}
	for _, words := range t.lists["sure"] {
		if !t.built && t.locate(c.text, words, 0).at >= 0 {
			act = words
		}
	}
	return act
}

func (t *tongue) actOf(part clause, before []clause) string {
	verbs := t.verbs(part.text)
	for i := 0; i < len(verbs); {
		v := verbs[i]
		// Letters of other scripts have two bytes or more.
		t.understood = t.understood || v.list != "" && v.form != "ing" && len(part.text)*2 < utf8.RuneCountInString(part.text)*3 && (v.list != "build" || !strings.HasSuffix(part.text[:v.at], "git "))
		t.asked = t.asked || part.asks && v.list != "go"
		object, next := t.object(part.text, verbs, i)
		grade, points := t.gradeOf(object)
		if points && v.list != "go" && v.list != "build" && v.grade > code {
			all := append(slices.Clip(before), clause{text: part.text[:v.at]})
			for j := len(all) - 1; j >= 0 && grade == unknown; j-- {
				grade, _ = t.gradeOf(t.upTo(all[j].text, "cut", 0))
			}
			if strings.TrimSpace(object) == "" {
				grade = max(grade, unknown)
			}
		}
		if grade >= v.grade {
			t.by, t.far = v.list, v.list == "send" || grade >= reach
			return part.text[v.at:max(v.end, v.long)]
		}
		i++
		// What is only built is mild wherever it is. What points to something may be anything.
		builds := v.list == "build" || !points && (grade < unknown && v.list != "do" && v.list != "plain" || t.first(part.text[v.at:v.end], "mild") != "")
		t.mild = t.mild || (part.asks || t.english && !t.asked) && (builds || v.list == "go" && !points || v.list != "" && v.grade <= harm && grade < unknown)
		if v.grade <= harm && grade < unknown || v.grade == out || v.grade == live || v.list == "go" && !points {
			t.built, i = true, next // what it governs is built
			t.builds = t.builds || part.asks && (builds || !points)
		}
	}
	return ""
}

// verbs lists the verbs in a part of a clause, beginning with the governing one.
func (t *tongue) verbs(part string) (all []mark) {
	marks := t.marks(part)
	for i, m := range marks {
		compound := i+1 < len(marks) && marks[i+1].grade <= code && marks[i+1].at <= m.end+1 && m.grade < live // "Deploy-Workflow"
		if m.verb && (t.english && t.isVerb(part[:m.at], m.form) || !t.english && !compound) {
			all = append(all, m)
		}
	}
	if at := len(t.upTo(part, "frame", 0)); len(all) == 0 && at < len(part) { // a verb that is not known is grave in doubt
		all = []mark{{kind: kind{grade: harm}, at: at, end: at, long: len(part)}}
	}
	if t.lists["order"] != nil {
		sort.SliceStable(all, func(i, j int) bool { return all[i].at > all[j].at }) // not of slices, which costs 8 KB of binary
	}
	return all
}

// isVerb reports whether an English word is a verb behind what is in front of it: "the push" is not one.
func (t *tongue) isVerb(front, form string) bool {
	if form != "" {
		return !t.endsWith(front, "article") && (form == "ing" || t.first(front, form) != "")
	}
	return front == "" || t.endsWith(front, "slot")
}

// endsWith reports whether the last word of a text is one of a list.
func (t *tongue) endsWith(text, list string) bool {
	text = strings.TrimRight(text, " -")
	return slices.Contains(t.lists[list], text[strings.LastIndexAny(text, " -")+1:])
}

// object returns what a verb is done to, and the next verb that it does not govern.
func (t *tongue) object(part string, verbs []mark, i int) (object string, next int) {
	at, end := verbs[i].at, verbs[i].end
	if !t.english {
		return part[:at] + " " + part[end:], len(verbs)
	}
	for next = i + 1; next < len(verbs); next++ {
		if n := verbs[next]; n.at >= end && t.endsWith(part[:n.at], "chain") {
			return part[end:n.at], next
		}
	}
	return part[end:], next
}

// gradeOf grades an object: by its last noun up to a preposition in English, in most other languages by its first one,
// or by what is at more risk after the preposition. It also reports whether the object only refers to an earlier one.
func (t *tongue) gradeOf(object string) (int, bool) {
	var nouns []mark
	for _, m := range t.marks(object) {
		if !m.verb {
			nouns = append(nouns, m)
		}
	}
	head, grade, rest := t.upTo(object, "preposition", min(2, len(object))), unknown, unknown
	for i, n := range nouns {
		switch {
		case i+1 < len(nouns) && (nouns[i+1].at == n.at || t.english && nouns[i+1].at == n.end+1):
			if next := &nouns[i+1]; next.grade > code { // else it is like "server test"
				next.grade = max(next.grade, n.grade)
			}
		case n.at >= len(head) || n.grade == live:
			rest = max(rest, n.grade)
		case grade == unknown || t.english || t.lists["head"] != nil:
			grade = n.grade
		}
	}
	if grade >= unknown || rest == live {
		grade = max(grade, rest)
	}
	return grade, grade == unknown && (!t.english || strings.TrimSpace(head) == "" || t.first(head, "pronoun") != "")
}
