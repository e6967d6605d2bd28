package moment

import (
	"testing"
	"time"
)

func TestReadIsTheCalendar(t *testing.T) {
	for day := 0; day < 60_000; day += 7 {
		at := time.Unix(int64(day)*86_400+int64(day*7919%86_400), 0).UTC()
		text := at.Format(time.RFC3339)
		if ms, ok := Read(text); !ok || ms != at.UnixMilli() {
			t.Fatalf("Read(%s) = %d, %v; want %d", text, ms, ok, at.UnixMilli())
		}
		if got := Write(at.UnixMilli() + 999); got != text {
			t.Fatalf("Write is %s, want %s", got, text)
		}
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]int64{
		"2026-02-06T21:30:00Z":          1770413400000,
		"2026-02-06T21:30:00.5Z":        1770413400500,
		"2026-02-06T22:30:00+01:00":     1770413400000,
		"2026-02-06T16:00:00.123-05:30": 1770413400123,
		"2026-02-06 21:30:00Z":          1770413400000,
		"2026-02-06T21:30:00":           -1,
		"2026-02-06T21:30:00.Z":         -1,
		"2026-02-06T21:30:00+25:00":     -1,
		"2026-13-06T21:30:00Z":          -1,
		"1969-12-31T23:59:59Z":          -1,
		"yesterday":                     -1,
		"":                              -1,
	} {
		if ms, ok := Read(text); ok != (want >= 0) || ok && ms != want {
			t.Errorf("Read(%q) = %d, %v; want %d", text, ms, ok, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for text, want := range map[string]int64{
		"90s": 90_000, "30m": 1_800_000, "2h": 7_200_000, "1d": 86_400_000, "1h30m": 5_400_000,
		"": 0, "5": 0, "m": 0, "0m": 0, "-5m": 0, "5 m": 0, "400d": 0, "99999999999h": 0, "5w": 0,
	} {
		if ms, ok := Span(text); ok != (want > 0) || ms != want && ok {
			t.Errorf("Span(%q) = %d, %v; want %d", text, ms, ok, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("2026-02-06T21:30:00.5+01:00")
	f.Fuzz(func(t *testing.T, text string) {
		ms, ok := Read(text)
		want, err := time.Parse(time.RFC3339, text)
		if ok && err == nil && ms/1000 != want.Unix() {
			t.Errorf("Read(%q) = %d, want %d", text, ms, want.UnixMilli())
		}
	})
}
