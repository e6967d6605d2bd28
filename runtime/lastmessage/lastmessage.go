package lastmessage

import (
	"slices"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/language"
)

type Act string

const (
	// These need a person.
	Leave    Act = "leave"    // asks permission to go on with agreed work
	Asks     Act = "asks"     // a question without an answer in the next sentence
	Offers   Act = "offers"   // work that was not asked for
	Waits    Act = "waits"    // for a job, a review, an agent
	Blocked  Act = "blocked"  // it cannot go on
	Hands    Act = "hands"    // the user has to do something
	Plans    Act = "plans"    // a plan for approval
	Finishes Act = "finishes" // all is done

	// These leave work with the agent.
	Starts    Act = "starts"    // an action at once, in the last sentence
	Moves     Act = "moves"     // on to the next step
	Announces Act = "announces" // current or next work
)

func AllActs() []Act {
	return []Act{Leave, Asks, Offers, Waits, Blocked, Hands, Plans, Finishes, Starts, Moves, Announces}
}

const maxNear = 900 // bytes

type Closing struct {
	Languages []string // BCP 47 tags

	in     language.Finders
	blocks []block
	prose  []block    // without code and quotations
	intro  []sentence // of the block before a final list
	titled bool       // the intro is a title
	final  []sentence // of the last paragraph or list
	near   []sentence // before these
}

// ReadMessage parses a message, ignoring HTML comments, and detects its languages.
func ReadMessage(text string) *Closing {
	c := &Closing{blocks: splitBlocks(WithoutComments(text))}
	for _, b := range c.blocks {
		if b.kind != code && b.kind != quotation {
			c.prose = append(c.prose, b)
		}
	}
	c.findSentences()
	var all []string
	for _, s := range slices.Concat(c.near, c.intro, c.final) {
		all = append(all, s.folded)
	}
	packs := language.TellLanguages(strings.Join(all, " "))
	for _, p := range packs {
		c.Languages = append(c.Languages, p.Code)
	}
	c.in = language.AllFinders(packs, all)
	return c
}

func (c *Closing) findSentences() {
	n := len(c.prose)
	if n == 0 {
		return
	}
	first := n - 1
	last := c.prose[n-1].kind
	listed := last == item || last == row
	for listed && first > 0 && c.prose[first-1].kind == last {
		first--
	}
	for _, b := range c.prose[max(first, n-30):] {
		if b.kind != row {
			c.final = append(c.final, splitSentences(b)...)
		}
	}
	if listed && first > 0 && n-first > 1 {
		first--
		c.intro, c.titled = splitSentences(c.prose[first]), isTitle(c.prose[first])
	}
	for size := 0; first > 0 && size < maxNear; {
		first--
		if b := c.prose[first]; b.kind != row {
			size += len(b.text)
			c.near = append(splitSentences(b), c.near...)
		}
	}
}

// FindAct returns a sentence with this act in the last paragraph, or in a final list and its intro. Asks is also
// searched before that. If nearBefore is set, acts from Offers to Finishes are instead searched only in the blocks
// before that, until these have maxNear bytes. If ok is false, said can still be set.
func (c *Closing) FindAct(act Act, nearBefore bool) (said string, ok bool) {
	switch act {
	case Leave:
		return c.asksLeave()
	case Asks:
		return c.asksQuestion()
	case Starts:
		return c.saysItStarts()
	case Moves:
		return c.announcedWork(language.Move)
	case Announces:
		return c.announcedWork(language.Announce)
	}
	for _, by := range [...]struct {
		act   Act
		class language.Class
	}{
		{Offers, language.Offer}, {Waits, language.Wait}, {Blocked, language.Blocked},
		{Hands, language.Hand}, {Plans, language.Plan}, {Finishes, language.Finished},
	} {
		if by.act == act {
			return c.saysClass(by.class, nearBefore)
		}
	}
	return "", false
}

func (c *Closing) AnnouncesWork() bool {
	return slices.ContainsFunc([]Act{Starts, Moves, Announces}, func(act Act) bool {
		_, ok := c.FindAct(act, false)
		return ok
	})
}

// AnnouncementOrEnd returns the sentence announcing work with its list, else the last paragraph or list.
func (c *Closing) AnnouncementOrEnd() string {
	var all []string
	for _, act := range []Act{Starts, Moves, Announces} {
		if said, ok := c.FindAct(act, false); ok && len(all) == 0 {
			all = append(all, said)
		}
	}
	if len(all) == 0 || len(c.intro) > 0 {
		for _, s := range c.final {
			all = append(all, s.said)
		}
	}
	return strings.Join(all, "\n")
}

// AnnouncesSearch reports whether the last sentence announces that the agent looks for more, and is not about moving to
// the next step.
func (c *Closing) AnnouncesSearch() bool {
	last := *c
	last.intro, last.final = nil, c.final[max(0, len(c.final)-1):]
	_, starts := last.saysItStarts()
	_, announces := last.announcedWork(language.Announce)
	_, moves := last.announcedWork(language.Move)
	return (starts || announces) && !moves && c.in.Has(language.Seek, last.final[0].folded)
}

