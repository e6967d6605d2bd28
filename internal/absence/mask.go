package absence

import (
	"regexp"
	"strings"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// maxText bounds each text of a report, in characters.
const maxText = 300

// secrets are shapes that secrets are known by, each with what is left of one.
var secrets = []struct {
	shape *regexp.Regexp
	left  string
}{
	{regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]*-----|$)`), "[private key]"},
	{regexp.MustCompile(`\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?`), "[token]"},
	{regexp.MustCompile(`\b(sk|rk|pk)[-_][\w-]{16,}`), "$1-[secret]"},
	{regexp.MustCompile(`\b(gh[pousr]_|github_pat_|glpat-|npm_|xox[a-z]-|xapp-)[\w-]{10,}`), "$1[secret]"},
	{regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`), "$1[secret]"},
	{regexp.MustCompile(`\bAIza[\w-]{30,}`), "AIza[secret]"},
	{regexp.MustCompile(`(?i)\b(bearer)\s+[\w.~+/-]{16,}=*`), "$1 [secret]"},
	{regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@`), "$1[secret]@"},
	{regexp.MustCompile(`(?i)\b([\w-]*(password|passwd|secret|token|api[_-]?key)=["']?)[^\s"'&]{6,}`), "$1[secret]"},
}

// Mask takes secrets of known shapes out of a text, and what could hide one.
func Mask(text string) string {
	text = display.OneLine(text)
	for _, s := range secrets {
		text = s.shape.ReplaceAllString(text, s.left)
	}
	return text
}

// say is what a report has of a text that an agent or a file has brought.
func say(text string) string {
	return quotation.FirstRunes(strings.Join(strings.Fields(Mask(text)), " "), maxText)
}
