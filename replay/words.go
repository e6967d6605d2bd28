// Short answers. A message is a nudge or an affirmation only as a whole: every word
// of it has to belong to one of the phrases here, so "continue with the parser" is
// an instruction, and "yes, but not there" an answer. Phrases are of many languages,
// because people write to Claude in theirs; case, punctuation, emoji, accents that
// were left out, and "please" do not count.

package replay

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tone is how a short message answers.
type tone byte

const (
	other  tone = iota
	filler      // please, thanks: says nothing by itself
	assent      // yes
	leave       // go ahead: an answer after a question, else a nudge
	goOn        // continue
)

// maxShort is how long a message of nothing but such words is at most, in bytes.
const maxShort = 120

// phrases are what each tone sounds like, without accents, apostrophes and
// punctuation.
func phrases() map[tone]string {
	return map[tone]string{
		goOn: `continue|continue on|continue it|continue please|continue working|continue your work|continue the work|please continue|continue where you left off|
continue from where you left off|continue from there|pick up where you left off|go on|keep going|keep on|keep on going|keep working|keep at it|carry on|carry on please|resume|
dont stop|do not stop|why did you stop|why are you stopping|why have you stopped|keep moving|move on|onward|onwards|push on|press on|next|next one|next step|next task|and now|and then|
cont|contine|contiune|contniue|coninue|conitnue|continu|continuar|continuer|
weiter|mach weiter|mache weiter|mach mal weiter|mach bitte weiter|weiter machen|weitermachen|weiter so|weiter gehts|weiter geht es|fahre fort|fahr fort|fortfahren|fortsetzen|nur weiter|immer weiter|arbeite weiter|weiterarbeiten|und weiter|setze fort|warum horst du auf|
continua|continue con ello|continue por favor|sigue|sigue adelante|sigue asi|siga|siga adelante|prosigue|prosiga|sigamos|continuemos|continuad|continuen|seguir|sigue con ello|sigue trabajando|
continuez|poursuis|poursuivez|poursuivre|on continue|continuons|reprends|reprenez|la suite|suite|suivant|continue comme ca|
continui|prosegui|prosegua|vai avanti|continuare|proseguire|avanti cosi|
prossiga|prosseguir|prossegue|segue|segue em frente|pode continuar|pode seguir|continua ai|
ga door|ga verder|doorgaan|verder|ga maar door|ga maar verder|werk door|
fortsatt|fortset|fortsett|fortsaet|kor vidare|ga videre|ga vidare|jatka|jatka vain|folytasd|tovabb|
kontynuuj|dalej|idz dalej|jedz dalej|pokracuj|pokracujte|dal|pokracovat|nastavi|nastavite|continua te rog|mai departe|συνεχισε|συνεχιστε|
продолжаи|продолжаите|продолжи|продолжить|продолжим|дальше|давай дальше|даваи дальше|далее|работаи дальше|иди дальше|продовжуи|продовжуите|далі|продължи|продължаваи|настави|
devam|devam et|devam edin|devam ediniz|devam edelim|surdur|
続けて|続けてください|続けて下さい|続けてくれ|続けてね|続けてお願いします|続けてほしい|つづけて|つづけてください|続き|続きを|続きをお願いします|続きをやって|続きをやってください|続行|続行して|続行してください|続ける|どんどん続けて|進めて|進めてください|次|次へ|次に進んで|次に進んでください|そのまま続けて|そのまま続けてください|
继续|继续吧|继续下去|继续做|继续执行|继续工作|继续完成|继续进行|接着|接着做|接着来|接着干|往下|往下做|下一步|下一个|继续干|别停|不要停|繼續|繼續吧|繼續做|繼續執行|接著|接著做|下一個|
계속|계속해|계속해줘|계속해 줘|계속해요|계속해주세요|계속해 주세요|계속하세요|계속하자|계속 진행|계속 진행해|계속 진행해줘|계속 진행해 주세요|계속 해|계속 해줘|계속 가|이어서|이어서 해|이어서 해줘|이어서 진행해줘|다음|
جاری رکھیں|जारी रखें|जारी रखो|आगे बढ़ो|आगे बढ़ें|चलते रहो|تابع|استمر|أكمل|اكمل|واصل|ادامه بده|ادامه بدهید|המשך|תמשיך|להמשיך|tiep tuc|tiep|tiep di|tiep tuc di|lam tiep|lanjut|lanjutkan|teruskan|lanjut terus|ต่อ|ทำต่อ|ไปต่อ|ทำต่อไป|ดำเนินการต่อ`,
		leave: `go|go go|go go go|go ahead|go for it|go ahead please|proceed|please proceed|do it|do so|just do it|do it please|lets go|lets do it|lets do that|lets do this|make it so|ship it|start|begin|execute|get going|get to it|have at it|
los|los gehts|leg los|mach|mach es|mach das|mach mal|mach schon|nur zu|tu es|adelante|dale|vamos|hazlo|procede|proceda|avanza|vas y|allez|allez y|fais le|faites le|procedez|procede|avanti|vai|procedi|fallo|vai em frente|em frente|pode fazer|faca isso|faz isso|faca|manda ver|pode ir|
doe maar|doe het|gewoon doen|kor|kor pa|sett i gang|dzialaj|rob|zrob to|udelej to|давай|даваи|вперед|поехали|делай|делаи|сделай|сделаи|начинай|начинаи|приступай|приступаи|yap|hadi|başla|basla|
やって|やってください|実行して|実行してください|进行|进行吧|执行|执行吧|开始|开始吧|做吧|去做吧|动手吧|搞吧|上|開始|開始吧|執行|진행|진행해|진행해줘|진행해주세요|진행해 주세요|진행하세요|해줘|해 줘|시작|시작해|시작해줘|lam di|cu lam di|kerjakan|lakukan|jalankan`,
		assent: `yes|y|ye|yea|yeah|yep|yup|yes sir|aye|ok|okay|okey|oki|k|kk|okie|sure|sure thing|of course|absolutely|definitely|certainly|sounds good|sounds good to me|sounds great|looks good|looks good to me|looks great|lgtm|that works|works for me|please do|do that|do this|correct|right|thats right|thats correct|exactly|agreed|i agree|agree|approved|approve|confirmed|confirm|accept|accepted|fine|fine by me|alright|all right|yes i do|it does|it is|true|affirmative|roger|why not|with pleasure|thats fine|thats good|both|do both|all|all of them|you can|you may|i do|
ja|jo|jep|jawohl|gerne|ja gerne|gern|klar|klar doch|na klar|passt|genau|richtig|einverstanden|in ordnung|stimmt|alles klar|naturlich|jupp|si|claro|vale|de acuerdo|por supuesto|correcto|exacto|esta bien|oui|ouais|daccord|dac|bien sur|parfait|cest bon|ca marche|tres bien|va bene|certo|daccordo|sim|pode|pode ser|com certeza|isso|isso mesmo|beleza|ta bom|perfeito|
ja graag|graag|prima|is goed|akkoord|jag|visst|tak|jasne|pewnie|dobrze|zgoda|ano|jo jasne|igen|rendben|kylla|joo|da|bine|ναι|да|ага|угу|ок|окей|океи|хорошо|ладно|конечно|согласен|согласна|верно|так|гаразд|evet|tamam|olur|peki|
はい|うん|ええ|お願いします|おねがいします|お願い|それで|それでお願いします|それでいい|いいです|いいですよ|いいよ|了解|了解です|オーケー|okです|大丈夫|大丈夫です|是|是的|对|对的|好|好的|好吧|好啊|行|行吧|可以|可以的|嗯|没问题|同意|确认|对啊|就这样|要|好滴|是啊|對|對的|沒問題|確認|네|넵|예|응|어|좋아|좋아요|그래|그래요|맞아|맞아요|오케이|확인|हाँ|हां|ठीक है|نعم|اجل|حسنا|بله|باشه|כן|בסדר|co|vang|duoc|dong y|ya|iya|oke|baik|setuju|ใช่|ได้|ตกลง|โอเค`,
		filler: `please|pls|plz|thanks|thank you|thx|ty|many thanks|great|nice|cool|perfect|good|awesome|excellent|amazing|wonderful|very good|good job|great job|great work|good work|nice work|nice job|well done|love it|now|then|so|and|just|claude|with it|with that|with this|there|buddy|mate|man|bro|dude|again|hey|hi|hello|sorry|oops|
bitte|danke|danke schon|super|toll|sehr gut|gut|ok gut|also|mal|doch|jetzt|dann|hallo|por favor|porfa|gracias|bien|muy bien|perfecto|genial|excelente|ahora|pues|s il te plait|sil te plait|s il vous plait|sil vous plait|svp|stp|merci|super bien|genial|maintenant|alors|per favore|grazie|bene|perfetto|ottimo|adesso|se faz favor|obrigado|obrigada|muito bem|otimo|agora|alstublieft|alsjeblieft|aub|bedankt|dank je|mooi|tack|takk|prosze|dzieki|dziekuje|prosim|diky|dekuji|пожалуиста|пожалуйста|плиз|спасибо|отлично|супер|круто|молодец|будь ласка|дякую|lutfen|tesekkurler|harika|guzel|
ください|ありがとう|ありがとうございます|いいね|素晴らしい|では|じゃあ|请|請|谢谢|謝謝|很好|不错|那就|吧|那|太好了|제발|고마워|감사합니다|부탁해|부탁드려요|부탁해요|잘했어|कृपया|धन्यवाद|من فضلك|شكرا|لطفا|ممنون|בבקשה|תודה|lam on|vui long|cam on|nhe|tolong|silakan|terima kasih|mohon|ครับ|ค่ะ|คะ|นะ|นะครับ|นะคะ|ขอบคุณ`,
	}
}

