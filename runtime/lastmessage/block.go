// Package lastmessage finds acts at the end of an agent's last message, for example that it asks a question
// or announces work. It ignores code and quotations. The package is pure and takes linear time.
package lastmessage

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

type kind byte

const (
	paragraph kind = iota
	heading
	item // of a list
	row  // of a table
	code
	quotation
)

var kindNames = [...]string{"paragraph", "heading", "item", "row", "code", "quotation"}

type block struct {
	kind kind
	text string // without list marks and hashes
	from int    // offset of a paragraph or an item
}

const maxBlocks = 200 // from the end of a message

var rulers = []string{"- ", "* ", "_ ", "━─═="}

// splitBlocks returns a text's last maxBlocks blocks. Blocks of code have no text.
func splitBlocks(text string) (all []block) {
	blank := true
	add := func(b block) {
		blank = false
		if len(all) >= 2*maxBlocks {
			all = append(all[:0], all[maxBlocks:]...)
		}
		all = append(all, b)
	}
	var fence byte
	width, inside := 0, 0 // of the fence, and the number of open fences within
	whole, next := text, 0
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimLeft(line, " \t")
		end := next + len(line)
		next += len(text) - len(rest)
		text = rest
		consistsOf := func(signs string) bool { return strings.Trim(trimmed, signs) == "" }
		mark, run, info := FenceAt(trimmed)
		if fence != 0 {
			switch {
			case mark != fence || run < width:
			case info != "" && !strings.Contains(info, " "): // a fence in a block of Markdown
				inside++
			case inside > 0 && info == "":
				inside--
			case info == "":
				fence = 0
			}
			continue
		}
		switch {
		case mark != 0:
			fence, width, inside = mark, run, 0
			add(block{kind: code})
		case trimmed == "", len(trimmed) >= 3 && slices.ContainsFunc(rulers, consistsOf):
			blank = true
		case trimmed[0] == '>':
			add(block{kind: quotation, text: trimmed})
		case trimmed[0] == '|' && strings.Count(trimmed, "|") > 1:
			add(block{kind: row, text: trimmed})
		case HeadingIn(trimmed) != "":
			add(block{kind: heading, text: HeadingIn(trimmed)})
		default:
			if body, ok := parseListItem(trimmed); ok {
				add(block{kind: item, text: body, from: end - len(body)})
				break
			}
			if n := len(all); n > 0 && !blank && (all[n-1].kind == paragraph || all[n-1].kind == item && line != trimmed) {
				all[n-1].text = whole[all[n-1].from:end]
				break
			}
			add(block{kind: paragraph, text: trimmed, from: end - len(trimmed)})
		}
	}
	return all[max(0, len(all)-maxBlocks):]
}

// FenceAt returns the character, length and info string of the code fence at the start of a line. mark is 0 if none.
func FenceAt(unindented string) (mark byte, run int, info string) {
	if unindented == "" || unindented[0] != '`' && unindented[0] != '~' {
		return 0, 0, ""
	}
	rest := strings.TrimLeft(unindented, unindented[:1])
	run = len(unindented) - len(rest)
	if run < 3 || unindented[0] == '`' && strings.Contains(rest, "`") {
		return 0, 0, ""
	}
	return unindented[0], run, strings.TrimSpace(rest)
}

// HeadingIn returns a heading's text ("" for other lines and indented headings).
func HeadingIn(line string) string {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n == 0 || n > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}

// parseListItem removes the marker from a list item: "- a", "* [x] a", "2. a", "✅ a".
func parseListItem(unindented string) (body string, ok bool) {
	marker, rest, found := strings.Cut(unindented, " ")
	switch {
	case !found && !isBareBullet(unindented):
		return "", false
	case !found, marker == "-" || marker == "*" || marker == "+" || marker == "•" || marker == "·" || marker == "–":
	case len(marker) <= 4 && strings.ContainsAny(marker[len(marker)-1:], ".)") && isNumberOrLetter(marker[:len(marker)-1]):
	default:
		first, _ := utf8.DecodeRuneInString(unindented)
		return strings.TrimSpace(rest), first >= 0x2000 && strings.ContainsRune(checkMarks, first)
	}
	rest = strings.TrimLeft(rest, " \t")
	if len(rest) > 3 && rest[0] == '[' && rest[2] == ']' && strings.IndexByte(" xX", rest[1]) >= 0 {
		rest = strings.TrimSpace(rest[3:])
	}
	return rest, true
}

