// Which verb of a clause is the act, and what it is done to.

package grave

import (
	"slices"
	"strings"
)

// judge returns the grave act of a clause, asked for or stated. Before are the clauses in front of it.
func (t *tongue) judge(c clause, before []clause) string {
	text, built := t.cut(c.text), false
	if !c.asks && t.has(text, "past") {
		return ""
	}
	for _, word := range t.lists["and"] { // English tells two acts by the places of their verbs
		text = strings.ReplaceAll(text, word, "\n")
	}
	for part := range strings.SplitSeq(text, "\n") {
		act, builds := t.actOf(clause{part, c.asks}, before)
		if act != "" {
			return act
		}
		built = built || builds
		before = append(slices.Clip(before), clause{text: part})
	}
	for _, words := range t.lists["sure"] {
		if m := t.locate(c.text, words, 0); !built && m.at >= 0 {
			return words
		}
	}
	return ""
}

// cut drops from a clause what only says when, why or what for.
func (t *tongue) cut(clause string) string {
	for _, word := range t.lists["cut"] {
		if m := t.locate(clause, word, 0); m.at >= 0 {
			clause = clause[:m.at]
		}
	}
	return clause
}

// actOf returns the grave act of a part of a clause, and whether something is built instead.
func (t *tongue) actOf(part clause, before []clause) (act string, builds bool) {
	verbs := t.verbs(part.text)
	for i := 0; i < len(verbs); {
		v := verbs[i]
		t.understood = t.understood || v.list != ""
		object, next := t.object(part.text, verbs, i)
		grade, points := t.gradeOf(object)
		if points && v.list != "go" && v.list != "send" {
			all := append(slices.Clip(before), clause{text: part.text[:v.at]})
			for j := len(all) - 1; j >= 0 && grade == unknown; j-- {
				grade, _ = t.gradeOf(t.cut(all[j].text))
			}
			if strings.TrimSpace(object) == "" {
				grade = max(grade, unknown)
			}
		}
		if grade >= v.grade && v.list == "" {
			return part.text, false
		} else if grade >= v.grade {
			return part.text[v.at:v.end], false
		}
		i++
		if v.grade <= harm && grade < unknown || v.grade == out || v.grade == live || v.list == "go" && !points {
			builds, i = true, next // what it governs is built
			t.builds = t.builds || part.asks && !points
		}
	}
	return "", builds
}

// verbs lists the verbs of a part of a clause, the one that governs first.
func (t *tongue) verbs(part string) (all []mark) {
	marks := t.marks(part)
	for i, m := range marks {
		compound := i+1 < len(marks) && marks[i+1].grade <= code && marks[i+1].at <= m.end+1 && m.grade < live // "Deploy-Workflow"
		if m.verb && (t.english && t.isVerb(part[:m.at], m.form) || !t.english && !compound) {
			all = append(all, m)
		}
	}
	for i := 0; i < len(t.lists["frame"]) && len(all) == 0; i++ { // a verb that is not known is grave in doubt
		if m := t.locate(part, t.lists["frame"][i], 0); m.at >= 0 {
			m.grade = harm
			all = []mark{m}
		}
	}
	if t.lists["order"] != nil {
		slices.SortStableFunc(all, func(a, b mark) int { return b.at - a.at })
	}
	return all
}

// isVerb reports whether an English word is a verb behind what is in front of it: "the push" is none.
func (t *tongue) isVerb(front, form string) bool {
	if form != "" {
		return !t.endsWith(front, "article") && (form == "ing" || t.has(front, form))
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

// gradeOf grades an object: by its last noun up to a preposition in English, else by its first one, or by
// what is at more risk behind the preposition. It may only point to what was said before.
func (t *tongue) gradeOf(object string) (grade int, points bool) {
	nouns := slices.DeleteFunc(t.marks(object), func(m mark) bool { return m.verb })
	head, rest := len(object), unknown
	for _, word := range t.lists["preposition"] {
		if m := t.locate(object, word, min(2, len(object))); m.at > 0 {
			head = min(head, m.at)
		}
	}
	grade = unknown
	for i, n := range nouns {
		switch {
		case i+1 < len(nouns) && (nouns[i+1].at == n.at || t.english && nouns[i+1].at == n.end+1):
			if next := &nouns[i+1]; next.grade > code { // else it is like "server test"
				next.grade = max(next.grade, n.grade)
			}
		case n.grade == live:
			return live, false
		case n.at >= head:
			rest = max(rest, n.grade)
		case grade == unknown || t.english || t.lists["head"] != nil:
			grade = n.grade
		}
	}
	if grade >= unknown {
		grade = max(grade, rest)
	}
	return grade, grade == unknown && (!t.english || strings.TrimSpace(object[:head]) == "" || t.has(object[:head], "pronoun"))
}
