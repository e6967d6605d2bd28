package journal

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// Other programs read the journal without its lock while one writes and undoes: to
// them no entry is missing, damaged or half there.
func TestReadersOfABusyJournal(t *testing.T) {
	w := newWorld(t, map[string]string{"home/settings.json": "0"})
	w.do("the first", w.edit("", "home/settings.json", "1"))
	stop := make(chan struct{})
	var readers sync.WaitGroup
	read := func(what string, look func() error, fine ...error) {
		readers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				err := look()
				var since *ChangedSinceError
				if err != nil && !errors.As(err, &since) && !slices.ContainsFunc(fine, func(f error) bool { return errors.Is(err, f) }) {
					t.Errorf("%s, look %d: %v", what, n, err)
					return
				}
			}
		})
	}
	j := w.journal()
	read("plan", func() error { _, err := j.PlanUndo(); return err }, ErrChanged)
	read("list", func() error {
		all, err := j.ReadEntries()
		if err == nil && (len(all) == 0 || len(all) > 2) {
			err = fmt.Errorf("%d entries", len(all))
		}
		return err
	})
	read("damaged", func() error { return errors.Join(j.Damaged()...) })
	read("interrupted", func() error { _, _, err := j.Interrupted(); return err })
	for n := range 150 {
		w.do(fmt.Sprint("edit ", n), w.edit("", "home/settings.json", fmt.Sprint("n", n)))
		must(t, w.undo())
	}
	close(stop)
	readers.Wait()
}
