package codec

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// InsideQuotes returns a raw string's inside, still escaped (nil for other values). The string is complete.
func InsideQuotes(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// ValidText decodes a JSON string's inside. Each run of invalid UTF-8 becomes one U+FFFD.
func ValidText(inside []byte) string {
	if bytes.IndexByte(inside, '\\') >= 0 {
		inside = Unescape(make([]byte, 0, len(inside)), inside)
	}
	return strings.ToValidUTF8(string(inside), "\uFFFD")
}

// ExactText decodes a JSON string's inside. Each byte of invalid UTF-8 becomes U+FFFD.
func ExactText(inside []byte) string {
	return string([]rune(string(Unescape(nil, inside)))) // each invalid byte becomes U+FFFD
}

// ExactString decodes a raw string, or null as "". isTextOrNull is false for other values.
func ExactString(raw []byte) (text string, isTextOrNull bool) {
	return ExactText(InsideQuotes(raw)), InsideQuotes(raw) != nil || string(raw) == "null"
}

// Unescape decodes a JSON string's inside and appends it to dst. It keeps the legible part of a broken escape.
func Unescape(dst, inside []byte) []byte {
	for {
		i := bytes.IndexByte(inside, '\\')
		if i < 0 || i+1 >= len(inside) {
			return append(dst, bytes.TrimSuffix(inside, []byte{'\\'})...)
		}
		dst = append(dst, inside[:i]...)
		r := rune(inside[i+1])
		inside = inside[i+2:]
		switch r {
		case 'n':
			r = '\n'
		case 't':
			r = '\t'
		case 'r':
			r = '\r'
		case 'b':
			r = '\b'
		case 'f':
			r = '\f'
		case 'u':
			var ok bool
			if r, ok = fourHexDigits(inside); !ok {
				break
			}
			inside = inside[4:]
			if utf16.IsSurrogate(r) {
				var low rune
				if bytes.HasPrefix(inside, []byte(`\u`)) {
					low, _ = fourHexDigits(inside[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					inside = inside[6:]
				}
			}
		default:
			if r >= utf8.RuneSelf { // a stray backslash before a multi-byte character
				dst = append(dst, byte(r))
				continue
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
}

func fourHexDigits(b []byte) (r rune, ok bool) {
	n, err := strconv.ParseUint(string(b[:min(4, len(b))]), 16, 16)
	if err != nil || len(b) < 4 {
		return utf8.RuneError, false
	}
	return rune(n), true
}

// AppendText appends text as a JSON string. Invalid UTF-8 becomes U+FFFD. U+2028 and U+2029 are escaped.
func AppendText(dst []byte, text string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c >= ' ':
				dst = append(dst, c)
			case c == '\n':
				dst = append(dst, '\\', 'n')
			case c == '\t':
				dst = append(dst, '\\', 't')
			case c == '\r':
				dst = append(dst, '\\', 'r')
			default:
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if r == '\u2028' || r == '\u2029' {
			dst = append(dst, `\u202`...)
			dst = append(dst, digits[r&15])
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return append(dst, '"')
}
