package secret

import (
	"strings"
	"testing"
)

// Secrets of known shapes do not stay in a text, also not in pieces; other words do.
func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"key sk-ant-api03-abcdefghijklmnop1234 here":                                "key sk-[secret] here",
		"ghp_abcdefghijklmnopqrstuvwxyz0123456789":                                  "ghp_[secret]",
		"github_pat_11ABCDEFG0abcdefghijkl_mnop":                                    "github_pat_[secret]",
		"AKIAIOSFODNN7EXAMPLE.":                                                     "AKIA[secret].",
		"AIzaSyA1234567890abcdefghijklmnopqrstuv":                                   "AIza[secret]",
		"xoxb-1234567890-abcdefgh":                                                  "xoxb-[secret]",
		"Authorization: Bearer abcdef.ghijkl-mnopqr_123=":                           "Authorization: Bearer [secret]",
		"postgres://ned:hunter2@db/x and https://user:pa%40ss@host":                 "postgres://ned:[secret]@db/x and https://user:[secret]@host",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----": "[private key]",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn":                               "[private key]", // cut
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgN":                               "[token]",
		"sk-ant-api03\u200b-abcdefghijklmnop1234":                                   "sk-[secret]", // with a character that does not show
		"PASSWORD=hunter22 ./run":                                                   "PASSWORD=[secret] ./run",
		"npm_abcdefghijklmnopqrstuvwxyz":                                            "npm_[secret]",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY env":        "AWS_SECRET_ACCESS_KEY=[secret] env",
		"AWS_SECRET_ACCESS_KEY=/JalrXUtnFEMIaK7MDENGabPxRfiCYEXAMPLEKEY":            "AWS_SECRET_ACCESS_KEY=[secret]",
		`{"password": "correct horse", "user": "ned"}`:                              `{"password": "[secret]", "user": "ned"}`,
		`"{\"apiKey\": \"swordfish\"}"`:                                             `"{\"apiKey\": \"[secret]\"}"`,
		"password: hunter2 and more":                                                "password: [secret] and more",
		"db_password = 'swordfish'":                                                 "db_password = '[secret]'",
		"mysql --password hunter2 --token=swordfish":                                "mysql --password [secret] --token=[secret]",
		"Authorization: Basic bmVkOmh1bnRlcg==":                                     "Authorization: Basic [secret]",
		"-H 'authorization: token 0123456789abcdef'":                                "-H 'authorization: token [secret]'",
		"-H 'x-api-key: 0a1b2c3d4e'":                                                "-H 'x-api-key: [secret]'",
		"curl -s -u ned:hunter2 https://x":                                          "curl -s -u ned:[secret] https://x",
		"DB_PASS=hunter2 TOKEN_X=swordfish":                                         "DB_PASS=[secret] TOKEN_X=[secret]",
		"PASSWORD=12345678 token: 123456":                                           "PASSWORD=[secret] token: [secret]",
		"--token --password hunter2":                                                "--token --password [secret]",
		`curl -sSu "ned:hunter2" x; --password "correct horse"`:                     `curl -sSu "ned:[secret]" x; --password "[secret]"`,
		"Authorization: 0a1b2c3d password := 'swordfish'":                           "Authorization: [secret] password := '[secret]'",
		"token: token=swordfish":                                                    "token: token=[secret]",
		"git clone https://0123456789abcdef0123@host/x":                             "git clone https://[secret]@host/x",
		"dapi0123456789abcdef0123456789abcdef-2 is set":                             "dapi[secret] is set",
		"https://0123456789abcdef0123:x-oauth-basic@host/x":                         "https://[secret]@host/x",
		"postgres://ned:hunt@r2@db/x":                                               "postgres://ned:[secret]@db/x",
		"hf_AbCdEfGhIjKlMnOpQrStUvWxYz":                                             "hf_[secret]",
		"SG.aBcDeFgHiJ-lMnOpQrStUv.wXyZ0123456789":                                  "SG.[secret]",
		"pypi-AgEIcHlwaS5vcmcCJDU4YzFm-x_y":                                         "pypi-[secret]",
		"dop_v1_0123456789abcdef0123456789abcdef":                                   "dop_v1_[secret]",
		"ya29.a0AfB_byC0123456789-x":                                                "ya29.[secret]",
		"https://hooks.slack.com/services/T0000/B0000/XXXXXXXX":                     "https://hooks.slack.com/services/[secret]",
		"AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L":                         "AGE-SECRET-KEY-[secret]",
		"- **Password:** hunter2xyz":                                                "- **Password:** [secret]",
		"**API key**: abcdef1234567890":                                             "**API key**: [secret]",
		"Your API key: `abcdef1234567890`":                                          "Your API key: `[secret]",
		"`DB_PASSWORD`: `hunter2xyz`":                                               "`DB_PASSWORD`: `[secret]",
		"POSTGRES_PASSWORD: mysecretpassword":                                       "POSTGRES_PASSWORD: [secret]",
		"Shall the task-runner use a token bucket?":                                 "Shall the task-runner use a token bucket?",
		"https://example.com/a:b@c":                                                 "https://example.com/a:b@c",
		"a bearer of news; sk-short; risk-assessment":                               "a bearer of news; sk-short; risk-assessment",
	} {
		if got := Mask(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The shapes of many makers. Of each nothing of the secret stays, whatever is left.
func TestShapesOfMakers(t *testing.T) {
	const (
		x   = "Zq7Rt2Lm9Xw4Kb8Nc3Vd6Hf1"
		hex = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
	)
	for _, text := range []string{
		"123456789:AA" + x + "_-x1y2z3w", "https://api.telegram.org/bot123456789:AA" + x + "_-x1y2z3w/getMe", "https://api.telegram.org/file/bot123456789:" + x + "_-x1y2z3wab/a.jpg",
		"key-" + hex, "-u api:key-" + hex, hex + "-us14", "Ab3dEf6hIj9lMn.atlasv1." + x + x + x[:19], "patAb3dEf6hIj9lMn." + hex + hex, "Ab_8Q~" + x + "~.ab1234", "pul-" + hex + hex[:8],
		"glc_eyJv" + x + "/" + x + "==", "glsa_" + x + x[:8] + "_" + hex[:8], "EAA" + x + x, "EAAAl" + x + x, "tvly-" + x, "tvly-dev-" + x,
		"FwoGZXIvYXdzE" + x + "/" + x + "+" + x + "=", "IQoJb3JpZ2luX2Vj" + x + "/" + x + "//" + x, "aws_session_token = " + x + "/" + x + "//" + x + "+" + x + "==",
		"aws_session_token " + x + "/" + x + "+", "aws configure set aws_session_token " + x + "/" + x, "setx OPENAI_API_KEY " + x, "set -gx DEPLOY_TOKEN " + x,
		"https://outlook.office.com/webhook/" + x + "@" + hex + "/IncomingWebhook/" + x, "https://outlook.office365.com/webhookb2/" + x, "https://a.webhook.office.com/webhookb2/" + hex + "@" + hex + "/IncomingWebhook/" + x + "/" + x,
		"https://hooks.slack.com/workflows/T1/A1/" + x, "https://hooks.slack.com/triggers/T1/1/" + x, "https://discord.com/api/webhooks/123/" + x, "https://ptb.discord.com/api/v10/webhooks/123/" + x + "-_" + x,
		"https://hooks.zapier.com/hooks/catch/1/" + x, "https://hook.eu1.make.com/" + x, "https://open.feishu.cn/open-apis/bot/v2/hook/" + x, "https://maker.ifttt.com/trigger/a/with/key/" + x,
		"https://x/?key=" + x, "https://x/a?b=1&key=" + x + "&c=2", "https://x?token=" + x, "https://x/?a=b&token=" + x, "https://x/?sig=" + x, "https://x/?a=b&access_token=" + x, "https://x/cb?state=1&code=" + x + "#a",
		"https://x/?auth=" + x, "https://x/?sid=" + x, "https://x/?a=1&amp;key=" + x,
		"machine api.example.com login ned password " + x, "machine x login y account z password " + x, "default login ned password " + x, "machine x\n  login y\n  password " + x,
		"machine x login y password hunter" + x[:8], "machine x\nlogin y\n\tpassword swordfish" + x[:8],
		"db:5432:app:ned:" + x,
		"ABSK" + x + x, "1//0g" + x + "-" + x, "AQ.Ab8" + x + x, "sha256~" + x + x[:19], "LTAI" + x[:20], "hvb." + x, "xkeysib-" + hex + hex + "-" + x, "mlsn." + hex, "dt0c01." + x + "." + x + x,
		"lsv2_pt_" + hex + "_" + hex[:10], "pcsk_" + x + "_" + x, "nvapi-" + x + "-" + x, "re_" + x[:8] + "_" + x, "e2b_" + hex, "fc-" + hex, "csk-" + x, "tgp_v1_" + x, "jina_" + x, "napi_" + x, "sb_secret_" + x,
		"rnd_" + x, "nfp_" + x, "bkua_" + hex, "CCIPAT_" + x + "_" + hex, "phx_" + x, "HRKU-AA" + x, "ATCTT3xFfGN0" + x, "ATBB" + x, "sgp_" + hex, "squ_" + hex, "CFPAT-" + x, "dckr_oat_" + x, "glimt-" + x, "AKCp" + x + x, "CLOJARS_" + hex,
		"sk-proj-" + x + "_" + x, "sk-ant-api03-" + x + "-" + x, "sk_live_" + x, "rk_test_" + x, "whsec_" + x,
		"gho_" + x, "ghs_" + x, "github_pat_11A_" + x, "glpat-" + x, "gldt-" + x, "glrt-" + x,
		"xoxp-1-2-" + x, "xapp-1-A-" + x, "https://hooks.slack.com/services/T1/B1/" + x,
		"AIza" + x + x, "ya29." + x, "GOCSPX-" + x, "npm_" + x, "pypi-" + x, "hf_" + x, "dckr_pat_" + x, "shpat_" + x, "hvs." + x, "gsk_" + x,
		"//registry.npmjs.org/:_authToken=" + x, "export DEPLOY_TOKEN=" + x, "set API_KEY=" + x, "$env:GH_TOKEN = '" + x + "'",
		"aws_secret_access_key = " + x, "AWS_SESSION_TOKEN=" + x, "eyJ" + x + ".eyJ" + x + "." + x,
		"postgres://app:" + x + "@db:5432/x", "redis://:" + x + "@cache:6379/0", "mongodb+srv://app:" + x + "@c0.example.net/x", "amqps://u:" + x + "@mq",
		"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + x + "==;EndpointSuffix=core.windows.net",
		"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=" + x + "=", "Server=db;User Id=sa;Password=" + x + ";",
		"https://a.blob.core.windows.net/c?sv=2024&sig=" + x + "%3D", "https://s3/x?X-Amz-Signature=" + x,
		"Authorization: Bearer " + x, "authorization: Basic " + x + "=", "Proxy-Authorization: Basic " + x, "Authorization: token " + x, "X-Api-Key: " + x,
		`{"password": "` + x + `"}`, `"{\"client_secret\":\"` + x + `\"}"`, "password=" + x, "passphrase: " + x, "--password " + x, "login --token=" + x,
		"-----BEGIN PRIVATE KEY-----\n" + x + "\n" + x + "\n-----END PRIVATE KEY-----", `"private_key": "-----BEGIN EC PRIVATE KEY-----\n` + x + `"`,
		"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + x,
		"lin_api_" + x, "ntn_" + x, "dp.pt." + x, "sq0atp-" + x, "sbp_" + x, "pscale_tkn_" + x, "r8_" + x, "pplx-" + x, "NRAK-" + x, "PMAK-" + x + "-" + x, "rubygems_" + x,
		"sntrys_" + x, "FlyV1 fm2_" + x + "==", "ATATT3xFfGF0" + x, "ops_eyJ" + x,
		"mysql -uroot -p" + x + " app", "mysqldump -h db -u root -p'" + x + "'", "sshpass -p " + x + " ssh ned@host", "redis-cli -h cache -a '" + x + "' ping",
		"Cookie: lang=en; session=" + x + "; theme=dark", "curl -H 'Cookie: sid=" + x + "' https://x", "Set-Cookie: sid=" + x + "; Path=/; HttpOnly",
	} {
		for _, around := range []string{text, "I have put `" + text + "` into .env.", "Fertig: " + text + "\nWeiter.", "„" + text + "“"} {
			got := Mask(around)
			if strings.Contains(got, x[:8]) || strings.Contains(got, x[len(x)-8:]) || strings.Contains(got, hex[:8]) || strings.Contains(got, hex[len(hex)-8:]) {
				t.Errorf("%q: %q", around, got)
			}
			if again := Mask(got); again != got {
				t.Errorf("%q is masked again: %q", got, again)
			}
		}
	}
}

// Texts without a secret stay.
func TestOrdinaryTexts(t *testing.T) {
	for _, text := range []string{
		"the password field of the form", "token: string", "the secret is out", "TOKEN_LIMIT=100", "max_tokens: 200000",
		"commit 3ceb6d6a0c1f2e3d4b5a69788796a5b4c3d2e1f0", "id 123e4567-e89b-12d3-a456-426614174000", "password: required",
		"TOKEN_FILE=/run/secrets/db_token", "token_url=https://auth.example.com/token", `{"token_type": "bearer"}`,
		`"password": "string"`, "--- PASS: TestMask2 (0.00s)", "the --token option", "ssh://git@github.com/a/b", "https://ned@host/x",
		"docker run -u 1000:1000 x", "TOKEN=$TOKEN make test", "password: ${{ secrets.DEPLOY_1 }}", "npm_config_registry=x npm test",
		"pypi-publish-action", "tokenizer=cl100k_base", "a basic internationalization", "src/secret/token_test.go:12", "bypass=enabled1",
		"if token == nil2 {", "secret: docs/v2/secret.md", "python-secrets==19.1.0", "curl -fsS http://localhost:8080/health",
		"authorization: required before use", "TOKEN=[secret]", "git log a1b2c3d..HEAD -- internal/token", "curl https://x | grep -u a:b",
		"**Next key:** the parser; the API keys: where are they, and **token**: see below",
		"Next I rotate the token and update the secret in the vault.", "The tokens pass: 42 of 42.", "Which key do you want: public or private?",
		"Task 3/5: password reset by e-mail", "Moving on to the API key validation.", "git@github.com:cameronsjo/springfield.git", "see https://example.com/a?page=2&token_type=bearer",
		"/home/ned/.ssh/id_ed25519", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "index 3ceb6d6a..0c1f2e3d 100644", "v1.2.3-rc.1+build.7",
		"123e4567-e89b-12d3-a456-426614174000", "postgres://localhost:5432/app", "s3://bucket/key", "sk-learn", "the --password flag is gone", "Ich prüfe jetzt den Token: danach geht es weiter.",
		"max_tokens=200000", "expect(token).toBe(null)", "func parseToken(s string) (Token, error) {", "authorization is required: see docs/auth.md", "次はパスワードの検証です。", "-----BEGIN CERTIFICATE-----",
		"primary_key: id", "foreign key: user_id", "press any key: the menu closes",
		"docker run --name mysql -p 3306:3306 mysql:8", "mysql -u root -p app < dump.sql", "mysql -uroot -p$MYSQL_PWD", "mysql --protocol=tcp -P3306", "the mysql client; ssh -p2222x host",
		"sshpass -p $PASS ssh x", "redis-cli -p 6379 ping", "redis-cli --askpass", "The cookie: a name and a value.", "Cookie: name=value", "the dapiChannelIntensityOfEachCell", "pplx-70b-online",
		"12345678:AA", "at 10:42:17:AAPL rose", "20261128:3ceb6d6a0c1f2e3d4b5a69788796a5b4c3d2e1f0", "robot1234567:starts", "the cache-key-d41d8cd98f00b204e9800998ecf8427e is used", "key-value store", "d41d8cd98f00b204e9800998ecf8427e-user",
		"de-us14", "patterns.internal", "path/to/patAbc.go", "docs/atlasv1.md", "see FAQ~ and Q~", "pul-requests", "glc_config", "tvly-python", "EAASY", "IQoJ is a prefix", "https://api.telegram.org/bots", "telegram:bot",
		"https://discord.com/api/webhooks/{id}/{token}", "https://docs.slack.com/services/a1b2c3d4e5f6", "https://learn.microsoft.com/outlook/webhook", "https://make.com/en/help", "https://x/?key=getting-started", "https://x/?key=value&sort=name",
		"https://x/?code=404", "https://x/?sid=12&auth=basic", "https://x/?key=settings.profile", "on that machine the login form has a password reset", "Password reset", "password 3 of 5", "a machine login and a password 2fa step", "the login form password field",
		"set token expiry to 30", "set the token budget to 2000000", "localhost:5432:app", "postgres:5432: connection refused", "sha256:abc", "re_render_all_components_now", "fc-list", "e2b_sandbox", "jina_embeddings_v3_base_english", "sgp_total",
		"AQ.md", "hvb.example.com", "image@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "v0.0.0-20260101120000-3ceb6d6a0c1f", "squ_are", "patternRepository.findAllByNameAndDate()", "const re_matchesAWholeWord = 1", "EAAccess/to/things", "path/to/file-us14.txt", "key-d41d8cd9", "rnd_seed_for_the_simulation", "nvapi-client", "h1:3ceb6d6a0c1f2e3d4b5a69788796a5b4c3d2e1f0Zz=",
		"r8_shrink_resources", "ntn_config", "rubygems_version", "lin_api_client", "sbp_profile", "dp.padding", "pscale_tkn_",
	} {
		if got := Mask(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A text that is all beginnings of secrets takes no longer than its length says.
func BenchmarkMask(b *testing.B) {
	for name, text := range map[string]string{"plain": strings.Repeat("Moving to Task 2, then the tests run. ", 50), "signs": strings.Repeat("token: password=x secret key ", 70)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Mask(text)
			}
		})
	}
}
