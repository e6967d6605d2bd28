package codec

import (
	"errors"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/secret"
)

// Object is a type that lists its members, for both reading and writing. For each, it calls a method of Coder, or
// a function of this package, with the member's name. A read calls the list once per member of the input, and only the
// call with that name has an effect. A member of a wrong kind is an error for the whole object.
type Object interface{ Members(*Coder) }

// Coder is the output of a write, or the member that a read has reached.
type Coder struct {
	Most int // objects to read of the next list, 0 for all

	out     []byte
	keep    bool // write the next member even if it is empty
	reading bool
	name    []byte // of the current member
	value   []byte
	decode  func(text []byte) string // inside of a string
	err     error

	// For ReadStrictly.
	strict []byte // the whole text, nil for a lenient read
	path   string // of the object that is read
	known  bool   // the member that is read is listed
	faults []*Fault

	names *[]string // for MemberNames
}

// Append appends o as JSON, without empty members, unless o keeps them.
func Append(dst []byte, o Object) []byte {
	m := Coder{out: append(dst, '{')}
	o.Members(&m)
	return append(m.out, '}')
}

// ReadObject reads a JSON object, skipping unlisted members and null. A member of the wrong type is an error.
func ReadObject(data []byte, o Object) error {
	m := Coder{reading: true, decode: ValidText}
	w := EnterValue(data, '{')
	for w.Next() {
		m.name, m.value = w.Key, w.TakeValue()
		o.Members(&m)
	}
	if m.err != nil {
		return m.err
	}
	if !w.IsAlone() {
		return errors.New("it is not a complete JSON object")
	}
	return nil
}

// EvenEmpty causes the next member to be written even if empty.
func (m *Coder) EvenEmpty() *Coder {
	m.keep = true
	return m
}

// beginMember reports whether the member is to be read (not if null) or written now. Before a write, it appends the
// name. It skips an empty member, unless EvenEmpty was called. When names are collected, it only adds the name.
func (m *Coder) beginMember(name string, empty bool) (isHere bool) {
	if m.names != nil {
		*m.names = append(*m.names, name)
		return false
	}
	if m.reading {
		if m.strict == nil && string(m.name) != name || m.strict != nil && !strings.EqualFold(string(m.name), name) {
			return false
		}
		m.known = true
		return len(m.value) > 0 && string(m.value) != "null"
	}
	if empty && !m.keep {
		return false
	}
	m.keep = false
	if m.out[len(m.out)-1] != '{' {
		m.out = append(m.out, ',')
	}
	m.out = append(append(append(m.out, '"'), name...), '"', ':')
	return true
}

// noteWrongKind records that a value is not the wanted kind, a noun without an article. A strict read ignores the
// value, and notes a fault unless it is null. Any other read fails.
func (m *Coder) noteWrongKind(value []byte, wanted string) {
	if m.strict == nil {
		if m.err == nil {
			m.err = errors.New(string(m.name) + " is not a " + wanted)
		}
		return
	}
	kind := KindName(value)
	if kind == "null" {
		return
	}
	says := m.path + string(m.name) + " cannot be " + WithArticle(kind)
	if kind == "number" && strings.HasSuffix(wanted, "number") {
		says += " " + string(value)
	}
	m.faults = append(m.faults, &Fault{At: m.offsetOf(value), Says: says})
}

// Text reads or writes a string. It omits an empty one, unless EvenEmpty was called.
func (m *Coder) Text(name string, v *string) {
	if !m.beginMember(name, *v == "") {
		return
	}
	if !m.reading {
		m.out = AppendText(m.out, *v)
	} else if m.value[0] == '"' {
		*v = m.decode(InsideQuotes(m.value))
	} else {
		m.noteWrongKind(m.value, "string")
	}
}

// Masked is like Text, but masks secrets when writing.
func (m *Coder) Masked(name string, v *string) {
	if m.out != nil && *v != "" {
		masked := secret.Mask(*v)
		v = &masked
	}
	m.Text(name, v)
}

// Bool reads or writes a bool. It omits false, unless EvenEmpty was called.
func (m *Coder) Bool(name string, v *bool) {
	if !m.beginMember(name, !*v) {
		return
	}
	if !m.reading {
		m.out = strconv.AppendBool(m.out, *v)
	} else if value := string(m.value); value == "true" || value == "false" {
		*v = value == "true"
	} else {
		m.noteWrongKind(m.value, "boolean")
	}
}

