package scratch

import "testing"

// FailIf fails a test with these words if something is wrong, and lets it go on.
func FailIf(t testing.TB, wrong bool, format string, args ...any) {
	t.Helper()
	if wrong {
		t.Errorf(format, args...)
	}
}
