package codec

import "strconv"

// Fault is what is wrong with JSON that a person has written, and where.
type Fault struct {
	At   int // the byte that is wrong, the last one if the text ends too early
	Says string
	// Cut tells that the text ends too early.
	Cut bool
}

func (f *Fault) Error() string { return f.Says }

// Check finds what keeps a text from being one JSON value; nil if nothing does.
func Check(data []byte) *Fault {
	value, fault := First(data)
	if c := (checker{data: data, i: len(value)}); fault == nil {
		if c.next(); c.i < len(data) {
			c.wrong("after top-level value")
		}
		fault = c.fault
	}
	return fault
}

// Valid tells whether a text is one JSON value.
func Valid(data []byte) bool { return Check(data) == nil }

// First is a text up to the end of its first JSON value, or what is wrong with that.
func First(data []byte) (value []byte, fault *Fault) {
	c := checker{data: data}
	if !c.value(0) {
		return nil, c.fault
	}
	return data[:c.i], nil
}

// checker goes through a text and stops at its first fault. Its methods return false
// there.
type checker struct {
	data  []byte
	i     int
	fault *Fault
}

// maxDepth is how many brackets may be open at a time.
const maxDepth = 10_000

// wrong notes that the next byte cannot stand where it does.
func (c *checker) wrong(where string) bool {
	if c.i >= len(c.data) {
		c.fault = &Fault{max(0, len(c.data)-1), "unexpected end of JSON input", true}
		return false
	}
	shown := `'"'`
	if b := c.data[c.i]; b == '\'' {
		shown = `'\''`
	} else if b != '"' {
		quoted := strconv.Quote(string(rune(b)))
		shown = "'" + quoted[1:len(quoted)-1] + "'"
	}
	c.fault = &Fault{At: c.i, Says: "invalid character " + shown + " " + where}
	return false
}

// here is the next byte, 0 at the end.
func (c *checker) here() byte {
	if c.i < len(c.data) {
		return c.data[c.i]
	}
	return 0
}

// next is here behind white space.
func (c *checker) next() byte {
	c.i = skipSpace(c.data, c.i)
	return c.here()
}

func (c *checker) value(depth int) bool {
	switch b := c.next(); {
	case b == '{' || b == '[':
		if depth == maxDepth {
			return c.wrong("exceeded max depth")
		}
		c.i++
		return c.inside(b, depth+1)
	case b == '"':
		return c.text()
	case b == 't':
		return c.word("true")
	case b == 'f':
		return c.word("false")
	case b == 'n':
		return c.word("null")
	case b == '-' || isDigit(b):
		return c.number()
	}
	return c.wrong("looking for beginning of value")
}

// inside checks what stands between a bracket and the one that ends it.
func (c *checker) inside(bracket byte, depth int) bool {
	behind := "after array element"
	if bracket == '{' {
		behind = "after object key:value pair"
	}
	if c.next() == bracket+2 {
		c.i++
		return true
	}
	for {
		if bracket == '{' {
			if c.next() != '"' {
				return c.wrong("looking for beginning of object key string")
			}
			if !c.text() {
				return false
			}
			if c.next() != ':' {
				return c.wrong("after object key")
			}
			c.i++
		}
		if !c.value(depth) {
			return false
		}
		switch c.next() {
		case ',':
			c.i++
		case bracket + 2:
			c.i++
			return true
		default:
			return c.wrong(behind)
		}
	}
}

func (c *checker) text() bool {
	for c.i++; ; c.i++ {
		switch b := c.here(); {
		case b == '"':
			c.i++
			return true
		case b < ' ':
			return c.wrong("in string literal")
		case b == '\\':
			c.i++
			if !c.escape() {
				return false
			}
		}
	}
}

// escape stops at its last byte.
func (c *checker) escape() bool {
	switch c.here() {
	case 'b', 'f', 'n', 'r', 't', '\\', '/', '"':
		return true
	case 'u':
		for range 4 {
			c.i++
			if b := c.here(); !isDigit(b) && (b|0x20 < 'a' || b|0x20 > 'f') {
				return c.wrong(`in \u hexadecimal character escape`)
			}
		}
		return true
	}
	return c.wrong("in string escape code")
}

func (c *checker) word(w string) bool {
	for i := range w {
		if c.here() != w[i] {
			return c.wrong("in literal " + w + " (expecting '" + w[i:i+1] + "')")
		}
		c.i++
	}
	return true
}

func (c *checker) number() bool {
	if c.here() == '-' {
		c.i++
	}
	if c.here() == '0' {
		c.i++
	} else if !c.digits("in numeric literal") {
		return false
	}
	if c.here() == '.' {
		c.i++
		if !c.digits("after decimal point in numeric literal") {
			return false
		}
	}
	if c.here()|0x20 == 'e' {
		c.i++
		if b := c.here(); b == '+' || b == '-' {
			c.i++
		}
		return c.digits("in exponent of numeric literal")
	}
	return true
}

// digits takes one digit or more.
func (c *checker) digits(where string) bool {
	if !isDigit(c.here()) {
		return c.wrong(where)
	}
	for isDigit(c.here()) {
		c.i++
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
