package check

import (
	"slices"
	"strings"
)

// HintAtNames returns a hint for an unknown name: "did you mean" with up to three nearest names, which follow form, or
// replace NAME there. If none is similar, it returns otherwise, or if empty, a list of all names. For this list, forms
// like "--host " end with a blank, and names are not empty.
func HintAtNames(typed, form string, names []string, otherwise string) string {
	var near []string
	form, behind, _ := strings.Cut(form, "NAME")
	nearest := far
	for _, name := range names {
		switch d := distanceOrFar(strings.ToLower(typed), strings.ToLower(name)); {
		case d < nearest:
			near, nearest = []string{form + name + behind}, d
		case d == nearest && d < far:
			near = append(near, form+name+behind)
		}
	}
	switch last := len(names) - 1; {
	case len(near) > 0:
		return "did you mean " + strings.Join(near[:min(len(near), 3)], " or ") + "?"
	case otherwise == "" && strings.HasPrefix(form, "--"):
		return form + "is " + strings.Join(names[:last], ", ") + " or " + names[last]
	case otherwise == "":
		return "choose from " + strings.Join(names, ", ")
	}
	return otherwise
}

// distanceOrFar returns the edit distance if at most 2, and either small enough for typed's length or due to swapped
// letters. Otherwise it returns 3 if name contains typed of three letters or more, else far. Both are in lower case.
func distanceOrFar(typed, name string) int {
	row := make([]int, len(name)+1) // edit distance to each prefix of name
	for i := range row {
		row[i] = i
	}
	for i := range min(len(typed), 64) {
		above := row[0]
		row[0]++
		for j := range len(name) {
			cost := above
			if typed[i] != name[j] {
				cost = 1 + min(above, row[j], row[j+1])
			}
			above, row[j+1] = row[j+1], cost
		}
	}
	letters := func(word string) []byte { return slices.Sorted(slices.Values([]byte(word))) }
	switch {
	case row[len(name)] <= min(2, (len(typed)+1)/3):
		return row[len(name)]
	case row[len(name)] == 2 && slices.Equal(letters(typed), letters(name)): // two letters are swapped
		return 2
	case len(typed) > 2 && strings.Contains(name, typed):
		return far - 1
	}
	return far
}

// QuoteArgument quotes an argument for a shell if necessary.
func QuoteArgument(arg string) string {
	if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=-") == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

func NamesOf[T any](things []T, name func(T) string) []string {
	names := make([]string, len(things))
	for i, thing := range things {
		names[i] = name(thing)
	}
	return names
}
