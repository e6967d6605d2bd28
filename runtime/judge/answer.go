package judge

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// AnswerSchema returns the JSON Schema for an answer. The reason comes first, so that the model reasons before it
// decides. The reason's length is not limited, because a client that checks the schema would ask again.
func AnswerSchema() string {
	return `{"type":"object","properties":{` +
		`"reason":{"type":"string","description":"One short sentence, at most 200 characters: which field of the page decides."},` +
		`"continue":{"type":"boolean","description":"true: Claude goes on working. false: Claude stops and the user has the word."}},` +
		`"required":["reason","continue"],"additionalProperties":false}`
}

const maxAnswer = 8 << 10 // bytes

type answer struct {
	cont *bool
	why  *string
}

func (a *answer) Members(m *codec.Members) {
	codec.OptionalMember(m, "continue", &a.cont, (*codec.Members).Bool)
	codec.OptionalMember(m, "reason", &a.why, (*codec.Members).Text)
}

// ReadAnswer parses an answer: a JSON object with exactly the members in AnswerSchema. Anything else is an error,
// because a model that ignores the schema cannot be trusted. why is a single line of at most MaxWhy bytes.
func ReadAnswer(data []byte) (cont bool, why string, err error) {
	if len(data) > maxAnswer {
		return false, "", errors.New("the answer is longer than " + strconv.Itoa(maxAnswer) + " bytes")
	}
	if !utf8.Valid(data) {
		return false, "", errors.New("the answer is not UTF-8")
	}
	var a answer
	parts, fault := codec.ReadStrictly(data, &a, nil)
	if len(parts) > 0 {
		fault = parts[0]
	}
	switch {
	case fault != nil:
		err = errors.New("the answer does not match the schema: " + OneLine(fault.Says, 100))
	case a.cont == nil || a.why == nil:
		err = errors.New("the answer lacks reason or continue")
	default:
		cont, why = *a.cont, OneLine(*a.why, MaxWhy)
	}
	return cont, why, err
}

// OneLine returns untrusted text as a printable line of at most limit bytes.
func OneLine(s string, limit int) string {
	words := strings.Fields(strings.ReplaceAll(display.OneLine(s), "\uFFFD", ""))
	return strings.TrimSpace(quotation.Head(strings.Join(words, " "), limit))
}
