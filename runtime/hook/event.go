// Package hook answers the events of a host with the verdict of a strategy. After any failure, the agent may stop.
package hook

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/registry"
)

const maxEvent = 4 << 20 // bytes

type Event = host.Event

// readEvent parses r's JSON object as an event of the first host that recognises it, or the default host. It does not
// wait for EOF.
func readEvent(r io.Reader) (e Event, err error) {
	data, err := readObject(r)
	if err == nil {
		h := registry.DefaultHost()
		for _, other := range registry.Hosts {
			if other.Is != nil && other.Is(data) {
				h = other
				break
			}
		}
		err = h.ReadEvent(data, &e)
	}
	if err != nil {
		return Event{}, newFailure("read event", err)
	}
	return e, nil
}

// readObject reads the JSON object at r's start, not waiting for EOF. It returns io.EOF if r is empty, and
// io.ErrUnexpectedEOF if torn.
func readObject(r io.Reader) (data []byte, err error) {
	data = make([]byte, 0, 8<<10)
	for err == nil {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, 4*cap(data)), data...)
		}
		var n int
		n, err = r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		text := bytes.TrimSpace(data)
		switch {
		case len(data) > maxEvent:
			return nil, errors.New("larger than 4 MiB")
		case len(text) > 0 && text[0] != '{':
			return nil, errors.New("it is not a JSON object")
		case err == nil && !bytes.HasSuffix(text, []byte{'}'}): // it goes on
		case err == io.EOF && len(text) == 0:
			return nil, err
		default:
			if object := codec.ObjectAtStart(text); object != nil {
				return object, nil
			}
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

func ledgerIDOf(e Event) string {
	if e.SessionID != "" {
		return "session:" + e.SessionID
	}
	if e.TranscriptPath != "" {
		return "transcript:" + e.TranscriptPath
	}
	return "directory:" + e.Cwd
}

// Some hosts send no last message, and start the hook before the stop's entry is in the log. The hook waits
// for this entry, and decides nothing without it.

const (
	arrivalWait = 1500 * time.Millisecond // an entry takes 50 to 150 ms
	arrivalPoll = 5 * time.Millisecond
	maxEnd      = 256 << 10 // bytes
)

// awaitArrival waits up to arrivalWait for this stop's log entry, and returns a veto if none comes. The host's Arrived
// is not nil.
func (s *start) awaitArrival() guard.Veto {
	h, until := s.event.Host, time.Now().Add(arrivalWait)
	for {
		if end, err := file.ReadEnd(s.event.TranscriptPath, 0, maxEnd); err == nil && h.Arrived(s.event, end) {
			return guard.Veto{}
		}
		if !time.Now().Before(until) {
			return guard.Veto{Rule: "log-lags", Evidence: "the session log of " + h.Title + " did not have this stop within " + arrivalWait.String()}
		}
		time.Sleep(arrivalPoll)
	}
}

// promptExpansion is the event of a slash command before the model gets it.
const promptExpansion = "UserPromptExpansion"

// answerCommand answers this plugin's slash command if it needs no model. Otherwise the host passes it to the model.
// The event does not prove that a person typed.
func (s *start) answerCommand() {
	defer func() { _ = recover() }()
	command, _ := codec.ExactString(s.event.Command)
	arguments, ok := codec.ExactString(s.event.Arguments)
	plugin, word, _ := strings.Cut(command, ":")
	if string(s.event.Source) != `"plugin"` || plugin != s.plugin || !ok || s.Answer == nil || s.state == "" {
		return
	}
	if text := s.Answer(s.event, s.state, word, arguments); text != "" {
		_ = s.printAnswer(said{decision: "block", reason: shortenText(text, 16<<10)})
	}
}
