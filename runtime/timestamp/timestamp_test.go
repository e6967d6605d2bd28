package timestamp

import (
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

func TestReadIsTheCalendar(t *testing.T) {
	for day := 0; day < 60_000; day += 7 {
		at := time.Unix(int64(day)*86_400+int64(day*7919%86_400), 0).UTC()
		text := at.Format(time.RFC3339)
		if ms, ok := ParseTime(text); !ok || ms != at.UnixMilli() {
			t.Fatalf("Read(%s) = %d, %v; want %d", text, ms, ok, at.UnixMilli())
		}
		if got := FormatTime(at.UnixMilli() + 999); got != text {
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
		"2026-02-31T21:30:00Z":          -1,
		"2026-02-29T21:30:00Z":          -1,
		"2024-02-29T21:30:00Z":          1709242200000,
		"2026-02-00T21:30:00Z":          -1,
		"2026-02-32T21:30:00Z":          -1,
		"1969-12-31T23:59:59Z":          -1,
		"yesterday":                     -1,
		"":                              -1,
	} {
		if ms, ok := ParseTime(text); ok != (want >= 0) || ms != max(want, 0) {
			t.Errorf("Read(%q) = %d, %v; want %d", text, ms, ok, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for text, want := range map[string]int64{
		"90s": 90_000, "30m": 1_800_000, "2h": 7_200_000, "1d": 86_400_000, "1h30m": 5_400_000, "90m": 5_400_000, "36h": 129_600_000, "1.5h": 5_400_000,
		"30 minutes": 1_800_000, "2 hours": 7_200_000, "1 hour 30 minutes": 5_400_000, "1 Hour": 3_600_000, " 5 min ": 300_000, "1 d 12 h": 129_600_000, "365d": 31_536_000_000,
		"": 0, "5": 0, "m": 0, "0m": 0, "-5m": 0, "400d": 0, "364d30h": 0, "99999999999h": 0, "5w": 0, "5m x": 0, "m5": 0, "1..5h": 0, "5 m 6": 0, "5\nm": 0, "half an hour": 0, ".h": 0, "1e3s": 0, "NaNs": 0,
		"8h 9h": 0, "8h9h": 0, "30m 1h": 0, "1 d 12 h 1 d": 0,
	} {
		if ms, ok := ParseSpan(text); ok != (want > 0) || ms != want && ok {
			t.Errorf("Span(%q) = %d, %v; want %d", text, ms, ok, want)
		}
	}
}

func TestAgo(t *testing.T) {
	for ms, want := range map[int64]string{-5: "just now", 0: "just now", 499: "just now", 500: "1 s ago", 90_000: "90 s ago", 5_400_000: "1 h 30 min ago"} {
		scratch.Equal(t, AgoInWords(ms), want, ms, "ms")
	}
}

func TestLength(t *testing.T) {
	for length, want := range map[time.Duration]string{
		-time.Hour: "0 s", 0: "0 s", 400 * time.Millisecond: "0 s", 45 * time.Second: "45 s", 59_600 * time.Millisecond: "1 min", 90 * time.Second: "90 s", 119_600 * time.Millisecond: "2 min",
		12 * time.Minute: "12 min", 30*time.Minute - time.Millisecond: "30 min", 90 * time.Minute: "1 h 30 min", 2 * time.Hour: "2 h", 23*time.Hour + 59*time.Minute: "23 h 59 min",
		24*time.Hour - time.Second: "1 d", 36 * time.Hour: "1 d 12 h", 48 * time.Hour: "2 d", 90 * 24 * time.Hour: "90 d",
	} {
		scratch.Equal(t, LengthInWords(length.Milliseconds()), want, "Length", length)
	}
}

// ParseSpan reads what LengthInWords writes, within its precision.
func FuzzLength(f *testing.F) {
	f.Add(int64(5_400_000))
	f.Fuzz(func(t *testing.T, ms int64) {
		if ms = ms & (1<<34 - 1); ms < 500 {
			return
		}
		precision := int64(500)
		if ms >= 119_500 {
			precision = 30_000
		}
		if ms >= 86_370_000 {
			precision = 1_800_000
		}
		if got, ok := ParseSpan(LengthInWords(ms)); !ok || got-ms > precision || ms-got > precision {
			t.Errorf("%d: %q is %d, %v", ms, LengthInWords(ms), got, ok)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("2026-02-06T21:30:00.5+01:00")
	f.Fuzz(func(t *testing.T, text string) {
		ms, ok := ParseTime(text)
		want, err := time.Parse(time.RFC3339, text)
		if ok && err == nil && ms/1000 != want.Unix() {
			t.Errorf("Read(%q) = %d, want %d", text, ms, want.UnixMilli())
		}
	})
}
