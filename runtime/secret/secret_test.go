package secret

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
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
		"sk-ant-\ufe0f\u200dapi03-abcdefghijklmnop1234":                             "sk-[secret]",
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
		scratch.Equal(t, Mask(text), want, text)
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
			scratch.Equal(t, Mask(got), got, "masked again")
		}
	}
}

// Prefixed tokens that the rules of gitleaks know, or that makers publish. The values are joined here, so that no
// scanner takes this file for a leak.
func TestShapesOfTokens(t *testing.T) {
	const (
		x    = "Zq7Rt2Lm9Xw4Kb8Nc3Vd6Hf1"
		hex  = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
		uuid = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
	)
	upper := strings.ToUpper(x)
	for start, rest := range map[string]string{
		"pcsk_": "2Ab3_" + x + x, "fm2_": "lJ+/" + x + x, "fm1r_": "a/" + x + x, "fo1_": x, // pinecone, fly
		"vcp_": x + x, "vck_": "a-b_" + x + "-" + x, "vercel_blob_rw_": x + "_" + x, "cfut_": x, "cfat_": x, "cfk_": x, // vercel, cloudflare
		"fw_": x, "pa-": "a_b" + x + "-" + x, "as-": x, "tfp_": "a-b." + x + x, "pnu_": x + x[:12], "pnb_": x, "EZAK": x + x, "EZTK": x + x, "secret_": x + x[:19],
		"SK": hex, "4b1d": x + x[:14], "API-": upper + "AB", "A3-": "AB12CD-AB12CD-AB12C-AB12C-" + upper[:5] + "-" + upper[19:], "access-production-": uuid, "access-sandbox-": uuid, // twilio, clickhouse, octopus, 1password, plaid
		"ABIA": "ABCDEFGH23456723", "A3TX": "ABCDEFGH23456723", "v1.0-": hex[:24] + "-" + hex + hex + hex + hex, "live_pub_": hex[:31], // aws, cloudflare, lob
		"p8e-": hex, "cmVmd": x + x, "dnkey-": x + "-" + x + x, "duffel_test_": x, "FLWSECK_TEST-": hex + "-X", "fio-u-": x + x, "gloas-": x, "GR1348941": x, "glpat-": x + ".01." + x[15:], // adobe to gitlab
		"_gitlab_session=": hex, "eyJrIjoi": x + x, "api_org_": x, "ico-": hex, "s-s4t2ud-": hex, "ZXlK": "aGJHY2lPaU" + x + x, "NRJS-": hex[:19], "NRII-": "a-" + hex, // grafana to new relic
		"rdme_": hex + hex, "tk-us-": x + x, "sm_pat_": x[:16], "sm_aat_": x[:16], "shippo_live_": hex, "sl.B": x + "-" + x + x, "sl.u.": x + x + x, "AQVN": x + x, "AAAAAAAAAAAAAAAAAAAAAA": "Mlhe%2B" + x + "%3D" + x, // readme to twitter
		"t1.": x + x + "." + x + x + x + x, "pat.": x[:22] + "." + x + "." + x[:20], "authress_": "abcde.a1b2.acc_" + x[:16] + "." + x + x, "mfa.": x + x + x + x, // yandex, harness, authress, discord
		"MTk4": x[:20] + ".Cl2FMQ." + x + "abc", "OD": x + ".X-b_aA." + x + x[:14], "a1B2c3": "_" + x + x[:5] + "_mmk", "xoxe.xoxp-": "1-" + x + x, "dp.scim.": x,
	} {
		for _, around := range []string{start + rest, "I have put `" + start + rest + "` into .env.", "„" + start + rest + "“", "Next: " + start + rest + "\nthen the tests"} {
			got := Mask(around)
			if !strings.Contains(got, "[secret]") || strings.Contains(got, rest[len(rest)-5:]) || strings.Contains(got, x[:8]) || strings.Contains(got, hex[:8]) {
				t.Errorf("%q: %q", around, got)
			}
			scratch.Equal(t, Mask(got), got, "masked again")
		}
	}
}

