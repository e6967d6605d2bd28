package generator

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecordIsNotTrusted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(RecordFile))
	if got, err := readRecord(dir); err != nil || len(got) > 0 {
		t.Errorf("without a record: %v, %v", got, err)
	}
	must(t, os.Mkdir(filepath.Dir(file), 0o755))
	zero := strings.Repeat("0", 64) + "  "
	for name, text := range map[string]string{
		"up and out":      zero + "../x\n",
		"absolute":        zero + "/etc/passwd\n",
		"roundabout":      zero + "a/../../x\n",
		"not clean":       zero + "a//x\n",
		"git's":           zero + ".git/config\n",
		"git's, on a Mac": zero + ".GIT/config\n",
		"the answers":     zero + "springfield.yaml\n",
		"itself":          zero + RecordFile + "\n",
		"twice":           zero + "a\n" + zero + "a\n",
		"no checksum":     "0  a\n",
		"git's conflict":  zero + "a\n<<<<<<< HEAD\n",
		"no text":         zero + "a\n\x00\n",
	} {
		must(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := readRecord(dir)
		var bad *RecordError
		if !errors.As(err, &bad) || bad.File != file {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Reading never fails badly, and what it gives is given again, in a checkout with other
// line ends, too.
func FuzzRecord(f *testing.F) {
	f.Add("# head\n" + strings.Repeat("0a", 32) + "  a\r\n")
	f.Add(strings.Repeat("0A", 32) + "  a b\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := decodeRecord([]byte(text))
		if err != nil {
			return
		}
		for _, data := range [][]byte{r.encodeSums(), bytes.ReplaceAll(r.encodeSums(), []byte("\n"), []byte("\r\n"))} {
			if again, err := decodeRecord(data); err != nil || !maps.Equal(again, r) {
				t.Fatalf("%q: %v\n%+v\n%+v", text, err, r, again)
			}
		}
	})
}
