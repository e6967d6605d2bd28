package layout

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/cameronsjo/springfield/runtime/display"
)

// Spinner shows on a terminal that something takes time: what is done, and for how long.
//
//	done := spinner.Start("compiling the hook")
//	defer done()
//	spinner.Step("compiling the hook for linux/arm64")
//
// It shows nothing for the first 0.3 s, and leaves nothing behind. Everything else that
// goes to the terminal goes through Over, so that the two never share a line; only
// questions do not, so call done before you ask. A nil *Spinner shows nothing.
type Spinner struct {
	w     io.Writer
	width func() int

	mu    sync.Mutex
	what  string
	begun time.Time // zero: nothing runs
	frame int
	shown bool
}

// NewSpinner is a spinner on a terminal, whose columns width tells.
func NewSpinner(w io.Writer, width func() int) *Spinner { return &Spinner{w: w, width: width} }

const (
	patience = 300 * time.Millisecond
	beat     = 100 * time.Millisecond
	wipe     = "\r\x1b[K"
)

// Start shows what is done until done is called. Inside another it is a step.
func (s *Spinner) Start(what string) (done func()) {
	if s == nil {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what = what
	if !s.begun.IsZero() {
		return func() {}
	}
	s.begun = time.Now()
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(beat)
		defer ticks.Stop()
		for {
			select {
			case <-over:
				return
			case now := <-ticks.C:
				s.draw(now)
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(over)
		<-ended
		s.mu.Lock()
		defer s.mu.Unlock()
		s.clear()
		s.begun = time.Time{}
	})
}

// Step says what is done now.
func (s *Spinner) Step(what string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.what = what
}

func (s *Spinner) draw(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.begun) < patience {
		return
	}
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	s.frame = (s.frame + 1) % len(frames)
	took := fmt.Sprintf("  %d s", int(now.Sub(s.begun).Seconds()))
	room := max(s.width()-1-2-Width(took), 0)
	s.shown = true
	fmt.Fprintf(s.w, wipe+"%c %s%s", frames[s.frame], Clip(display.Line(s.what), room), took)
}

func (s *Spinner) clear() {
	if s.shown {
		io.WriteString(s.w, wipe)
		s.shown = false
	}
}

// Over is a writer to the same terminal.
func (s *Spinner) Over(w io.Writer) io.Writer {
	if s == nil {
		return w
	}
	return over{s, w}
}

type over struct {
	spinner *Spinner
	w       io.Writer
}

func (o over) Write(p []byte) (int, error) {
	o.spinner.mu.Lock()
	defer o.spinner.mu.Unlock()
	o.spinner.clear()
	return o.w.Write(p)
}