// Passwords that a command or a setting names. The rest of the line stays.
func TestPasswordsOfCommands(t *testing.T) {
	for text, want := range map[string]string{
		"Server=db;Uid=sa;Pwd=% ;":                                   "Server=db;Uid=sa;Pwd=% ;",
		"Server=db;Uid=sa;Pwd=hunter2;Encrypt=yes":                   "Server=db;Uid=sa;Pwd=[secret];Encrypt=yes",
		"Server=db;Uid=sa;pwd = swordfish":                           "Server=db;Uid=sa;pwd = [secret]",
		"//registry.example.com/:_auth=bmVkOmh1bnRlcjI=":             "//registry.example.com/:_auth=[secret]",
		"_auth = \"bmVkOnN3b3JkZmlzaA==\"":                           "_auth = \"[secret]\"",
		"CREATE USER ned IDENTIFIED BY 'hunter2';":                   "CREATE USER ned IDENTIFIED BY '[secret]';",
		"mysql -e \"alter user ned identified by 'swordfish'\"":      "mysql -e \"alter user ned identified by '[secret]'\"",
		"IDENTIFIED WITH mysql_native_password BY 'hunter2'":         "IDENTIFIED WITH mysql_native_password BY '[secret]'",
		"ALTER USER ned IDENTIFIED BY swordfish;":                    "ALTER USER ned IDENTIFIED BY [secret];",
		"alter user ned identified by swordfish":                     "alter user ned identified by [secret]",
		"CREATE ROLE ned WITH PASSWORD 'hunter2' LOGIN":              "CREATE ROLE ned WITH PASSWORD '[secret]' LOGIN",
		"ALTER USER ned PASSWORD 'swordfish'":                        "ALTER USER ned PASSWORD '[secret]'",
		"psql -c \"create user ned with encrypted password 'xyz1'\"": "psql -c \"create user ned with encrypted password '[secret]'\"",
		"CREATE LOGIN ned WITH PASSWORD = N'hunter2'":                "CREATE LOGIN ned WITH PASSWORD = N'[secret]'",
		"cmdkey /add:srv /user:ned /pass:swordfish":                  "cmdkey /add:srv /user:ned /pass:[secret]",
		`<add key="ClearTextPassword" value="hunter2" />`:            `<add key="ClearTextPassword" value="[secret]" />`,
		"docker login -u ned -p hunter2 ghcr.io":                     "docker login -u ned -p [secret] ghcr.io",
		"docker login -u ned -p swordfish ghcr.io":                   "docker login -u ned -p [secret] ghcr.io",
		"Run `docker login -p swordfish` again.":                     "Run `docker login -p [secret]` again.",
		"helm registry login -u ned -p 'sword fish' x.io":            "helm registry login -u ned -p '[secret]' x.io",
		"oc login -u ned -p=hunter2":                                 "oc login -u ned -p=[secret]",
		"az login --service-principal -u app -p hunter2 --tenant t":  "az login --service-principal -u app -p [secret] --tenant t",
		"az sql server create -u ned -p \"swordfish\" -g x":          "az sql server create -u ned -p \"[secret]\" -g x",
		"mongosh -u ned -p swordfish --authenticationDatabase a":     "mongosh -u ned -p [secret] --authenticationDatabase a",
		"mongodump --port 27017 -u ned -p hunter2":                   "mongodump --port 27017 -u ned -p [secret]",
		"ldapsearch -x -D cn=ned -w hunter2 -b dc=x":                 "ldapsearch -x -D cn=ned -w [secret] -b dc=x",
		"zip -P swordfish out.zip a b":                               "zip -P [secret] out.zip a b",
		"zip -rP hunter2 out.zip a":                                  "zip -rP [secret] out.zip a",
		"unzip -P 'swordfish' out.zip":                               "unzip -P '[secret]' out.zip",
		"7z a -pswordfish out.7z a":                                  "7z a -p[secret] out.7z a",
		"7za x -p'sword1fish' out.7z":                                "7za x -p'[secret]' out.7z",
		"sqlcmd -S db -U sa -P hunter2 -Q 'select 1'":                "sqlcmd -S db -U sa -P [secret] -Q 'select 1'",
		"openssl enc -aes-256-cbc -k swordfish -in a":                "openssl enc -aes-256-cbc -k [secret] -in a",
		"openssl rsa -passin pass:swordfish -in a.pem":               "openssl rsa -passin pass:[secret] -in a.pem",
		"openssl pkcs12 -passout 'pass:hunter2' -in a":               "openssl pkcs12 -passout 'pass:[secret]' -in a",
		"vault login s.abcdefgh1234":                                 "vault login [secret]",
		"vault login -no-print root-token-1":                         "vault login -no-print [secret]",
		"htpasswd -b .htpasswd ned swordfish":                        "htpasswd -b .htpasswd [secret]",
		"htpasswd -nbB ned hunter2 | tee a":                          "htpasswd -nbB ned [secret] | tee a",
		"htpasswd -bnBC 10 \"\" swordfish | tr -d ':'":               "htpasswd -bnBC 10 [secret] | tr -d ':'",
		"htpasswd -c -b .htpasswd ned 'sword fish'":                  "htpasswd -c -b .htpasswd [secret]",
		"smbclient //srv/a -U ned%hunter2":                           "smbclient //srv/a -U ned%[secret]",
		"smbclient -U 'ned%swordfish' //srv/a":                       "smbclient -U 'ned%[secret]' //srv/a",
		"sqlplus ned/swordfish@db":                                   "sqlplus ned/[secret]@db",
		"sqlplus -s ned/hunter2@//h:1521/x @a.sql":                   "sqlplus -s ned/[secret]@//h:1521/x @a.sql",
	} {
		got := Mask(text)
		scratch.Equal(t, got, want, text)
		scratch.Equal(t, Mask(got), got, "masked again")
	}
}

