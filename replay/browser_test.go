//go:build browser

// The page in a real browser: make page, with chromium on PATH.

package replay

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// browser is a headless chromium, spoken to over two pipes.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	id      int
	session string
	errors  []string // what the page's console complains of
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	must(t, err, "chromium is needed: apt-get install chromium")
	home := t.TempDir()
	read, theirs, err := os.Pipe()
	must(t, err)
	mine, write, err := os.Pipe()
	must(t, err)
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe", "--user-data-dir="+filepath.Join(home, "profile"))
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	cmd.ExtraFiles = []*os.File{mine, theirs} // 3 and 4 over there
	must(t, cmd.Start())
	mine.Close()
	theirs.Close()
	b := &browser{t: t, in: write, out: bufio.NewReader(read)}
	t.Cleanup(func() {
		write.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return b
}

// call calls a method of the DevTools protocol and returns its result.
func (b *browser) call(method string, params any) (result map[string]any) {
	b.t.Helper()
	b.id++
	message := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	must(b.t, err)
	_, err = b.in.Write(append(data, 0))
	must(b.t, err)
	for {
		data, err := b.out.ReadBytes(0)
		must(b.t, err, method)
		var m struct {
			ID     int
			Method string
			Params json.RawMessage
			Result map[string]any
			Error  *struct{ Message string }
		}
		must(b.t, json.Unmarshal(data[:len(data)-1], &m))
		switch {
		case m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" || m.Method == "Runtime.consoleAPICalled":
			b.errors = append(b.errors, string(m.Params))
		case m.ID == b.id && m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		case m.ID == b.id:
			return m.Result
		}
	}
}

// open opens a page in a window of its own.
func (b *browser) open(url string) {
	b.t.Helper()
	b.session = ""
	target := b.call("Target.createTarget", map[string]any{"url": "about:blank"})["targetId"]
	b.session = b.call("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Runtime.enable", "Log.enable", "Page.enable"} {
		b.call(domain, map[string]any{})
	}
	b.call("Page.navigate", map[string]any{"url": url})
	b.until("document.readyState === 'complete'")
}

// value is what an expression is in the page.
func (b *browser) value(expression string) any {
	b.t.Helper()
	r := b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if r["exceptionDetails"] != nil {
		b.t.Fatalf("%s: %v", expression, r["exceptionDetails"])
	}
	return r["result"].(map[string]any)["value"]
}

func (b *browser) until(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); b.value(expression) != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("it never becomes so: %s", expression)
		}
	}
}

func (b *browser) is(expression string, want any) {
	b.t.Helper()
	scratch.Equal(b.t, b.value(expression), want, expression)
}

func (b *browser) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		params := map[string]any{"type": "keyDown", "key": key}
		if len(key) == 1 {
			params["text"] = key
		}
		if key == "Enter" {
			params["text"], params["windowsVirtualKeyCode"] = "\r", 13
		}
		b.call("Input.dispatchKeyEvent", params)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key})
	}
}

const count = "document.getElementById('count').textContent"

