package lastmessage

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

// Act is what a message does at its end.
type Act string

// The acts that need a person, in the order in which they are looked for, and
// those that leave work with the agent.
const (
	Asks     Act = "asks"     // a question that is not answered in the next sentence
	Offers   Act = "offers"   // what has not been asked for
	Waits    Act = "waits"    // for a job, a review, another agent
	Blocked  Act = "blocked"  // it cannot go on
	Hands    Act = "hands"    // the user is to do something
	Plans    Act = "plans"    // it shows what it would do, for approval
	Finishes Act = "finishes" // all is done

	Starts    Act = "starts"    // an action at once, in its last sentence
	Heads     Act = "heads"     // a heading and nothing below it
	Moves     Act = "moves"     // on to the next step
	Announces Act = "announces" // what it does now
	Orders    Act = "orders"    // a step, without saying whose it is
	Breaks    Act = "breaks"    // off: a colon and nothing, half a sentence
	Leaves    Act = "leaves"    // something to do, and it is the agent's
	Counts    Act = "counts"    // so many of so many

	Leave Act = "leave" // to go on with work already agreed
)

// AllActs lists all acts.
func AllActs() []Act {
	return []Act{Asks, Offers, Waits, Blocked, Hands, Plans, Finishes, Starts, Heads, Moves, Announces, Orders, Breaks, Leaves, Counts}
}

const (
	maxNear  = 900 // bytes
	maxTitle = 140 // bytes
)

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

// ReadMessage reads a message. What a comment says is said to no one. The packs of languages
// stay in the library, which may be nil.
func ReadMessage(library language.Library, text string) *Closing {
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
	for _, p := range library.TellLanguages(strings.Join(all, " ")) {
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
	case Heads:
		return c.endsInHeading()
	case Moves:
		return c.announcesWork(language.Move)
	case Announces:
		return c.announcesWork(language.Announce)
	case Orders:
		return c.announcesWork(language.Order)
	case Breaks:
		return c.breaksOff()
	case Leaves:
		return c.leavesOwnWork()
	case Counts:
		return c.findStepCount()
	}
	return "", false
}

// SaysWhatNow tells whether the message's last words say what the agent does now.
func (c *Closing) SaysWhatNow() bool {
	return slices.ContainsFunc([]Act{Starts, Heads, Moves, Announces, Breaks}, func(act Act) bool {
		_, ok := c.FindAct(act, false)
		return ok
	})
}

// IntendsLast reports whether the very last sentence says what the agent does now.
func (c *Closing) IntendsLast() bool {
	last := *c
	if last.intro = nil; len(c.final) > 0 {
		last.final = c.final[len(c.final)-1:]
	}
	_, starts := last.startsAction()
	_, announces := last.announcesWork(language.Announce)
	return starts || announces
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
	if class == language.Hand || class == language.Wait {
		if title, ok := c.endsInHeading(); c.endsInColon() || ok && strings.ContainsAny(title, "0123456789") {
			lists[1] = c.final[:len(c.final)-1] // what to do, or to wait for, has not been said
		}
	}
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

// endsInColon tells that the message ends with a colon and nothing behind it.
func (c *Closing) endsInColon() bool {
	if len(c.intro) > 0 || len(c.final) == 0 {
		return false
	}
	last := c.blocks[len(c.blocks)-1].kind
	return c.final[len(c.final)-1].end == ':' && last != code && last != quotation
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
	if len(list) == 0 {
		return "", false
	}
	s := list[len(list)-1]
	return s.said, c.isAbout(language.Start, s) && !isQuestion(s)
}

// announcesWork finds what the agent does next: in the last sentence, because what it says
// behind such words takes the turn back. Only what it begins at once may stand
// before others.
func (c *Closing) announcesWork(class language.Class) (string, bool) {
	list := c.final
	if len(c.intro) > 0 {
		list = c.intro // the items say what, not whether
	}
	if c.titled || len(list) == 0 || c.endsInTitledCode() {
		return "", false
	}
	if s := list[len(list)-1]; c.isAbout(class, s) && !c.isBesidesThePoint(s) && !(class == language.Announce && c.announcesStep(list[:len(list)-1])) {
		return s.said, true
	}
	for i := len(list) - 1; i >= 0 && class == language.Announce; i-- {
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

// endsInTitledCode tells that a title and what it shows are the end of the message: it
// says what that is, not what the agent does.
func (c *Closing) endsInTitledCode() bool {
	last := c.blocks[len(c.blocks)-1].kind
	return isTitle(c.prose[len(c.prose)-1]) && (last == code || last == quotation)
}

// endsInHeading finds a heading, or a step's title, with nothing below it.
func (c *Closing) endsInHeading() (string, bool) {
	if len(c.blocks) == 0 || len(c.prose) == 0 || c.blocks[len(c.blocks)-1].text != c.prose[len(c.prose)-1].text {
		return "", false
	}
	b := c.prose[len(c.prose)-1]
	if len(c.final) == 0 || len(c.final) != 1 && b.kind != heading && !(isWhollyBold(b.text) && c.isStepNumber(c.final[0])) || len(b.text) > maxTitle || strings.Contains(b.text, "\n") {
		return "", false
	}
	reports := func(s sentence) bool { return c.isAbout(language.Finished, s) || c.isAbout(language.Label, s) }
	if slices.ContainsFunc(c.final, reports) || len(c.prose) > 1 && c.isLabel(c.final) {
		return "", false
	}
	title := isTitle(b) || len(c.prose) == 1 && (c.final[0].end == 0 || c.final[0].end == '`') && (beginsWithCount(c.final[0].folded) || c.isAbout(language.Step, c.final[0]))
	return b.text, title
}

// isLabel tells a title that is a name and a value, as reports have them: "Verdict: ship
// it". A step has a number or a verb of work: "Fix 2: the lock", "Cache: add a limit".
func (c *Closing) isLabel(title []sentence) bool {
	if len(title) != 1 {
		return false
	}
	name, value, ok := strings.Cut(title[0].folded, ": ")
	if !ok || strings.ContainsAny(name, "0123456789") {
		return false
	}
	for _, f := range c.in {
		if f.SaysClass(language.Step, name) || f.SaysClass(language.Move, title[0].folded) {
			return false
		}
		if f.BeginsWith(language.Do, value) || f.BeginsWith(language.Doing, value) {
			return false
		}
	}
	return true
}

// isStepNumber tells a sentence that is a step's number: "Step 3."
func (c *Closing) isStepNumber(s sentence) bool {
	return c.isAbout(language.Step, s) && len(s.folded) < 30 && strings.ContainsAny(s.folded, "0123456789")
}

func isTitle(b block) bool { return b.kind == heading || isWhollyBold(b.text) }

func isWhollyBold(line string) bool {
	line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.So, r) || r == 0xfe0f || r == ':' })
	return len(line) > 4 && strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**") && strings.Count(line, "**") == 2
}

