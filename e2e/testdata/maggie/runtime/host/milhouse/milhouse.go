// Package milhouse is a made-up host: its events and its log are like no other's.
package milhouse

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Name is the host's.
const Name = "milhouse"

// Host is milhouse.
var Host = host.Host{
	Name: Name, Title: "Milhouse Shell", Agent: "Milhouse",
	Is: is, Read: read, Stop: "Rest",
	Marked: true,
	Log:    transcript.Format{Name: Name, Parse: parse, Owns: owns},
	Dir:    "~/.milhouse", Sessions: "*.log", Program: "milhouse",
}

func is(event []byte) bool { return codec.FindMember(event, "milhouse") != nil }

// read takes the members of the event, which has no last message.
func read(event []byte, e *host.Event) error {
	for name, to := range map[string]*string{"milhouse": &e.Name, "talk": &e.SessionID, "log": &e.TranscriptPath, "place": &e.Cwd} {
		*to = codec.ValidText(codec.InsideQuotes(codec.FindMember(event, name)))
	}
	return nil
}

func owns(line []byte) bool { return codec.FindMember(line, "who") != nil }

// parse reads lines like {"who": "me", "says": "Hm."}.
func parse(e *transcript.Entry) bool {
	says := codec.InsideQuotes(codec.FindMember(e.Line, "says"))
	switch string(codec.FindMember(e.Line, "who")) {
	case `"you"`:
		if e.What, e.Words = transcript.Prompted, says; bytes.HasPrefix(says, []byte(transcript.Mark)) {
			e.What = transcript.Pushed
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: true})
		}
	case `"me"`:
		e.Parts = append(e.Parts, transcript.Part{Kind: transcript.Text, Text: says})
	default:
		return false
	}
	return true
}
