// Package moment reads and writes moments as files have them, RFC 3339 in UTC or
// with an offset, and lengths of time. Package time would bring its parser into
// the hook; this one is pure and small. Moments are Unix milliseconds.
package moment

import "strconv"

// Read reads a moment: 2026-02-06T21:30:00Z, with a fraction and an offset if it
// has them. Not ok: it is none.
func Read(text string) (ms int64, ok bool) {
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
	// Days since 1970, in years that begin in March so that the leap day is
	// their last: the months from March on have 153 days in every five.
	year, month := n[0], n[1]-3
	if month < 0 {
		year, month = year-1, month+12
	}
	days := year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 + n[2] - 1 - 719468
	return (((days*24+n[3])*60+n[4])*60+n[5])*1000 + milli - offset*60_000, true
}

// readOffset reads Z or +01:00, in minutes.
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

// Write writes a moment as Read reads it, to the second and in UTC.
func Write(ms int64) string {
	seconds := ms / 1000
	days, rest := seconds/86_400, seconds%86_400
	if rest < 0 {
		days, rest = days-1, rest+86_400
	}
	// The same calendar backwards, in eras of 400 years.
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
	return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(rest/3600, 2) + ":" + pad(rest/60%60, 2) + ":" + pad(rest%60, 2) + "Z"
}

func pad(n int64, width int) string {
	s := strconv.FormatInt(n, 10)
	for len(s) < width {
		s = "0" + s
	}
	return s
}

// Span reads a length of time like 90s, 30m, 2h, 1d or 1h30m, in milliseconds.
// Not ok: it is none, or longer than a year.
func Span(text string) (ms int64, ok bool) {
	const year = 365 * 86_400_000
	for text != "" {
		i := 0
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		n, err := strconv.ParseInt(text[:i], 10, 32)
		if err != nil || i == len(text) {
			return 0, false
		}
		unit := int64(0)
		switch text[i] {
		case 's':
			unit = 1000
		case 'm':
			unit = 60_000
		case 'h':
			unit = 3_600_000
		case 'd':
			unit = 86_400_000
		default:
			return 0, false
		}
		ms += n * unit
		text = text[i+1:]
		if ms > year {
			return 0, false
		}
		ok = true
	}
	return ms, ok && ms > 0
}
