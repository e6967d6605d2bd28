package codec

import (
	"errors"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/secret"
)

// Object is a type that lists its members: it calls a method of Members, or a
// function of this package, for each of them, with its name. The list serves both
// directions. While an object is read, its method Members runs once for each member of the
// input, and only the call with that member's name does something: what follows a call runs
// each time. A member of another kind than the call wants is an error for the whole object;
// one that may be of any kind is read by Raw.
type Object interface{ Members(*Members) }

// Members is where an object is written to, or the member that is read.
type Members struct {
	out     []byte
	keep    bool // write the next member also when it is empty
	most    int  // of objects to read of the next list, 0 for all
	reading bool
	name    []byte // of the member that is read
	value   []byte
	err     error

	// What a person has written is read strictly, see ReadStrictly.
	strict []byte // all of it, nil for what is not
	path   string // of the object that is read
	known  bool   // the member that is read is listed
	faults []*Fault

	names *[]string // where names are put, and nothing else is done; see MemberNames
}

// Append appends an object as JSON, without the members that are empty.
func Append(dst []byte, o Object) []byte {
	m := Members{out: append(dst, '{')}
	o.Members(&m)
	return append(m.out, '}')
}

// ReadObject reads a JSON object into one. Members that it does not list are passed over,
// and so is null; a member of another type is an error.
func ReadObject(data []byte, o Object) error {
	m := Members{reading: true}
	w := EnterValue(data, '{')
	for w.Next() {
		m.name, m.value = w.Key, w.Value()
		o.Members(&m)
	}
	switch {
	case m.err != nil:
		return m.err
	case !w.IsAlone():
		return errors.New("it is not a complete JSON object")
	}
	return nil
}

// KeepEmpty has the next member be written also when it is empty.
func (m *Members) KeepEmpty() *Members {
	m.keep = true
	return m
}

// LimitNext has of the next member, a list of objects, only so many be read.
func (m *Members) LimitNext(n int) *Members {
	m.most = n
	return m
}

