// Package timestamp parses and formats durations, and times as in RFC 3339. It is smaller than package time.
// Times are Unix milliseconds.
package timestamp

import (
	"strconv"
	"strings"
)

// ParseTime parses a time from 1970 on, such as 2026-02-06T21:30:00Z, to milliseconds since 1970. It accepts a
// fraction, and an offset in place of Z.
func ParseTime(text string) (ms int64, ok bool) {
	const form = "0000-00-00T00:00:00"
	if len(text) < len(form)+1 {
		return 0, false
	}
	var n [6]int64 // year, month, day, hour, minute, second
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
		n[part] = n[part]*10 + int64(c-'0')
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
	// Days since 1970, in years that begin in March, so that the leap day is the last. From March on, five
	// months have 153 days.
	year, month := n[0], n[1]-3
	if month < 0 {
		year, month = year-1, month+12
	}
	days := year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 + n[2] - 1 - 719468
	return (((days*24+n[3])*60+n[4])*60+n[5])*1000 + milli - offset*60_000, true
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
	seconds := ms / 1000
	days, rest := seconds/86_400, seconds%86_400
	// The inverse of ParseTime, in eras of 400 years.
	days += 719468
	era := days / 146_097
	ofEra := days % 146_097
	year := (ofEra - ofEra/1460 + ofEra/36_524 - ofEra/146_096) / 365
	ofYear := ofEra - (365*year + year/4 - year/100)
	month := (5*ofYear + 2) / 153
	day := ofYear - (153*month+2)/5 + 1
	year += era * 400
	if month += 3; month > 12 {
		year, month = year+1, month-12
	}
	return padNumber(year, 4) + "-" + padNumber(month, 2) + "-" + padNumber(day, 2) + "T" +
		padNumber(rest/3600, 2) + ":" + padNumber(rest/60%60, 2) + ":" + padNumber(rest%60, 2) + "Z"
}

func padNumber(n int64, width int) string {
	s := strconv.FormatInt(n, 10)
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
