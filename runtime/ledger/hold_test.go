package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
)

var (
	claude = Means{Program: "springfield", From: "claude"}
	person = Means{Program: "ned-flanders", From: "/dev/pts/3"}
)

func TestHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude", "springfield")
	now := time.UnixMilli(1_800_000_000_000)
	held := func(id string, later time.Duration) bool {
		_, ok := HoldInForce(dir, id, now.Add(later))
		return ok
	}
	if held("a", 0) {
		t.Fatal("held at first")
	}
	if _, err := SetHold(dir, "a", now, 30*time.Minute, claude); err != nil {
		t.Fatal(err)
	}
	if !held("a", 29*time.Minute) || held("a", 31*time.Minute) || held("b", 0) {
		t.Error("a hold of one session is not in force for it alone, for its time")
	}
	// Only longer.
	if _, err := SetHold(dir, "a", now, time.Minute, claude); !errors.Is(err, ErrShorter) {
		t.Errorf("shortened: %v", err)
	}
	long, err := SetHold(dir, "a", now, 0, claude)
	if err != nil || !held("a", 1000*time.Hour) {
		t.Errorf("for good: %v", err)
	}
	if old, err := SetHold(dir, "a", now, time.Hour, claude); !errors.Is(err, ErrShorter) || old != long {
		t.Errorf("shortened from for good: %v", err)
	}
	if err := LiftHold(dir, "a", long, now, person); err != nil || held("a", 0) {
		t.Errorf("lifted: %v", err)
	}
	short, err := SetHold(dir, "a", now, time.Minute, person)
	if err != nil || held("a", 2*time.Minute) {
		t.Errorf("a shorter one after it: %v", err)
	}
	if err := LiftHold(dir, "a", long, now, person); !errors.Is(err, ErrOtherHold) || !held("a", 0) {
		t.Errorf("another one is lifted: %v", err)
	}
	if err := LiftHold(dir, "a", short, now.Add(time.Hour), person); !errors.Is(err, ErrNoHold) {
		t.Errorf("lifted when it had run out: %v", err)
	}
	if err := LiftHold(dir, "a", short, now, person); err != nil || held("a", 0) {
		t.Errorf("lifted: %v", err)
	}
	if err := LiftHold(dir, "a", short, now, person); !errors.Is(err, ErrNoHold) {
		t.Errorf("lifted twice: %v", err)
	}
	all, err := SetHold(dir, "", now, 0, claude)
	if err != nil || !held("a", 0) || !held("b", 0) {
		t.Errorf("a hold for all: %v", err)
	}
	if err := LiftHold(dir, "", all, now, person); err != nil {
		t.Error(err)
	}
	// An order that cannot be read is an order.
	for _, junk := range []string{"", "{", "\x00", "[]", `{"since":1,"until":18446744073709551615}`} {
		must(t, os.WriteFile(holdFile(dir, "c"), []byte(junk), 0o600))
		if !held("c", 0) {
			t.Errorf("%q is not in force", junk)
		}
	}
}

// What happened to a hold is told in order, by whom, and also what no springfield
// has done.
func TestHoldEvents(t *testing.T) {
	now := time.UnixMilli(1_800_000_000_000)
	later := now.Add(time.Minute)
	for name, test := range map[string]struct {
		do   func(dir string, h Hold) error
		of   time.Duration
		want []string
	}{
		"in force": {nil, 0, nil},
		"lifted":   {func(dir string, h Hold) error { return LiftHold(dir, "", h, later, person) }, 0, []string{"lifted /dev/pts/3"}},
		"ran out":  {nil, time.Second, []string{"ended "}},
		"deleted":  {func(dir string, _ Hold) error { return os.Remove(holdFile(dir, "")) }, time.Hour, []string{"removed "}},
		"rewritten": {func(dir string, _ Hold) error {
			return os.WriteFile(holdFile(dir, ""), []byte(`{"since":1,"until":2}`), 0o600)
		}, 0, []string{"removed "}},
		"made longer": {func(dir string, _ Hold) error {
			return os.WriteFile(holdFile(dir, ""), []byte(`{"since":1}`), 0o600)
		}, time.Second, nil},
	} {
		dir := filepath.Join(t.TempDir(), "springfield")
		h, err := SetHold(dir, "", now, test.of, claude)
		must(t, err)
		if test.do != nil {
			must(t, test.do(dir, h))
		}
		want := append([]string{"set claude"}, test.want...)
		for range 2 { // what was found is written down, once
			all, err := HoldEvents([]string{dir}, later.Add(time.Second))
			var got []string
			for _, e := range all {
				got = append(got, e.Did+" "+e.From)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %v, want %q", name, got, err, want)
			}
		}
	}
}

// The history is bounded, the user's alone, and whatever lies in it is passed over.
func TestHoldHistoryIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	now := time.Now()
	if _, err := SetHold(dir, strings.Repeat("x", 1<<20), now, 0, claude); err != ErrUnnoted {
		t.Errorf("a session's name of a megabyte: %v", err)
	}
	for i := range 2000 {
		must(t, noteHold(dir, HoldEvent{now.UnixMilli(), HoldSet, strings.Repeat("x", 100), Hold{Since: int64(i)}, claude}))
	}
	history := holdLines(dir)
	info, err := os.Stat(history.path)
	if err != nil || info.Size() > history.most+int64(history.longest) || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	must(t, os.WriteFile(history.path, []byte("{\x00\n[]\n{\"did\":1}\n"+strings.Repeat("x", 2*history.longest)+"\n{\"at\":1,\"did\":\"set\",\"of\":\"last\"}"), 0o600))
	if all, err := HoldEvents([]string{dir}, now); err != nil || len(all) != 2 || all[0].Of != "last" || all[1].Did != HoldRemoved {
		t.Errorf("%+v, %v", all, err)
	}
}

// Whatever lies in the place of an order, reading it ends, and what is no order
// that has run out is in force.
func FuzzHeld(f *testing.F) {
	f.Add([]byte(`{"since":1,"until":2}`))
	f.Add([]byte(`{"since":1}`))
	f.Add([]byte("\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(holdFile(dir, ""), data, 0o600))
		var h Hold
		over := codec.ReadObject(data, &h) == nil && h.Until != 0 && h.Until <= 1000
		if _, held := HoldInForce(dir, "a", time.UnixMilli(1000)); held == over {
			t.Errorf("%q: held %v", data, held)
		}
	})
}

// Many set holds at once: the longest is in force, every one is whole, each is
// written down or was refused, and nothing is left beside them.
func TestHoldsAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "springfield")
	now := time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	set := 0
	for i := range 32 {
		wg.Go(func() {
			_, err := SetHold(dir, "", now, time.Duration(1+i*7%32)*time.Hour, claude)
			mu.Lock()
			defer mu.Unlock()
			switch err {
			case nil:
				set++
			case ErrShorter:
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if h, _ := HoldInForce(dir, "", now); h.Until != now.Add(32*time.Hour).UnixMilli() {
		t.Errorf("in force for %v", time.UnixMilli(h.Until).Sub(now))
	}
	if all, err := HoldEvents([]string{dir}, now); err != nil || len(all) != set || set == 0 {
		t.Errorf("%d events of %d holds, %v", len(all), set, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
