package language

import (
	_ "embed"
	"sync"
)

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

// packs lists the languages with a pack. Languages in Latin script are detected by words, or by letters that
// no other language uses.
var packs = [...]struct {
	code    string
	data    *string
	latin   bool
	letters string
}{
	{"en", &englishPack, true, ""},
	{"de", &germanPack, true, "ß"},
	{"fr", &frenchPack, true, ""},
	{"es", &spanishPack, true, "ñ¿¡"},
	{"pt", &portuguesePack, true, ""},
	{"it", &italianPack, true, ""},
	{"nl", &dutchPack, true, ""},
	{"pl", &polishPack, true, "łąęśżźćń"},
	{"ru", &russianPack, false, ""},
	{"uk", &ukrainianPack, false, ""},
	{"tr", &turkishPack, true, "ğışİ"},
	{"zh", &chinesePack, false, ""},
	{"ja", &japanesePack, false, ""},
	{"ko", &koreanPack, false, ""},
	{"ar", &arabicPack, false, ""},
	{"hi", &hindiPack, false, ""},
	{"vi", &vietnamesePack, true, "ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"},
	{"id", &indonesianPack, true, ""},
}

// PackCodes returns the codes of all languages with a pack.
func PackCodes() (all []string) {
	for _, p := range packs {
		all = append(all, p.code)
	}
	return all
}

// ForeignLanguage returns the name of a message's only language, or "" for English, none or several.
func ForeignLanguage(codes []string) (onlyOne string) {
	if len(codes) == 1 && codes[0] != "en" && PackNamed(codes[0]) != nil {
		return PackNamed(codes[0]).Name
	}
	return ""
}

var parsed [len(packs)]struct {
	sync.Once
	pack *Pack
}

// PackNamed returns the pack with this language code, or nil.
func PackNamed(code string) *Pack {
	for i, known := range packs {
		if known.code == code {
			p := &parsed[i]
			p.Do(func() { p.pack = SplitPack(code, *known.data) })
			return p.pack
		}
	}
	return nil
}
