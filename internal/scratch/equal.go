package scratch

import "testing"

// Equal fails a test where it got something else than it wants; about says where that was.
func Equal[T comparable](t testing.TB, got, want T, about ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}
