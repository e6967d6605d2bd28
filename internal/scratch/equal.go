package scratch

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
)

// Equal fails a test if two values differ. about is printed first.
func Equal[T any](t testing.TB, got, want T, about ...any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return
	}
	one, other := shown(want), shown(got)
	if strings.Contains(one+other, "\n") {
		t.Errorf("%s\n%s", prefixOf(about), udiff.Unified("want", "got", one, other))
		return
	}
	t.Errorf("%sgot %s, want %s", prefixOf(about), other, one)
}

func ErrorIf(t testing.TB, wrong bool, format string, args ...any) {
	t.Helper()
	if wrong {
		t.Errorf(format, args...)
	}
}

func Holds(t testing.TB, about any, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%v: no %q in\n%s", about, part, text)
		}
	}
}

// Lacks fails a test for each part that occurs in text.
func Lacks(t testing.TB, about any, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%v: %q is in\n%s", about, part, text)
		}
	}
}

func prefixOf(about []any) string {
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

func shown(value any) string {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "\n") {
			return strings.ReplaceAll(v, "\r", `\r`)
		}
		return strconv.Quote(v)
	case []string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprintf("%+v", value)
}

func ErrorIs(t testing.TB, err, want error, about ...any) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%sgot %v, want %v", prefixOf(about), err, want)
	}
}

var Update = flag.Bool("update", false, "write the files of the tree that tests compare with what they make")

// Golden fails a test if a golden file differs from made. With -update it writes the file.
func Golden(t testing.TB, file string, made []byte) {
	t.Helper()
	if *Update {
		Must(t, os.WriteFile(file, made, 0o644))
	}
	if is := string(ReadFile(t, file)); is != string(made) {
		t.Errorf("%s is not what is made today; after a meant change run this test with -update:\n%s",
			file, udiff.Unified("it is", "made", is, string(made)))
	}
}
