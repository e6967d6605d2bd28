package document

// Some programs accept JSON with comments. A comment belongs to the member before it on its
// line, else to the next one. An edit keeps every comment: those of a removed member become
// lines of their own, with an empty line before the next member.

import (
	"errors"
	"slices"
	"strings"
)

func ParseCommented(data []byte) (*Document, error) {
	comments := findComments(string(data))
	plain := slices.Clone(data) // with blanks for comments, to keep all positions
	for _, c := range comments {
		for i := c.start; i < c.end; i++ {
			if plain[i] != '\n' && plain[i] != '\r' {
				plain[i] = ' '
			}
		}
	}
	d, err := ParseDocument(plain)
	if err != nil {
		return nil, err
	}
	d.source, d.commented = string(data), len(comments) > 0
	return d, nil
}

type comment struct{ start, end int }

// findComments omits an unterminated comment: the parser reports it.
func findComments(text string) (all []comment) {
	for i := 0; i < len(text); i++ {
		rest, length := text[i:], 0
		switch {
		case rest[0] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(rest, "//"):
			if length = strings.IndexAny(rest, "\r\n"); length < 0 {
				length = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return all
			}
			length = end + 4
		}
		if length > 0 {
			all = append(all, comment{i, i + length})
			i += length - 1
		}
	}
	return all
}

func commentsIn(text string) (all []string) {
	for _, c := range findComments(text) {
		all = append(all, text[c.start:c.end])
	}
	return all
}

// besideEnd returns the end of the comments after a value on its line. After a comma they
// belong to the next value, unless the line ends.
func besideEnd(gap string) (end int) {
	before, comma := 0, false
	for _, c := range append(findComments(gap), comment{start: len(gap)}) {
		switch between := gap[end:c.start]; {
		case strings.Contains(between, "\n"):
			return end
		case c.start == len(gap) && comma:
			return before
		case c.start < len(gap):
			if comma = comma || strings.Contains(between, ","); !comma {
				before = c.end
			}
			end = c.end
		}
	}
	return end
}

// endsLine reports whether the last comment extends to the end of its line.
func endsLine(comments []string) bool {
	return len(comments) > 0 && strings.HasPrefix(comments[len(comments)-1], "//")
}

// placeComments returns the source, with all comments, after an edit that replaces the text from start to end.
func (d *Document) placeComments(e Edit, objects []*value, found *member, start, end int, text string) (string, error) {
	source := strings.TrimPrefix(d.source, d.mark)
	if len(source) != len(d.text) {
		return "", errCommented // an empty file with comments
	}
	made, around := source[:start]+text+source[end:], objects[len(objects)-1]
	members := around.listMembers()
	switch inside := commentsIn(source[start:end]); {
	case found == nil && len(members) > 0:
		beside := start + besideEnd(source[start:around.endOffset()-1])
		made = source[:start] + d.insertion(source[start:beside], separator(around, colonStyle(objects)), text, indentOf(source[:start])) + source[beside:]
	case found == nil || len(inside) == 0:
	case e.Value == nil:
		isLast := around.first[found.key]+1 == len(members)
		made = source[:start] + d.withoutMember(source[:end], start, found, isLast) + source[end:]
	default: // move the comments to lines above
		line := d.lineEnd() + indentOf(source[:found.start])
		made = source[:found.start] + strings.Join(inside, line) + line + source[found.start:start] + text + source[end:]
	}
	was, is := commentsIn(source), commentsIn(made)
	slices.Sort(was)
	slices.Sort(is)
	if !slices.Equal(was, is) {
		return "", errCommented
	}
	return d.mark + made, nil
}

var errCommented = errors.New("the edit would take a comment along: nothing is changed")

// insertion returns beside, the comments after the last member, and the new member in text,
// which begins with separator.
func (d *Document) insertion(beside, separator, text, indent string) string {
	gap := strings.Replace(separator, ",", "", 1)
	gap = gap[max(0, strings.LastIndex(gap, d.lineEnd())):] // without the blanks of comments
	text = strings.TrimPrefix(text, separator)
	switch {
	case !endsLine(commentsIn(beside)):
		return beside + "," + gap + text
	case !strings.Contains(gap, "\n"):
		gap = d.lineEnd() + indent
	}
	return "," + beside + gap + text
}

// withoutMember returns text from start without a member, but with all comments.
func (d *Document) withoutMember(text string, start int, m *member, isLast bool) string {
	end := m.value.endOffset()
	lead, tail := start+besideEnd(text[start:m.start]), end+besideEnd(text[end:])
	own := slices.Concat(commentsIn(text[lead:m.start]), commentsIn(text[m.start:end]), commentsIn(text[end:tail]))
	first, rest := text[start:lead], text[tail:]
	if comma := strings.IndexByte(d.text[start:m.start], ','); isLast && comma >= 0 && comma < len(first) {
		first = first[:comma] + first[comma+1:]
	} else if !isLast && comma >= len(first) {
		first = "," + first
	}
	if comma := strings.IndexByte(d.text[tail:len(text)], ','); comma >= 0 {
		rest = rest[:comma] + rest[comma+1:]
	}
	line := d.lineEnd() + indentOf(text[:m.start])
	for _, c := range own {
		first += line + c
	}
	if len(own) > 0 && !isLast {
		first += d.lineEnd()
	}
	if (len(own) > 0 || endsLine(commentsIn(first))) && !strings.Contains(leadingCharacters(rest, blanks), "\n") {
		rest = line + strings.TrimLeft(rest, blanks)
	}
	return first + rest
}
