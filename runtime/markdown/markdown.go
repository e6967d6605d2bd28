// Package markdown finds code blocks and check boxes in Markdown.
package markdown

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/lastmessage"
)

// EachLine calls visit for each line, numbered from 1, without line ending. code is set in fenced code blocks and for
// fences.
func EachLine(text string, visit func(n int, line string, code bool)) {
	var fence byte // of the current block, 0 outside
	width := 0
	for n := 1; text != ""; n++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimSuffix(line, "\r")
		mark, run, info := lastmessage.FenceAt(strings.TrimLeft(line, " \t"))
		visit(n, line, fence != 0 || mark != 0)
		switch {
		case fence == 0:
			fence, width = mark, run
		case mark == fence && run >= width && info == "":
			fence = 0
		}
	}
}

// Box is a check box in a list: "- [ ] text", "2. [x] text".
type Box struct {
	Line int
	Done bool
	Text string
}

// ParseBox parses a line as a check box. The caller sets b.Line. ok is false if the box is quoted, struck through,
// empty or has an unknown mark.
func ParseBox(line string) (b Box, ok bool) {
	line = strings.TrimLeft(line, " \t")
	marker, rest, found := strings.Cut(line, " ")
	digits := strings.TrimRight(marker, ".)")
	numbered := digits != marker && digits != "" && strings.Trim(digits, "0123456789") == ""
	if !found || marker != "-" && marker != "*" && marker != "+" && !numbered {
		return Box{}, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if len(rest) < 4 || rest[0] != '[' || strings.IndexByte(" xX", rest[1]) < 0 || rest[2] != ']' || rest[3] != ' ' && rest[3] != '\t' {
		return Box{}, false
	}
	b = Box{Done: rest[1] != ' ', Text: WithoutMarks(rest[3:])}
	return b, b.Text != "" && !strings.HasPrefix(b.Text, "~~")
}

// WithoutMarks removes all bold and code marks, and white space at the ends.
func WithoutMarks(s string) string {
	if !strings.ContainsAny(s, "*_`") { // creating a replacer is slow
		return strings.TrimSpace(s)
	}
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "").Replace(s))
}
