// Package secret knows the shapes that secrets have, and takes them out of a text before it
// is written down or shown.
package secret

import (
	"regexp"
	"strings"
	"sync"

	"github.com/cameronsjo/springfield/runtime/display"
)

// shape is what a secret is known by. It is compiled when a text first has one of its
// signs: most texts have none, and a hook has no time for more.
type shape struct {
	signs string // in small letters, with blanks between
	find  func() *regexp.Regexp
	left  string // what is left of one
}

func newShape(signs, expr, left string) shape {
	return shape{signs, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }), left}
}

// block is the only one of several lines.
var block = newShape("", `(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]*-----|$)`, "[private key]")

var shapes = []shape{
	newShape("eyj", `\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?`, "[token]"),
	newShape("sk- sk_ rk- rk_ pk- pk_", `\b(sk|rk|pk)[-_][\w-]{16,}`, "$1-[secret]"),
	newShape("ghp_ gho_ ghu_ ghs_ ghr_ _pat_ glpat- gldt- glrt- glptt- glft- glsoat- glcbt- xox xapp- whsec_ gocspx- figd_ tskey- sq0atp- sq0csp- pscale_ dp. sntry fm2_ atatt3 ops_eyj",
		`\b(gh[pousr]_|(?:github|dckr)_pat_|gl(?:pat|dt|rt|ptt|ft|soat|cbt)-|xox[a-z]-|xapp-|whsec_|GOCSPX-|figd_|tskey-|sq0(?:atp|csp)-|pscale_[a-z]+_|dp\.(?:pt|st|ct|sa)\.|sntry[su]_|fm2_|ATATT3|ops_eyJ)[\w-]{10,}[\w+/=-]*`, "$1[secret]"),
	newShape("npm_ hf_ dop_v1_ doo_v1_ dor_v1_ pypi- age-secret-key- gsk_ xai- glsa_ shpat_ shpca_ shppa_ shpss_ lin_api_ ntn_ sbp_ r8_ pplx- nrak- pmak- rubygems_",
		`\b(npm_|hf_|do[oprt]_v1_|pypi-|AGE-SECRET-KEY-|gsk_|xai-|glsa_|shp(?:at|ca|pa|ss)_|lin_api_|ntn_|sbp_|r8_|pplx-|NRAK-|PMAK-|rubygems_)[A-Za-z0-9]{16,}[\w-]*`, "$1[secret]"),
	newShape("sg. ya29. hvs.", `\b(SG\.|ya29\.|hvs\.)[\w-]{16,}[\w.-]*`, "$1[secret]"),
	newShape("slack.com discord", `\b(hooks\.slack\.com/\w+/|discord(?:app)?\.com/api/webhooks/)[\w/-]+`, "$1[secret]"),
	newShape("akia asia", `\b(AKIA|ASIA)[0-9A-Z]{16}\b`, "$1[secret]"),
	newShape("dapi", `\b(dapi)[0-9a-f]{32}(-\d)?\b`, "$1[secret]"),
	newShape("aiza", `\bAIza[\w-]{30,}`, "AIza[secret]"),
	newShape("bearer", `(?i)\b(bearer)\s+[\w.~+/-]{16,}=*`, "$1 [secret]"),
	newShape("authorization", `(?i)\b(authorization\W+(?:basic|digest|token|apikey)\s+)[^\s"']{6,}`, "$1[secret]"),
	newShape("sig= signature=", `(?i)([?&;](?:sig|[\w-]*signature)=)[^\s"'&;]{16,}`, "$1[secret]"),
	newShape("://", `\b(https?://)[^\s/:@]{16,}(:[^\s/@]*)?@`, "$1[secret]@"),
	newShape("://", `\b([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:)[^\s/]+@`, "$1[secret]@"),
	newShape("curl", `\b(curl\s(?:[^|;]*?\s)?(?:-\w*u|--[\w-]*user)[\s=]*["']?[^\s:"'/]+:)[^\s"']+`, "$1[secret]"),
	newShape("mysql mariadb sshpass redis-cli",
		`\b((?:(?:mysql|mariadb)[\w-]*\s(?:[^|;]*?\s)?-p|sshpass\s+-p\s*|redis-cli\s(?:[^|;]*?\s)?-a\s+)["']?)[^\s"'$-][^\s"']{3,}`, "$1[secret]"),
	newShape("cookie", `(?i)\b(cookie:\s*)(?:[\w.-]+=[^\s"';]*;\s*)*[\w.-]+=[^\s"';]{16,}(?:;\s*[^\s"';]+)*`, "$1[secret]"),
}

