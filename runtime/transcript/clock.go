// Timestamps. Claude Code writes them in one form, 2026-02-12T16:59:21.783Z,
// and package time would bring its parser into the hook.

package transcript

// unixMilli reads a timestamp, 0 if it is none.
func unixMilli(stamp []byte) int64 {
	const form = "0000-00-00T00:00:00"
	if len(stamp) < len(form)+1 || stamp[len(stamp)-1] != 'Z' {
		return 0
	}
	var n [6]int64 // year, month, day, hour, minute, second
	part := 0
	for i := range len(form) {
		c := stamp[i]
		if form[i] != '0' {
			if c != form[i] {
				return 0
			}
			part++
			continue
		}
		if c < '0' || c > '9' {
			return 0
		}
		n[part] = n[part]*10 + int64(c-'0')
	}
	var milli int64
	if fraction := stamp[len(form) : len(stamp)-1]; len(fraction) > 1 && fraction[0] == '.' {
		unit := int64(100)
		for _, c := range fraction[1:] {
			if c < '0' || c > '9' {
				return 0
			}
			milli += int64(c-'0') * unit
			unit /= 10
		}
	}
	if n[0] < 1970 || n[1] < 1 || n[1] > 12 || n[2] < 1 {
		return 0
	}
	// Days since 1970, in years that begin in March so that the leap day is
	// their last: the months from March on have 153 days in every five.
	year, month := n[0], n[1]-3
	if month < 0 {
		year, month = year-1, month+12
	}
	days := year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 + n[2] - 1 - 719468
	return (((days*24+n[3])*60+n[4])*60+n[5])*1000 + milli
}
