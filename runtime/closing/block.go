// Package closing reads an agent's last message: how it ends, and what that says
// about whose turn it is.
//
// What counts is what the agent says. Code and quotations are shown, not said, and
// emphasis, headings, lists and tables carry meaning: a check mark is a state, a
// heading with nothing below is a step about to begin. The package is pure, its
// work is linear in the length of the message.
package closing

import "strings"

// kind is what a block of a message is.
type kind byte

const (
	paragraph kind = iota
	heading
	item // of a list
	row  // of a table
	code
	quotation
)

// mark is the state that an item or a cell shows.
type mark byte

const (
	unmarked mark = iota
	ticked        // ✅, [x]
	empty         // ⬜, [ ], ⏳, ❌
)

// block is a part of a message that blank lines or its own form set off.
type block struct {
	kind kind
	mark mark
	text string // as written, without list marks and hashes
	open bool   // code whose fence is not closed
	from int    // where a paragraph or an item begins
}

// maxBlocks bounds how many blocks of a message's end are kept.
const maxBlocks = 200

// blocks takes a message apart.
func blocks(text string) []block {
	var all []block
	blank := true
	add := func(b block) {
		blank = false
		if len(all) >= 2*maxBlocks {
			all = append(all[:0], all[maxBlocks:]...)
		}
		all = append(all, b)
	}
	var fence byte
	width := 0
	whole, next := text, 0
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		at := next
		next += len(text) - len(rest)
		text = rest
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimLeft(line, " \t")
		end := at + len(line)
		mark, run, info := FenceAt(trimmed)
		if fence != 0 {
			if mark == fence && run >= width && info == "" {
				fence = 0
				all[len(all)-1].open = false
			}
			continue
		}
		switch {
		case mark != 0:
			fence, width = mark, run
			add(block{kind: code, open: true})
		case trimmed == "":
			blank = true
		case isRuler(trimmed):
			blank = true
		case trimmed[0] == '>':
			add(block{kind: quotation, text: trimmed})
		case trimmed[0] == '|' && strings.Count(trimmed, "|") > 1:
			add(block{kind: row, text: trimmed, mark: markIn(trimmed)})
		case headingIn(trimmed) != "":
			add(block{kind: heading, text: headingIn(trimmed)})
		default:
			if body, m, ok := itemIn(trimmed); ok {
				add(block{kind: item, text: body, mark: m, from: end - len(body)})
				break
			}
			if n := len(all); n > 0 && !blank && (all[n-1].kind == paragraph || all[n-1].kind == item && line != trimmed) {
				all[n-1].text = whole[all[n-1].from:end]
				break
			}
			add(block{kind: paragraph, text: trimmed, mark: markAt(trimmed), from: end - len(trimmed)})
		}
	}
	return all[max(0, len(all)-maxBlocks):]
}

// FenceAt is the character and the length of the fence that a line begins with, 0
// if it is none, and what stands behind it.
func FenceAt(line string) (mark byte, run int, info string) {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return 0, 0, ""
	}
	rest := strings.TrimLeft(line, line[:1])
	run = len(line) - len(rest)
	if run < 3 || line[0] == '`' && strings.Contains(rest, "`") {
		return 0, 0, ""
	}
	return line[0], run, strings.TrimSpace(rest)
}

// isRuler tells a line across the page.
func isRuler(line string) bool {
	return len(line) >= 3 && (strings.Trim(line, "- ") == "" || strings.Trim(line, "* ") == "" || strings.Trim(line, "_ ") == "" || strings.Trim(line, "━─═=") == "")
}

// headingIn is the text of a heading, "" if the line is none.
func headingIn(line string) string {
	rest := strings.TrimLeft(line, "#")
	if n := len(line) - len(rest); n == 0 || n > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}

// itemIn takes the mark of a list off a line: "- a", "* [x] a", "2. a", "b) a".
func itemIn(line string) (body string, m mark, ok bool) {
	marker, rest, found := strings.Cut(line, " ")
	switch {
	case !found && !isMarker(line):
		return "", 0, false
	case !found, marker == "-" || marker == "*" || marker == "+" || marker == "•" || marker == "·" || marker == "–":
	case len(marker) <= 4 && strings.ContainsAny(marker[len(marker)-1:], ".)") && isOrdinal(marker[:len(marker)-1]):
	default:
		// A check mark makes a line of its own an item, too.
		if m = markAt(line); m != unmarked {
			_, rest, _ := strings.Cut(line, " ")
			return strings.TrimSpace(rest), m, true
		}
		return "", 0, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if len(rest) > 3 && rest[0] == '[' && rest[2] == ']' {
		switch rest[1] {
		case ' ':
			return strings.TrimSpace(rest[3:]), empty, true
		case 'x', 'X':
			return strings.TrimSpace(rest[3:]), ticked, true
		}
	}
	return rest, markIn(rest), true
}

// isMarker tells a mark of a list with nothing behind it.
func isMarker(line string) bool {
	return line == "-" || line == "*" || len(line) > 1 && len(line) <= 3 && line[len(line)-1] == '.' && isOrdinal(line[:len(line)-1])
}

func isOrdinal(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (len(s) > 1 || (c|0x20 < 'a' || c|0x20 > 'z')) {
			return false
		}
	}
	return true
}

const (
	ticks   = "✅✔✓☑🟢"
	empties = "⬜☐⏳🔲⌛🔜◻▢🟡⚪🚧" + crosses
	crosses = "❌✘✗🔴"
)

// markAt is the state that a line begins with.
func markAt(line string) mark {
	for _, r := range line {
		return markOf(r)
	}
	return unmarked
}

func markOf(r rune) mark {
	switch {
	case r < 0x2000:
		return unmarked
	case strings.ContainsRune(ticks, r):
		return ticked
	case strings.ContainsRune(empties, r):
		return empty
	}
	return unmarked
}

// markIn is the last state in a line.
func markIn(line string) (m mark) {
	for _, r := range line {
		if is := markOf(r); is != unmarked {
			m = is
		}
	}
	return m
}
