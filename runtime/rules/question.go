package rules

import (
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Need is what a message needs of the user, by the rules that know when a person is needed.
type Need struct {
	Rule     string // the one that found it
	Evidence string // the words that it found
	// Question tells that the user is asked: by a question, a choice or an offer. Text is the
	// question with what leads to it, for one who has to know what it is about.
	Question bool
	Text     string
}

// FindNeed finds what a message needs of the user, if it needs anything.
func FindNeed(s strategy.Situation) (n Need, ok bool) {
	v := Matching(PersonRules(), nil)(s)
	if v.Rule == strategy.Unmatched {
		return Need{}, false
	}
	n = Need{Rule: v.Rule, Evidence: v.Evidence, Question: slices.Contains([]string{"asked", "asks", "choices", "offers"}, v.Rule)}
	if v.Rule == "asked" && len(s.Turn.Calls) > 0 {
		n.Evidence = s.Turn.Calls[len(s.Turn.Calls)-1].Input
	}
	n.Text = v.Evidence + "\n" + n.Evidence + "\n" + lastParagraphs(s.Message.Text, 1)
	if len(strings.Fields(v.Evidence)) <= wordsOfPointing || n.Rule == "choices" {
		n.Text += "\n" + lastParagraphs(s.Message.Text, 2)
	}
	return n, true
}

// wordsOfPointing is how long a question is that points to what stands in front of it: "Shall I do that?"
const wordsOfPointing = 8

// lastParagraphs are so many, and the end of what is longer than it is looked at.
func lastParagraphs(text string, n int) string {
	all := strings.Split(strings.TrimSpace(strings.ReplaceAll(lastmessage.WithoutComments(text), "\r\n", "\n")), "\n\n")
	var kept []string
	for _, p := range all[max(0, len(all)-n):] {
		kept = append(kept, quotation.Tail(p, maxParagraph))
	}
	return strings.Join(kept, "\n")
}
