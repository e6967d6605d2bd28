package scratch

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Equal fails a test where it got something else than it wants; about says where that was.
func Equal[T any](t testing.TB, got, want T, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%sgot %s, want %s", placeOf(about), shown(got), shown(want))
	}
}

// Holds fails a test for each part that a text lacks.
func Holds(t testing.TB, about any, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%v: no %q in\n%s", about, part, text)
		}
	}
}

// Lacks fails a test for each part that a text holds.
func Lacks(t testing.TB, about any, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%v: %q is in\n%s", about, part, text)
		}
	}
}

func placeOf(about []any) string {
	if len(about) == 0 {
		return ""
	}
	var place strings.Builder
	for _, a := range about {
		if data, ok := a.([]byte); ok {
			a = string(data)
		}
		fmt.Fprintf(&place, "%v ", a)
	}
	return strings.TrimSuffix(place.String(), " ") + ": "
}

// shown is a value in a message: lines stay lines.
func shown(value any) string {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "\n") {
			return "\n" + v + "\n"
		}
		return fmt.Sprintf("%q", v)
	case []string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprintf("%+v", value)
}

// ErrorIs fails a test where an error is another than it wants.
func ErrorIs(t testing.TB, err, want error, about ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%sgot %v, want %v", placeOf(about), err, want)
	}
}
