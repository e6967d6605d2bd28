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

// AnswerSchema returns the JSON Schema for an answer. The reason comes first. Its length is not limited.
func AnswerSchema() string {
	return `{"type":"object","properties":{` +
		`"reason":{"type":"string","description":"One short sentence, at most 200 characters: which field of the page decides."},` +
		`"continue":{"type":"boolean","description":"true: Claude goes on working. false: Claude stops and the user has the word."}},` +
		`"required":["reason","continue"],"additionalProperties":false}`
}

const maxAnswer = 8 << 10 // bytes

// ReadAnswer parses a JSON object with exactly AnswerSchema's members. Anything else is an error. why is one line, up
// to MaxWhy bytes.
func ReadAnswer(data []byte) (cont bool, why string, err error) {
	if len(data) > maxAnswer {
		return false, "", errors.New("the answer is longer than " + strconv.Itoa(maxAnswer) + " bytes")
	}
	if !utf8.Valid(data) {
		return false, "", errors.New("the answer is not UTF-8")
	}
	if fault := codec.FindFault(data); fault != nil {
		return false, "", errors.New("the answer is not a JSON object: " + fault.Says)
	}
	if codec.KindName(bytes.TrimSpace(data)) != "object" {
		return false, "", errors.New("the answer is not a JSON object")
	}
	seen := map[string]bool{}
	w := codec.EnterValue(data, '{')
	for w.Next() {
		key, value := codec.ExactText(w.Key), w.TakeValue()
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

func OneLine(s string, limit int) (printableHead string) {
	words := strings.Fields(strings.ReplaceAll(display.OneLine(s), "\uFFFD", ""))
	return strings.TrimSpace(quotation.Head(strings.Join(words, " "), limit))
}
