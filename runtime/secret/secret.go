// Package secret masks secrets of known shapes in texts stored or shown.
package secret

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/display"
)

// shape is a kind of secret. The pattern is compiled when a text first contains one of the signs, because
// compiling is slow.
type shape struct {
	starts   string // exact prefixes of a token, separated by blanks: they are its signs, and expr is the remainder
	signs    string // in lower case, separated by blanks
	expr     string
	left     string // the replacement, or "" for the first group and [secret]
	word     uint8  // minimum bytes between blanks, for common signs
	once     sync.Once
	compiled *regexp.Regexp
}

func (s *shape) pattern() *regexp.Regexp {
	s.once.Do(func() {
		expr := s.expr
		if s.starts != "" {
			expr = `\b(` + strings.ReplaceAll(regexp.QuoteMeta(s.starts), " ", "|") + ")" + expr
		}
		s.compiled = regexp.MustCompile(expr)
	})
	return s.compiled
}

// block is the only shape of several lines.
var block = shape{expr: `(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----.*?(-----END [A-Z0-9 ]*-----|$)`, left: "[private key]"}

// given is the password in a command. A word of letters only can belong to a sentence, unless an option, a
// path or the end follows.
const (
	bare  = "\\s\"'`;|&)" // not in a bare word
	given = `(?:(\\?["'])[^"'\\$][^"'\\]{3,}|(?:[^` + bare + `$<{(-][^` + bare + `]*)?[\d@#%^*+~!][^` + bare + `]{3,}|[^` + bare + `$<{(-][^` + bare + `]{2,}[\d@#%^*+~!][^` + bare + `]*|` +
		`[^` + bare + `$<{(-][^` + bare + `]{5,}(\s*(?:$|[` + bare + `])|\s-|\s\S*[./:]\w))`
	argument = `(?:"[^"]*"|'[^']*'|[^\s|;&<>` + "`" + `]+)`
)

