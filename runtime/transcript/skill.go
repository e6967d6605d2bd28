// The skill that is at work. It shows in four ways, surest first: the model
// calls the Skill tool; Claude Code puts the skill's text before the model; it
// attributes the model's lines to the skill; the model announces it, as
// superpowers asks for: "I'm using the brainstorming skill to …", and today
// "Using brainstorming to …". The newest sign counts. A sign of the same skill
// only says that it is still at work.

package transcript

import (
	"bytes"
	"slices"
)

type skill struct {
	Name string // without its plugin
	From source
	Turn int // of the newest sign
}

// source is how a skill showed.
type source byte

const (
	byTool source = iota + 1
	byBody
	byAttribution
	byAnnouncement
)

func (s source) String() string {
	return map[source]string{byTool: "tool", byBody: "body", byAttribution: "attribution", byAnnouncement: "announcement"}[s]
}

func (l *Log) useSkill(name []byte, from source) {
	name = name[bytes.LastIndexByte(name, ':')+1:] // superpowers:brainstorming
	name = bytes.TrimPrefix(name, []byte("/"))
	if !isPlainName(name, maxName) {
		return
	}
	if string(name) != l.Skill.Name {
		l.Skill = skill{Name: string(name), From: from}
	}
	l.Skill.Turn = l.Turns
}

// findAnnouncement looks for announcements in what the model says.
//
// "Using X to …" alone is weak, tools have names too: X must look like a
// skill's name, the words must begin a line, and no surer sign of another skill
// may have shown in this turn.
func (l *Log) findAnnouncement(text []byte) {
	rest := text
	for {
		i := bytes.Index(rest, []byte("sing "))
		if i < 0 {
			return
		}
		before := rest[:i]
		at := len(text) - len(rest) + i // in text
		rest = rest[i+len("sing "):]
		capital := bytes.HasSuffix(before, []byte("U"))
		if !capital && !bytes.HasSuffix(before, []byte("u")) {
			continue
		}
		before = text[:at-1]
		name := rest
		the := bytes.HasPrefix(name, []byte("the "))
		if the {
			name = name[len("the "):]
		}
		name = bytes.TrimLeft(name, markup)
		n := len(name) - len(bytes.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz0123456789-:"))
		name, after := name[:n], bytes.TrimLeft(name[n:], markup)
		begun := capital && startsLine(before)
		// Skills' names have several words, or a plugin's name before them; brainstorming is
		// the common one that has one word.
		severalWords := bytes.IndexByte(name, '-') > 0 || bytes.IndexByte(name, ':') > 0
		surer := l.Skill.Name != "" && l.Skill.From != byAnnouncement && l.Skill.Turn == l.Turns
		if n > 0 && (bytes.HasPrefix(after, []byte(" skill")) && (begun || endsInFirstPerson(before)) ||
			bytes.HasPrefix(after, []byte(" to ")) && !the && begun && (severalWords || string(name) == "brainstorming") && !surer) {
			l.useSkill(name, byAnnouncement)
		}
	}
}

// markup is emphasis and quotes, escaped ones too.
const markup = "*`_\\\"'"

// startsLine tells whether what comes after is the beginning of a line or of a
// sentence.
func startsLine(before []byte) bool {
	before = bytes.TrimRight(before, " >#-"+markup)
	return len(before) == 0 || bytes.IndexByte([]byte(".!?:"), before[len(before)-1]) >= 0 || bytes.HasSuffix(before, []byte(`\n`))
}

func endsInFirstPerson(before []byte) bool {
	said := []string{"I'm ", "I’m ", "I am ", "I'll be ", "I’ll be ", "I will be "}
	return slices.ContainsFunc(said, func(words string) bool { return bytes.HasSuffix(before, []byte(words)) })
}