// Raw reads (a copy) or writes a member of any kind.
func (m *Coder) Raw(name string, v *[]byte) {
	if !m.beginMember(name, len(*v) == 0) {
		return
	}
	if m.reading {
		*v = append([]byte(nil), m.value...)
	} else {
		m.out = append(m.out, *v...)
	}
}

// Object reads or writes an object member. It counts as empty without members.
func (m *Coder) Object(name string, o Object) {
	keep, before := m.keep, len(m.out)
	if !m.beginMember(name, false) {
		return
	}
	if m.reading {
		m.readObject(m.value, o)
		return
	}
	begin := len(m.out) + 1
	m.out = append(m.out, '{')
	if o.Members(m); len(m.out) == begin && !keep {
		m.out = m.out[:before]
		return
	}
	m.out = append(m.out, '}')
}

func (m *Coder) Texts(name string, v *[]string) {
	all := []string{}
	if m.eachElement(name, len(*v), func(i int) { m.out = AppendText(m.out, (*v)[i]) }, func(raw []byte) {
		if raw[0] != '"' {
			m.noteWrongKind(raw, "list of strings")
			return
		}
		all = append(all, m.decode(InsideQuotes(raw)))
	}) {
		*v = all
	}
}

type integer interface {
	~int | ~int64 | ~uint8 | ~uint32 | ~uint64
}

func Number[T integer](m *Coder, name string, v *T) {
	if !m.beginMember(name, *v == 0) {
		return
	}
	if m.reading {
		readNumber(m, m.value, v)
	} else {
		m.out = appendInteger(m.out, int64(*v), *v > 0)
	}
}

func Numbers[T integer](m *Coder, name string, v *[]T) {
	all := []T{}
	if m.eachElement(name, len(*v), func(i int) { m.out = appendInteger(m.out, int64((*v)[i]), (*v)[i] > 0) }, func(raw []byte) {
		var n T
		if readNumber(m, raw, &n) {
			all = append(all, n)
		}
	}) {
		*v = all
	}
}

// NumberPair reads or writes a list of two numbers, empty if both are 0.
func NumberPair(m *Coder, name string, v *[2]int64) {
	var all []int64
	if *v != ([2]int64{}) {
		all = v[:]
	}
	if Numbers(m, name, &all); m.reading && len(all) == 2 {
		*v = [2]int64(all)
	}
}

// ListOf reads or writes a list of objects. A strict read omits objects with mistakes.
func ListOf[T any, O interface {
	*T
	Object
}](m *Coder, name string, v *[]T) {
	all := []T{}
	list := func(do listStep, i int) Object {
		switch do {
		case oldElement:
			return O(&(*v)[i])
		case dropElement:
			all = all[:len(all)-1]
			return nil
		}
		all = append(all, make([]T, 1)...) // smaller than new(T) in the hook
		return O(&all[len(all)-1])
	}
	if m.codeObjects(name, len(*v), list) {
		*v = all
	}
}

// listStep is a step in a list of any type. One function for all steps keeps the hook small.
type listStep byte

const (
	oldElement listStep = iota
	newElement
	dropElement
)

// codeObjects reads or writes ListOf's objects, calling list for each step. n is the number to write. wasRead means
// that the member was read and not null. Strict reads skip invalid objects. m.Most limits the objects read unless 0,
// and is reset.
func (m *Coder) codeObjects(name string, n int, list func(do listStep, i int) Object) (wasRead bool) {
	most, number, read := m.Most, 0, 0
	m.Most = 0
	return m.eachElement(name, n, func(i int) { m.out = Append(m.out, list(oldElement, i)) }, func(raw []byte) {
		number++
		if m.strict != nil && string(raw) == "null" || most > 0 && read == most { // null counts as nothing
			return
		}
		if before := len(m.faults); m.readObject(raw, list(newElement, 0)) {
			read++
		} else {
			list(dropElement, 0)
			for _, f := range m.faults[before:] {
				f.Says += "; hooks ignore " + name + "[" + strconv.Itoa(number-1) + "]"
			}
		}
	})
}

// Optional reads or writes an object, or nil. A strict read sets an object with a mistake to nil.
func Optional[T any, O interface {
	*T
	Object
}](m *Coder, name string, v **T) {
	if m.reading && *v == nil && m.beginMember(name, false) {
		*v = new(T)
	}
	if before := len(m.faults); *v != nil {
		m.keep = true
		if m.Object(name, O(*v)); len(m.faults) > before {
			*v = nil
		}
	}
}

