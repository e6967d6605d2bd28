// The skill in use. Its signs: the model calls the Skill tool; the host shows the skill's text to the model, or attributes
// the model's lines to the skill. The last sign decides.

package transcript

import "bytes"

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
)

func (s source) String() string {
	return map[source]string{byTool: "tool", byBody: "body", byAttribution: "attribution"}[s]
}

func (l *Log) useSkill(name []byte, from source) {
	name = name[bytes.LastIndexByte(name, ':')+1:] // superpowers:brainstorming
	name = bytes.TrimPrefix(name, []byte("/"))
	if !isPlainASCII(name, maxName) {
		return
	}
	if string(name) != l.Skill.Name {
		l.Skill = skill{Name: string(name), From: from}
	}
	l.Skill.Turn = l.Turns
}