// No pattern is tried without a sign, which each row has.
func TestRowsHaveSigns(t *testing.T) {
	for i := range shapes {
		s := &shapes[i]
		if s.pattern(); s.mayBeIn("Moving to Task 2", "moving to task 2", 6) || s.starts == "" && s.signs == "" {
			t.Errorf("row %d, %s: it has no sign", i, s.expr)
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
		"the pa-per trail", "pa-sidebar-navigation-item", "as-is", "as-of-this-writing-we-have-no-better-name-for-it", "as-internationalized", "fw_rule", "fw_rule_for_the_incoming_packets_of_the_guest_network", "secret_santa", "secret_manager_rotation_configuration_version_of_the_app",
		"vcr_cassette_for_the_login_flow", "SKIPPED", "SK0a1b", "TASK_0a1b2c3d4e5f60718293a4b5c6d7e8f9", "EZAKIEL", "API-DOCUMENTATION-AND-GUIDE", "A3-sized", "access-production-database-of-the-team", "v1.0-rc", "v1.0-0a1b2c3d", "sl.BuildConfigurationFromEnvironment()", "t1.created_at = t2.created_at",
		"MainWindowControllerFactory.create.shouldOpenTheWindow", "NotificationPreferencesController.update(user)", "ico-sprite-for-the-navigation-bar", "tk-us", "pnu_", "rdme_header", "tfp_layer.dense", "AAAAAAAAAAAAAAAAAAAAAA", "4b1d0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b", "ghp_ is a prefix", "live_pub_sub",
		"pass the -p flag to az", "az -p sets the password", "The az tool takes -p as input", "7z -p asks for it", "7z x out.7z", "docker run -p 8080:80 nginx", "docker run --name mongo -p 27017:27017 mongo:7", "docker compose -p shop up", "ssh -p 22 host", "mkdir -p dir/sub", "git add -p", "docker login -p is unsafe", "docker login ghcr.io, then docker run -p 8080:80 x",
		"openssl -k takes the passphrase", "openssl s_client -connect h:443 -key a.pem", "openssl rsa -passin env:PASS -in a", "openssl rsa -passin file:a.txt", "sqlplus /nolog", "sqlplus / as sysdba", "sqlplus @a.sql", "log in as user/pass@ the host", "sqlplus takes user/pass@db",
		"zip -r out.zip dir", "unzip out.zip", "zip -P takes a password", "gzip -k notes.txt", "ldapsearch -x -W -D cn=ned", "mongosh --port 27017", "mongosh mongodb://localhost:27017/app", "vault login failed", "vault login -method=oidc", "htpasswd -c .htpasswd ned", "smbclient -L //srv -N", "smbclient -U ned //srv/a",
		"docker login -u ned -p $TOKEN ghcr.io", "docker login -u ned --password-stdin", "zip -P \"$PW\" out.zip a", "the row is identified by its number", "a user record identified by email1", "identified by commit 3ceb6d6a", "identified by 3ceb6d6a", "users with password reset", "with password 2fa", "cd /srv;PWD=/srv", "a;pwd;ls",
		"app.get('/pass:id')", "the route /pass: none", "basic_auth=enabled1", "self._auth = requests.auth", "_auth = HTTPBasicAuth(user, pw)", "_auth=$NPM_AUTH", `<add key="Password" value="%PW%" />`, "no password, identified later",
		"r8_shrink_resources", "ntn_config", "rubygems_version", "lin_api_client", "sbp_profile", "dp.padding", "pscale_tkn_",
	} {
		scratch.Equal(t, Mask(text), text)
	}
}
