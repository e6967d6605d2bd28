// Package transcript reads a session log: what has been said and done in it.
//
// The format is Claude Code's own and may change with any release, so unknown
// lines are passed over and a log that cannot be read is an empty one. Nothing
// in a log is trusted: reads are bounded, lines are data.
//
// A hook is a fresh process at every stop, and a log can be gigabytes. So each
// reading begins where the one before ended; what it needs to know of all that
// is a Log, which the caller keeps.
package transcript

import (
	"bytes"
	"encoding/hex"
	"hash/fnv"
	"io"
	"os"
)

const (
	// maxLine is the longest line that is looked at, in bytes. A longer one
	// (a pasted image, a huge tool result) is skipped, and never held.
	maxLine = 1 << 20
	// chunk is how much is read at a time.
	chunk = 128 << 10
	// markSpan is how much before the offset is remembered by its hash.
	markSpan = 256
)

// Read reads what is new in the log at path since prior, which is the Log that
// the reading before returned, or the zero Log to begin at the beginning. It
// returns the Log to remember and the situation as of the end of the file.
//
// A log that is not the one that prior tells of (shorter, rewritten, another
// file) is read from the beginning. A last line without its end counts for the
// situation if it is complete, but will be read again. The error is the
// operating system's; lines that make no sense are not errors.
func Read(path string, prior Log) (log Log, view View, err error) {
	log = prior
	// Without blocking: a named pipe in the log's place must not hold Claude up.
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return
	}
	defer f.Close()
	// Seek tells the size; Stat would too, and bring 120 KB of time formatting
	// into the binary with it.
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return
	}
	r := reader{file: f, end: size, log: Log{Form: form}}
	if prior.Form == form && 0 < prior.Offset && prior.Offset <= size && prior.Mark == mark(f, prior.Offset) {
		r.log = prior
		r.log.unshare()
	}
	if _, err = f.Seek(r.log.Offset, io.SeekStart); err != nil {
		return
	}
	last, err := r.lines()
	if err != nil {
		return
	}
	r.log.Mark = mark(f, r.log.Offset)
	log = r.log
	if len(last) > 0 && r.entry.parse(last, log.Offset) {
		r.log.unshare()
		r.log.take(&r.entry)
	}
	return log, r.log.view(f), nil
}

// mark identifies what lies before an offset.
func mark(f *os.File, offset int64) string {
	var span [markSpan]byte
	b := span[:min(offset, markSpan)]
	if _, err := f.ReadAt(b, offset-int64(len(b))); err != nil || offset == 0 {
		return ""
	}
	h := fnv.New128a()
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// reader goes through the new lines.
type reader struct {
	file  *os.File
	end   int64 // of the file when the reading began; what comes later is the next one's
	log   Log
	entry entry
}

// lines takes all complete lines into the log. It returns what stands behind
// the last line end, nil if that is too long to be looked at.
func (r *reader) lines() (last []byte, err error) {
	var (
		at   = r.log.Offset // where buf begins in the file
		left = r.end - at   // not yet read
		buf  = make([]byte, min(chunk, left))
		held int  // bytes in buf: the beginning of a line
		seen int  // of them already searched for a line end
		long bool // the line at hand is too long: nothing of it is held
	)
	for left > 0 {
		if held == len(buf) {
			if held > maxLine {
				long = true
				at, held, seen = at+int64(held), 0, 0
			} else { // once: the one line in a million gets all the room there is
				buf = append(make([]byte, 0, maxLine+chunk), buf...)
				buf = buf[:cap(buf)]
			}
		}
		n, err := r.file.Read(buf[held:min(int64(len(buf)), int64(held)+min(left, chunk))])
		if err != nil && err != io.EOF {
			return nil, err
		}
		if n <= 0 {
			break // somebody has cut the file
		}
		left -= int64(n)
		held += n
		start := 0
		for {
			i := bytes.IndexByte(buf[seen:held], '\n')
			if i < 0 {
				break
			}
			end := seen + i
			if !long && end-start <= maxLine && r.entry.parse(buf[start:end], at+int64(start)) {
				r.log.take(&r.entry)
			}
			long = false
			start, seen = end+1, end+1
			r.log.Offset = at + int64(start)
		}
		if start > 0 {
			held = copy(buf, buf[start:held])
			at += int64(start)
		}
		seen = held
	}
	if long || held > maxLine {
		return nil, nil
	}
	return buf[:held], nil
}
