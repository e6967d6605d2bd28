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
	packs := language.TellLanguages(text)
	tongues := []*tongue{readTongue(text, "en", "all")}
	tongues[0].told = len(packs) > 0 && packs[0].Code == "en" && len(text)*2 < utf8.RuneCountInString(text)*3
	tongues[0].find(clauses)
	for _, p := range packs {
		if p.Code != "en" && !tongues[0].understood {
			tongues = append(tongues, readTongue(text, p.Code, "*", "all"))
			tongues[len(tongues)-1].find(clauses)
		}
	}
	act = weigh(tongues, clauses)
	return act, act != ""
}

// weigh judges the act together with its circumstances. Where they reach beyond the repository, all is grave but an
// act that is known to be mild. Where they do not, only work on the program is known to be harmless in a language
// other than English, of which fewer words are listed.
func weigh(tongues []*tongue, clauses []clause) (act string) {
	beyond, last, mild, works := "", "", false, tongues[0].told || len(tongues) == 1
	for _, t := range tongues {
		for _, c := range clauses {
			beyond, last = cmp.Or(t.first(c.text, "beyond"), t.first(c.text, "live"), beyond), c.text
		}
	}
	if !works { // English words are only technical ones
		tongues = tongues[1:]
	}
	for _, t := range tongues {
		act, mild, works = cmp.Or(act, t.act), mild || t.mild || t.spared || t.first(last, "open") != "", works || t.works
	}
	switch {
	case act != "" || mild:
		return act
	case works:
		return beyond
	}
	return cmp.Or(beyond, last)
}

// find looks at the questions first. One that builds nothing may point to what a statement says:
// "This drops the table. Shall I?"
func (t *tongue) find(clauses []clause) {
	for _, c := range clauses {
		for _, m := range t.marks(c.text) {
			t.works = t.works || !m.verb && m.grade <= source && (c.asks || m.list != "tests") // "All tests pass"
		}
	}
	for _, asks := range []bool{true, false} {
		for i, c := range clauses {
			if t.act == "" && c.asks == asks && (asks || !t.builds && !t.spared) {
				t.act = t.judge(c, clauses[max(0, i-maxBefore):i])
			}
		}
	}
}

// judge returns the grave act of a clause, asked for or stated. Before are the clauses in front of it.
func (t *tongue) judge(c clause, before []clause) (act string) {
	text := t.upTo(c.text, "cut", 0)
	if c.asks && text != "" && len(t.verbs(text)) == 0 { // "Is it fine for you to …"
		text = c.text
	}
	if t.built = false; !c.asks && t.first(text, "past")+t.first(text, "spares") != "" {
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
		t.understood = t.understood || part.asks && v.form != "ing" && len(part.text)*2 < utf8.RuneCountInString(part.text)*3 && (v.list != "build" || !strings.HasSuffix(part.text[:v.at], "git "))
		t.asked = t.asked || part.asks && v.list != "go"
		object, next := t.object(part.text, verbs, i)
		grade, points := t.gradeOf(object)
		if grade == source && (v.list == "delete" || v.list == "remove") {
			grade = harm
		}
		known := grade
		if points {
			all := append(slices.Clip(before), clause{text: part.text[:v.at]})
			for j := len(all) - 1; j >= 0 && known == unknown; j-- {
				known, _ = t.gradeOf(t.upTo(all[j].text, "cut", 0))
			}
			if v.list != "go" && v.list != "build" && v.grade > code {
				grade = known
			}
			if strings.TrimSpace(object) == "" {
				grade = max(grade, unknown)
			}
		}
		if grade >= v.grade {
			if v.list != "send" && grade < reach && t.lists["back"] != nil || t.lists["back "+cmp.Or(v.list, "do")] != nil {
				t.works, i = true, i+1
				continue
			}
			return part.text[v.at:max(v.end, v.long)]
		}
		i++
		// What is only built is mild wherever it is. What points to something may be anything.
		builds := v.list == "build" && (t.english || known < unknown) || v.list == "go" && !points && (t.english || grade < unknown) || !points && (grade < unknown && v.list != "do" && v.list != "plain" && v.list != "" || t.first(part.text[v.at:v.end], "mild") != "")
		t.mild = t.mild || (part.asks || t.english && !t.asked) && (builds || v.list != "" && v.grade <= harm && grade < unknown && !points)
		if v.grade <= harm && grade < unknown || v.grade == out || v.grade == live || v.list == "go" && (!points || !t.english) {
			t.built, i = true, next // what it governs is built
			t.works = t.works || part.asks || t.english && !t.asked
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