const name = `([\w.-]*(?:password|passwd|passphrase|_pass|_pwd|secret|token|(?:api|access|account|private|auth)[_-]?key|` +
	`credential|authorization)s?(?:[_-][\w-]*)?)`

var (
	// named is a value behind the name of a secret, as an option's, or with a sign between.
	named = newShape("password passwd passphrase _pass _pwd secret token _key -key apikey accesskey accountkey privatekey authkey credential authorization", `(?i)(?:--?`+name+`\s+|\b`+name+`(\\*["']?\s*(?::=|=>|[:=])\s*))`+
		`(?:\\*["']([^"'\\]{6,})|([^\s"'\\&=-][^\s"'&]{5,}))`, "")
	about    = newShape("", `(?i)(type|name|limit|count|ur[il]|file|path|length|policy|tokens)$`, "") // not one itself
	harmless = newShape("", `^(string|number|boolean|required|optional|\$[A-Z_{(].*|[<{\[].*|https?://.*|`+
		`[~.]{0,2}(/[\w.@-]{1,24})+|[\w.-]+(/[\w.-]+)+\.[a-z]{1,4})$`, "") // a word of a form, a variable, an address, a path
	random = newShape("", `\d|[@#%^*+~!].|.{24}`, "") // else it may be the next word
)

// longest is how long a value is looked into for another one: a longer one is masked whole, so
// that nothing is looked at again and again.
const longest = 300

func maskNamed(text string) string {
	return named.find().ReplaceAllStringFunc(text, func(all string) string {
		m := named.find().FindStringSubmatch(all)
		value := m[4] + m[5]
		before, unsure := strings.TrimSuffix(all, value), m[3] != "=" && m[4] == ""
		plain := about.find().MatchString(m[1]+m[2]) || harmless.find().MatchString(value) || unsure && !random.find().MatchString(value)
		if plain && len(value) <= longest {
			return before + maskNamed(value)
		}
		return before + "[secret]"
	})
}

func (s shape) mayBeIn(folded string) bool {
	for sign := range strings.FieldsSeq(s.signs) {
		if strings.Contains(folded, sign) {
			return true
		}
	}
	return false
}

// Mask takes secrets of known shapes out of a text, and what could hide one: characters that do
// not show. It says "[secret]" in their place.
func Mask(text string) string {
	text = display.PlainText(text)
	if strings.Contains(text, "-----BEGIN") {
		text = block.find().ReplaceAllString(text, block.left)
	}
	var masked strings.Builder
	for line := range strings.Lines(text) {
		if mayHaveSecret(line) {
			line = maskLine(line)
		}
		masked.WriteString(line)
	}
	return masked.String()
}

// mayHaveSecret is false of most lines: every secret is long, or stands behind a sign.
func mayHaveSecret(line string) bool {
	run := 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '=' || c == ':' || c == '-' && run == 0:
			return true
		case c <= ' ':
			run = 0
		default:
			if run++; run == 16 {
				return true
			}
		}
	}
	return false
}

func maskLine(line string) string {
	folded := strings.ToLower(line)
	for _, s := range shapes {
		if s.mayBeIn(folded) {
			line = s.find().ReplaceAllString(line, s.left)
		}
	}
	if named.mayBeIn(folded) {
		line = maskNamed(line)
	}
	return line
}