// eachElement calls read for each raw element, or write for each index below n. It returns true if the member was read,
// even if no list.
func (m *Coder) eachElement(name string, n int, write func(i int), read func(raw []byte)) (wasRead bool) {
	if !m.beginMember(name, n == 0) {
		return false
	}
	if m.reading {
		if !Elements(m.value, read) {
			m.noteWrongKind(m.value, "list")
		}
		return true
	}
	m.out = append(m.out, '[')
	for i := range n {
		if i > 0 {
			m.out = append(m.out, ',')
		}
		write(i)
	}
	m.out = append(m.out, ']')
	return false
}

func appendInteger(out []byte, n int64, unsigned bool) []byte {
	if unsigned {
		return strconv.AppendUint(out, uint64(n), 10)
	}
	return strconv.AppendInt(out, n, 10)
}

// parseIntegerBits returns the bits of an int64 or a uint64. Callers compare the sign with raw's.
func parseIntegerBits(raw []byte) (bits int64, err error) {
	if bits, err = strconv.ParseInt(string(raw), 10, 64); err != nil {
		var large uint64
		large, err = strconv.ParseUint(string(raw), 10, 64)
		bits = int64(large)
	}
	return bits, err
}

func readNumber[T integer](m *Coder, raw []byte, v *T) bool {
	n, err := parseIntegerBits(raw)
	read := T(n)
	if err != nil || int64(read) != n || (read < 0) != (raw[0] == '-' && n != 0) {
		m.noteWrongKind(raw, "whole number")
		return false
	}
	*v = read
	return true
}

// ReadStrictly reads a JSON object or null, ignoring case in names. whole is why data can't be read. parts lists
// ignored mistakes, including members neither o nor others accepts. others gets names as written, so it should ignore
// case.
func ReadStrictly(data []byte, o Object, others func(name string) bool) (parts []*Fault, whole *Fault) {
	if whole = FindFault(data); whole != nil {
		return nil, whole
	}
	value := data[skipSpace(data, 0):]
	switch value[0] {
	case 'n':
		return nil, nil
	case '{':
	default:
		return nil, &Fault{At: len(data) - len(value), Says: "the file cannot be " + WithArticle(KindName(value))}
	}
	m := Coder{reading: true, strict: data, decode: ExactText}
	m.readMembers(value, o, others)
	return m.faults, nil
}

func MemberNames(o Object) (names []string) {
	o.Members(&Coder{reading: true, names: &names})
	return names
}

func (m *Coder) offsetOf(part []byte) int { return cap(m.strict) - cap(part) }

// readObject reads o. It returns false if a strict read finds a mistake.
func (m *Coder) readObject(value []byte, o Object) (noStrictFault bool) {
	if m.strict == nil {
		if err := ReadObject(value, o); err != nil && m.err == nil {
			m.err = errors.New(string(m.name) + ": " + err.Error())
		}
		return true
	}
	if value[0] != '{' {
		m.noteWrongKind(value, "object")
		return false
	}
	inner := Coder{reading: true, strict: m.strict, decode: ExactText, path: m.path + string(m.name) + "."}
	inner.readMembers(value, o, nil)
	m.faults = append(m.faults, inner.faults...)
	return len(inner.faults) == 0
}

// readMembers strictly reads o from an object. Members that neither o lists nor ignores accepts are faults. ignores can
// be nil.
func (m *Coder) readMembers(value []byte, o Object, ignores func(name string) bool) {
	w := EnterValue(value, '{')
	for w.Next() {
		key := w.Key
		name := ExactText(key)
		m.name, m.value, m.known = []byte(name), w.TakeValue(), false
		if o.Members(m); !m.known && (ignores == nil || !ignores(name)) {
			m.faults = append(m.faults, &Fault{At: m.offsetOf(key) - 1, Says: "unknown member " + strconv.Quote(name)})
		}
	}
}

// ReadOptional reads a member with read. It keeps *v if the member is absent, null, or wrong in a strict read. It never
// writes.
func ReadOptional[T any](m *Coder, name string, v **T, read func(m *Coder, name string, v *T)) {
	if m.beginMember(name, true) {
		value, before := new(T), len(m.faults)
		if read(m, name, value); len(m.faults) == before {
			*v = value
		}
	}
}

// ReadFloat reads a member that is any number. It never writes.
func ReadFloat(m *Coder, name string, v *float64) {
	if !m.beginMember(name, true) {
		return
	}
	if n, err := strconv.ParseFloat(string(m.value), 64); err == nil {
		*v = n
	} else {
		m.noteWrongKind(m.value, "number")
	}
}

// IsFalseOrNull reports whether a raw member is missing, null or false.
func IsFalseOrNull(raw []byte) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == "false"
}
