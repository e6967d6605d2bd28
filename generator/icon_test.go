package generator

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/registry"
)

// Every strategy has an icon that Claude Code's directory takes: a square PNG of
// 512 pixels, small, transparent around its tile. At 32 pixels its colours are
// still there, and they stand out from the tile.
func TestIcons(t *testing.T) {
	seen := map[string]string{}
	for _, name := range registry.Names() {
		about, err := ReadAbout(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := about.Icon.draw()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := about.Icon.draw()
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("%s: drawn twice, it is not the same", name)
		}
		if len(data) > 20<<10 {
			t.Errorf("%s: %d bytes", name, len(data))
		}
		if twin, ok := seen[string(data)]; ok {
			t.Errorf("%s looks like %s", name, twin)
		}
		seen[string(data)] = name
		decoded, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		picture := decoded.(*image.NRGBA)
		if side := picture.Bounds(); side != image.Rect(0, 0, 512, 512) {
			t.Errorf("%s: %v", name, side)
		}
		for _, corner := range []image.Point{{0, 0}, {511, 0}, {0, 511}, {511, 511}} {
			if picture.NRGBAAt(corner.X, corner.Y).A != 0 {
				t.Errorf("%s: the corner %v is not transparent", name, corner)
			}
		}
		ground, _ := parseColor(about.Icon.Ground)
		colors := map[color.NRGBA]bool{ground: true}
		for _, m := range about.Icon.Marks {
			fill, _ := parseColor(m.Fill)
			colors[fill] = true
			clear := 0
			for y := range 32 {
				for x := range 32 {
					if whole(picture, x*16, y*16, fill) {
						clear++
					}
				}
			}
			if fill != ground && (clear < 8 || contrast(fill, ground) < 90) {
				t.Errorf("%s: at 32 pixels %s fills %d of them, contrast %d", name, m.Fill, clear, contrast(fill, ground))
			}
		}
		if len(colors) < 2 || len(colors) > 3 {
			t.Errorf("%s has %d colours", name, len(colors))
		}
	}
}

// whole tells whether the pixel of the small picture is all of one colour.
func whole(picture *image.NRGBA, left, top int, fill color.NRGBA) bool {
	for n := range 16 * 16 {
		if picture.NRGBAAt(left+n%16, top+n/16) != fill {
			return false
		}
	}
	return true
}

// contrast is how far two colours are apart in brightness, out of 255.
func contrast(a, b color.NRGBA) int {
	light := func(c color.NRGBA) int { return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000 }
	return max(light(a)-light(b), light(b)-light(a))
}

func TestMarks(t *testing.T) {
	drawn := func(m Mark) *image.NRGBA {
		t.Helper()
		data, err := Icon{Ground: "#000000", Marks: []Mark{m}}.draw()
		if err != nil {
			t.Fatal(err)
		}
		p, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return p.(*image.NRGBA)
	}
	for name, test := range map[string]struct {
		mark    Mark
		in, out []image.Point // in units
	}{
		"line":    {Mark{Line: []float64{10, 10, 30, 10, 30, 30}, Width: 4}, []image.Point{{9, 10}, {20, 11}, {31, 20}}, []image.Point{{20, 20}, {20, 13}, {30, 33}}},
		"ring":    {Mark{Ring: []float64{32, 32, 10}, Width: 4}, []image.Point{{42, 32}, {32, 23}}, []image.Point{{32, 32}, {45, 32}}},
		"disc":    {Mark{Ring: []float64{32, 32, 10}}, []image.Point{{32, 32}, {41, 32}}, []image.Point{{43, 32}, {40, 40}}},
		"box":     {Mark{Box: []float64{10, 20, 30, 10}}, []image.Point{{11, 21}, {39, 29}}, []image.Point{{9, 21}, {41, 29}}},
		"rounded": {Mark{Box: []float64{10, 20, 30, 20}, Round: 9}, []image.Point{{25, 21}, {11, 30}}, []image.Point{{11, 21}, {39, 39}}},
		"area":    {Mark{Area: []float64{10, 10, 50, 10, 30, 50}, Round: 2}, []image.Point{{30, 30}, {30, 9}}, []image.Point{{15, 40}, {30, 53}}},
	} {
		t.Run(name, func(t *testing.T) {
			test.mark.Fill = "#ffffff"
			p := drawn(test.mark)
			for _, at := range test.in {
				if p.NRGBAAt(at.X*8, at.Y*8).R != 255 {
					t.Errorf("%v is not in it", at)
				}
			}
			for _, at := range test.out {
				if p.NRGBAAt(at.X*8, at.Y*8).R != 0 {
					t.Errorf("%v is in it", at)
				}
			}
		})
	}
	for name, test := range map[string]struct {
		icon Icon
		want string
	}{
		"no ground":     {Icon{}, `"" is not a colour`},
		"word":          {Icon{Ground: "yellow"}, `"yellow" is not a colour`},
		"short":         {Icon{Ground: "#fff"}, "is not a colour"},
		"sign":          {Icon{Ground: "#+12345"}, "is not a colour"},
		"no fill":       {Icon{Ground: "#000000", Marks: []Mark{{Box: []float64{1, 2, 3, 4}}}}, "mark 1: "},
		"no shape":      {Icon{Ground: "#000000", Marks: []Mark{{Fill: "#ffffff"}}}, "mark 1: it has 0 of"},
		"two shapes":    {Icon{Ground: "#000000", Marks: []Mark{{Fill: "#ffffff", Line: []float64{1, 2, 3, 4}, Ring: []float64{1, 2, 3}}}}, "it has 2 of"},
		"short numbers": {Icon{Ground: "#000000", Marks: []Mark{{Fill: "#ffffff", Box: []float64{1, 2, 3}}}}, "too few or too many"},
		"odd numbers":   {Icon{Ground: "#000000", Marks: []Mark{{Fill: "#ffffff", Line: []float64{1, 2, 3, 4, 5}}}}, "too few or too many"},
		"one point":     {Icon{Ground: "#000000", Marks: []Mark{{Fill: "#ffffff", Area: []float64{1}}}}, "too few or too many"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := test.icon.draw(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