// breaksOff finds that the message ends before what it says is there.
func (c *Closing) breaksOff() (string, bool) {
	n := len(c.blocks)
	if n == 0 {
		return "", false
	}
	b := c.blocks[n-1]
	switch b.kind {
	case code:
		return "an open code block", b.open
	case quotation:
		return "", false
	case row:
		return b.text, n < 3 || c.blocks[n-2].kind != row || c.blocks[n-3].kind != row
	}
	if len(c.final) == 0 {
		return "", false
	}
	if b.kind == item && b.text == "" {
		return c.final[len(c.final)-1].said, true
	}
	s := c.final[len(c.final)-1]
	switch s.end {
	case ':', '：':
		return s.said, !c.isAbout(language.You, s)
	case ',', '，', '、', '(', '—', '–', '→':
		return s.said, true
	case 0:
		word := s.folded
		if strings.HasSuffix(word, " `") || strings.Count(s.said, "`")%2 == 1 {
			return s.said, strings.Count(s.said, "`")%2 == 1
		}
		if n := len(c.final); b.kind == paragraph && n > 1 && !strings.Contains(b.text, "\n") && !slices.ContainsFunc(c.final[:n-1], lacksStop) && isHalfSentence(word) && isLetterAt(s.said, len(s.said)-1) && !unicode.Is(unicode.So, lastRune(s.said)) {
			return s.said, true // the others have their full stop
		}
		if !strings.Contains(word, " ") && utf8.RuneCountInString(word) < 4 {
			return "", false
		}
		for _, f := range c.in {
			for _, e := range f.Pack.Entries(language.Open) {
				if rest, ok := strings.CutSuffix(word, e.Text); ok && (rest == "" || strings.HasSuffix(rest, " ") || !language.HasBlanks(e.Text)) {
					return s.said, true
				}
			}
		}
	}
	return "", false
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// isHalfSentence tells words that look like the beginning of a sentence, not like a value or
// a name: "PR created: 12".
func isHalfSentence(folded string) bool {
	last := lastRune(folded)
	return unicode.IsLetter(last) && !strings.ContainsAny(folded, ":@=") && (strings.Count(folded, " ") > 3 || last > 0x2e80 && len(folded) > 20)
}

func lacksStop(s sentence) bool {
	return s.end != '.' && s.end != '!' && s.end != '。' && s.end != '।'
}

// leavesOwnWork finds what is left, if it is the agent's own.
func (c *Closing) leavesOwnWork() (string, bool) {
	for _, near := range []bool{false, true} {
		if s, ok := c.saysClass(language.Theirs, near); ok {
			return s, false
		}
	}
	if all := slices.Concat(c.near, c.intro, c.final); len(all) > 0 && len(all[0].folded) <= len("completed.") && c.isAbout(language.Finished, all[0]) {
		return all[0].said, false // "Done.", and what it says then is how things are
	}
	if c.titled && len(c.near) == 0 {
		return c.intro[0].said, false // a list under a title and nothing else is what was asked for
	}
	for _, list := range [][]sentence{c.final, c.intro} {
		for i := len(list) - 1; i >= 0; i-- {
			s := list[i]
			if c.isAbout(language.Left, withoutBrackets(s)) && !c.isBesidesThePoint(s) && !c.isAbout(language.Aside, s) {
				return list[i].said, true
			}
			if !c.isAbout(language.Mine, list[i]) {
				break // only that it is the agent's may follow
			}
		}
	}
	if s, ok := c.saysClass(language.Finished, false); ok {
		return s, false
	}
	return c.findUntickedList()
}

// withoutBrackets is a sentence without what stands in brackets: "The tree is clean (only
// notes are left)."
func withoutBrackets(s sentence) sentence {
	for {
		open := strings.IndexByte(s.folded, '(')
		if open < 0 {
			return s
		}
		length := strings.IndexByte(s.folded[open:], ')')
		if length < 0 {
			return s
		}
		s.folded = s.folded[:open] + s.folded[open+length+1:]
	}
}

// findUntickedList finds a list of which some is marked as done and some is not.
func (c *Closing) findUntickedList() (string, bool) {
	done, said := 0, ""
	for _, b := range c.prose[max(0, len(c.prose)-30):] {
		switch {
		case b.kind == heading:
		case b.mark == ticked:
			done++
		case b.mark == empty:
			// A cross behind a text, or in a table, says no, not that it is to be done.
			left := !strings.ContainsAny(b.text, crosses) || b.kind != row && leadingMark(b.text) == empty
			for _, s := range splitSentences(b) {
				if c.isAbout(language.You, s) || strings.Contains(b.text, "~~") {
					return b.text, false // taken off the list
				}
				left = left || c.isAbout(language.Left, s)
			}
			if left {
				said = b.text
			}
		}
	}
	return said, done > 0 && said != ""
}

// findStepCount finds "3 of 8".
func (c *Closing) findStepCount() (string, bool) {
	for _, list := range [][]sentence{c.final, c.intro, c.near} {
		for i := len(list) - 1; i >= 0; i-- {
			s := list[i]
			at, of, ok := c.countIn(c.numbersAsDigits(s.folded))
			if !ok || at >= of || c.isBesidesThePoint(s) || c.isAbout(language.Aside, s) {
				continue
			}
			if c.isAbout(language.Progress, s) {
				return s.said, true
			}
		}
	}
	return "", false
}

// countIn reads the first "3 of 8", "3/8", "3 files of 8" or, with the whole in
// front, "8개 중 3".
func (c *Closing) countIn(s string) (at, of int, ok bool) {
	const between = 40 // bytes
	n, end := 0, -1    // the number before, and where it ends
	chained := false
	for i := 0; i < len(s); {
		if s[i] < '0' || s[i] > '9' {
			i++
			continue
		}
		m, width := parseNumber(s[i:])
		if end >= 0 && i-end <= between {
			words := strings.Trim(s[end:i], " )]([")
			chained = words == "/" && (chained || strings.HasPrefix(s[i+width:], "/")) // 1/2/3
			switch {
			case chained:
			case words == "/", c.joinsNumbers(language.Of, words):
				return n, m, true
			case c.joinsNumbers(language.Among, words):
				return m, n, true
			}
		}
		i += width
		n, end = m, i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i+1 < len(s) && (s[i] == '.' || s[i] == '/' && end != i) && s[i+1] >= '0' && s[i+1] <= '9' {
			end = -1 // a version, a date
		}
	}
	return 0, 0, false
}

// numbersAsDigits writes words for numbers as numbers: "three of the seven".
func (c *Closing) numbersAsDigits(s string) string {
	for _, f := range c.in {
		for n, e := range f.Pack.Entries(language.Number) {
			word := e.Text
			for from := 0; ; {
				i := strings.Index(s[from:], word)
				if i < 0 {
					break
				}
				i += from
				from = i + len(word)
				if !language.IsWithinWord(s[:from], i) && !language.IsWithinWord(s, from) {
					s = s[:i] + strconv.Itoa(n+1) + s[from:]
					from = i + 1
				}
			}
		}
	}
	return s
}

// joinsNumbers tells that what stands between two numbers ends with an entry of a class,
// and with no more than two words in front of it.
func (c *Closing) joinsNumbers(class language.Class, words string) bool {
	if strings.Count(words, " ") > 3 || strings.ContainsAny(words, ".:;") {
		return false
	}
	for _, f := range c.in {
		for _, e := range f.Pack.Entries(class) {
			e, alone := strings.CutPrefix(e.Text, "^")
			rest, ok := strings.CutSuffix(words, e)
			if ok && (!alone || rest == "") && (class != language.Of || !language.IsWithinWord(words, len(rest))) {
				return true
			}
		}
	}
	return false
}

func beginsWithCount(s string) bool {
	s = strings.TrimLeft(s, "[(▶► ")
	_, end := parseNumber(s)
	if end == 0 {
		return false
	}
	rest := strings.TrimLeft(s[end:], " ")
	r, ok := strings.CutPrefix(rest, "/")
	_, end = parseNumber(strings.TrimLeft(r, " "))
	return ok && end > 0
}

func parseNumber(s string) (n, end int) {
	for end < len(s) && end < 7 && '0' <= s[end] && s[end] <= '9' {
		n = n*10 + int(s[end]-'0')
		end++
	}
	return n, end
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
