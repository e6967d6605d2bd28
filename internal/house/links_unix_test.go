//go:build unix

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Links between documents lead to an existing file and heading.
func TestLinksLeadSomewhere(t *testing.T) {
	link, sign := regexp.MustCompile(`\]\(([^)\s]*)\)`), regexp.MustCompile(`[^\pL\pN _-]`)
	pages, err := filepath.Glob(filepath.Join("docs", "*.md"))
	must(t, err)
	found := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md", filepath.Join("closings", "README.md")) {
		for _, m := range link.FindAllStringSubmatch(read(t, ".", page), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			found++
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
				continue
			}
			leads := anchor == ""
			for line := range strings.Lines(read(t, ".", target)) {
				if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") { // as GitHub names headings
					name := strings.ReplaceAll(sign.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
					leads = leads || name == anchor
				}
			}
			if !leads {
				t.Errorf("%s: %s has no heading of that name", page, m[1])
			}
		}
	}
	if found < 50 {
		t.Errorf("%d links found", found)
	}
}
