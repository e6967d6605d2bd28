package lastmessage

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/language"
)

// Act is what a message does at its end.
type Act string

// The acts that need a person, in the order in which they are looked for, and
// those that leave work with the agent.
const (
	Leave    Act = "leave"    // asks leave to go on with work already agreed
	Asks     Act = "asks"     // a question that is not answered in the next sentence
	Offers   Act = "offers"   // what has not been asked for
	Waits    Act = "waits"    // for a job, a review, another agent
	Blocked  Act = "blocked"  // it cannot go on
	Hands    Act = "hands"    // the user is to do something
	Plans    Act = "plans"    // it shows what it would do, for approval
	Finishes Act = "finishes" // all is done

	Starts    Act = "starts"    // an action at once, in its last sentence
	Moves     Act = "moves"     // on to the next step
	Announces Act = "announces" // what it does now
)

func AllActs() []Act {
	return []Act{Leave, Asks, Offers, Waits, Blocked, Hands, Plans, Finishes, Starts, Moves, Announces}
}

const maxNear = 900 // bytes

// Closing is a message that has been read.
type Closing struct {
	Languages []string // the codes of those it is in, none if none is known

	in     []*language.Finder
	blocks []block
	prose  []block    // without code and quotations
	intro  []sentence // what leads to a list at the end
	titled bool       // and that is a title
	final  []sentence
	near   []sentence // in front of these
}

// ReadMessage reads a message. What a comment says is said to no one.
func ReadMessage(text string) *Closing {
	c := &Closing{blocks: splitBlocks(WithoutComments(text))}
	for _, b := range c.blocks {
		if b.kind != code && b.kind != quotation {
			c.prose = append(c.prose, b)
		}
	}
	c.findSentences()
	var all []string
	for _, list := range [][]sentence{c.near, c.intro, c.final} {
		for _, s := range list {
			all = append(all, s.folded)
		}
	}
	searched := language.PrepareText(all)
	for _, p := range language.TellLanguages(strings.Join(all, " ")) {
		c.Languages = append(c.Languages, p.Code)
		c.in = append(c.in, &language.Finder{Pack: p, Text: searched})
	}
	return c
}

func (c *Closing) findSentences() {
	n := len(c.prose)
	if n == 0 {
		return
	}
	first := n - 1
	last := c.prose[n-1].kind
	for last == item && first > 0 && c.prose[first-1].kind == item || last == row && first > 0 && c.prose[first-1].kind == row {
		first--
	}
	for _, b := range c.prose[max(first, n-30):] {
		if b.kind == row {
			continue
		}
		c.final = append(c.final, splitSentences(b)...)
	}
	if (last == item || last == row) && first > 0 && n-first > 1 {
		first--
		c.intro, c.titled = splitSentences(c.prose[first]), isTitle(c.prose[first])
	}
	for size := 0; first > 0 && size < maxNear; {
		first--
		b := c.prose[first]
		if b.kind == row {
			continue
		}
		size += len(b.text)
		c.near = append(splitSentences(b), c.near...)
	}
}

// FindAct looks for an act in the last paragraph, or in the last list and what leads to it, and says which
// words it is; near looks for it before that instead, up to some hundred bytes.
func (c *Closing) FindAct(act Act, near bool) (said string, ok bool) {
	switch act {
	case Leave:
		return c.asksLeave()
	case Asks:
		return c.asksQuestion()
	case Offers:
		return c.saysClass(language.Offer, near)
	case Waits:
		return c.saysClass(language.Wait, near)
	case Blocked:
		return c.saysClass(language.Blocked, near)
	case Hands:
		return c.saysClass(language.Hand, near)
	case Plans:
		return c.saysClass(language.Plan, near)
	case Finishes:
		return c.saysClass(language.Finished, near)
	case Starts:
		return c.startsAction()
	case Moves:
		return c.announcesWork(language.Move)
	case Announces:
		return c.announcesWork(language.Announce)
	}
	return "", false
}

// SaysWhatNow tells whether the message's last words say what the agent does now.
func (c *Closing) SaysWhatNow() bool {
	return slices.ContainsFunc([]Act{Starts, Moves, Announces}, func(act Act) bool {
		_, ok := c.FindAct(act, false)
		return ok
	})
}

// IntendsLast reports whether the very last sentence says what the agent does now. A step that is only next
// is no intent.
func (c *Closing) IntendsLast() bool {
	last := *c
	if last.intro = nil; len(c.final) > 0 {
		last.final = c.final[len(c.final)-1:]
	}
	_, starts := last.startsAction()
	_, announces := last.announcesWork(language.Announce)
	_, moves := last.announcesWork(language.Move)
	return (starts || announces) && !moves
}

// isAbout tells whether a sentence says something of a class, in one of the languages.
func (c *Closing) isAbout(class language.Class, s sentence) bool {
	for _, f := range c.in {
		if f.SaysClass(class, s.folded) {
			return true
		}
	}
	return false
}