// shapes are the kinds of secrets. A comment gives the kind and, in brackets, the source: a rule of gitleaks,
// or a vendor.
var shapes = []shape{
	// JSON web token (jwt, mapbox)
	{signs: "eyj", expr: `\beyJ[\w-]{8,}\.[\w-]{8,}(\.[\w-]*)?`, left: "[token]"},
	// key for models and payments (anthropic, openai, stripe)
	{starts: "sk- sk_ rk- rk_ pk- pk_", expr: `[\w-]{16,}`},
	{expr: `[\w-]{10,}(?:[.+/=]+[\w-]+)*=*`, starts: "" + // token of letters, digits and dashes
		"ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ github_oat_ dckr_pat_ dckr_oat_ " + // github, docker
		"glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- glffct- glwt- gloas- GR1348941 " + // gitlab
		"xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- " + // slack
		"pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_api_ dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. " + // planetscale, doppler
		"sntrys_ sntryu_ sntrya_ sntryi_ fo1_ vercel_blob_rw_ ATATT3 ATCTT3 ops_eyJ glc_eyJ NRII- NRJS- " + // sentry, flyio, vercel, atlassian, 1password, grafana, new-relic
		"whsec_ sq0atp- sq0csp- shippo_live_ shippo_test_ duffel_live_ duffel_test_ FLWSECK_TEST- FLWSECK- " + // stripe, square, shippo, duffel, flutterwave
		"GOCSPX- figd_ tskey- sm_aat_ sm_pat_ sm_sat_ s-s4t2ud- s-s4t2af-"}, // google, figma, tailscale, settlemint, intra42
	{expr: `[A-Za-z0-9]{16,}[\w-]*`, starts: "" + // token of letters and digits
		"hf_ api_org_ gsk_ xai- r8_ pplx- tvly- tvly-dev- tvly-prod- lsv2_pt_ lsv2_sk_ e2b_ fc- csk- tgp_v1_ jina_ " + // models and their tools
		"npm_ pypi- rubygems_ CLOJARS_ LTAI dop_v1_ doo_v1_ dor_v1_ dot_v1_ pul- rnd_ nfp_ sbp_ sb_secret_ napi_ p8e- " + // packages and hosting
		"glsa_ lin_api_ ntn_ PMAK- NRAK- phc_ phx_ sgp_ squ_ sqp_ sqa_ bkua_ CCIPAT_ CFPAT- pnu_ pnb_ rdme_ " + // development
		"AGE-SECRET-KEY- shpat_ shpca_ shppa_ shpss_ xkeysib- mlsn. EZAK EZTK"}, // age, shopify, sendinblue, mailersend, easypost
	// token with a start like a word (fireworks, notion, infracost)
	{expr: `[A-Za-z0-9]{20,}[\w-]*`, starts: "fw_ as- secret_ ico-"},
	// the same, with dashes (voyage, vercel, cloudflare, scalingo, frameio, defined-networking)
	{expr: `(?:[A-Za-z0-9]{20,}|[\w-]{40,})[\w-]*`, starts: "pa- vcp_ vci_ vca_ vcr_ vck_ cfut_ cfat_ cfk_ tk-us- fio-u- dnkey-"},
	{expr: `[\w+/=%.-]{23,}[\w+/=%-]`, starts: "" + // long token in base64
		"EAA AIza AKCp cmVmd ABSK ATBB AQ. 1//0 nvapi- HRKU- sha256~ FwoGZXIvYXdz IQoJb3JpZ2lu AQVN " + // facebook, gcp, artifactory, bitbucket, heroku, openshift, aws, yandex
		"fm1a_ fm1r_ fm2_ pcsk_ tfp_ eyJrIjoi ZXlK _gitlab_session= AAAAAAAAAAAAAAAAAAAAA"}, // flyio, pinecone, typeform, grafana, jwt-base64, gitlab, twitter
	// token with dots (sendgrid, gcp, vault, dynatrace)
	{expr: `[\w-]{16,}[\w.-]*`, starts: "SG. ya29. hvs. hvb. hvr. dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s08. dt0s16."},
	// token of a fixed length (aws, databricks, airtable, resend, twilio, clickhouse, octopus, 1password, plaid, lob, cloudflare, maxmind)
	{signs: "akia asia abia acca a3t dapi pat re_ sk 4b1d api- a3- access- _pub_ v1.0- _mmk", word: 20, expr: `\b(?:(A[KS]IA|ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}\b|(dapi)[0-9a-f]{32}(?:-\d)?\b|(pat)[A-Za-z0-9]{14}\.[0-9a-f]{64}|(re_)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}|(SK)[0-9a-fA-F]{32}\b|(4b1d)[A-Za-z0-9]{38}\b|(API-)[A-Z0-9]{26}\b|(A3-)[A-Z0-9]{6}-[A-Z0-9-]{11,13}(?:-[A-Z0-9]{5}){3}\b|(access-(?:sandbox|development|production)-)[0-9a-f-]{36}|((?:live|test)_pub_)[0-9a-f]{31}\b|(v1\.0-)[0-9a-f]{24}-[0-9a-f]{100,}|[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b)`, left: "$1$2$3$4$5$6$7$8$9$10$11[secret]"},
	// token in parts (discord, dropbox, harness, yandex, authress)
	{signs: ".", word: 50, expr: `\b(?:[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,38}|mfa\.[\w-]{80,}|sl\.(?:u\.)?[\w=-]{60,}|[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}|t1\.[\w-]{20,}=*\.[\w-]{80,}=*|(?:sc|ext|scauth|authress)_\w{5,30}\.\w{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,})`, left: "[secret]"},
	// token with a mark inside or at the end (hashicorp-tf, azure-ad); mail keys (mailgun, mailchimp); bots (telegram)
	{signs: ".atlasv1. q~", expr: `\b(\w+\.atlasv1\.|[\w~.-]{0,4}\dQ~)[\w~.-]{24,}`, left: "[secret]"},
	{signs: "key- -us", expr: `(^|[^\w-])(?:(key-)[0-9a-f]{32}|[0-9a-f]{32}(-us\d+))\b`, left: "$1$2[secret]$3"},
	{signs: ":aa /bot", expr: `(/bot\d{6,12}:|\b(?:bot)?\d{6,12}:AA)[\w-]{30,}`},
	// secret address (slack, discord, microsoft-teams, zapier, make, feishu, ifttt)
	{signs: "hook discord maker.ifttt.com", expr: `\b(hooks\.(?:slack|slack-gov|zapier|airtable)\.com/\w+/|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/|outlook\.office(?:365)?\.com/webhook\w*/|webhook\.office\.com/\w+/|hook\.[\w.]*make\.com/|/open-apis/bot/v2/hook/|maker\.ifttt\.com/\w+/)[\w/@-]+`},
	// session token and header (aws, curl-auth-header)
	{signs: "session", expr: `(?i)(session[_-]?token\s+(?:is\s+)?["']?)[\w+/=-]{40,}`},
	{signs: "bearer", expr: `(?i)\b(bearer)\s+[\w.~+/-]{16,}=*`, left: "$1 [secret]"},
	{signs: "authorization", expr: `(?i)\b(authorization\W+(?:basic|digest|token|apikey)\s+)[^\s"']{6,}`},
	// parameter, user and password in an address
	{signs: "sig= signature= key= auth= pass= pwd= sid= code= jwt=", expr: `(?i)([?&;](?:sig|[\w-]*signature|key|auth|pass|pwd|sid|code|jwt)=)(?:[^\s"'&;#\d]{0,23}\d[^\s"'&;#]{11,}|[^\s"'&;#]{24,})`},
	{signs: "://", expr: `\b(https?://)[^\s/:@]{16,}(:[^\s/@]*)?@`, left: "$1[secret]@"},
	{signs: "://", expr: `\b([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:)[^\s/]+@`, left: "$1[secret]@"},
	// user for curl (curl-auth-user)
	{signs: "curl", expr: `\b(curl\s(?:[^|;]*?\s)?(?:-\w*u|--[\w-]*user)[\s=]*["']?[^\s:"'/]+:)[^\s"']+`},
	// setting: a database, Windows, nuget-config-password; npm
	{signs: "pwd /pass: <add", expr: `(?i)(;\s*pwd\s*=\s*["']?|(?:^|\s)/pass:["']?|<add\s+key="[^"]*password"\s+value=")[^\s"'&;$%/{.~-][^\s"';]{3,}`},
	{signs: "_auth", expr: `(\b_auth\s*=\s*["']?)(?:[\w+/]*\d[\w+/]{5,}=*|[\w+/]{5,}\d[\w+/]*=*|[\w+/]{6,}=+)`},
	// SQL
	{signs: "identified password", expr: `((?i:\bidentified\s+(?:with\s+\S+\s+)?by\s+(?:(?:password|values)\s+)?|\b(?:with|encrypted|(?:user|role)\s+\S+)\s+password\s*=?\s*)N?\\*["'])[^"'\\]{3,}|` +
		`(\bIDENTIFIED\s+BY\s+|(?i:\b(?:create|alter)\s+user\s+\S+\s+identified\s+by\s+))[^\s"';\\]{4,}`, left: "$1$2[secret]"},
	// password in a command: joined to its option, or after it; before @; and after -b and a user
	{signs: "mysql mariadb sshpass redis-cli 7z -pass", expr: `\b((?:(?:mysql|mariadb|7z)[\w-]*\s(?:[^|;]*?\s)?-p|sshpass\s+-p\s*|redis-cli\s(?:[^|;]*?\s)?-a\s+|openssl\s(?:[^|;]*?\s)?-pass(?:in|out)?\s+["']?pass:)["']?)[^\s"'$-][^\s"']{3,}`},
	{signs: "login az mongo ldap zip sqlcmd mosquitto_ openssl smbclient rpcclient", expr: `\b((?:(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|oc)\s(?:[^|;&]*?\s)?login\s(?:[^|;&,]*?\s)?-p|az\s[^|;&]*?\s-p|mongo(?:sh|dump|restore|import|export)\s(?:[^|;&]*?\s)?-p|ldap[a-z]+\s(?:[^|;&]*?\s)?-w|` +
		`(?:(?:un)?zip|sqlcmd|mosquitto_[a-z]+)\s(?:[^|;&]*?\s)?-[a-z]*P|openssl\s(?:[^|;&]*?\s)?-[kK]\s|(?:smbclient|rpcclient)\s(?:[^|;&]*?\s)?(?:-U|--user)[\s=]*["']?[^\s%"']+%)[\s=]*)` + given, left: "$1$2[secret]$3"},
	{signs: "sqlplus sqlldr expdp impdp", expr: `\b((?:sqlplus|sqlldr|expdp|impdp)\s+(?:-\S+\s+)*["']?\w+/)[^\s"'@]+@`, left: "$1[secret]@"},
	{signs: "htpasswd", expr: `\b(htpasswd\s+(?:-\w+\s+)*-\w*b\w*\s+(?:-\w+\s+)*` + argument + `)(?:\s+` + argument + `){1,3}`, left: "$1 [secret]"},
	// netrc, vault, pgpass, cookie
	{signs: "password", expr: `(\bmachine\s+\S+\s+login\s+\S+\s+(?:account\s+\S+\s+)?password\s+)[^\s"']+`},
	{signs: "password vault", expr: `((?:^|\blogin\s+\S+)\s*\bpassword\s+|\bvault\s+login\s+(?:-\S+\s+)*)(?:[^\s"']*\d[^\s"']{5,}|[^\s"']{5,}\d[^\s"']*)`},
	{signs: ":5432:", expr: `(:5432:[^\s:]+:[^\s:]+:)[^\s"'` + "`" + `]{4,}`},
	{signs: "cookie", expr: `(?i)\b(cookie:\s*)(?:[\w.-]+=[^\s"';]*;\s*)*[\w.-]+=[^\s"';]{16,}(?:;\s*[^\s"';]+)*`},
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
	random   = shape{expr: `\d|[@#%^*+~!].|.{24}`} // this might be the next word
)

