package grave

import (
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
)

// maxLength is the number of bytes at the end of a text that are examined, maxSentences that of sentences beside the
// questions.
const maxLength, maxSentences = 8192, 6

// n-grams have from minGram to maxGram characters. The blanks around a word count.
const minGram, maxGram = 2, 5

// A Visitor calls Visit once for the bucket of each feature of the texts that it reads, with the word that has the
// feature. The features of a word follow each other.
type Visitor struct {
	Visit func(bucket int, word string)
	seen  [Buckets / 8]byte // a bit for each bucket
	word  string
}

// VisitFeatures visits the features of questions and of context, the end of their text.
func (v *Visitor) VisitFeatures(questions []string, context string) {
	for _, question := range questions {
		v.VisitGrams(question, true)
	}
	v.VisitGrams(context, false)
}

// VisitGrams visits a text's features. Questions have other buckets.
func (v *Visitor) VisitGrams(text string, question bool) {
	before, kind := "", " "
	if question {
		kind = "?"
	}
	for word := range strings.FieldsFuncSeq(language.FoldText(text), isSeparator) {
		v.word = word
		v.visitNew(hashOf(offset, kind, word))
		if before != "" {
			v.visitNew(hashOf(offset, kind, before, " ", word))
		}
		padded := " " + word + " "
		for from := range padded {
			hash, n := hashOf(offset, kind, "/"), 0
			for i, size := from, 0; i < len(padded) && n < maxGram; i += size {
				_, size = utf8.DecodeRuneInString(padded[i:])
				hash = hashOf(hash, padded[i:i+size])
				if n++; n >= minGram {
					v.visitNew(hash)
				}
			}
		}
		before = word
	}
}

// visitNew calls Visit for an unvisited feature's bucket. Callers set v.word.
func (v *Visitor) visitNew(hash uint32) {
	hash ^= hash >> 15
	hash *= 0x2c1b3c6d
	bucket := int((hash ^ hash>>12) % Buckets)
	if bit := byte(1) << (bucket % 8); v.seen[bucket/8]&bit == 0 {
		v.seen[bucket/8] |= bit
		v.Visit(bucket, v.word)
	}
}

// offset is the initial hash of FNV-1a.
const offset = 2166136261

// hashOf continues a hash, first offset. All digits are the same.
func hashOf(hash uint32, parts ...string) uint32 {
	for _, part := range parts {
		for i := range len(part) {
			c := part[i]
			if '0' <= c && c <= '9' {
				c = '0'
			}
			hash = (hash ^ uint32(c)) * 16777619
		}
	}
	return hash
}

// isSeparator reports whether a character of folded text is between words.
func isSeparator(r rune) bool {
	if r < utf8.RuneSelf {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	}
	return strings.ContainsRune("“”„«»‘’…–—•·→✓✅，。？！：；（）「」『』、・।؟؛،", r)
}

var sentenceEnds = strings.NewReplacer("? ", "?\n", ". ", "\n", "! ", "\n", "？", "?\n", "。", "\n", "！", "\n", "।", "\n", "؟", "?\n")

// QuestionsOrLast returns the questions in the last maxLength bytes, else the last sentence. context is the last
// maxSentences sentences, preceded by earlier questions.
func QuestionsOrLast(text string) (questions []string, context string) {
	if len(text) > maxLength {
		text = strings.ToValidUTF8(text[len(text)-maxLength:], "")
	}
	all := strings.Split(strings.TrimRight(sentenceEnds.Replace(text), " \t\r\n"), "\n")
	for i, sentence := range all {
		sentence = strings.TrimRight(sentence, " \t\r*_`\"”")
		asks := strings.HasSuffix(sentence, "?") || i == len(all)-1 && questions == nil
		if asks {
			questions = append(questions, sentence)
		}
		if asks || len(all)-i <= maxSentences {
			context += sentence + "\n"
		}
	}
	return questions, context
}