func (c *Closing) saysClass(class language.Class, near bool) (string, bool) {
	lists := [][]sentence{c.intro, c.final}
	if near {
		lists = [][]sentence{c.near}
	}
	for _, list := range lists {
		for i := len(list) - 1; i >= 0; i-- {
			if c.isAbout(class, list[i]) && !c.isAbout(language.Start, list[i]) {
				return list[i].said, true
			}
		}
	}
	return "", false
}

// asksLeave finds a question for leave in one of the last two sentences. A list at the end is a choice, and a
// plan wants more than leave.
func (c *Closing) asksLeave() (string, bool) {
	if _, plans := c.saysClass(language.Plan, false); plans || len(c.intro) > 0 {
		return "", false
	}
	for _, s := range slices.Backward(c.final[max(0, len(c.final)-2):]) {
		if isQuestion(s) && c.isAbout(language.Leave, s) || c.isAbout(language.Ready, s) {
			return s.said, true
		}
	}
	return "", false
}

func isQuestion(s sentence) bool { return !s.title && s.end == '?' || s.end == '？' || s.end == '؟' }

// asksQuestion finds a question, or a menu. A question that the next sentence answers is
// none.
func (c *Closing) asksQuestion() (string, bool) {
	for _, b := range c.prose[max(0, len(c.prose)-30):] {
		if b.kind != row && offersMenu(b.text) {
			return b.text, true
		}
	}
	all := slices.Concat(c.near, c.intro, c.final)
	for i := len(all) - 1; i >= 0; i-- {
		if isQuestion(all[i]) && (i+1 == len(all) || !c.isAbout(language.Answer, all[i+1])) || c.isAbout(language.Ask, all[i]) {
			return all[i].said, true
		}
	}
	return "", false
}

// offersMenu tells a line that offers a key to press: "[C] Continue".
func offersMenu(text string) bool {
	for i := 0; i+4 < len(text); i++ {
		if text[i] == '[' && text[i+2] == ']' && text[i+3] == ' ' && 'A' <= text[i+1] && text[i+1] <= 'Z' && text[i+1] != 'X' && isLetterAt(text, i+4) {
			return true
		}
	}
	return false
}

// isBesidesThePoint tells a sentence that speaks of another time, or of what the reader does.
func (c *Closing) isBesidesThePoint(s sentence) bool {
	return isQuestion(s) || c.isAbout(language.Later, s) || c.isAbout(language.You, s) && !c.isAbout(language.Mine, s)
}

// startsAction finds that the last sentence begins an action.
func (c *Closing) startsAction() (string, bool) {
	list := c.final
	if len(c.intro) > 0 {
		list = c.intro
	}
	if len(list) == 0 || c.showsWhatItSays() {
		return "", false
	}
	s := list[len(list)-1]
	return s.said, c.isAbout(language.Start, s) && !isQuestion(s)
}

// announcesWork returns the words that announce the agent's next step, in the last sentence. An action
// that begins at once may be in the sentence before it. An announcement in front of a list is a plan to be
// approved, and no announcement.
func (c *Closing) announcesWork(class language.Class) (string, bool) {
	list := c.final
	if len(c.intro) > 0 {
		list = c.intro // the items say what, not whether
	}
	if c.titled || len(list) == 0 || c.showsWhatItSays() || len(c.intro) > 0 && class == language.Announce {
		return "", false
	}
	if s := list[len(list)-1]; c.isAbout(class, s) && !c.isBesidesThePoint(s) && !(class == language.Announce && c.announcesStep(list[:len(list)-1])) {
		return s.said, true
	}
	for i := len(list) - 1; i >= max(0, len(list)-2) && class == language.Announce; i-- {
		if s := list[i]; c.isAbout(language.Start, s) && !c.isBesidesThePoint(s) {
			return s.said, true
		}
	}
	return "", false
}

// announcesStep finds a step before that does not say whose it is: what the agent announces
// behind it may wait for the reader to do it.
func (c *Closing) announcesStep(before []sentence) bool {
	return slices.ContainsFunc(before, func(s sentence) bool {
		return c.isAbout(language.Bid, s) && !c.isAbout(language.Move, s) && !c.isAbout(language.Announce, s)
	})
}

// showsWhatItSays reports whether the message ends with code or a quotation behind a title or a colon: what
// is announced there is done by showing it.
func (c *Closing) showsWhatItSays() bool {
	last := c.blocks[len(c.blocks)-1].kind
	return (last == code || last == quotation) && (isTitle(c.prose[len(c.prose)-1]) || strings.HasSuffix(c.prose[len(c.prose)-1].text, ":"))
}

func isTitle(b block) bool { return b.kind == heading || isWhollyBold(b.text) }

func isWhollyBold(line string) bool {
	line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.So, r) || r == 0xfe0f || r == ':' })
	return len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") && strings.Count(line, "**") == 2
}

// WithoutComments leaves out HTML comments.
func WithoutComments(text string) string {
	if !strings.Contains(text, "<!--") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "<!--")
		if !ok {
			break
		}
		_, after, ok := strings.Cut(rest, "-->")
		if !ok {
			break
		}
		b.WriteString(before)
		text = after
	}
	b.WriteString(text)
	return b.String()
}
