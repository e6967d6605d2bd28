package codec

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Fault is a mistake in JSON that a person has written.
type Fault struct {
	At   int // offset of the wrong byte, or of the last one if the text is cut
	Says string
}

func (f *Fault) Error() string { return f.Says }

// DescribeIn returns the fault with its line and column in data.
func (f *Fault) DescribeIn(data []byte) string {
	before := data[:max(0, min(f.At, len(data)))]
	column := 1 + len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
	return "line " + strconv.Itoa(1+bytes.Count(before, []byte{'\n'})) + ", column " + strconv.Itoa(column) + ": " + f.Says
}

// FindFault returns the first mistake (nil if data is a single JSON value). A byte order mark is a mistake.
func FindFault(data []byte) *Fault {
	c := checker{data: data}
	if c.checkValue(0) {
		if c.afterSpace(); c.i < len(data) {
			c.noteWrong("where the document should end")
		}
	}
	return c.fault
}

func IsValid(data []byte) bool { return FindFault(data) == nil }

// checker checks a text. A method that returns false sets fault.
type checker struct {
	data  []byte
	i     int
	fault *Fault
}

const maxDepth = 10_000 // open brackets

// noteWrong sets the fault for the current byte and returns false. where ends the message.
func (c *checker) noteWrong(where string) bool {
	if c.i >= len(c.data) {
		c.fault = &Fault{max(0, len(c.data)-1), "the document ends unexpectedly"}
		return false
	}
	r, _ := utf8.DecodeRune(c.data[c.i:])
	c.fault = &Fault{At: c.i, Says: "unexpected " + strconv.QuoteRune(r) + " " + where}
	return false
}

func (c *checker) currentByte() byte {
	if c.i < len(c.data) {
		return c.data[c.i]
	}
	return 0
}

func (c *checker) afterSpace() byte {
	c.i = skipSpace(c.data, c.i)
	return c.currentByte()
}

func (c *checker) checkValue(depth int) bool {
	switch b := c.afterSpace(); {
	case b == '{' || b == '[':
		if depth == maxDepth {
			return c.noteWrong("nested too deep")
		}
		c.i++
		return c.checkInside(b, depth+1)
	case b == '"':
		return c.checkText()
	case b == '-' || isDigit(b):
		return c.checkNumber()
	}
	for _, word := range []string{"true", "false", "null"} {
		if c.currentByte() == word[0] {
			return c.checkWord(word)
		}
	}
	return c.noteWrong("where a value should begin")
}

// checkInside checks an object or array after the opening bracket.
func (c *checker) checkInside(bracket byte, depth int) bool {
	if c.afterSpace() == bracket+2 {
		c.i++
		return true
	}
	for {
		behind := "where a comma or ] should follow"
		if bracket == '{' {
			behind = "where a comma or } should follow"
			if c.afterSpace() != '"' {
				return c.noteWrong("where a key in double quotes should begin")
			}
			if !c.checkText() {
				return false
			}
			if c.afterSpace() != ':' {
				return c.noteWrong("where a colon should follow the key")
			}
			c.i++
		}
		if !c.checkValue(depth) {
			return false
		}
		next := c.afterSpace()
		if next != ',' && next != bracket+2 {
			return c.noteWrong(behind)
		}
		if c.i++; next != ',' {
			return true
		}
	}
}

// checkText checks a string. The current byte is its opening quote.
func (c *checker) checkText() bool {
	for c.i++; ; c.i++ {
		switch b := c.currentByte(); {
		case b == '"':
			c.i++
			return true
		case b < ' ':
			return c.noteWrong("in a string")
		case b == '\\':
			c.i++
			if !c.checkEscape() {
				return false
			}
		}
	}
}

// checkEscape reports whether the escape after a backslash is valid. If so, i is at its last byte, else the fault is
// noted.
func (c *checker) checkEscape() bool {
	switch c.currentByte() {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return true
	case 'u':
		for range 4 {
			c.i++
			if b := c.currentByte(); !isDigit(b) && (b|0x20 < 'a' || b|0x20 > 'f') {
				return c.noteWrong(`in a \u escape`)
			}
		}
		return true
	}
	return c.noteWrong("in an escape")
}

func (c *checker) checkWord(w string) bool {
	for i := range w {
		if c.currentByte() != w[i] {
			return c.noteWrong("in the word " + w)
		}
		c.i++
	}
	return true
}

func (c *checker) checkNumber() bool {
	c.skipByte('-')
	if !c.skipByte('0') && !c.checkDigits("in a number") {
		return false
	}
	if c.skipByte('.') && !c.checkDigits("after the decimal point of a number") {
		return false
	}
	if c.skipByte('e') || c.skipByte('E') {
		if !c.skipByte('+') {
			c.skipByte('-')
		}
		return c.checkDigits("in the exponent of a number")
	}
	return true
}

func (c *checker) skipByte(b byte) bool {
	found := c.currentByte() == b
	if found {
		c.i++
	}
	return found
}

func (c *checker) checkDigits(where string) bool {
	if !isDigit(c.currentByte()) {
		return c.noteWrong(where)
	}
	for isDigit(c.currentByte()) {
		c.i++
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// ReadMembers returns a JSON object's raw members by name. It skips a byte order mark.
func ReadMembers(data []byte) (map[string][]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	if fault := FindFault(data); fault != nil {
		return nil, errors.New(quotation.PlainName(fault.DescribeIn(data)))
	}
	if KindName(bytes.TrimSpace(data)) != "object" {
		return nil, errors.New("it is not a JSON object")
	}
	members := map[string][]byte{}
	w := EnterValue(data, '{')
	for w.Next() {
		members[ExactText(w.Key)] = w.TakeValue()
	}
	return members, nil
}

// KindName returns number, string, array, object, bool or null by the first byte. value is not empty and does not start
// with a blank.
func KindName(value []byte) string {
	kinds := [...]string{"number", "string", "array", "object", "bool", "bool", "null"}
	return kinds[1+strings.IndexByte(`"[{tfn`, value[0])]
}

func WithArticle(kind string) string {
	if kind[0] == 'a' || kind[0] == 'o' {
		return "an " + kind
	}
	return "a " + kind
}
