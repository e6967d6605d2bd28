package language

import _ "embed"

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

// Codes lists the languages that have a pack.
func Codes() []string {
	return []string{"en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "tr", "zh", "ja", "ko", "ar", "hi", "vi", "id"}
}

func dataOf(code string) string {
	switch code {
	case "en":
		return englishPack
	case "de":
		return germanPack
	case "fr":
		return frenchPack
	case "es":
		return spanishPack
	case "pt":
		return portuguesePack
	case "it":
		return italianPack
	case "nl":
		return dutchPack
	case "pl":
		return polishPack
	case "ru":
		return russianPack
	case "uk":
		return ukrainianPack
	case "tr":
		return turkishPack
	case "zh":
		return chinesePack
	case "ja":
		return japanesePack
	case "ko":
		return koreanPack
	case "ar":
		return arabicPack
	case "hi":
		return hindiPack
	case "vi":
		return vietnamesePack
	case "id":
		return indonesianPack
	}
	return ""
}
