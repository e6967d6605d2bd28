package lastmessage

// Sentence is a sentence in its writer's own voice: a backtick stands for code, two quotation marks
// for what is quoted. End is the sign that ends it, 0 for none.
type Sentence struct {
	Text string
	End  rune
}

// Sentences lists the sentences of a text that are not code, a quotation or a row of a table.
func Sentences(text string) (all []Sentence) {
	for _, b := range splitBlocks(text) {
		if b.kind == code || b.kind == quotation || b.kind == row {
			continue
		}
		for _, s := range splitSentences(b) {
			all = append(all, Sentence{s.plain, s.end})
		}
	}
	return all
}
