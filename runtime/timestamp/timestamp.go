// Package timestamp parses and formats durations, and times as in RFC 3339. It is smaller than package time.
// Times are Unix milliseconds.
package timestamp

import (
	"strconv"
	"strings"
	"time"
)

// ParseTime parses an RFC 3339 time from 1970 on, also with a blank for T, to Unix milliseconds.
func ParseTime(text string) (ms int64, ok bool) {
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	at, err := time.ParseInLocation(time.RFC3339, text, time.UTC)
	if err != nil || at.Year() < 1970 {
		return 0, false
	}
	return at.UnixMilli(), true
}

func FormatTime(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// LengthInWords formats a duration like 1 h 30 min, rounded to minutes from two minutes on, and to hours from a day on.
func LengthInWords(ms int64) string {
	const second, minute, hour, day = 1000, 60_000, 3_600_000, 86_400_000
	ms = max(0, ms)
	if s := (ms + second/2) / second; s < 120 && s != 60 {
		return strconv.FormatInt(s, 10) + " s"
	}
	if m := (ms + minute/2) / minute; m < day/minute {
		return joinParts(m/60, " h", m%60, " min")
	}
	h := (ms + hour/2) / hour
	return joinParts(h/24, " d", h%24, " h")
}

func AgoInWords(elapsedMs int64) string {
	if elapsedMs < 500 {
		return "just now"
	}
	return LengthInWords(elapsedMs) + " ago"
}

// joinParts formats an amount in two units, e.g. " h" and " min". It omits one zero part.
func joinParts(large int64, largeUnit string, small int64, smallUnit string) string {
	if large == 0 {
		return strconv.FormatInt(small, 10) + smallUnit
	}
	if small == 0 {
		return strconv.FormatInt(large, 10) + largeUnit
	}
	return strconv.FormatInt(large, 10) + largeUnit + " " + strconv.FormatInt(small, 10) + smallUnit
}

// ParseSpan parses a duration up to a year, e.g. 1h30m. Each number needs a unit, in descending order. ok is false for
// 0.
func ParseSpan(text string) (ms int64, ok bool) {
	const year = 365 * 86_400_000
	last := int64(year) // units must descend
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " ") {
		behind := strings.TrimLeft(text, "0123456789.")
		n, err := strconv.ParseFloat(text[:len(text)-len(behind)], 64)
		behind = strings.TrimLeft(behind, " ")
		text = strings.TrimLeftFunc(behind, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
		unit := unitInMillis(strings.ToLower(behind[:len(behind)-len(text)]))
		if err != nil || unit == 0 || unit >= last || n > float64(year/unit) {
			return 0, false
		}
		last = unit
		if ms += int64(n * float64(unit)); ms > year {
			return 0, false
		}
	}
	return ms, ms > 0
}

// unitInMillis returns the length of a lowercase unit like h or hours (0 for other words).
func unitInMillis(word string) int64 {
	for _, unit := range []struct {
		millis int64
		words  string
	}{
		{1000, " s sec secs second seconds "},
		{60_000, " m min mins minute minutes "},
		{3_600_000, " h hr hrs hour hours "},
		{86_400_000, " d day days "},
	} {
		if strings.Contains(unit.words, " "+word+" ") {
			return unit.millis
		}
	}
	return 0
}
