// Looking back: the decisions on file, for why and log.

package ledger

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// maxHistory bounds how many decisions are read of one session; a session's
// files hold fewer.
const maxHistory = 20_000

// History returns the newest n decisions of a session, or with an empty id of
// all, oldest first.
func History(dir, id string, n int) ([]Record, error) {
	var all []Record
	files, err := sessionFiles(dir, id)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		all = append(all, readRecords(file)...)
	}
	sort.Stable(byTime(all))
	return all[max(0, len(all)-n):], nil
}

// News reads decisions as they are made: those in files that have grown since
// the last call. sizes is what it remembers between calls; the first call with
// an empty one takes everything that is there as known.
func News(dir, id string, sizes map[string]int64) ([]Record, error) {
	files, err := sessionFiles(dir, id)
	if err != nil {
		return nil, err
	}
	first := len(sizes) == 0
	sizes[""] = 0 // no longer empty, even if there is no file yet
	var all []Record
	for _, file := range files {
		if strings.HasSuffix(file, ".1") {
			continue // rotated: its records have been news before
		}
		size := sizeOf(file)
		known := sizes[file]
		sizes[file] = size
		if first || size == known {
			continue
		}
		if size < known {
			known = 0 // rotated: a new file, with the newest record in it
		}
		all = append(all, readFrom(file, known)...)
	}
	sort.Stable(byTime(all))
	return all, nil
}

func sizeOf(path string) int64 {
	f, err := openToRead(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	return size
}

// byTime sorts decisions, those of a session by their number.
type byTime []Record

func (b byTime) Len() int      { return len(b) }
func (b byTime) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
func (b byTime) Less(i, j int) bool {
	if b[i].Session == b[j].Session {
		return b[i].State.Number < b[j].State.Number
	}
	return b[i].At < b[j].At
}

// Find returns the decision with an ID, of one session or with an empty one of
// any.
func Find(dir, session, id string) (Record, bool, error) {
	all, err := History(dir, session, 1<<30)
	if err != nil {
		return Record{}, false, err
	}
	for i := range all {
		if all[i].ID == id {
			return all[i], true, nil
		}
	}
	return Record{}, false, nil
}

// maxIndex bounds what is read of the index, in bytes: 15,000 sessions, which
// mostly stand in it twice.
const maxIndex = 1 << 20

// sessionFiles lists the ledgers, rotated ones first. Which sessions there are
// says the index, to which each adds itself: listing a directory would bring
// file infos into the hook, 120 KB of them.
func sessionFiles(dir, id string) ([]string, error) {
	if id != "" {
		path := SessionFile(dir, id)
		return []string{path + ".1", path}, nil
	}
	keys, err := sessionKeys(dir)
	var files []string
	for _, key := range keys {
		path := filepath.Join(dir, "sessions", key+".jsonl")
		files = append(files, path+".1", path)
	}
	return files, err
}

// sessionKeys reads the index: each session once, the oldest first.
func sessionKeys(dir string) (keys []string, err error) {
	f, err := openToRead(indexFile(dir))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd) // os.ReadFile looks at the file info first
	if err != nil {
		return nil, err
	}
	data := make([]byte, min(size, maxIndex))
	if _, err := f.ReadAt(data, size-int64(len(data))); err != nil && err != io.EOF {
		return nil, err
	}
	seen := map[string]bool{}
	for _, key := range strings.Fields(string(data)) {
		if isKey(key) && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func indexFile(dir string) string { return filepath.Join(dir, "sessions", "index") }

// register adds a session to the index, at its first mark and at its first decision.
// It is only for looking back: a failure is no reason to fail.
func register(dir, key string) {
	f, err := openFile(indexFile(dir))
	if err != nil {
		return
	}
	f.WriteString(key + "\n")
	f.Close()
}

// isKey tells whether a line of the index can be a session's key.
func isKey(s string) bool {
	return len(s) == 32 && !strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// readRecords reads what can be read of a file.
func readRecords(path string) []Record { return readFrom(path, 0) }

// readFrom reads it from an offset on.
func readFrom(path string, offset int64) []Record {
	f, err := openToRead(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil
	}
	var all []Record
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 2*maxRecord)
	for lines.Scan() && len(all) < maxHistory {
		if r, ok := decode(bytes.TrimSpace(lines.Bytes())); ok {
			all = append(all, r)
		}
	}
	return all
}
