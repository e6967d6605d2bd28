// What a person has written is read strictly: every fault is found, and has a place.

package codec

import (
	"strconv"
	"strings"
)

// ReadMember reads the value of one member of data, a text that Check finds no fault in:
// into calls the method of Members for it, with the same name. Names of members within
// may be in any case. The first fault is returned.
func ReadMember(data []byte, name string, value []byte, into func(*Members)) *Fault {
	m := Members{reading: true, strict: data, name: []byte(name), value: value}
	into(&m)
	return m.fault
}

// place is where a part of the strict text begins: both end at the same byte of memory.
func (m *Members) place(part []byte) int { return cap(m.strict) - cap(part) }

// cannot notes that the member at hand, or an element of its list, is not what is
// wanted. null stands for nothing.
func (m *Members) cannot(value []byte, wanted string) {
	kind := Kind(value)
	if kind == "null" {
		return
	}
	says := m.path + string(m.name) + " cannot be " + WithArticle(kind)
	if kind == "number" && strings.HasSuffix(wanted, "number") {
		says += " " + string(value)
	}
	m.note(&Fault{At: m.place(value), Says: says})
}

// note notes a fault, of several the first.
func (m *Members) note(f *Fault) {
	if m.fault == nil {
		m.fault = f
	}
}

// Kind is what a JSON value is called.
func Kind(value []byte) string {
	switch value[0] {
	case '"':
		return "string"
	case '[':
		return "array"
	case '{':
		return "object"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// WithArticle is a kind as a sentence has it.
func WithArticle(kind string) string {
	if kind[0] == 'a' || kind[0] == 'o' {
		return "an " + kind
	}
	return "a " + kind
}

// Unknown is the fault of a member that is not listed. Its name begins at a byte of the
// text.
func Unknown(name string, at int) *Fault {
	return &Fault{At: at, Says: "unknown member " + strconv.Quote(name)}
}

// within reads an object that is the value of the member at hand, or in its list.
func (m *Members) within(value []byte, o Object) {
	if value[0] != '{' {
		m.cannot(value, "object")
		return
	}
	inner := Members{reading: true, strict: m.strict, path: m.path + string(m.name) + "."}
	w := Enter(value, '{')
	for w.Next() {
		key := w.Key
		inner.name, inner.value, inner.known = []byte(Exact(key)), w.Value(), false
		if o.Members(&inner); !inner.known {
			inner.note(Unknown(string(inner.name), inner.place(key)-1))
		}
	}
	if m.fault == nil {
		m.fault = inner.fault
	}
}

// is tells whether the member that is read has this name.
func (m *Members) is(name string) bool {
	if m.strict == nil {
		return string(m.name) == name
	}
	if strings.EqualFold(string(m.name), name) {
		m.known = true
		return true
	}
	return false
}

// Given is a member whose absence means something: nil for none. It is read only.
func Given[T any](m *Members, name string, v **T, read func(m *Members, name string, v *T)) {
	if m.at(name, true) {
		*v = new(T)
		read(m, name, *v)
	}
}

// Float is a member that is any number. It is read only.
func Float(m *Members, name string, v *float64) {
	if !m.at(name, true) {
		return
	}
	n, err := strconv.ParseFloat(string(m.value), 64)
	if *v = n; err != nil {
		m.fail("number")
	}
}
