// Package secret masks secrets of known shapes in texts that are stored or shown.
package secret

import (
	"regexp"
	"strings"
	"sync"

	"github.com/cameronsjo/springfield/runtime/display"
)

// shape is the pattern of a secret. It is compiled when a text first has one of its signs, because most texts have
// none and compiling is slow.
type shape struct {
	signs    string // in lower case, separated by blanks
	expr     string
	left     string // the replacement
	once     sync.Once
	compiled *regexp.Regexp
}

func (s *shape) find() *regexp.Regexp {
	s.once.Do(func() { s.compiled = regexp.MustCompile(s.expr) })
	return s.compiled
}

// block is the only shape of several lines.
var block = shape{expr: `(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]*-----|$)`, left: "[private key]"}

var shapes = []shape{
	{signs: "eyj", expr: `\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?`, left: "[token]"},
	{signs: "sk- sk_ rk- rk_ pk- pk_", expr: `\b(sk|rk|pk)[-_][\w-]{16,}`, left: "$1-[secret]"},
	{signs: "ghp_ gho_ ghu_ ghs_ ghr_ _pat_ _oat_ glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- glffct- glwt- xox xapp- whsec_ gocspx- figd_ tskey- sq0atp- sq0csp- pscale_ dp. sntry fm2_ atatt3 atctt3 ops_eyj glc_eyj",
		expr: `\b(gh[pousr]_|(?:github|dckr)_[po]at_|gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent|ffct|wt)-|xox[a-z]-|xapp-|whsec_|GOCSPX-|figd_|tskey-|sq0(?:atp|csp)-|pscale_[a-z]+_|dp\.(?:pt|st|ct|sa)\.|sntry[su]_|fm2_|AT[AC]TT3|(?:ops|glc)_eyJ)[\w-]{10,}[\w+/=-]*`, left: "$1[secret]"},
	{signs: "npm_ hf_ dop_v1_ doo_v1_ dor_v1_ pypi- age-secret-key- gsk_ xai- glsa_ shpat_ shpca_ shppa_ shpss_ lin_api_ ntn_ sbp_ r8_ pplx- nrak- pmak- rubygems_ pul- tvly- lsv2_ pcsk_ e2b_ fc- csk- tgp_v1_ jina_ napi_ sb_secret_ rnd_ nfp_ bkua_ ccipat_ phc_ phx_ sgp_ squ_ sqp_ sqa_ cfpat- clojars_ xkeysib- mlsn. ltai",
		expr: `\b(npm_|hf_|do[oprt]_v1_|pypi-|AGE-SECRET-KEY-|gsk_|xai-|glsa_|shp(?:at|ca|pa|ss)_|lin_api_|ntn_|sbp_|r8_|pplx-|NRAK-|PMAK-|rubygems_|pul-|tvly-(?:dev-|prod-)?|lsv2_[a-z]+_|pcsk_|e2b_|fc-|csk-|tgp_v1_|jina_|napi_|sb_secret_|rnd_|nfp_|bkua_|CCIPAT_|ph[cx]_|sgp_|sq[apu]_|CFPAT-|CLOJARS_|xkeysib-|mlsn\.|LTAI)[A-Za-z0-9]{16,}[\w-]*`, left: "$1[secret]"},
	{signs: "akia asia dapi pat re_",
		expr: `\b(?:(A[KS]IA)[0-9A-Z]{16}\b|(dapi)[0-9a-f]{32}(?:-\d)?\b|(pat)[A-Za-z0-9]{14}\.[0-9a-f]{64}|(re_)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,})`, left: "$1$2$3$4[secret]"},
	{signs: "eaa aiza akcp absk atbb aq. 1//0 nvapi- hrku- sha256~ fwogzxivyxdz iqojb3jpz2lu", // short prefixes of long secrets
		expr: `\b(EAA|AIza|AKCp|ABSK|ATBB|AQ\.|1//0|nvapi-|HRKU-|sha256~|FwoGZXIvYXdz|IQoJb3JpZ2lu)[\w+/=-]{24,}`, left: "$1[secret]"},
	{signs: "sg. ya29. hvs. hvb. hvr. dt0", expr: `\b(SG\.|ya29\.|hv[sbr]\.|dt0[a-z]\d\d\.)[\w-]{16,}[\w.-]*`, left: "$1[secret]"},
	{signs: ".atlasv1. q~", expr: `\b(\w+\.atlasv1\.|[\w~.-]{0,4}\dQ~)[\w~.-]{24,}`, left: "[secret]"},
	{signs: "key- -us", expr: `(^|[^\w-])(?:(key-)[0-9a-f]{32}|[0-9a-f]{32}(-us\d+))\b`, left: "$1$2[secret]$3"},
	{signs: ":aa /bot", expr: `(/bot\d{6,12}:|\b(?:bot)?\d{6,12}:AA)[\w-]{30,}`, left: "$1[secret]"},
	{signs: "hook discord maker.ifttt.com", // secret addresses
		expr: `\b(hooks\.(?:slack|slack-gov|zapier|airtable)\.com/\w+/|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/|outlook\.office(?:365)?\.com/webhook\w*/|webhook\.office\.com/\w+/|hook\.[\w.]*make\.com/|/open-apis/bot/v2/hook/|maker\.ifttt\.com/\w+/)[\w/@-]+`, left: "$1[secret]"},
	{signs: "session", expr: `(?i)(session[_-]?token\s+(?:is\s+)?["']?)[\w+/=-]{40,}`, left: "$1[secret]"},
	{signs: "bearer", expr: `(?i)\b(bearer)\s+[\w.~+/-]{16,}=*`, left: "$1 [secret]"},
	{signs: "authorization", expr: `(?i)\b(authorization\W+(?:basic|digest|token|apikey)\s+)[^\s"']{6,}`, left: "$1[secret]"},
	{signs: "sig= signature= key= auth= pass= pwd= sid= code= jwt=", expr: `(?i)([?&;](?:sig|[\w-]*signature|key|auth|pass|pwd|sid|code|jwt)=)(?:[^\s"'&;#\d]{0,23}\d[^\s"'&;#]{11,}|[^\s"'&;#]{24,})`, left: "$1[secret]"},
	{signs: "://", expr: `\b(https?://)[^\s/:@]{16,}(:[^\s/@]*)?@`, left: "$1[secret]@"},
	{signs: "://", expr: `\b([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:)[^\s/]+@`, left: "$1[secret]@"},
	{signs: "curl", expr: `\b(curl\s(?:[^|;]*?\s)?(?:-\w*u|--[\w-]*user)[\s=]*["']?[^\s:"'/]+:)[^\s"']+`, left: "$1[secret]"},
	{signs: "mysql mariadb sshpass redis-cli",
		expr: `\b((?:(?:mysql|mariadb)[\w-]*\s(?:[^|;]*?\s)?-p|sshpass\s+-p\s*|redis-cli\s(?:[^|;]*?\s)?-a\s+)["']?)[^\s"'$-][^\s"']{3,}`, left: "$1[secret]"},
	{signs: "password", expr: `(\bmachine\s+\S+\s+login\s+\S+\s+(?:account\s+\S+\s+)?password\s+)[^\s"']+`, left: "$1[secret]"},
	{signs: "password", expr: `((?:^|\blogin\s+\S+)\s*\bpassword\s+)(?:[^\s"']*\d[^\s"']{5,}|[^\s"']{5,}\d[^\s"']*)`, left: "$1[secret]"},
	{signs: ":5432:", expr: `(:5432:[^\s:]+:[^\s:]+:)[^\s"'` + "`" + `]{4,}`, left: "$1[secret]"},
	{signs: "cookie", expr: `(?i)\b(cookie:\s*)(?:[\w.-]+=[^\s"';]*;\s*)*[\w.-]+=[^\s"';]{16,}(?:;\s*[^\s"';]+)*`, left: "$1[secret]"},
}

