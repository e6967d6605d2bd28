// Package grave finds questions about grave acts, which only the user may decide because they cannot be
// undone or reach other people. It is pure.
//
// A verb and its object decide: to delete a table is grave, to delete an unused import is not. The object of
// a verb of building is only built: "add a delete button". Quoted text is a name. In doubt, circumstances
// decide: before customers see it, or where git has no copy, every act but work on text is grave.
package grave

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

// maxLength and maxClause are the maximum lengths of a text and of a clause, in bytes. A pronoun can refer to
// the last maxBefore clauses.
const maxLength, maxClause, maxBefore = 8192, 512, 8

// Find reports whether a question asks for a grave act, and returns the words that name the act. The text
// before the question may be included.
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

// weigh returns the grave act, or "", given the circumstances. If they reach beyond the repository, every act is grave
// unless it is known to be mild. Otherwise, in languages other than English, for which fewer words are listed, only work
// on the program is known to be harmless.
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

// find sets t.act to the first grave act of a question. If no question is about building something, the act
// may also be in a statement: "This drops the table. Shall I?"
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

// judge returns the grave act that c asks for or states, or "". before contains the clauses before c.
func (t *tongue) judge(c clause, before []clause) (act string) {
	text := t.upTo(c.text, "cut", 0)
	if c.asks && text != "" && len(t.verbs(text)) == 0 { // "Is it fine for you to …"
		text = c.text
	}
	if t.built = false; !c.asks && t.first(text, "past")+t.first(text, "spares") != "" {
		return ""
	}
	for _, word := range t.lists["and"] { // in English, the positions of the verbs separate two acts
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
		// A thing that is only built is mild in all circumstances. A pronoun may refer to anything.
		builds := v.list == "build" && (t.english || known < unknown) || v.list == "go" && !points && (t.english || grade < unknown) || !points && (grade < unknown && v.list != "do" && v.list != "plain" && v.list != "" || t.first(part.text[v.at:v.end], "mild") != "")
		t.mild = t.mild || (part.asks || t.english && !t.asked) && (builds || v.list != "" && v.grade <= harm && grade < unknown && !points)
		if v.grade <= harm && grade < unknown || v.grade == out || v.grade == live || v.list == "go" && (!points || !t.english) {
			t.built, i = true, next // its object is built
			t.works = t.works || part.asks || t.english && !t.asked
			t.builds = t.builds || part.asks && (builds || !points)
		}
	}
	return ""
}

// verbs returns the verbs in part of a clause. A verb precedes those that it governs.
func (t *tongue) verbs(part string) (all []mark) {
	marks := t.marks(part)
	for i, m := range marks {
		compound := i+1 < len(marks) && marks[i+1].grade <= code && marks[i+1].at <= m.end+1 && m.grade < live // "Deploy-Workflow"
		if m.verb && (t.english && t.isVerb(part[:m.at], m.form) || !t.english && !compound) {
			all = append(all, m)
		}
	}
	if at := len(t.upTo(part, "frame", 0)); len(all) == 0 && at < len(part) { // an unknown verb may be grave
		all = []mark{{kind: kind{grade: harm}, at: at, end: at, long: len(part)}}
	}
	if t.lists["order"] != nil {
		sort.SliceStable(all, func(i, j int) bool { return all[i].at > all[j].at }) // not of slices, which costs 8 KB of binary
	}
	return all
}

// isVerb reports whether an English word of this form is a verb after the text in front: "push" after "the" is not.
func (t *tongue) isVerb(front, form string) bool {
	if form != "" {
		return !t.endsWith(front, "article") && (form == "ing" || t.first(front, form) != "")
	}
	return front == "" || t.endsWith(front, "slot")
}

// endsWith reports whether the last word of text is in the named list.
func (t *tongue) endsWith(text, list string) bool {
	text = strings.TrimRight(text, " -")
	return slices.Contains(t.lists[list], text[strings.LastIndexAny(text, " -")+1:])
}

// object returns the object of verbs[i], and the index of the next verb that verbs[i] does not govern.
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

// gradeOf returns the grade of an object, and whether the object only refers to an earlier one. The last noun before a
// preposition decides in English, the first in most other languages. A noun after the preposition can raise the grade.
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