// phraseBook finds phrases: those that begin with a rune, the longest first.
type phraseBook map[rune][]phrase

type phrase struct {
	text string
	tone tone
}

func newPhraseBook() phraseBook {
	book := phraseBook{}
	for tone, list := range phrases() {
		for text := range strings.SplitSeq(list, "|") {
			text = plainWords(text)
			for _, first := range text {
				book[first] = append(book[first], phrase{text, tone})
				break
			}
		}
	}
	for _, list := range book {
		// The longest first; of the same words in two languages the stronger tone.
		slices.SortFunc(list, func(a, b phrase) int {
			if n := len(b.text) - len(a.text); n != 0 {
				return n
			}
			return int(b.tone) - int(a.tone)
		})
	}
	return book
}

// toneOf is the strongest tone of a message that has nothing but short answers,
// other if it has anything else.
func (b phraseBook) toneOf(message string) tone {
	if len(message) > maxShort {
		return other
	}
	rest := plainWords(message)
	strongest := other
	for rest != "" {
		found := b.longestPhrase(rest)
		if found.text == "" {
			return other
		}
		strongest = max(strongest, found.tone)
		rest = strings.TrimPrefix(rest[len(found.text):], " ")
	}
	return strongest
}

// longestPhrase is the longest phrase that a text begins with, the zero phrase if none
// does. A word must be whole where words have blanks between them.
func (b phraseBook) longestPhrase(text string) phrase {
	var first rune
	for _, first = range text {
		break
	}
	for _, p := range b[first] {
		if rest, ok := strings.CutPrefix(text, p.text); ok && (rest == "" || rest[0] == ' ' || unspaced(rest)) {
			return p
		}
	}
	return phrase{}
}

