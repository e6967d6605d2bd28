package lastmessage

import (
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
)

// Traits returns the classes of the end's sentences, the kinds of the last two blocks, and the final punctuation mark.
func (c *Closing) Traits() (all []string) {
	for _, place := range []struct {
		name      string
		sentences []sentence
	}{{"last ", c.final[max(0, len(c.final)-1):]}, {"final ", c.final}, {"near ", c.near}} {
		for class := language.Ask; class <= language.Step; class++ {
			if slices.ContainsFunc(place.sentences, func(s sentence) bool { return c.in.Has(class, s.folded) }) {
				all = append(all, place.name+language.ClassNames[class])
			}
		}
		if slices.ContainsFunc(place.sentences, func(s sentence) bool {
			word, _, _ := strings.Cut(s.folded, " ")
			return strings.HasSuffix(word, "ed")
		}) {
			all = append(all, place.name+"participle")
		}
	}
	n := len(c.blocks)
	for back, name := range []string{"end ", "before end "} {
		if n > back {
			all = append(all, name+kindNames[c.blocks[n-1-back].kind])
		}
	}
	if m := len(c.final); m == 0 || c.final[m-1].end == 0 {
		return append(all, "sign none")
	}
	for _, signs := range []string{".。।॥", ":：", "!！", "?？؟", "`", ")）"} {
		if strings.ContainsRune(signs, c.final[len(c.final)-1].end) {
			return append(all, "sign "+signs[:1])
		}
	}
	return append(all, "sign other")
}
