package language

import (
	_ "embed"
	"strings"
)

// The packs, a file a language.
var (
	//go:embed en.txt
	englishPack string
	//go:embed de.txt
	germanPack string
	//go:embed fr.txt
	frenchPack string
	//go:embed es.txt
	spanishPack string
	//go:embed pt.txt
	portuguesePack string
	//go:embed it.txt
	italianPack string
	//go:embed nl.txt
	dutchPack string
	//go:embed pl.txt
	polishPack string
	//go:embed ru.txt
	russianPack string
	//go:embed uk.txt
	ukrainianPack string
	//go:embed tr.txt
	turkishPack string
	//go:embed zh.txt
	chinesePack string
	//go:embed ja.txt
	japanesePack string
	//go:embed ko.txt
	koreanPack string
	//go:embed ar.txt
	arabicPack string
	//go:embed hi.txt
	hindiPack string
	//go:embed vi.txt
	vietnamesePack string
	//go:embed id.txt
	indonesianPack string
)

// packs lists the languages that have a pack.
var packs = [...]struct {
	code string
	data *string
}{
	{"en", &englishPack},
	{"de", &germanPack},
	{"fr", &frenchPack},
	{"es", &spanishPack},
	{"pt", &portuguesePack},
	{"it", &italianPack},
	{"nl", &dutchPack},
	{"pl", &polishPack},
	{"ru", &russianPack},
	{"uk", &ukrainianPack},
	{"tr", &turkishPack},
	{"zh", &chinesePack},
	{"ja", &japanesePack},
	{"ko", &koreanPack},
	{"ar", &arabicPack},
	{"hi", &hindiPack},
	{"vi", &vietnamesePack},
	{"id", &indonesianPack},
}

// PackCodes are those of the languages that have a pack.
func PackCodes() (all []string) {
	for _, p := range packs {
		all = append(all, p.code)
	}
	return all
}

// packData is the file of a language, "" if there is none.
func packData(code string) string {
	for _, p := range packs {
		if p.code == code {
			return *p.data
		}
	}
	return ""
}

// PackNamed is the pack of a language, nil if there is none.
func PackNamed(code string) *Pack {
	data := packData(code)
	if data == "" {
		return nil
	}
	return ParsePack(code, data)
}

// LanguageNames says codes as names of languages: "German, English".
func LanguageNames(codes []string) string {
	var all []string
	for _, code := range codes {
		if p := PackNamed(code); p != nil {
			all = append(all, p.Name)
		}
	}
	return strings.Join(all, ", ")
}

// Library keeps the packs that it has read, for reading many texts: what does not
// depend on the text is worked out once. It is for one goroutine. A nil Library keeps
// nothing.
type Library struct {
	packs  map[string]*Pack
	common map[string]*commonWord
	texts  int // how many have been looked at
}

// commonWord is a common word of one or more Latin languages.
type commonWord struct {
	languages uint16 // a bit each, as in latinCodes
	text      int    // the newest text that had it
}

// probe is an entry with what a text has to contain for it.
type probe struct {
	entry, word string
	first, last uint32 // grams of the word
}

// ready is what a pack that stays has worked out, by class.
type ready struct {
	entries [classes][]string
	probes  [classes][]probe
}

// packNamed is a pack of the library, nil if there is none.
func (l *Library) packNamed(code string) *Pack {
	if l == nil {
		return PackNamed(code)
	}
	p, ok := l.packs[code]
	if !ok {
		if p = PackNamed(code); p != nil {
			kept := *p
			kept.ready = &ready{}
			p = &kept
		}
		if l.packs == nil {
			l.packs = map[string]*Pack{}
		}
		l.packs[code] = p
	}
	return p
}

// commonWords are those of all Latin languages.
func (l *Library) commonWords() map[string]*commonWord {
	if l.common == nil {
		l.common = map[string]*commonWord{}
		for i, code := range latinCodes {
			eachLine(commonOf(code), func(e string) {
				if l.common[e] == nil {
					l.common[e] = &commonWord{}
				}
				l.common[e].languages |= 1 << i
			})
		}
	}
	return l.common
}

// probesOf are the entries of a class, ready to be looked for.
func (p *Pack) probesOf(c Class) []probe {
	if p.ready.probes[c] == nil {
		all := []probe{}
		eachLine(p.text[c], func(entry string) {
			one := probe{entry: entry, word: longestWord(entry)}
			if n := len(one.word); n >= 3 {
				one.first, one.last = gramAt(one.word), gramAt(one.word[n-3:])
			}
			all = append(all, one)
		})
		p.ready.probes[c] = all
	}
	return p.ready.probes[c]
}
