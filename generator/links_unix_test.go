//go:build unix

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A directory of the suite that turns into a link while the suite is written: what
// it leads to stays as it was, whichever is faster.
func TestLinksThatComeWhileWriting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	_, files := write(t, dir)
	canary := t.TempDir()
	for _, f := range files {
		if inside, ok := cutTop(f.Path); ok {
			put(t, filepath.Join(canary, inside), []byte("theirs"), 0o644)
		}
	}
	laid := func() (all string) {
		if err := filepath.WalkDir(canary, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			all += fmt.Sprintf("%s: %.40q, %v\n", name, data, err)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := laid()
	plugin := filepath.Join(dir, "ned-flanders")
	aside := filepath.Join(t.TempDir(), "ned-flanders")
	done, swapped := make(chan struct{}), 0
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if errors.Join(os.Rename(plugin, aside), os.Symlink(canary, plugin), os.Remove(plugin), os.Rename(aside, plugin)) != nil {
				return // a directory was made in between
			}
			swapped++
		}
	})
	wrote := 0
	for n := range 100 {
		for i := range files {
			if files[i].Compiled {
				files[i].Data = []byte{byte(n), byte(n >> 8)}
			}
		}
		if _, _, err := Write(dir, files); err == nil {
			wrote++
		}
	}
	close(done)
	swapping.Wait()
	if after := laid(); after != before {
		t.Errorf("after %d writes and %d swaps the directory beside it has\n%s", wrote, swapped, after)
	}
}

// cutTop is a path without its plugin.
func cutTop(name string) (inside string, ok bool) {
	plugin, inside, ok := strings.Cut(name, "/")
	return inside, ok && plugin == "ned-flanders"
}
