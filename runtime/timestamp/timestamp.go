// Package timestamp parses and formats durations, and times as in RFC 3339. It is smaller than package time.
// Times are Unix milliseconds.
package timestamp

import (
	"strconv"
	"strings"
	"time"
)

// ParseTime parses a time from 1970 on, such as 2026-02-06T21:30:00Z, to milliseconds since 1970. It accepts a
// fraction, and an offset in place of Z.
func ParseTime(text string) (ms int64, ok bool) {
	const form = "0000-00-00T00:00:00"
	if len(text) < len(form)+1 {
		return 0, false
	}
	var n [6]int // year, month, day, hour, minute, second
	part := 0
	for i := range len(form) {
		c := text[i]
		if form[i] != '0' {
			if c != form[i] && (i != 10 || c != 't' && c != ' ') {
				return 0, false
			}
			part++
			continue
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		n[part] = n[part]*10 + int(c-'0')
	}
	rest := text[len(form):]
	var milli int64
	if rest[0] == '.' {
		rest = rest[1:]
		digits := 0
		for unit := int64(100); digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9'; digits++ {
			milli += int64(rest[digits]-'0') * unit
			unit /= 10
		}
		if digits == 0 {
			return 0, false
		}
		rest = rest[digits:]
	}
	offset, ok := readOffset(rest)
	if !ok || n[0] < 1970 || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31 || n[3] > 23 || n[4] > 59 || n[5] > 60 {
		return 0, false
	}
	return time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC).UnixMilli() + milli - offset*60_000, true
}

func readOffset(text string) (minutes int64, ok bool) {
	if text == "Z" || text == "z" {
		return 0, true
	}
	if len(text) != 6 || text[3] != ':' || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	h, errH := strconv.ParseUint(text[1:3], 10, 8)
	m, errM := strconv.ParseUint(text[4:], 10, 8)
	if errH != nil || errM != nil || h > 23 || m > 59 {
		return 0, false
	}
	minutes = int64(h*60 + m)
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, true
}

// FormatTime formats a time from 1970 on as RFC 3339 in UTC, without a fraction.
func FormatTime(ms int64) string {
	year, month, day := time.UnixMilli(ms).UTC().Date()
	hour, minute, second := time.UnixMilli(ms).UTC().Clock()
	return padNumber(year, 4) + "-" + padNumber(int(month), 2) + "-" + padNumber(day, 2) + "T" +
		padNumber(hour, 2) + ":" + padNumber(minute, 2) + ":" + padNumber(second, 2) + "Z"
}

func padNumber(n, width int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

// LengthInWords formats a duration, such as 45 s, 12 min, 1 h 30 min or 1 d 12 h. It rounds to minutes from
// two minutes on, and to hours from a day on.
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

func AgoInWords(ms int64) string {
	if ms < 500 {
		return "just now"
	}
	return LengthInWords(ms) + " ago"
}

func joinParts(large int64, largeUnit string, small int64, smallUnit string) string {
	if large == 0 {
		return strconv.FormatInt(small, 10) + smallUnit
	}
	if small == 0 {
		return strconv.FormatInt(large, 10) + largeUnit
	}
	return strconv.FormatInt(large, 10) + largeUnit + " " + strconv.FormatInt(small, 10) + smallUnit
}

// ParseSpan parses a duration such as 90s, 1.5h, 1h30m or "1 hour 30 minutes", of up to a year, to
// milliseconds. ok is false for 0.
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
