// Package transcript reads a session log: what has been said and done in it.
//
// The format is a host's own and may change with any release, so unknown lines are
// passed over and a log that cannot be read is an empty one. Nothing
// in a log is trusted: reads are bounded, lines are data.
//
// A hook is a fresh process at every stop, and a log can be gigabytes. So each
// reading begins where the one before ended; what it needs to know of all that
// is a Log, which the caller keeps as JSON.
package transcript

import (
	"bufio"
	"encoding/hex"
	"hash/fnv"
	"io"
	"os"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// maxLine is the longest line that is looked at, in bytes. A longer one
	// (a pasted image, a huge tool result) is skipped, and never held.
	maxLine = 1 << 20
	// chunk is the least that is read at a time from the end of a log.
	chunk = 128 << 10
	// maxNew is the most that one reading reads, in bytes: a hook has some seconds.
	maxNew = 256 << 20
	// markSpan is how much before the offset is remembered by its hash.
	markSpan = 256
)

// ReadNew reads what is new in the log at path since a reading before, which returned
// the Log to remember, or nil to begin at the beginning. It returns the Log to
// remember and the situation as of the end of the file.
//
// A log that is not the one that since tells of (shorter, rewritten, another
// file), and one of which since is damaged, is read from the beginning. Of more than maxNew bytes
// only the last are read, and nothing is known of what was before. A last line without its end counts for the
// situation if it is complete, but will be read again. The error is the
// operating system's; lines that make no sense are not errors.
//
// A brief reading is without the texts of calls, which only a judge is shown and each of
// which is fetched from its own place: only their names are there.
// prompt is the id that the host gives to the prompt at hand, "" if the log alone says which that is.
func (f *Format) ReadNew(path string, since []byte, prompt string, brief bool) (log []byte, view View, err error) {
	opened, size, err := file.OpenRegular(path, 0)
	if err != nil {
		return
	}
	defer opened.Close()
	r := reader{format: f, file: opened, end: size, Log: Log{Form: form, Format: f.Name}}
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
	if o := &r.Log.Opening; prompt != "" && (!o.Named || o.ID != prompt) {
		*o = opening{ID: prompt, Named: true}
	}
	if _, err = opened.Seek(r.Log.Offset, io.SeekStart); err != nil {
		return
	}
	last, err := r.eachLine(func(line []byte, at int64) bool {
		if f.parseLine(&r.Entry, line, at) {
			r.Log.takeEntry(f, &r.Entry)
		}
		return true
	})
	if err != nil {
		return
	}
	r.Log.Mark = markBefore(opened, r.Log.Offset)
	log = codec.Append(nil, &r.Log)
	if len(last) > 0 && f.parseLine(&r.Entry, last, r.Log.Offset) {
		r.Log.takeEntry(f, &r.Entry)
	}
	view = r.Log.makeView(opened, brief)
	view.Rewritten = rewritten
	return log, view, nil
}

// markBefore identifies what lies before an offset.
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

// reader goes through the new lines.
type reader struct {
	format *Format
	file   *os.File
	end    int64 // of the file when the reading began; what comes later is the next one's
	Log    Log   // all that has been passed
	Entry  Entry // the line that is passed
}

// eachLine calls take with every complete line and where it lies, until take has
// enough, and moves the log's offset behind each. A line that is too long to be
// looked at is nil. It returns what stands behind the last line end, nil if that is
// too long.
func (r *reader) eachLine(take func(line []byte, at int64) bool) (last []byte, err error) {
	begin := r.Log.Offset // of the line at hand
	left := r.end - begin
	in := bufio.NewReaderSize(io.LimitReader(r.file, left), int(min(left, maxLine))+1)
	long := begin > 0 && begin == r.Log.Skipped // the line at hand is, or its beginning is not there: nothing of it is held
	for at := begin; ; {
		line, err := in.ReadSlice('\n')
		at += int64(len(line))
		switch err {
		case nil:
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