// unspaced tells whether a text begins in a script that puts no blanks between
// words.
func unspaced(text string) bool {
	for _, r := range text {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
	}
	return false
}

// plainWords is a text in lower case with one blank between words, without punctuation,
// signs, and the accents of Latin and Greek letters.
func plainWords(text string) string {
	var b strings.Builder
	blank := false
	for _, r := range text {
		switch {
		case r == '\'' || r == '’' || r == 'ʼ' || unicode.Is(unicode.Mn, r) && r < 0x0370:
			continue // let's, and accents that are letters of their own
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if blank && b.Len() > 0 {
				b.WriteByte(' ')
			}
			blank = false
			b.WriteRune(withoutAccent(unicode.ToLower(r)))
		default:
			blank = true
		}
	}
	return b.String()
}

// withoutAccent is a letter without its accent, where people leave it out.
func withoutAccent(r rune) rune {
	switch {
	case r < 0xc0 || r > 0x1fff:
		return r
	case r == 'đ':
		return 'd'
	case r == 'ı':
		return 'i'
	case r == 'ł':
		return 'l'
	case r == 'ø':
		return 'o'
	}
	if parts := norm.NFD.PropertiesString(string(r)).Decomposition(); len(parts) > 0 {
		r, _ = utf8.DecodeRune(parts)
	}
	return r
}
