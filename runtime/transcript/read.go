// Package transcript reads session logs.
//
// Unknown lines are skipped, because the format might change in any release of the host. Logs are not
// trusted, so all reads are bounded.
//
// Each stop starts a new process, and a log can have gigabytes. Reading therefore starts where the last
// process ended, from a Log stored as JSON.
package transcript

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"hash/fnv"
	"io"
	"os"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// In bytes.
	maxLine  = 1 << 20   // longer lines (pasted images, huge results) are skipped, never held
	maxNew   = 256 << 20 // maximum for a single read, since a hook only has seconds
	markSpan = 256       // hashed before the offset
)

// File is the log of a session.
type File struct {
	*Format
	Path  string
	Brief bool // readings omit the texts of calls
}

// ReadNew reads a log from where an earlier call ended. since is the log which that call returned, or nil. It
// returns the log for the next call and the situation at the end of the file. promptID is the host's ID of the
// current prompt, or "".
//
// If the file was replaced or since is damaged, ReadNew starts at the beginning. If more than maxNew bytes remain, it
// discards since and reads only the last maxNew bytes. A last line without a line ending is read again the next time.
func (f File) ReadNew(since []byte, promptID string) (next []byte, view View, err error) {
	opened, size, err := file.OpenRegular(f.Path, 0)
	if err != nil {
		return
	}
	defer opened.Close()
	r := reader{format: f.Format, file: opened, end: size, Log: Log{Form: form, Format: f.Name}}
	var prior Log
	known := codec.ReadObject(since, &prior) == nil && prior.Form == form && prior.Format == f.Name
	if known && 0 < prior.Offset && prior.Offset <= size && prior.Mark == markBefore(opened, prior.Offset) {
		r.Log = prior
	}
	r.Log.fresh = r.Log.Offset == 0
	if from := size - maxNew; r.Log.Offset < from {
		r.Log = Log{Form: form, Format: f.Name, Offset: from, Facts: Facts{Skipped: from, Turns: 1}, fresh: true}
	}
	rewritten := known && prior.Offset > 0 && r.Log.fresh
	if o := &r.Log.Opening; promptID != "" && (!o.Named || o.ID != promptID) {
		*o = turnOpening{ID: promptID, Named: true}
	}
	if _, err = opened.Seek(r.Log.Offset, io.SeekStart); err != nil {
		return
	}
	take := func(line []byte, at int64) bool {
		if f.parseLine(&r.Entry, line, at) {
			r.Log.takeEntry(f.Format, &r.Entry)
		}
		return true
	}
	last, err := r.eachLine(take)
	if err != nil {
		return
	}
	r.Log.Mark = markBefore(opened, r.Log.Offset)
	next = codec.Append(nil, &r.Log)
	if len(last) > 0 {
		take(last, r.Log.Offset)
	}
	view = r.Log.makeView(opened, f.Brief)
	view.Rewritten = rewritten
	return next, view, nil
}

func markBefore(f *os.File, offset int64) string {
	var span [markSpan]byte
	b := span[:min(offset, markSpan)]
	if _, err := f.ReadAt(b, offset-int64(len(b))); err != nil || offset == 0 {
		return ""
	}
	h := fnv.New128a()
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

type reader struct {
	format *Format
	file   *os.File
	end    int64 // of the file at the beginning
	Log    Log
	Entry
	Number int // of the line, from 1
}

// eachLine calls take with each complete, nonblank line (nil if longer than maxLine) and its offset until take returns
// false. r.file must be at the log's offset, which advances. Lines are valid only during the call. torn is the
// incomplete last line.
func (r *reader) eachLine(take func(line []byte, at int64) bool) (torn []byte, err error) {
	begin := r.Log.Offset
	left := r.end - begin
	in := bufio.NewReaderSize(io.LimitReader(r.file, left), int(min(left, maxLine))+1)
	long := begin > 0 && begin == r.Log.Skipped // or its beginning was skipped
	for at := begin; ; {
		if ahead, _ := in.Peek(in.Buffered()); !long { // a line of its own for each blank one takes too long
			blank := ahead[:len(ahead)-len(bytes.TrimLeft(ahead, " \t\r\n"))]
			_, _ = in.Discard(len(blank))
			at += int64(len(blank))
			begin, r.Log.Offset, r.Number = at, at, r.Number+bytes.Count(blank, []byte{'\n'})
		}
		line, err := in.ReadSlice('\n')
		at += int64(len(line))
		switch err {
		case nil:
			r.Number++
			if line = line[:len(line)-1]; long {
				line, long = nil, false
			}
			if r.Log.Offset = at; !take(line, begin) {
				return nil, nil
			}
			begin = at
		case bufio.ErrBufferFull:
			long = true
		case io.EOF:
			if long {
				return nil, nil
			}
			return line, nil
		default:
			return nil, err
		}
	}
}
