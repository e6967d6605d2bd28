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

	"github.com/cameronsjo/springfield/runtime/file"
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
	for _, path := range files {
		records, _ := readFrom(path, 0)
		all = append(all, records...)
	}
	byTime(all)
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
	for _, path := range files {
		if strings.HasSuffix(path, ".1") {
			continue // rotated: its records have been news before
		}
		known, seen := sizes[path]
		if !seen && first {
			known = -1
		}
		records, size := readFrom(path, known)
		sizes[path] = size
		all = append(all, records...)
	}
	byTime(all)
	return all, nil
}

// byTime sorts decisions, those of a session by their number.
func byTime(all []Record) {
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Session == all[j].Session {
			return all[i].State.Number < all[j].State.Number
		}
		return all[i].At < all[j].At
	})
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
	f, size, err := file.Open(indexFile(dir), file.Nofollow)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
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
	f, err := openFile(dir, indexFile(dir))
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

// readFrom reads what can be read of a file, from an offset on, and tells how large it
// is. A smaller file than that is another one, since it was rotated; from -1 on nothing
// is read.
func readFrom(path string, offset int64) (all []Record, size int64) {
	f, size, err := file.Open(path, file.Nofollow)
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	switch {
	case offset < 0:
		offset = size
	case offset > size:
		offset = 0
	}
	lines := bufio.NewScanner(io.NewSectionReader(f, offset, size-offset))
	lines.Buffer(nil, 2*maxRecord)
	for lines.Scan() && len(all) < maxHistory {
		if r, ok := decode(bytes.TrimSpace(lines.Bytes())); ok {
			all = append(all, r)
		}
	}
	return all, size
}
