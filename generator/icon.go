// Icons: a mark per strategy, drawn from what its about.yaml says. Everything is
// measured on a grid of 64 by 64 units, so that a shape is thought of once for
// every size.
//
// The same data gives the same pixels on every machine. That is why products
// are converted to float64 before they are added: Go may otherwise fuse the two
// operations on some processors and round once instead of twice. For the same
// reason nothing beyond a square root is taken from math.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"sync"
)

const (
	iconSide = 512 // pixels; Claude Code's directory takes 512 to 2048
	iconGrid = 64  // units on that length
	iconEdge = 14  // radius of the tile's corners, in units
)

// Icon is a tile with rounded corners, and marks on it. Around the tile the
// picture is transparent, so it stands on light and on dark.
type Icon struct {
	Ground string `yaml:"ground"` // #rrggbb
	Marks  []Mark `yaml:"marks"`  // the first one lies lowest
}

// Mark is one shape in one colour: exactly one of Line, Ring, Box and Area.
type Mark struct {
	Fill  string    `yaml:"fill"`  // #rrggbb
	Line  []float64 `yaml:"line"`  // x, y of two points or more, joined with round ends
	Ring  []float64 `yaml:"ring"`  // x, y, radius
	Box   []float64 `yaml:"box"`   // x, y, width, height
	Area  []float64 `yaml:"area"`  // x, y of three corners or more
	Width float64   `yaml:"width"` // of Line and Ring; a ring without one is a disc
	Round float64   `yaml:"round"` // how far the corners of Box and Area are rounded, within and around them
}

// distance tells how far a point is from a shape, in units; inside it is
// negative.
type distance func(x, y float64) float64

// icons are those that were drawn, by what they are: a suite is rendered several times
// in one run, and drawing takes most of that.
var icons sync.Map

// drawn is the icon as PNG, drawn once.
func (i Icon) drawn() ([]byte, error) {
	key := fmt.Sprintf("%v", i)
	if data, ok := icons.Load(key); ok {
		return data.([]byte), nil
	}
	data, err := i.draw()
	if err == nil {
		icons.Store(key, data)
	}
	return data, err
}

// draw paints the icon as PNG.
func (i Icon) draw() ([]byte, error) {
	ground, err := parseColor(i.Ground)
	if err != nil {
		return nil, err
	}
	picture := image.NewNRGBA(image.Rect(0, 0, iconSide, iconSide))
	for n := 0; n < len(picture.Pix); n += 4 {
		copy(picture.Pix[n:], []byte{ground.R, ground.G, ground.B, 0})
	}
	for n, m := range i.Marks {
		fill, err := parseColor(m.Fill)
		if err != nil {
			return nil, fmt.Errorf("mark %d: %w", n+1, err)
		}
		shape, err := m.shape()
		if err != nil {
			return nil, fmt.Errorf("mark %d: %w", n+1, err)
		}
		cover(shape, func(at, share int) {
			for c, v := range []uint8{fill.R, fill.G, fill.B} {
				was := int(picture.Pix[at+c])
				picture.Pix[at+c] = uint8((was*(255-share) + int(v)*share + 127) / 255)
			}
		})
	}
	cover(box([]float64{0, 0, iconGrid, iconGrid}, iconEdge), func(at, share int) { picture.Pix[at+3] = uint8(share) })

	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&b, picture)
	return b.Bytes(), err
}

// cover calls paint for every pixel that a shape touches: where its bytes begin
// and how much of it is covered, out of 255. An edge is as soft as one pixel.
// Where the middle of a block of pixels is far from the edge, all of them are
// alike.
func cover(shape distance, paint func(at, share int)) {
	const block = 16
	const far = block * 0.75 // more than from a block's middle to its corner
	for top := 0; top < iconSide; top += block {
		for left := 0; left < iconSide; left += block {
			middle := pixels(shape, float64(left)+block/2, float64(top)+block/2)
			for n := 0; n < block*block && middle < far; n++ {
				row, column := top+n/block, left+n%block
				share := 1.0
				if middle > -far {
					share = min(0.5-pixels(shape, float64(column)+0.5, float64(row)+0.5), 1)
				}
				if share > 0 {
					paint(4*(row*iconSide+column), int(float64(share*255)+0.5))
				}
			}
		}
	}
}

// pixels is a distance in pixels, from a point given in them.
func pixels(shape distance, x, y float64) float64 {
	const unit = float64(iconGrid) / iconSide
	return shape(float64(x*unit), float64(y*unit)) / unit
}

func (m Mark) shape() (distance, error) {
	var found []distance
	fits := true
	add := func(numbers []float64, ok bool, shape distance) {
		if numbers != nil {
			found, fits = append(found, shape), fits && ok
		}
	}
	add(m.Line, len(m.Line) >= 4 && len(m.Line)%2 == 0, line(m.Line, m.Width))
	add(m.Ring, len(m.Ring) == 3, ring(m.Ring, m.Width))
	add(m.Box, len(m.Box) == 4, box(m.Box, m.Round))
	add(m.Area, len(m.Area) >= 6 && len(m.Area)%2 == 0, area(m.Area, m.Round))
	switch {
	case len(found) != 1:
		return nil, fmt.Errorf("it has %d of line, ring, box and area, and needs one", len(found))
	case !fits:
		return nil, errors.New("too few or too many numbers")
	}
	return found[0], nil
}

func line(points []float64, width float64) distance {
	return func(x, y float64) float64 { return toLine(points, x, y) - width/2 }
}

func ring(at []float64, width float64) distance {
	return func(x, y float64) float64 {
		d := length(x-at[0], y-at[1]) - at[2]
		if width == 0 {
			return d
		}
		return math.Abs(d) - width/2
	}
}

func box(at []float64, round float64) distance {
	return func(x, y float64) float64 {
		dx := math.Abs(x-at[0]-at[2]/2) - at[2]/2 + round
		dy := math.Abs(y-at[1]-at[3]/2) - at[3]/2 + round
		return length(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - round
	}
}

// area fills a polygon, and what lies within round of it.
func area(corners []float64, round float64) distance {
	closed := append(append([]float64{}, corners...), corners[:min(2, len(corners))]...)
	return func(x, y float64) float64 {
		d := toLine(closed, x, y)
		inside := false
		for n := 0; n+3 < len(closed); n += 2 {
			x1, y1, x2, y2 := closed[n], closed[n+1], closed[n+2], closed[n+3]
			if (y1 > y) != (y2 > y) && x < x1+float64((x2-x1)*(y-y1))/(y2-y1) {
				inside = !inside
			}
		}
		if inside {
			d = -d
		}
		return d - round
	}
}

// toLine is the distance to the nearest point of joined lines.
func toLine(points []float64, x, y float64) float64 {
	nearest := math.Inf(1)
	for n := 0; n+3 < len(points); n += 2 {
		dx, dy := points[n+2]-points[n], points[n+3]-points[n+1]
		px, py := x-points[n], y-points[n+1]
		along := 0.0
		if long := float64(dx*dx) + float64(dy*dy); long > 0 {
			along = min(max((float64(px*dx)+float64(py*dy))/long, 0), 1)
		}
		nearest = min(nearest, length(px-float64(along*dx), py-float64(along*dy)))
	}
	return nearest
}

func length(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

// parseColor reads #rrggbb.
func parseColor(s string) (color.NRGBA, error) {
	n, err := strconv.ParseUint(s[min(1, len(s)):], 16, 32)
	if err != nil || len(s) != 7 || s[0] != '#' {
		return color.NRGBA{}, fmt.Errorf("%q is not a colour like #ffcc00", s)
	}
	return color.NRGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}, nil
}
