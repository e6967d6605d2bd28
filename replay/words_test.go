package replay

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTones(t *testing.T) {
	book := newPhraseBook()
	for _, test := range []struct {
		want     tone
		messages string
	}{
		{goOn, `continue|Continue.|CONTINUE!!|please continue|continue, please|ok, continue|yes continue|Great work! Keep going 🚀|go on|keep going...|carry on|next|Continue from where you left off.|cont|why did you stop?|don't stop|don’t stop
weiter|Weiter!|mach weiter|Bitte weiter machen|ja, mach bitte weiter|fahre fort|Weiter geht's
continúa|Continua|continúe por favor|sigue|sí, sigue|sigue adelante
continue s'il te plaît|Continuez s’il vous plaît|continue stp|poursuis|vas-y, continue
continua per favore|vai avanti|prossiga|pode continuar|ga door|ga maar verder|fortsätt|kör vidare|jatka|folytasd|kontynuuj|pokračuj|συνέχισε
продолжай|Продолжай, пожалуйста|дальше|продовжуй|devam et|lütfen devam edin
続けて|続けてください。|はい、続けてください|続きをお願いします|继续|请继续|好的，继续吧|繼續|계속|계속해 주세요|네, 계속해줘
जारी रखें|استمر|ادامه بده|המשך|tiếp tục|tiếp tục đi|lanjutkan|ทำต่อ`},
		{leave, `go ahead|Go ahead, please|yes, go ahead|proceed|do it|go|let's do it|leg los|adelante|vas-y|vai em frente|давай|やってください|开始吧|진행해 주세요`},
		{assent, `yes|Yes.|y|yeah|OK|ok thanks|sure|sounds good|LGTM!|yes please|yes please do|ja gerne|sí|si, claro|oui|d'accord|oui merci|sim|да|хорошо|はい|はい、お願いします|好的|可以|네|evet|כן`},
		{filler, `thanks|Thank you!|great|nice work|danke|merci|谢谢|ありがとうございます`},
		{other, `continue with the parser|yes, but not there|ok now run the tests|no|stop|weiter mit Aufgabe 3|nein|continue?no|what next|
commit|1|A|option 2|继续写文档|続けてテストを書いて|yesterday|goat|okra|nextjs|👍👍|...|?|/clear|continue continue continue continue continue continue continue continue continue continue continue continue continue continue`},
	} {
		for _, message := range strings.FieldsFunc(test.messages, func(r rune) bool { return r == '|' || r == '\n' }) {
			if got := book.toneOf(message); got != test.want {
				t.Errorf("%q is %d, want %d", message, got, test.want)
			}
		}
	}
}

func FuzzTones(f *testing.F) {
	f.Add("ok, continue")
	f.Add("続けて\xff")
	book := newPhraseBook()
	f.Fuzz(func(t *testing.T, message string) {
		got := book.toneOf(message)
		if again := book.toneOf("  " + strings.ToUpper(message) + "!"); utf8.ValidString(message) && isASCII(message) && len(message)+3 <= maxShort && got != again {
			t.Errorf("%q is %d, and %d when shouted", message, got, again)
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}