const longest = 300 // bytes; a longer value is masked entirely

func maskNamed(text string) string {
	return named.pattern().ReplaceAllStringFunc(text, func(all string) string {
		m := named.pattern().FindStringSubmatch(all)
		value := m[4] + m[5]
		before := strings.TrimSuffix(all, value)
		unsure := m[3] != "=" && m[4] == "" && !variable.pattern().MatchString(m[2])
		plain := about.pattern().MatchString(m[1]+m[2]) || harmless.pattern().MatchString(value) ||
			unsure && !random.pattern().MatchString(value)
		if plain && len(value) <= longest {
			return before + maskNamed(value)
		}
		return before + "[secret]"
	})
}

func (s *shape) mayBeIn(line, lower string, wordLen int) bool {
	return wordLen >= int(s.word) && (hasAny(line, s.starts) || hasAny(lower, s.signs))
}

// hasAny reports whether line contains a sign in signList (separated by spaces).
func hasAny(line, signList string) bool {
	for sign := ""; signList != ""; { // an iterator would allocate, because the hook is built without inlining
		if sign, signList, _ = strings.Cut(signList, " "); sign != "" && strings.Contains(line, sign) {
			return true
		}
	}
	return false
}

// Mask replaces secrets of known shapes. It removes invisible characters, and joiners and variation selectors after
// ASCII.
func Mask(text string) string {
	var last rune
	text = strings.Map(func(r rune) rune {
		if (display.IsJoiner(r) || 0xfe00 <= r && r <= 0xfe0f) && last < utf8.RuneSelf {
			return -1
		}
		last = r
		return r
	}, display.DropInvisible(text))
	if strings.Contains(text, "-----BEGIN") {
		text = block.pattern().ReplaceAllString(text, block.left)
	}
	var masked strings.Builder
	for line := range strings.Lines(text) {
		folded, word := strings.ToLower(line), longestWord(line)
		if word < 16 && !strings.ContainsAny(line, "=:@-") && !hasAny(folded, "password identified vault") {
			masked.WriteString(line) // it has no long word, no sign such as "=" and no typical word
			continue
		}
		for i := range shapes {
			if s := &shapes[i]; s.mayBeIn(line, folded, word) {
				line = s.pattern().ReplaceAllString(line, cmp.Or(s.left, "$1[secret]"))
			}
		}
		if named.mayBeIn(line, folded, word) {
			line = maskNamed(line)
		}
		masked.WriteString(line)
	}
	return masked.String()
}

func longestWord(line string) int {
	longest, run := 0, 0
	for i := range len(line) {
		if run++; line[i] <= ' ' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
