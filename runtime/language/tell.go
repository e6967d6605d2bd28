package language

import (
	"slices"
	"strings"
	"unicode"
)

const maxTold = 2048 // bytes at the end of a text

// TellLanguages detects the languages at the end of a folded text. English comes first if detected. Unlike for
// GuessLanguages, the text still has its accents.
func TellLanguages(folded string) []*Pack {
	if len(folded) > maxTold {
		folded = folded[len(folded)-maxTold:]
	}
	var script [scripts]int
	for _, r := range folded {
		script[scriptOf(r)]++
	}
	var found []*Pack
	if script[latin] > 0 {
		found = likelyLatin(folded)
	}
	letters := 0
	for s, n := range script {
		if scriptID(s) != other {
			letters += n
		}
	}
	// In a long text, a few letters of a script are not enough.
	many := func(s scriptID) bool { return script[s] > 1 && script[s]*12 > letters }
	add := func(code string) { found = append(found, PackNamed(code)) }
	if many(kana) {
		add("ja")
	} else if many(han) {
		add("zh")
	}
	if many(hangul) {
		add("ko")
	}
	if many(arabic) {
		add("ar")
	}
	if many(devanagari) {
		add("hi")
	}
	if many(cyrillic) {
		// A short text can contain no letter that only one of these languages uses.
		ukrainian, russian := strings.ContainsAny(folded, "іїєґ"), strings.ContainsAny(folded, "ыэъё")
		if ukrainian || !russian && script[cyrillic] < 25 {
			add("uk")
		}
		if russian || !ukrainian {
			add("ru")
		}
	}
	return found
}

// GuessLanguages returns up to three packs with the most hits for words in their prompt classes. Callers fold words and
// remove accents. It returns nil if many words are common in English, or none is in a pack.
func GuessLanguages(words []string) (likeliest []*Pack) {
	common := 0
	for _, word := range words {
		if hasWord(PackNamed("en").text[Common], word) {
			common++
		}
	}
	if common > 2 && 4*common >= len(words) || common > 1 && 2*common >= len(words) {
		return nil
	}
	var hits [len(packs)]int
	all := strings.Join(words, " ")
	latin := strings.ContainsAny(all, "abcdefghijklmnopqrstuvwxyz")
	foreign := strings.ContainsFunc(all, func(r rune) bool { return r > 0x24f })
	for i, known := range packs {
		if known.latin && !latin || !known.latin && !foreign {
			continue
		}
		_, prompts, _ := strings.Cut(*known.data, "\n[forbid]\n")
		for _, word := range words {
			if hasWord(prompts, word) {
				hits[i]++
			}
		}
	}
	best := slices.Max(hits[:])
	for i, known := range packs {
		if best > 0 && hits[i] == best && len(likeliest) < 3 {
			likeliest = append(likeliest, PackNamed(known.code))
		}
	}
	return likeliest
}

func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(word)
		if !IsWithinWord(text, i) && !IsWithinWord(text, from) {
			return true
		}
	}
}

type scriptID byte

const (
	other scriptID = iota
	latin
	cyrillic
	arabic
	devanagari
	han
	kana
	hangul
	scripts
)

func scriptOf(folded rune) scriptID {
	switch {
	case 'a' <= folded && folded <= 'z' || 0xc0 <= folded && folded <= 0x24f || 0x1e00 <= folded && folded <= 0x1eff:
		return latin
	case folded < 0x400:
		return other
	case folded <= 0x52f:
		return cyrillic
	case 0x600 <= folded && folded <= 0x6ff && unicode.IsLetter(folded):
		return arabic
	case 0x900 <= folded && folded <= 0x97f:
		return devanagari
	case 0x3041 <= folded && folded <= 0x30ff:
		return kana
	case 0x3400 <= folded && folded <= 0x9fff:
		return han
	case 0xac00 <= folded && folded <= 0xd7a3:
		return hangul
	}
	return other
}

func likelyLatin(folded string) []*Pack {
	words := make(map[string]struct{}, len(folded)/8)
	var ends [256]uint32 // bit sets of last letters, by first byte
	for word := range strings.FieldsFuncSeq(folded, func(r rune) bool { return !inSpacedWord(r) && r != '\'' }) {
		if word = strings.TrimLeft(word, "'"); word != "" {
			words[word] = struct{}{}
			ends[word[0]] |= 1 << (word[len(word)-1] & 31)
		}
	}
	var hits [len(packs)]int
	for i, known := range packs {
		if !known.latin {
			continue
		}
		_, common, _ := strings.Cut(*known.data, "[common]\n")
		for line := range strings.SplitSeq(common, "\n") {
			if strings.HasPrefix(line, "[") {
				break
			}
			if line == "" || ends[line[0]]&(1<<(line[len(line)-1]&31)) == 0 {
				continue
			}
			if _, ok := words[line]; ok {
				hits[i]++
			}
		}
	}
	best := slices.Max(hits[:])
	var found []*Pack
	for i, known := range packs {
		if hits[i] == 0 && known.letters != "" && strings.ContainsAny(folded, known.letters) {
			hits[i] = max(best, 1)
		}
		// Related languages share words, so a language must be close to the best one. Nearly every message
		// contains technical words, so English needs fewer.
		if hits[i] > 0 && 5*hits[i] > 4*best || known.code == "en" && (best == 0 || hits[i] > 1 || 2*hits[i] > best) {
			found = append(found, PackNamed(known.code))
		}
	}
	return found
}
