//go:build browser

package replay

import (
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var (
	pageFile    = flag.String("page", "", "a page of springfield replay to draw: make pictures")
	pictureFile = flag.String("picture", "", "where the picture of it goes")
)

// make pictures draws the page of the README with this; without a page it checks that one can be drawn.
func TestPicture(t *testing.T) {
	page, picture := *pageFile, *pictureFile
	if page == "" {
		page, picture = filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "page.png")
		must(t, os.WriteFile(page, []byte(pageOf(t, hostileReport("text"))), 0o644))
	}
	b := newBrowser(t)
	b.open("file://" + page)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1000, "height": 800, "deviceScaleFactor": 1, "mobile": false})
	b.until("document.querySelectorAll('.row').length > 0")
	// The scores and what came next: from the first heading of a section to the third.
	top := func(n int) float64 {
		return b.value(fmt.Sprintf("document.querySelectorAll('h2')[%d].getBoundingClientRect().top + scrollY", n)).(float64)
	}
	const margin = 16
	first, end := top(0)-margin, top(2)-margin
	shot := b.call("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": first, "width": 1000, "height": end - first, "scale": 1.3},
	})
	data, err := base64.StdEncoding.DecodeString(shot["data"].(string))
	if err == nil {
		err = os.WriteFile(picture, data, 0o644)
	}
	if err != nil || len(data) == 0 {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
}
