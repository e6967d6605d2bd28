// Package hook is the wire between a host and a strategy: one event in, at most one
// verdict out, and whatever goes wrong, the agent may stop.
package hook

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// maxEvent bounds what is read of an event, in bytes. A last message is at most
// a few hundred kilobytes.
const maxEvent = 4 << 20

// Event is what a host says.
type Event = host.Event

// hostOfEvent is whose event it is.
func hostOfEvent(e Event) *host.Host {
	if e.Host == nil {
		return registry.DefaultHost()
	}
	return e.Host
}

// blockCapOf is how many continues in a row the host honours, which an environment variable can
// change, as Claude Code reads it.
func blockCapOf(h *host.Host, getenv func(string) string) int {
	if h.CapVariable != "" && getenv != nil {
		if n, err := strconv.Atoi(strings.TrimSpace(getenv(h.CapVariable))); err == nil {
			return max(n, 0)
		}
	}
	return h.Cap
}

// readEvent reads one JSON object and does not wait for the end of input: on
// some hosts it never comes.
func readEvent(r io.Reader) (e Event, err error) {
	data, err := readObject(r)
	if err == nil {
		e.Host = registry.HostOfEvent(data)
		err = e.Host.ReadEvent(data, &e)
	}
	if err != nil {
		return Event{}, newFailure("read event", err)
	}
	return e, nil
}

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
			w := codec.EnterValue(text, '{')
			for w.Next() {
			}
			if object := w.PassedBytes(); object != nil {
				return object, nil
			}
		}
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

// sessionKey names the session in the ledger. Without a session id the place stands
// in for it.
func sessionKey(e Event) string {
	switch {
	case e.SessionID != "":
		return "session:" + e.SessionID
	case e.TranscriptPath != "":
		return "transcript:" + e.TranscriptPath
	}
	return "directory:" + e.Cwd
}