func TestPageInABrowser(t *testing.T) {
	r := hostileReport("<script>window.pwned = 1</script></style><img src=x onerror='window.pwned = 2'>")
	for i := range 300 {
		label := []Label{Answered, MidWork, Nudge}[i%3]
		decision := []string{"stop", "continue"}[i%2]
		r.Rows = append(r.Rows, Row{
			File: fmt.Sprintf("/logs/%d.jsonl", i), Line: i, Session: fmt.Sprint(i), Project: fmt.Sprintf("/p%d", i%4), Label: label, Means: label.MeaningOf(), Text: fmt.Sprintf("The %dth text. Now I'll go on.", i), Next: "continue",
			At:      time.Date(2026, time.Month(1+i%9), 2, 3, 4, 5, 0, time.UTC),
			Choices: []Choice{{Decision: "stop", Rule: "otherwise"}, {Decision: decision, Rule: "intent"}, {Decision: "stop", Rule: "asks", Asks: true, Bytes: 9}},
		})
	}
	r.FillInScores()
	path := filepath.Join(t.TempDir(), "a page.html")
	must(t, os.WriteFile(path, []byte(pageOf(t, r)), 0o644))
	url := "file://" + strings.ReplaceAll(path, " ", "%20")
	b := newBrowser(t)

	b.open(url)

	b.is(count, "203 stops; 100 points in mid-work are folded away.")
	b.is("[...document.querySelectorAll('.head .marks span')].map((e) => e.textContent.slice(0, 4)).join()", "<scr,ned-,lisa")
	b.is("[...document.querySelectorAll('.row .marks')].every((e) => e.querySelector('.wrong'))", true) // the first page
	for i := range 3 {                                                                                  // each mark is below its column's name
		b.is(fmt.Sprintf("(([a, b]) => Math.abs(a - b) < 1)(['.head', '.row'].map((e) => document.querySelector(e + ' .marks').children[%d].getBoundingClientRect().left))", i), true)
	}
	b.is("document.querySelectorAll('.row').length", 50.0)
	b.is("document.getElementById('page').textContent", "page 1 of 5")
	b.is("typeof window.pwned", "undefined")
	b.is("document.querySelectorAll('script').length", 2.0)
	b.is("document.querySelectorAll('img').length", 0.0)

	b.press("j", "j")
	b.is("[...document.querySelectorAll('.row')].findIndex((e) => e.classList.contains('here'))", 2.0)
	b.is("document.activeElement.closest('.row').classList.contains('here')", true)
	b.press("Enter")
	b.is("document.querySelectorAll('.open').length", 1.0)
	b.is("document.querySelector('.open').textContent.includes('<img src=x')", true)
	b.is("document.querySelectorAll('.open tbody tr').length", 3.0)
	b.press("Escape")
	b.is("document.querySelectorAll('.open').length", 0.0)
	b.press("?")
	b.is("document.getElementById('help').hidden", false)
	b.press("Escape", "/")
	b.is("document.activeElement.id", "q")
	b.call("Input.insertText", map[string]any{"text": "41th text"})
	b.is(count, "2 of 203 stops; 100 points in mid-work are folded away.") // 41 and 141; 241 is mid-work
	b.is("location.hash", "#q=41th+text")
	b.press("Escape")
	b.is("document.activeElement.id === 'q'", false)

	// Filters, and the address that remembers them.
	set := func(id, value string) {
		b.value(fmt.Sprintf("(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event('input')); })()", id, value))
	}
	set("q", "")
	set("strategy", "1")
	set("only", "wrong")
	b.is(count, "53 of 203 stops; 100 points in mid-work are folded away.")
	set("only", "differ")
	b.is(count, "103 of 203 stops; 100 points in mid-work are folded away.")
	set("only", "")
	set("label", string(AllLabels()[0]))
	b.is(count, "100 of 203 stops; 100 points in mid-work are folded away.")
	set("label", string(MidWork))
	b.is(count, "100 points in mid-work.")
	b.open(url + "#only=wrong&strategy=1")
	b.is(count, "53 of 203 stops; 100 points in mid-work are folded away.")
	b.is("document.getElementById('only').value", "wrong")
	b.open(url + "#label=999&strategy=77&q=%3Cscript%3E")
	b.is("document.getElementById('strategy').value", fmt.Sprint(r.best()))
	b.is(count, "3 of 203 stops; 100 points in mid-work are folded away.")
	b.is("document.querySelector('.excerpt').textContent.includes('<script>')", true)
	b.open(url + "#q=zzzz")
	b.is(count+".includes('Nothing matches')", true)

	// A strategy that always asks a model continues nowhere by itself, and asks nothing in mid-work.
	b.open(url + "#strategy=2&only=asks")
	b.is(count, fmt.Sprintf("%d stops; 100 points in mid-work are folded away.", r.Scores[2].Asked.N))
	for _, only := range []string{"wrong", "continue"} {
		set("only", only)
		b.is(count+".startsWith('0 of 203 stops')", true)
	}

	// Rows without a decision, and a report of made sessions with all in it.
	bare := r
	bare.Scores, bare.Rows = nil, []Row{{Label: Answered, Means: WantStop, Text: "No model was asked."}}
	bare.FillInScores()
	for name, r := range map[string]Report{"bare": bare, "made": manyRows(300), "few": manyRows(1)} {
		path := filepath.Join(t.TempDir(), name+".html")
		must(t, os.WriteFile(path, []byte(pageOf(t, r)), 0o644))
		b.open("file://" + path)
		b.is(count, map[string]any{"bare": "1 stop.", "made": "600 stops; 300 points in mid-work are folded away.", "few": "2 stops; 1 point in mid-work is folded away."}[name])
		b.press("j", "Enter")
		b.is("document.querySelectorAll('.open').length", 1.0)
		// No table scrolls sideways.
		for _, width := range []int{360, 500, 1000, 1400, 1600} {
			b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
			b.until(fmt.Sprintf("innerWidth === %d", width))
			b.is("[...document.querySelectorAll('section .wide')].filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map((e) => e.scrollWidth + '/' + e.clientWidth + ': ' + e.innerText.slice(0, 40)).join()", "")
		}
		b.call("Emulation.clearDeviceMetricsOverride", map[string]any{})
	}

	b.open(url)
	b.value("document.getElementById('after').click()")
	b.is("document.getElementById('page').textContent", "page 2 of 5")
	b.press("k")
	b.is("document.getElementById('page').textContent", "page 1 of 5")

	// Nothing overflows at any width.
	for _, width := range []int{360, 800, 1600} {
		b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
		b.open(url)
		b.is("document.documentElement.scrollWidth <= innerWidth", true)
	}
	b.value("document.getElementById('theme').click()")
	b.is("['light', 'dark'].includes(document.documentElement.dataset.theme)", true)
	if len(b.errors) > 0 {
		t.Errorf("the console says\n%s", strings.Join(b.errors, "\n"))
	}
}
