package language

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

func TestEntries(t *testing.T) {
	const classes = "[do]\nfix\nrun\n[doing]\n-nothing\n*ing\n[finite]\nis\n[break]\nwhich\n[link]\nso\nok\n[step]\ntask\n[move]\n"
	for _, test := range []struct {
		entry, sentence string
		want            bool
	}{
		{"let me", "so let me see.", true},
		{"let me", "outlet mess", false},
		{"in", "a link", false},
		{"^let me", "let me see.", true},
		{"^let me", "i said let me see.", false},
		{"^let me", "ok so let me see.", true},
		{"^let me", "it is in: let me see.", true},
		{"^let me", "it is in — let me see.", true},
		{"next$", "this is next.", true},
		{"next$", "next is this.", false},
		{"next $2", "next the tests.", true},
		{"next $2", "next all of the tests.", false},
		{"i … now", "i fix it now.", true},
		{"i … now", "now i fix it.", false},
		{"fix*", "fixing it", true},
		{"*ing it", "fixing it", true},
		{"*ing it", "i sing", false},
		{"now {do}", "now fix it.", true},
		{"now {do}", "now fixed.", false},
		{"^{doing}", "fixing it.", true},
		{"^{doing}", "nothing is left.", false},
		{"{step} {n}", "on to task 12: go", true},
		{"{step} {n}", "on to tasks", false},
		{"[two|ten] {step}", "two task", true},
		{"now[ {n}| {do}|]$", "now fix", true},
		{"{move} now", "go now", false}, // an entry that has itself
		{"left !is", "two left.", true},
		{"left !is", "two left that is all.", false},
		{"^{doing} !…{finite}", "fixing it takes long.", true},
		{"^{doing} !…{finite}", "fixing it is hard.", false},
		{"^{doing} !…{finite}", "fixing what broke which is hard.", true},
		{"现在", "我现在修复它。", true},
		{"下一步", "现在", false},
	} {
		f := AllFinders([]*Pack{SplitPack("xx", "# Test\n"+classes+test.entry)}, []string{test.sentence})
		if got := f.Has(Move, test.sentence); got != test.want {
			t.Errorf("%q in %q: %v", test.entry, test.sentence, got)
		}
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Let’s  GO,\n now":       "let's go now",
		"次に、テスト":                 "次にテスト",
		"ÉTAPE ３／５":              "étape 3/5",
		"الخُطوة ٣":              "الخطوة 3",
		"चरण ३":                  "चरण 3",
		"\u200bzero\u200d width": "zero width",
		"\xff\xfe":               "",
	} {
		scratch.Equal(t, FoldText(in), want, in)
	}
}

func TestTell(t *testing.T) {
	for text, want := range map[string]string{
		"The parser is done and the tests pass.":                 "en",
		"Der Parser ist fertig, jetzt sind die Tests dran.":      "de",
		"Le parseur est prêt et les tests sont dans la branche.": "fr",
		"El analizador está listo y ahora sigo con las pruebas.": "es",
		"O analisador está pronto e agora não falta mais nada.":  "pt",
		"Il parser è pronto, ora passo ai test della libreria.":  "it",
		"De parser is klaar en nu zijn de tests aan de beurt.":   "nl",
		"Parser jest gotowy, teraz przechodzę do testów.":        "pl",
		"Парсер готов, перехожу к тестам. Это всё.":              "ru",
		"Парсер готовий, переходжу до тестів. Її ще немає.":      "uk",
		"Ayrıştırıcı hazır ve şimdi testler için bir dosya var.": "tr",
		"解析器已经完成，接下来运行测试。":                                       "zh",
		"パーサーは完成しました。次にテストを実行します。":                               "ja",
		"파서를 마쳤습니다. 이제 테스트를 실행하겠습니다.":                            "ko",
		"انتهى المحلل، والآن أشغل الاختبارات.":                   "ar",
		"पार्सर तैयार है। अब मैं टेस्ट चलाता हूँ।":               "hi",
		"Bộ phân tích đã xong, bây giờ tôi chạy kiểm thử.":       "vi",
		"Parser sudah selesai dan sekarang saya jalankan tes.":   "id",
		"Jetzt `make test`. ✅": "de",
		"":                     "",
		"123 ✅":                "",
	} {
		var codes []string
		for _, p := range TellLanguages(FoldText(text)) {
			codes = append(codes, p.Code)
		}
		if len(codes) == 0 && want != "" || want != "" && !slices.Contains(codes, want) || want == "" && len(codes) > 0 || len(codes) > 3 {
			t.Errorf("%q: %v, want %s", text, codes, want)
		}
	}
}

var inBraces = regexp.MustCompile(`\{(\w*)\}`)

// Every pack is well formed, and all together are small enough for the hook.
func TestPacks(t *testing.T) {
	size := 0
	for _, known := range packs {
		code, data := known.code, *known.data
		p := PackNamed(code)
		size += len(data)
		seen, class := map[string]bool{}, ""
		for line := range strings.Lines(data) {
			entry := strings.TrimSuffix(line, "\n")
			var names []string
			for _, m := range inBraces.FindAllStringSubmatch(entry, -1) {
				names = append(names, m[1])
			}
			if _, ok := named[strings.Trim(entry, "[]")]; ok && entry[0] == '[' {
				class = entry
			} else if entry == "" || entry[0] == '#' {
				continue
			} else if forPrompts := named[strings.Trim(class, "[]")] >= Forbid; seen[class+entry] || FoldText(entry) != entry || strings.Contains(entry, "...") ||
				forPrompts && strings.ContainsAny(entry, "àáâãäåāăąçćčèéêëēęěìíîïīıłñńňòóôõöøőùúûüūůűýÿśšşžźżğďťřœæ") {
				t.Errorf("%s: %s %q is there twice, is not folded, has accents in a prompt's class, or has no … for its gap", code, class, entry)
			}
			seen[class+entry] = true
			for _, name := range names {
				if _, ok := named[name]; !ok && name != "n" {
					t.Errorf("%s: %q: there is no class %s", code, entry, name)
				}
			}
		}
		for _, c := range []Class{Ask, Offer, Wait, Blocked, Hand, Later, Move, Announce, Step, Leave} {
			if p.text[c] == "" {
				t.Errorf("%s has no [%s]", code, ClassNames[c])
			}
		}
	}
	if size > 440<<10 {
		t.Errorf("the packs have %d bytes", size)
	}
	if PackNamed("xx") != nil || ForeignLanguage([]string{"de"}) != "German" || ForeignLanguage([]string{"de", "nl"})+ForeignLanguage([]string{"en"})+ForeignLanguage([]string{"xx"}) != "" {
		t.Error("an unknown language is named")
	}
}

func FuzzEntry(f *testing.F) {
	f.Add("^{doing} … now !…{finite}", "fixing it now: it is hard")
	f.Add("*ing$3", "\xff")
	f.Fuzz(func(t *testing.T, entry, sentence string) {
		if len(entry) > 160 || len(sentence) > 600 {
			return
		}
		sentence = FoldText(sentence)
		scratch.Equal(t, FoldText(sentence), sentence, "folded again")
		entry = strings.ReplaceAll(entry, "\n", " ")
		p := SplitPack("xx", "# x\n[doing]\n*ing\n[move]\n"+entry)
		AllFinders([]*Pack{p}, []string{sentence}).Has(Move, sentence)
		f := AllFinders([]*Pack{PackNamed("en")}, []string{sentence})
		for c := range classes {
			f.Has(c, sentence)
		}
	})
}