// isAtHand tells whether a member is at hand: to be read, or, if it is not empty, to be
// written, for which its name is there now.
func (m *Members) isAtHand(name string, empty bool) bool {
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

// noteWrongKind notes that the member at hand, or an element of its list, is not what is
// wanted: it is left out. In what a person has written null stands for nothing.
func (m *Members) noteWrongKind(value []byte, wanted string) {
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

func (m *Members) Text(name string, v *string) {
	switch {
	case !m.isAtHand(name, *v == ""):
	case !m.reading:
		m.out = AppendText(m.out, *v)
	case m.value[0] != '"':
		m.noteWrongKind(m.value, "string")
	default:
		*v = m.textOf(m.value)
	}
}

// Quoted is a text that may quote a session: no secret in it is written.
func (m *Members) Quoted(name string, v *string) {
	if m.out != nil && *v != "" {
		masked := secret.Mask(*v)
		v = &masked
	}
	m.Text(name, v)
}

func (m *Members) textOf(raw []byte) string {
	if m.strict != nil {
		return ExactText(InsideQuotes(raw))
	}
	return ValidText(InsideQuotes(raw))
}

// Bool is a member that is true or false.
func (m *Members) Bool(name string, v *bool) {
	switch {
	case !m.isAtHand(name, !*v):
	case !m.reading:
		m.out = strconv.AppendBool(m.out, *v)
	case string(m.value) != "true" && string(m.value) != "false":
		m.noteWrongKind(m.value, "boolean")
	default:
		*v = string(m.value) == "true"
	}
}

// Raw is a member that is JSON of any kind. What is read is a copy: a reader of lines
// uses the space of one line for the next.
func (m *Members) Raw(name string, v *[]byte) {
	switch {
	case !m.isAtHand(name, len(*v) == 0):
	case m.reading:
		*v = append([]byte(nil), m.value...)
	default:
		m.out = append(m.out, *v...)
	}
}

// Object is a member that is an object. One without members is an empty one.
func (m *Members) Object(name string, o Object) {
	keep, before := m.keep, len(m.out)
	if !m.isAtHand(name, false) {
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

// Texts is a member that is a list of strings.
func (m *Members) Texts(name string, v *[]string) {
	all := []string{}
	if m.eachElement(name, len(*v), func(i int) { m.out = AppendText(m.out, (*v)[i]) }, func(raw []byte) {
		if raw[0] != '"' {
			m.noteWrongKind(raw, "list of strings")
			return
		}
		all = append(all, m.textOf(raw))
	}) {
		*v = all
	}
}

// integer is any type of whole numbers.
type integer interface {
	~int | ~int64 | ~uint8 | ~uint32 | ~uint64
}

func Number[T integer](m *Members, name string, v *T) {
	switch {
	case !m.isAtHand(name, *v == 0):
	case m.reading:
		readNumber(m, m.value, v)
	default:
		m.out = appendNumber(m.out, *v)
	}
}

// Numbers is a member that is a list of whole numbers.
func Numbers[T integer](m *Members, name string, v *[]T) {
	all := []T{}
	if m.eachElement(name, len(*v), func(i int) { m.out = appendNumber(m.out, (*v)[i]) }, func(raw []byte) {
		var n T
		if readNumber(m, raw, &n) {
			all = append(all, n)
		}
	}) {
		*v = all
	}
}

// NumberPair is a member that is a list of two numbers, empty if both are 0.
func NumberPair(m *Members, name string, v *[2]int64) {
	var all []int64
	if *v != ([2]int64{}) {
		all = v[:]
	}
	if Numbers(m, name, &all); m.reading && len(all) == 2 {
		*v = [2]int64(all)
	}
}

// ListOf is a member that is a list of objects. One in which a person has made a mistake is
// left out: without one of its members it can mean something else.
func ListOf[T any, O interface {
	*T
	Object
}](m *Members, name string, v *[]T) {
	all := []T{}
	at := func(i int) Object { return O(&(*v)[i]) }
	add := func() Object {
		all = append(all, *new(T))
		return O(&all[len(all)-1])
	}
	if m.eachObject(name, len(*v), at, add, func() { all = all[:len(all)-1] }) {
		*v = all
	}
}

// eachObject reads or writes a list of any type. It is no generic function, which would be compiled once a type.
func (m *Members) eachObject(name string, n int, at func(i int) Object, add func() Object, drop func()) bool {
	most, number, read := m.most, 0, 0
	m.most = 0
	return m.eachElement(name, n, func(i int) { m.out = Append(m.out, at(i)) }, func(raw []byte) {
		number++
		if m.strict != nil && string(raw) == "null" || most > 0 && read == most { // null stands for nothing
			return
		}
		if before := len(m.faults); m.readObject(raw, add()) {
			read++
		} else {
			drop()
			for _, f := range m.faults[before:] {
				f.Says += "; number " + strconv.Itoa(number) + " of " + name + " is left out"
			}
		}
	})
}

// Optional is a member that is an object or nothing, which is what remains of one in which a
// person has made a mistake.
func Optional[T any, O interface {
	*T
	Object
}](m *Members, name string, v **T) {
	if m.reading && *v == nil && m.isAtHand(name, false) {
		*v = new(T)
	}
	if before := len(m.faults); *v != nil {
		m.keep = true
		if m.Object(name, O(*v)); len(m.faults) > before {
			*v = nil
		}
	}
}

// eachElement is what all lists have in common, which is in the program once. True: it was
// read.
func (m *Members) eachElement(name string, n int, write func(i int), read func(raw []byte)) bool {
	switch {
	case !m.isAtHand(name, n == 0):
		return false
	case m.reading:
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

func appendNumber[T integer](out []byte, n T) []byte {
	if n > 0 {
		return strconv.AppendUint(out, uint64(n), 10)
	}
	return strconv.AppendInt(out, int64(n), 10)
}

func readNumber[T integer](m *Members, raw []byte, v *T) bool {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		var large uint64
		large, err = strconv.ParseUint(string(raw), 10, 64)
		n = int64(large)
	}
	read := T(n)
	if err != nil || int64(read) != n || (read < 0) != (raw[0] == '-' && n != 0) {
		m.noteWrongKind(raw, "whole number")
		return false
	}
	*v = read
	return true
}

// What a person has written is read strictly: every fault is found, and has a place.

// ReadStrictly reads what a person has written, a JSON object, into one; null is an object
// without members. Names of members may be in any case. Of a text that is no such object
// nothing is read, and whole says why. Else what is right is read, and parts are what is wrong
// and left out. A member that is not listed is, unless others, which may be nil, knows its name.
func ReadStrictly(data []byte, o Object, others func(name string) bool) (parts []*Fault, whole *Fault) {
	if whole = FindFault(data); whole != nil {
		return nil, whole
	}
	value := data[skipSpace(data, 0):]
	switch kind := KindName(value); kind {
	case "null":
		return nil, nil
	case "object":
	default:
		return nil, &Fault{At: len(data) - len(value), Says: "the file cannot be " + WithArticle(kind)}
	}
	m := Members{reading: true, strict: data}
	m.readMembers(value, o, others)
	return m.faults, nil
}

func MemberNames(o Object) (names []string) {
	o.Members(&Members{reading: true, names: &names})
	return names
}

// offsetOf is where a part of the strict text begins: both end at the same byte of memory.
func (m *Members) offsetOf(part []byte) int { return cap(m.strict) - cap(part) }

// KindName is what a JSON value is called.
func KindName(value []byte) string {
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

// readObject reads an object that is the value of the member at hand, or in its list. False:
// a person has made a mistake in it.
func (m *Members) readObject(value []byte, o Object) bool {
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
	inner := Members{reading: true, strict: m.strict, path: m.path + string(m.name) + "."}
	inner.readMembers(value, o, nil)
	m.faults = append(m.faults, inner.faults...)
	return len(inner.faults) == 0
}

func (m *Members) readMembers(value []byte, o Object, others func(name string) bool) {
	w := EnterValue(value, '{')
	for w.Next() {
		key := w.Key
		name := ExactText(key)
		m.name, m.value, m.known = []byte(name), w.Value(), false
		if o.Members(m); !m.known && (others == nil || !others(name)) {
			m.faults = append(m.faults, &Fault{At: m.offsetOf(key) - 1, Says: "unknown member " + strconv.Quote(name)})
		}
	}
}

// OptionalMember is a member whose absence means something: nil for none. It is read only.
func OptionalMember[T any](m *Members, name string, v **T, read func(m *Members, name string, v *T)) {
	if m.isAtHand(name, true) {
		value, before := new(T), len(m.faults)
		if read(m, name, value); len(m.faults) == before {
			*v = value
		}
	}
}

// Float is a member that is any number. It is read only.
func Float(m *Members, name string, v *float64) {
	if !m.isAtHand(name, true) {
		return
	}
	n, err := strconv.ParseFloat(string(m.value), 64)
	if err != nil {
		m.noteWrongKind(m.value, "number")
		return
	}
	*v = n
}