const checkMarks = "✅✔✓☑🟢⬜☐⏳🔲⌛🔜◻▢🟡⚪🚧❌✘✗🔴"

func isBareBullet(trimmed string) bool {
	return trimmed == "-" || trimmed == "*" || len(trimmed) > 1 && len(trimmed) <= 3 && trimmed[len(trimmed)-1] == '.' && isNumberOrLetter(trimmed[:len(trimmed)-1])
}

func isNumberOrLetter(s string) bool {
	isLetter := len(s) == 1 && 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z'
	return isLetter || s != "" && strings.Trim(s, "0123456789") == ""
}

const maxSentence = 600 // bytes, of its end

type sentence struct {
	said   string // as written
	plain  string // as of ownWordsOnly
	folded string // plain, folded for comparison
	end    rune   // the final sign, 0 for none
	title  bool   // it is part of a heading, where a question mark asks no one
}

// ownWordsOnly returns a block without emphasis. It replaces inline code and URLs with a backtick, quotations with an
// empty one (""), and links with labels. offsets[i] is the offset in text of out[i], and the last is len(text).
func ownWordsOnly(text string) (out string, offsets []int) {
	b := make([]byte, 0, len(text))
	offsets = make([]int, 0, len(text)+1)
	put := func(s string, at int) {
		b = append(b, s...)
		for range len(s) {
			offsets = append(offsets, at)
		}
	}
	quotes := quotesIn(text)
	for i := 0; i < len(text); {
		for len(quotes) > 0 && quotes[0].open < i { // in code, a link or a URL
			quotes = quotes[1:]
		}
		c := text[i]
		switch {
		case len(quotes) > 0 && i == quotes[0].open:
			put(`""`, i)
			i = quotes[0].end
			quotes = quotes[1:]
			continue
		case c == '`':
			run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			if n := strings.Index(text[i+run:], text[i:i+run]); n >= 0 {
				put("`", i)
				i += run + n + run
				continue
			}
			put(" ` ", i) // never closed
			i += run
			continue
		case strings.HasPrefix(text[i:], "~~"):
			i += 2
			continue
		case c == '*', c == '_' && (i == 0 || i+1 == len(text) || !isWordByteAt(text, i-1) || !isWordByteAt(text, i+1)):
			i++
			continue
		case c == '[':
			if label, end, ok := parseLink(text, i); ok {
				for j, r := range label {
					put(string(r), i+1+j)
				}
				i = end
				continue
			}
		case c == 'h' && (strings.HasPrefix(text[i:], "https://") || strings.HasPrefix(text[i:], "http://")):
			put("`", i)
			for i < len(text) && text[i] > ' ' && text[i] != ')' && text[i] != '>' {
				i++
			}
			continue
		}
		put(text[i:i+1], i)
		i++
	}
	return string(b), append(offsets, len(text))
}

// isWordByteAt reports whether byte i of s belongs to a word, as any byte beyond ASCII does. i is in range.
func isWordByteAt(s string, i int) bool {
	c := s[i]
	return c >= utf8.RuneSelf || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// parseLink parses the link "[label](address)" from offset i, where "[" is.
func parseLink(text string, i int) (label string, end int, ok bool) {
	const most = 400
	window := text[i:min(len(text), i+most)]
	n := strings.Index(window, "](")
	if n < 0 || strings.Contains(window[1:n], "[") {
		return "", 0, false
	}
	m := strings.IndexByte(window[n:], ')')
	if m < 0 {
		return "", 0, false
	}
	return window[1:n], i + n + m + 1, true
}

type span struct{ open, end int }

const maxQuote = 400 // bytes of a quotation

var quotePairs = [...]struct {
	open    rune
	closers string
}{
	{'"', `"`}, {'“', "”"}, {'„', "“”\""}, {'«', "»"}, {'»', "«"}, {'「', "」"}, {'『', "』"}, {'”', "”"},
}

func quotesIn(text string) []span {
	if !strings.ContainsAny(text, "\"“„«「『»”") {
		return nil
	}
	var all []span
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		closers := ""
		for _, pair := range quotePairs {
			if pair.open == r {
				closers = pair.closers
			}
		}
		if closers != "" && (r != '"' || i == 0 || !isWordByteAt(text, i-1)) {
			window := text[i+size : min(len(text), i+size+maxQuote)]
			if n := strings.IndexAny(window, closers); n >= 0 {
				_, width := utf8.DecodeRuneInString(window[n:])
				all = append(all, span{i, i + size + n + width})
				i += size + n + width
				continue
			}
		}
		i += size
	}
	return all
}

