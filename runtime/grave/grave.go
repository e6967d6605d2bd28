// Package grave tells the questions whose act is the user's alone to decide: one that cannot be
// undone or reaches other people. It is pure.
//
// An act is grave by its verb and its object together: to delete a table is, to delete an unused
// import is not. A verb of building before them makes it harmless again, as what is built is not
// done: "add a delete button". What the words are is in grave.txt, a section for a language.
package grave

import (
	"slices"
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
	sentences := splitSentences(question)
	folded := language.FoldText(question)
	text := &text{folded: folded + " file"} // which stands for a path
	english := readTongue("en", nil, text)
	act, found = english.find(sentences)
	if found || english.understood {
		return act, found
	}
	var others []string
	for _, p := range language.Library(nil).TellLanguages(folded) {
		if p.Code != "en" {
			others = append(others, p.Code)
		}
	}
	for i := 0; !found && i < len(others); i++ {
		act, found = readTongue(others[i], others, text).find(sentences)
	}
	return act, found
}

// find looks at the questions first. One that builds nothing may point to what a statement says:
// "This drops the table. Shall I?"
func (t *tongue) find(sentences []sentence) (act string, found bool) {
	for _, asks := range []bool{true, false} {
		for i, s := range sentences {
			if s.asks != asks || !asks && t.builds {
				continue
			}
			for j, clause := range s.clauses {
				before := slices.Clone(s.clauses[:j])
				slices.Reverse(before)
				for k := i - 1; k >= 0 && len(before) < maxBefore; k-- {
					before = append(before, sentences[k].clauses...)
				}
				if act, found := t.judge(clause, before, asks); found {
					return act, true
				}
			}
		}
	}
	return "", false
}
