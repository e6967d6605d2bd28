// Package grave tells the questions whose act is the user's alone to decide: one that cannot be
// undone or reaches other people. It is pure.
//
// The verb that the agent would carry out and its object decide: to delete a table is grave, to delete an
// unused import is not. What a verb of building governs is built, not done: "add a delete button". What
// is quoted is a name. The words are in grave.txt, a section for a language.
package grave

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
)

// maxLength bounds how much of a text is looked at, in bytes from its end; maxBefore how far "it" can be
// from what it is, in clauses.
const maxLength, maxBefore = 8192, 8

// Find reports whether a question asks for a grave act, and the words by which it does. The text
// may begin with what leads to the question.
func Find(question string) (act string, found bool) {
	if len(question) > maxLength {
		question = strings.ToValidUTF8(question[len(question)-maxLength:], "")
	}
	clauses := splitClauses(question)
	text := language.FoldText(question)
	english := readTongue(text, "en")
	if act = english.find(clauses); act != "" || english.understood {
		return act, act != ""
	}
	for _, p := range language.Library(nil).TellLanguages(text) {
		if act == "" && p.Code != "en" {
			act = readTongue(text, p.Code, "*").find(clauses)
		}
	}
	return act, act != ""
}

// find looks at the questions first. One that builds nothing may point to what a statement says:
// "This drops the table. Shall I?"
func (t *tongue) find(clauses []clause) (act string) {
	for _, asks := range []bool{true, false} {
		for i, c := range clauses {
			if act == "" && c.asks == asks && (asks || !t.builds) {
				act = t.judge(c, clauses[max(0, i-maxBefore):i])
			}
		}
	}
	return act
}