// saysClass returns a sentence with the class from the intro or the final paragraph or list. With nearBefore, only text
// before counts. Start sentences are ignored.
func (c *Closing) saysClass(class language.Class, nearBefore bool) (said string, ok bool) {
	lists := [][]sentence{c.intro, c.final}
	if nearBefore {
		lists = [][]sentence{c.near}
	}
	for _, list := range lists {
		for i := len(list) - 1; i >= 0; i-- {
			s := list[i]
			if c.in.Has(class, s.folded) && !c.in.Has(language.Start, s.folded) {
				return s.said, true
			}
		}
	}
	return "", false
}

// asksLeave returns the sentence, one of the last two, that asks permission to go on. It returns false for a message
// with a plan or a final list.
func (c *Closing) asksLeave() (string, bool) {
	if _, plans := c.saysClass(language.Plan, false); plans || len(c.intro) > 0 {
		return "", false
	}
	for i := len(c.final) - 1; i >= max(0, len(c.final)-2); i-- {
		s := c.final[i]
		if isQuestion(s) && c.in.Has(language.Leave, s.folded) || c.in.Has(language.Ready, s.folded) {
			return s.said, true
		}
	}
	return "", false
}

func isQuestion(s sentence) bool { return !s.title && s.end == '?' || s.end == '？' || s.end == '؟' }

func (c *Closing) asksQuestion() (string, bool) {
	for _, b := range c.prose[max(0, len(c.prose)-30):] {
		if b.kind != row && offersKeys(b.text) {
			return b.text, true
		}
	}
	all := slices.Concat(c.near, c.intro, c.final)
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		if isQuestion(s) && (i+1 == len(all) || !c.in.Has(language.Answer, all[i+1].folded)) || c.in.Has(language.Ask, s.folded) {
			return s.said, true
		}
	}
	return "", false
}

// offersKeys reports whether text offers a key to press: "[C] Continue", but not "[X]".
func offersKeys(text string) bool {
	for i := 0; i+4 < len(text); i++ {
		if text[i] == '[' && text[i+2] == ']' && text[i+3] == ' ' && 'A' <= text[i+1] && text[i+1] <= 'Z' && text[i+1] != 'X' && isWordByteAt(text, i+4) {
			return true
		}
	}
	return false
}

// candidates returns the sentences that can announce work: those before a final list, else the last paragraph's, or nil
// if the message ends with code or a quotation below a title or colon.
func (c *Closing) candidates() []sentence {
	if n := len(c.prose); n > 0 {
		last, lead := c.blocks[len(c.blocks)-1].kind, c.prose[n-1]
		if (last == code || last == quotation) && (isTitle(lead) || strings.HasSuffix(lead.text, ":")) {
			return nil
		}
	}
	if len(c.intro) > 0 {
		return c.intro
	}
	return c.final
}

func (c *Closing) saysItStarts() (string, bool) {
	list := c.candidates()
	if len(list) == 0 {
		return "", false
	}
	s := list[len(list)-1]
	return s.said, c.in.Has(language.Start, s.folded) && !isQuestion(s)
}

// announcedWork returns the last candidate if it announces work in words of the class. For language.Announce, one of
// the last two can instead start an action, and an announcement before a list is ignored.
func (c *Closing) announcedWork(class language.Class) (string, bool) {
	list := c.candidates()
	if c.titled || len(list) == 0 || len(c.intro) > 0 && class == language.Announce {
		return "", false
	}
	isBesidesThePoint := func(s sentence) bool { // about later work or the reader's
		return isQuestion(s) || c.in.Has(language.Later, s.folded) ||
			c.in.Has(language.You, s.folded) && !c.in.Has(language.Mine, s.folded)
	}
	before, s := list[:len(list)-1], list[len(list)-1]
	if c.in.Has(class, s.folded) && !isBesidesThePoint(s) && !(class == language.Announce && c.asksReader(before)) {
		return s.said, true
	}
	for i := len(list) - 1; i >= max(0, len(list)-2); i-- {
		if s := list[i]; class == language.Announce && c.in.Has(language.Start, s.folded) && !isBesidesThePoint(s) {
			return s.said, true
		}
	}
	return "", false
}

func (c *Closing) asksReader(sentences []sentence) bool {
	return slices.ContainsFunc(sentences, func(s sentence) bool {
		return c.in.Has(language.Bid, s.folded) && !c.in.Has(language.Move, s.folded) && !c.in.Has(language.Announce, s.folded)
	})
}

func isTitle(b block) bool {
	line := strings.TrimFunc(b.text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.So, r) || r == 0xfe0f || r == ':' })
	return b.kind == heading || len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") && strings.Count(line, "**") == 2
}

// WithoutComments removes HTML comments, except an unclosed one.
func WithoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "<!--")
		_, after, closed := strings.Cut(rest, "-->")
		if !closed {
			return b.String() + text
		}
		b.WriteString(before)
		text = after
	}
}

// Sentence is a sentence without emphasis, with a backtick in place of code and "" in place of a quotation.
type Sentence struct {
	Text string
	Asks bool // it ends with a question mark
}

// Sentences returns unfolded sentences outside of code, quotations and tables, from the last maxBlocks blocks. HTML
// comments count as text.
func Sentences(text string) (outsideCode []Sentence) {
	for _, b := range splitBlocks(text) {
		if b.kind == code || b.kind == quotation || b.kind == row {
			continue
		}
		for _, s := range splitSentences(b) {
			outsideCode = append(outsideCode, Sentence{s.plain, strings.ContainsRune("?？؟", s.end)})
		}
	}
	return outsideCode
}
