package lastmessage

import (
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/language"
)

// Traits name what the end of a message shows: what its sentences are about, its last
// blocks, and the sign that ends it. How long it is, and how much of anything it has, is
// not among them: that tells how a message was come by, not what it says.
func (c *Closing) Traits() []string {
	var all []string
	for _, place := range []struct {
		name      string
		sentences []sentence
	}{{"last ", c.final[max(0, len(c.final)-1):]}, {"final ", c.final}, {"near ", c.near}} {
		for class := language.Ask; class <= language.Step; class++ {
			if slices.ContainsFunc(place.sentences, func(s sentence) bool { return c.isAbout(class, s) }) {
				all = append(all, place.name+class.String())
			}
		}
		if slices.ContainsFunc(place.sentences, beginsWithParticiple) {
			all = append(all, place.name+"participle")
		}
	}
	n := len(c.blocks)
	for back, name := range []string{"end ", "before end "} {
		if n > back {
			all = append(all, name+c.blocks[n-1-back].kind.String())
		}
	}
	return append(all, "sign "+c.finalSignName())
}

func beginsWithParticiple(s sentence) bool {
	word, _, _ := strings.Cut(s.folded, " ")
	return strings.HasSuffix(word, "ed")
}

// finalSignName is the sign of the last sentence, by a name that all languages share.
func (c *Closing) finalSignName() string {
	if len(c.final) == 0 {
		return "none"
	}
	switch c.final[len(c.final)-1].end {
	case 0:
		return "none"
	case '.', '。', '।', '॥':
		return "."
	case ':', '：':
		return ":"
	case '!', '！':
		return "!"
	case '?', '？', '؟':
		return "?"
	case '`':
		return "`"
	case ')', '）':
		return ")"
	}
	return "other"
}
