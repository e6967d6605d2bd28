// The skill in use. Its signs, surest first: the model calls the Skill tool; Claude Code shows the skill's text to the
// model, or attributes the model's lines to the skill; the model writes "I'm using the brainstorming skill to …" or
// "Using brainstorming to …". The last sign decides.

package transcript

import (
	"bytes"
	"slices"
	"strings"
)

type skill struct {
	Name string // without its plugin
	From source
	Turn int // of the last sign
}

type source byte

const (
	byTool source = iota + 1
	byBody
	byAttribution
	byAnnouncement
)

func (s source) String() string {
	return map[source]string{
		byTool: "tool", byBody: "body", byAttribution: "attribution", byAnnouncement: "announcement",
	}[s]
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

// findAnnouncement records skills that the agent announces. "Using X to …" is weak evidence, because tools also have
// names. X must look like a skill's name, the words must begin a line, and this turn must have no surer sign.
func (l *Log) findAnnouncement(text []byte) {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("sing "))
		if i < 0 {
			return
		}
		at += i + len("sing ")
		start := at - len("using ")
		if start < 0 || text[start] != 'U' && text[start] != 'u' {
			continue
		}
		before := text[:start]
		begun := text[start] == 'U' && startsLine(before)
		name, the := bytes.CutPrefix(text[at:], []byte("the "))
		name = bytes.TrimLeft(name, markup)
		after := bytes.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz0123456789-:")
		name = name[:len(name)-len(after)]
		after = bytes.TrimLeft(after, markup)
		// Skills' names have several words or a plugin's prefix, except brainstorming.
		named := bytes.IndexByte(name, '-') > 0 || bytes.IndexByte(name, ':') > 0 || string(name) == "brainstorming"
		surer := l.Skill.Name != "" && l.Skill.From != byAnnouncement && l.Skill.Turn == l.Turns
		full := bytes.HasPrefix(after, []byte(" skill")) && (begun || endsInFirstPerson(before))
		short := bytes.HasPrefix(after, []byte(" to ")) && !the && begun && named && !surer
		if len(name) > 0 && (full || short) {
			l.useSkill(name, byAnnouncement)
		}
	}
}

// markup is emphasis and quotes, also escaped.
const markup = "*`_\\\"'"

func startsLine(before []byte) bool {
	before = bytes.TrimRight(before, " >#-"+markup)
	return len(before) == 0 || bytes.HasSuffix(before, []byte(`\n`)) ||
		strings.IndexByte(".!?:", before[len(before)-1]) >= 0
}

func endsInFirstPerson(before []byte) bool {
	pronouns := []string{"I'm ", "I’m ", "I am ", "I'll be ", "I’ll be ", "I will be "}
	return slices.ContainsFunc(pronouns, func(words string) bool { return bytes.HasSuffix(before, []byte(words)) })
}
