// Package picture draws what a terminal shows as an SVG, for documents. It has no script
// and no font of its own, and every run of cells is put where the terminal has it.
package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// Terminal is a screen of some columns and rows. What is written to it is shown.
type Terminal struct {
	vt            vt10x.Terminal
	columns, rows int
	first         int // the row that Text and Draw begin with
}

// New is an empty screen. Answers to what a program asks its terminal go to answers.
func New(columns, rows int, answers interface{ Write([]byte) (int, error) }) *Terminal {
	return &Terminal{vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(answers)), columns, rows, 0}
}

var faint = regexp.MustCompile(`\x1b\[([0-9;]*;)?2m`)

// Write shows output of a program. The emulation has no faint text, so that is drawn grey.
func (t *Terminal) Write(p []byte) (int, error) {
	_, err := t.vt.Write(faint.ReplaceAll(p, []byte("\x1b[${1}90m")))
	return len(p), err
}

// Text is what the screen shows, a line per row, without empty rows at the end.
func (t *Terminal) Text() string {
	var text strings.Builder
	for y := t.first; y < t.rows; y++ {
		text.WriteString(t.row(y) + "\n")
	}
	return strings.TrimRight(text.String(), "\n") + "\n"
}

// Crop leaves out what stands above the last row with some words, and below the last row
// with others.
func (t *Terminal) Crop(from, to string) {
	first, end := t.first, t.rows
	for y := t.first; y < t.rows; y++ {
		if strings.Contains(t.row(y), from) {
			first = y
		}
		if strings.Contains(t.row(y), to) {
			end = y + 1
		}
	}
	t.first, t.rows = first, end
}

func (t *Terminal) row(y int) string {
	var row strings.Builder
	for x := range t.columns {
		row.WriteRune(t.cell(x, y).Char)
	}
	return strings.TrimRight(row.String(), " ")
}

func (t *Terminal) cell(x, y int) vt10x.Glyph {
	glyph := t.vt.Cell(x, y)
	if glyph.Char < ' ' {
		glyph.Char = ' '
	}
	return glyph
}

const (
	cellWidth, cellHeight = 8.4, 19.0
	margin, bar           = 18.0, 34.0
	ground, front         = "#0d1117", "#e6edf3"
)

// palette are the colours of a terminal by their ANSI numbers.
var palette = []string{
	"#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
	"#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc",
}

func colour(c vt10x.Color, other string) string {
	switch {
	case c == vt10x.DefaultFG || c == vt10x.DefaultBG || c >= 1<<24:
		return other
	case int(c) < len(palette):
		return palette[c]
	case c < 232: // the cube of 256 colours
		level := func(n vt10x.Color) int { return []int{0, 95, 135, 175, 215, 255}[n%6] }
		return fmt.Sprintf("#%02x%02x%02x", level((c-16)/36), level((c-16)/6), level(c-16))
	case c < 256:
		return fmt.Sprintf("#%02[1]x%02[1]x%02[1]x", 8+10*(c-232))
	}
	return fmt.Sprintf("#%06x", uint32(c))
}

// run is cells of one look, side by side.
type run struct {
	x           int
	text        []rune
	front, back string
	bold        bool
}

// Draw is the screen in a frame with a title. Its description is Text, so that a reader
// without eyes and a test know what it says.
func (t *Terminal) Draw(title string) []byte {
	text := t.Text()
	rows := strings.Count(text, "\n")
	width, height := 2*margin+float64(t.columns)*cellWidth, bar+1.5*margin+float64(rows)*cellHeight
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString(title))
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(title), html.EscapeString(text))
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%.0f" height="%.0f" rx="10" fill="%s" stroke="#30363d"/>`+"\n", width-1, height-1, ground)
	for n, dot := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="17" r="6" fill="%s"/>`+"\n", 22+20*n, dot)
	}
	b.WriteString(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace" font-size="14" xml:space="preserve">` + "\n")
	fmt.Fprintf(&b, `<text x="%.0f" y="22" text-anchor="middle" fill="#8b949e" font-size="13">%s</text>`+"\n", width/2, html.EscapeString(title))
	for y := range rows {
		for _, r := range t.runs(t.first + y) {
			r.draw(&b, y)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// words are what stands between gaps: each is put in its place, so that columns stay
// columns in every font.
var words = regexp.MustCompile(`\S+( \S+)*`)

// common puts characters that most fonts have in the place of some that they lack.
func common() *strings.Replacer { return strings.NewReplacer("⎿", "└", "⏵", "▸") }

func (r run) draw(b *bytes.Buffer, y int) {
	place := func(x, cells int) (left, top, width float64) {
		return margin + float64(x)*cellWidth, bar + float64(y)*cellHeight, float64(cells) * cellWidth
	}
	if r.back != "" {
		left, top, width := place(r.x, len(r.text))
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.0f" fill="%s"/>`+"\n", left, top, width, cellHeight, r.back)
	}
	weight := ""
	if r.bold {
		weight = ` font-weight="600"`
	}
	text := common().Replace(string(r.text))
	for _, at := range words.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		left, top, width := place(r.x+utf8.RuneCountInString(text[:at[0]]), utf8.RuneCountInString(part))
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>`+"\n",
			left, top+14, width, r.front, weight, html.EscapeString(part))
	}
}

// runs takes a row apart where the look changes.
func (t *Terminal) runs(y int) []run {
	const reversed, bold = 1 << 0, 1 << 2
	var all []run
	for x := range t.columns {
		glyph := t.cell(x, y)
		next := run{x, nil, colour(glyph.FG, front), colour(glyph.BG, ""), glyph.Mode&bold != 0}
		if glyph.Mode&reversed != 0 { // the emulation has exchanged the colours
			next.front, next.back = colour(glyph.FG, ground), colour(glyph.BG, front)
		}
		if last := len(all) - 1; last < 0 || all[last].front != next.front || all[last].back != next.back || all[last].bold != next.bold {
			all = append(all, next)
		}
		all[len(all)-1].text = append(all[len(all)-1].text, glyph.Char)
	}
	return all
}

// Check refuses a picture in a file that shows something else than the terminal does.
// counts leaves of a text what has to be the same. With draw the file is drawn first.
func (t *Terminal) Check(file, title string, draw bool, counts func(string) string) error {
	if draw {
		if err := os.WriteFile(file, t.Draw(title), 0o644); err != nil {
			return err
		}
	}
	svg, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	drawn, err := Says(svg)
	if err == nil && counts(t.Text()) != counts(drawn) {
		err = fmt.Errorf("%s is not what is shown today; make pictures draws it again\nshown:\n%s\ndrawn:\n%s", file, t.Text(), drawn)
	}
	return err
}

// Says is what a picture that Draw has made shows.
func Says(svg []byte) (string, error) {
	var picture struct {
		Desc string `xml:"desc"`
	}
	err := xml.Unmarshal(svg, &picture)
	return picture.Desc, err
}