func splitSentences(b block) []sentence {
	p, from := ownWordsOnly(b.text)
	var all []sentence
	start := 0
	cut := func(end int, sign rune) {
		s := strings.TrimSpace(p[start:end])
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '`' }) {
			said := strings.TrimSpace(b.text[from[start]:from[end]])
			if len(s) > maxSentence {
				s = strings.ToValidUTF8(s[len(s)-maxSentence:], "")
			}
			all = append(all, sentence{said: said, plain: s, folded: language.FoldText(s), end: sign})
		} else if len(all) > 0 && all[len(all)-1].end == 0 {
			all[len(all)-1].end = sign
		}
		start = end
	}
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRuneInString(p[i:])
		next := i + size
		switch r {
		case '.', '!', '?', '…':
			for next < len(p) && strings.IndexByte(".!?)\"'", p[next]) >= 0 {
				if p[next] == '?' {
					r = '?'
				}
				next++
			}
			if next < len(p) && p[next] != ' ' && p[next] != '\n' && p[next] < utf8.RuneSelf {
				break
			}
			if r == '.' && isAbbreviated(p[start:i], p[next:]) {
				break
			}
			cut(next, r)
		case '。', '！', '？', '؟', '।', '॥':
			next, r = endOfSigns(p, next, r)
			cut(next, r)
		case '\n':
			if !isSoftWrap(p[start:i], p[next:]) {
				cut(next, 0)
			}
		}
		i = next
	}
	cut(len(p), 0)
	for i := range all {
		if all[i].end == 0 {
			all[i].end = finalSign(all[i].said)
		}
		all[i].title = isTitle(b) && (b.kind == heading || i < len(all)-1)
	}
	return all
}

// endOfSigns returns the end of signs like 。 and ؟ and of closing quotes from at on. The sign is '？' if one is, else
// orElse.
func endOfSigns(p string, at int, orElse rune) (end int, signOrQuestion rune) {
	end = len(p) - len(strings.TrimLeft(p[at:], "。！？؟।)）」』\"'"))
	if strings.ContainsRune(p[at:end], '？') {
		orElse = '？'
	}
	return end, orElse
}

// finalSign returns a text's final punctuation mark, or 0. It ignores markup and symbols, but returns a final backtick.
func finalSign(s string) rune {
	s = strings.TrimRightFunc(s, func(r rune) bool {
		isSymbol := unicode.In(r, unicode.So, unicode.Cf, unicode.Sk) || r == 0xfe0f
		return r != '`' && (isSymbol || strings.ContainsRune(" \t\r\n\"'”’»)*_", r))
	})
	r, _ := utf8.DecodeLastRuneInString(s)
	if s == "" || unicode.In(r, unicode.L, unicode.Nd, unicode.M) {
		return 0
	}
	return r
}

// isAbbreviated reports whether the full stop between before and after can end an abbreviation or an ordinal ("3.
// Kapitel").
func isAbbreviated(before, after string) bool {
	word := before[strings.LastIndexAny(before, " \n(")+1:]
	if len(word) > 4 {
		return false
	}
	after = strings.TrimLeft(after, " ")
	r, _ := utf8.DecodeRuneInString(after)
	switch strings.ToLower(word) {
	case "e.g", "i.e", "vs", "z", "b", "p.ej", "ca", "bzw", "etc", "z.b", "d.h", "resp", "nr", "no", "т.д", "т.е", "np", "bijv":
		return after != "" && !unicode.IsUpper(r) || word == "z" || word == "vs" || word == "z.B"
	}
	return word != "" && strings.Trim(word, "0123456789") == "" && unicode.IsLower(r)
}

func isSoftWrap(before, after string) bool {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	r, _ := utf8.DecodeRuneInString(after)
	return len(line) >= 50 && unicode.IsLower(r) && finalSign(line) == 0
}
