// Markdown, as far as a ledger, a plan or a message has to be understood: which
// lines are code, and which are check boxes and headings.

package markdown

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/lastmessage"
)

// EachLine visits every line, counted from 1, without its line end. Lines of a
// fenced code block, its fences too, are code.
func EachLine(text string, visit func(n int, line string, code bool)) {
	var fence byte // of the block we are in, 0 outside
	width := 0
	for n := 1; text != ""; n++ {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		line = strings.TrimSuffix(line, "\r")
		mark, run, info := lastmessage.FenceAt(strings.TrimLeft(line, " \t"))
		switch {
		case fence == 0 && mark != 0:
			fence, width = mark, run
			visit(n, line, true)
		case fence != 0 && mark == fence && run >= width && info == "":
			fence = 0
			visit(n, line, true)
		default:
			visit(n, line, fence != 0)
		}
	}
}

// Box is a check box in a list: "- [ ] text", "2. [x] text".
type Box struct {
	Line int
	Done bool
	Text string
}

// ParseBox reads a line as a check box. One with another character in it, "- [-]",
// is neither open nor done, and none.
func ParseBox(line string) (b Box, ok bool) {
	line = strings.TrimLeft(line, " \t>")
	marker, rest, found := strings.Cut(line, " ")
	digits := strings.TrimRight(marker, ".)")
	if !found || marker != "-" && marker != "*" && marker != "+" && (digits == marker || digits == "" || strings.Trim(digits, "0123456789") != "") {
		return Box{}, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if len(rest) < 4 || rest[0] != '[' || rest[2] != ']' || rest[3] != ' ' && rest[3] != '\t' {
		return Box{}, false
	}
	switch rest[1] {
	case ' ':
	case 'x', 'X':
		b.Done = true
	default:
		return Box{}, false
	}
	b.Text = WithoutMarks(rest[3:])
	return b, true
}

// WithoutMarks is a text without emphasis and code marks.
func WithoutMarks(s string) string {
	if !strings.ContainsAny(s, "*_`") { // a replacer takes longer to make than most lines to read
		return strings.TrimSpace(s)
	}
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "").Replace(s))
}
