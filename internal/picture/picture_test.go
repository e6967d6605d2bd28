package picture

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	screen := New(40, 5, io.Discard)
	io.WriteString(screen, "\x1b[1m$ why\x1b[0m\r\n\x1b[32mcontinue\x1b[0m    “<Task 2>” & more\r\n  \x1b[2mfaint\x1b[0m  \x1b[7m x \x1b[0m\r\n")
	svg := string(screen.Draw(`a "title"`))
	said, err := Says([]byte(svg))
	if want := "$ why\ncontinue    “<Task 2>” & more\n  faint   x\n"; err != nil || said != want {
		t.Errorf("says %q, not %q; %v", said, want, err)
	}
	if err := xml.Unmarshal([]byte(svg), new(struct{ XMLName xml.Name })); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		`fill="#3fb950">continue</text>`,                                    // green
		`fill="#e6edf3" font-weight="600">$ why</text>`,                     // bold
		`<text x="118.8" y="67.0"`,                                          // a column stays one
		`fill="#8b949e">faint</text>`,                                       // faint is grey
		`<rect x="93.6" y="72.0" width="25.2" height="19" fill="#e6edf3"/>`, // reversed
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	for _, no := range []string{"<script", "@font-face", "href", "http://localhost"} {
		if strings.Contains(svg, no) {
			t.Errorf("%s in the picture", no)
		}
	}
	screen.Crop("continue", "continue")
	if got := screen.Text(); got != "continue    “<Task 2>” & more\n" || strings.Contains(string(screen.Draw("")), "why") {
		t.Errorf("cropped to %q", got)
	}
}
