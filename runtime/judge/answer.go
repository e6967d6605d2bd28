package judge

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// AnswerSchema is the JSON Schema of an answer. The reason comes first, so that a model
// reasons before it decides. Its length is asked for and not demanded: a client
// that checks the schema itself would ask, and pay, a second time for one
// character too many.
func AnswerSchema() string {
	return `{"type":"object","properties":{` +
		`"reason":{"type":"string","description":"One short sentence, at most 200 characters: which field of the page decides."},` +
		`"continue":{"type":"boolean","description":"true: Claude goes on working. false: Claude stops and the user has the word."}},` +
		`"required":["reason","continue"],"additionalProperties":false}`
}

// maxAnswer bounds an answer, in bytes: one that is longer was not asked for.
const maxAnswer = 8 << 10

// ReadAnswer reads what a model answered: one JSON object with exactly the
// members of AnswerSchema, each once, and nothing in front of it or behind. Nothing is
// repaired. JSON in a Markdown fence, a "yes" in words, "true" in quotes are no
// answers: who cannot keep to three lines of schema is not trusted with the
// decision, and without an answer Claude may stop.
//
// The reason is one line of at most MaxWhy bytes, without characters that draw.
func ReadAnswer(data []byte) (cont bool, why string, err error) {
	if len(data) > maxAnswer {
		return false, "", errors.New("the answer is longer than " + strconv.Itoa(maxAnswer) + " bytes")
	}
	if !utf8.Valid(data) {
		return false, "", errors.New("the answer is not UTF-8")
	}
	one, fault := codec.FirstValue(data)
	switch {
	case fault != nil && fault.Cut && len(bytes.TrimSpace(data)) > 0:
		return false, "", errors.New("the answer is cut off")
	case fault != nil || codec.KindName(bytes.TrimSpace(one)) != "object":
		return false, "", errors.New("the answer is not a JSON object")
	case !codec.IsValid(data):
		return false, "", errors.New("the answer has text after it")
	}
	seen := map[string]bool{}
	w := codec.EnterValue(one, '{')
	for w.Next() {
		key, value := codec.ExactText(w.Key), w.Value()
		if seen[key] {
			return false, "", errors.New("the answer has " + OneLine(key, 40) + " twice")
		}
		seen[key] = true
		var ok bool
		switch kind := codec.KindName(value); key {
		case "continue":
			cont, ok = value[0] == 't', kind == "bool"
		case "reason":
			why, ok = codec.ExactText(codec.InsideQuotes(value)), kind == "string"
		}
		if !ok {
			return false, "", errors.New("the answer's " + strconv.Quote(OneLine(key, 40)) + " does not match the schema")
		}
	}
	if !seen["reason"] || !seen["continue"] {
		return false, "", errors.New("the answer lacks reason or continue")
	}
	return cont, OneLine(why, MaxWhy), nil
}

// OneLine makes text from outside fit for a line on a terminal: white
// space becomes one blank, what draws or turns the writing round is left out,
// and it is at most limit bytes, cut between characters.
func OneLine(s string, limit int) string {
	words := strings.Fields(strings.ReplaceAll(display.OneLine(s), "\uFFFD", ""))
	return strings.TrimSpace(quotation.Head(strings.Join(words, " "), limit))
}
