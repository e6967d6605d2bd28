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
	{regexp.MustCompile(`\b(gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-)[\w-]{10,}`), "$1[secret]"},
	{regexp.MustCompile(`\b(npm_|hf_|do[oprt]_v1_|pypi-|AGE-SECRET-KEY-)[A-Za-z0-9]{16,}[\w-]*`), "$1[secret]"},
	{regexp.MustCompile(`\b(SG\.|ya29\.)[\w-]{16,}[\w.-]*`), "$1[secret]"},
	{regexp.MustCompile(`\b(hooks\.slack\.com/\w+/|discord(?:app)?\.com/api/webhooks/)[\w/-]+`), "$1[secret]"},
	{regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`), "$1[secret]"},
	{regexp.MustCompile(`\bAIza[\w-]{30,}`), "AIza[secret]"},
	{regexp.MustCompile(`(?i)\b(bearer)\s+[\w.~+/-]{16,}=*`), "$1 [secret]"},
	{regexp.MustCompile(`(?i)\b(authorization\W+(?:basic|digest|token)\s+)[^\s"']{6,}`), "$1[secret]"},
	{regexp.MustCompile(`\b(https?://)[^\s/:@]{16,}(:[^\s/@]*)?@`), "$1[secret]@"},
	{regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:)[^\s/]+@`), "$1[secret]@"},
	{regexp.MustCompile(`\b(curl\s(?:[^|;]*?\s)?(?:-\w*u|--[\w-]*user)[\s=]*["']?[^\s:"'/]+:)[^\s"']+`), "$1[secret]"},
}

const name = `([\w.-]*(?:password|passwd|passphrase|_pass|_pwd|secret|token|(?:api|access|private|auth)[_-]?key|` +
	`credential|authorization)s?(?:[_-][\w-]*)?)`

var (
	// named is a value behind the name of a secret, as an option's, or with a sign between.
	named = regexp.MustCompile(`(?i)(?:--?` + name + `\s+|\b` + name + `(\\*["']?\s*(?::=|=>|[:=])\s*))` +
		`(?:\\*["']([^"'\\]{6,})|([^\s"'\\&=-][^\s"'&]{5,}))`)
	about    = regexp.MustCompile(`(?i)(type|name|limit|count|ur[il]|file|path|length|policy|tokens)$`) // not one itself
	harmless = regexp.MustCompile(`^(string|number|boolean|required|optional|\$[A-Z_{(].*|[<{\[].*|https?://.*|` +
		`[~.]{0,2}(/[\w.@-]{1,24})+|[\w.-]+(/[\w.-]+)+\.[a-z]{1,4})$`) // a word of a form, a variable, an address, a path
	random = regexp.MustCompile(`\d|[@#%^*+~!].|.{24}`) // else it may be the next word
)

func maskNamed(text string) string {
	return named.ReplaceAllStringFunc(text, func(all string) string {
		m := named.FindStringSubmatch(all)
		secret := m[4] + m[5]
		before, unsure := strings.TrimSuffix(all, secret), m[3] != "=" && m[4] == ""
		plain := about.MatchString(m[1]+m[2]) || harmless.MatchString(secret) || unsure && !random.MatchString(secret)
		if plain && len(secret) <= maxText { // a longer one would be looked at again and again
			return before + maskNamed(secret)
		}
		return before + "[secret]"
	})
}

// Mask takes secrets of known shapes out of a text, and what could hide one.
func Mask(text string) string {
	text = display.OneLine(text)
	for _, s := range secrets {
		text = s.shape.ReplaceAllString(text, s.left)
	}
	return maskNamed(text)
}

// say is what a report has of a text that an agent or a file has brought.
func say(text string) string {
	return quotation.FirstRunes(strings.Join(strings.Fields(Mask(text)), " "), maxText)
}