const name = `([\w.-]*(?:password|passwd|passphrase|_pass|_pwd|secret|token|api[ _-]?key|(?:access|account|private|auth)[_-]?key|` +
	`credential|authorization)s?(?:[_-][\w-]*)?)`

var (
	// named is a value after the name of a secret: of an option, after set, or after a sign, maybe in Markdown.
	named = shape{signs: "password passwd passphrase _pass _pwd secret token _key -key api accesskey accountkey privatekey authkey credential authorization",
		expr: `(?i)(?:(?:--?|\bsetx?\s+(?:-\w+\s+)*)` + name + `\s+|\b` + name + `(\\*["']?[*` + "`" + `]*\s*(?::=|=>|[:=])[*` + "`" + `]*\s*[` + "`" + `]?))` +
			`(?:\\*["']([^"'\\]{6,})|([^\s"'\\&=-][^\s"'&]{5,}))`}
	about    = shape{expr: `(?i)(type|name|limit|count|ur[il]|file|path|length|policy|tokens)$`} // no secrets
	harmless = shape{expr: `^(string|number|boolean|required|optional|\$[A-Z_{(].*|[<{\[].*|https?://.*|` +
		`[~.]{0,2}(/[\w.@-]{1,24})+|[\w.-]+(/[\w.-]+)+\.[a-z]{1,4})$`} // a word of a form, a variable, an address or a path
	variable = shape{expr: `^[A-Z]+_[A-Z_]+$`}
	random   = shape{expr: `\d|[@#%^*+~!].|.{24}`} // otherwise it may be the next word
)

// longest is the most bytes of a value that is searched for another secret. A longer value is masked as a whole, which
// bounds the work.
const longest = 300

func maskNamed(text string) string {
	return named.find().ReplaceAllStringFunc(text, func(all string) string {
		m := named.find().FindStringSubmatch(all)
		value := m[4] + m[5]
		before := strings.TrimSuffix(all, value)
		unsure := m[3] != "=" && m[4] == "" && !variable.find().MatchString(m[2])
		plain := about.find().MatchString(m[1]+m[2]) || harmless.find().MatchString(value) ||
			unsure && !random.find().MatchString(value)
		if plain && len(value) <= longest {
			return before + maskNamed(value)
		}
		return before + "[secret]"
	})
}

func (s *shape) mayBeIn(folded string) bool {
	for sign := range strings.FieldsSeq(s.signs) {
		if strings.Contains(folded, sign) {
			return true
		}
	}
	return false
}

// Mask replaces secrets of known shapes in a text and removes invisible characters, which could hide one.
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

// mayHaveSecret is a cheap filter: every secret is long or follows a sign.
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
	return strings.Contains(line, "password ") // netrc has no sign
}

func maskLine(line string) string {
	folded := strings.ToLower(line)
	for i := range shapes {
		if s := &shapes[i]; s.mayBeIn(folded) {
			line = s.find().ReplaceAllString(line, s.left)
		}
	}
	if named.mayBeIn(folded) {
		line = maskNamed(line)
	}
	return line
}
