package transcript_test

import (
	"bytes"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/cameronsjo/springfield/runtime/transcript"
)

// sameAsCut checks that at every line the cursor agrees with Read and Tail of a log that ends there.
func sameAsCut(t *testing.T, log []byte, lines int) {
	t.Helper()
	dir := t.TempDir()
	path, cut := filepath.Join(dir, "all.jsonl"), filepath.Join(dir, "cut.jsonl")
	must(t, os.WriteFile(path, log, 0o600))
	n := 0
	err := Each(path, 2*lines, func(c *Cursor) bool {
		end := log[:c.Log.Offset]
		if n = bytes.Count(end, []byte("\n")) + min(1, len(end)-1-bytes.LastIndexByte(end, '\n')); c.Number != n {
			t.Fatalf("line %d is called %d", n, c.Number)
		}
		must(t, os.WriteFile(cut, log[:c.Log.Offset], 0o600))
		_, want, err := Read(cut, Log{})
		must(t, err)
		if got := c.ViewAfterLine(); !reflect.DeepEqual(got, want) {
			t.Fatalf("line %d\ngot  %+v\nwant %+v", n, got, want)
		}
		window, err := Tail(cut, lines)
		must(t, err)
		if got := c.WindowOf(lines); !reflect.DeepEqual(got, window) {
			t.Fatalf("line %d\ngot  %+v\nwant %+v", n, got, window)
		}
		return true
	})
	must(t, err)
	if want := bytes.Count(log, []byte("\n")) + min(1, len(log)-1-bytes.LastIndexByte(log, '\n')); n != want {
		t.Errorf("%d lines, want %d", n, want)
	}
}

func TestCursorIsReadAtEveryLine(t *testing.T) {
	for seed := range int64(12) {
		s := generated(rand.New(rand.NewSource(seed)), 60)
		sameAsCut(t, s.bytes(), 7)
		sameAsCut(t, bytes.TrimSuffix(s.bytes(), []byte("\n")), 7)
	}
}

func TestCursorPassesLongAndTornLines(t *testing.T) {
	long := text(strings.Repeat("x", MaxLine+Chunk))
	edge := text(strings.Repeat("y", MaxLine-200))
	lines := []string{prompt("one"), text("two"), long, "", "no JSON", tool("Bash", `{"command":"ls"}`), edge, `{"type":"user","message":`, edge, text("three"), `{"type":"assist`}
	sameAsCut(t, []byte(strings.Join(lines, "\n")), 4)
}

// Of a huge log only the end is read, also of what is new.
func TestCursorReadsTheEnd(t *testing.T) {
	path := write(t, prompt("one"), "")
	c, visits := format.NewCursor(), 0
	for range 2 {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		end, err := f.Seek(0, io.SeekEnd)
		must(t, err)
		_, err = f.WriteAt([]byte("\n"+text("two")+"\n"), end+40<<30) // sparse
		must(t, err)
		f.Close()
		must(t, c.ReadOn(path, func(c *Cursor) bool { visits++; return true }))
	}
	if visits != 4 { // each time the end of the long line, and the last line
		t.Errorf("%d visits", visits)
	}
}

// Blank lines are passed over together: each by itself would take more than a hook's time.
func TestCursorPassesBlankLines(t *testing.T) {
	path := write(t, prompt("one"), strings.Repeat("\n \r\n", 2*MaxLine), text("two"), " "+text("three"))
	visits, last := 0, 0
	must(t, Each(path, 0, func(c *Cursor) bool { visits, last = visits+1, c.Number; return true }))
	if want := 4 + 2*2*MaxLine; visits > 30 || last != want {
		t.Errorf("%d visits, the last line is %d, want %d", visits, last, want)
	}
}

// Tail looks at four megabytes, so a cursor does.
func TestCursorWindowIsBounded(t *testing.T) {
	lines := []string{tool("Bash", `{}`), prompt("one")}
	for range 6 {
		lines = append(lines, text(strings.Repeat("x", 800<<10)))
	}
	sameAsCut(t, []byte(strings.Join(lines, "\n")+"\n"), 50)
}

func TestCursorStops(t *testing.T) {
	path := write(t, prompt("one"), text("two"), prompt("three"))
	n := 0
	if err := Each(path, 0, func(*Cursor) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("%d lines, %v", n, err)
	}
	if err := Each(filepath.Join(t.TempDir(), "none"), 0, func(*Cursor) bool { return true }); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestHappened(t *testing.T) {
	const at = `"timestamp":"2026-02-03T04:05:06.789Z"`
	for _, test := range []struct {
		line string
		want Happening
	}{
		{prompt("do it"), Prompted},
		{prompt("<command-name>/clear</command-name>"), Prompted},
		{prompt("<local-command-stdout>x</local-command-stdout>"), Nothing},
		{prompt("<task-notification>\n<task-id>b1</task-id>"), Woken},
		{prompt("[Request interrupted by user for tool use]"), Interrupted},
		{result, Returned},
		{text("hello"), Spoke},
		{tool("Bash", `{}`), Called},
		{`{"type":"assistant","message":{"content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}`, Called},
		{`{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}`, Failed},
		{`{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`, Nothing},
		{`{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\n[x]: go on"}}`, Pushed},
		{`{"type":"user","origin":{"kind":"peer"},"message":{"content":"hello"}}`, Woken},
		{`{"type":"attachment","attachment":{"type":"hook_blocking_error","hookEvent":"Stop","blockingError":{"command":"x"}}}`, Pushed},
		{`{"attachment":{"type":"hook_additional_context","hookEvent":"Stop","content":["go on"]},"type":"attachment"}`, Pushed},
		{`{"type":"attachment","attachment":{"type":"queued_command","prompt":"and this","commandMode":"prompt"}}`, Joined},
		{`{"type":"system","subtype":"stop_hook_summary"}`, Rested},
		{`{"type":"user","message":{"content":"torn`, Nothing},
	} {
		line := test.line
		if line[0] == '{' {
			line = `{` + at + `,` + line[1:]
		}
		err := Each(write(t, line), 0, func(c *Cursor) bool {
			errorIf(t, c.What != test.want, "%s: %d, want %d", line, c.What, test.want)
			errorIf(t, test.want != Nothing && c.LineTime() != 1770091506789, "%s: at %d", line, c.LineTime())
			return true
		})
		must(t, err)
	}
	// A repeated line is ignored.
	var all []Happening
	twice := `{"type":"user","uuid":"u1","message":{"content":"go"}}`
	if err := Each(write(t, twice, twice), 0, func(c *Cursor) bool { all = append(all, c.What); return true }); err != nil || !slices.Equal(all, []Happening{Prompted, Nothing}) {
		t.Error(all, err)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add([]byte(text("one") + "\n" + result + "\n" + prompt("x")))
	f.Add(generated(rand.New(rand.NewSource(1)), 20).bytes())
	f.Fuzz(func(t *testing.T, log []byte) {
		if bytes.Count(log, []byte("\n")) > 50 {
			return
		}
		sameAsCut(t, log, 5)
	})
}
