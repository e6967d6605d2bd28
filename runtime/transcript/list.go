// A todo list as agents write it: an array of items, with a text and a status each, the
// object or the string that such an array is in, or a text with a line an item.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/fact"
)

// item is one of a list. plain tells that its values are texts, not insides of strings.
type item struct {
	content, status []byte
	plain           bool
}

// listIn is the list in a call's input, a part of it: where the input is a string all of
// that.
func listIn(input []byte) []byte {
	if len(input) > 0 && input[0] == '{' {
		return codec.Member(input, "todos", "plan", "items")
	}
	return input
}

// eachItem calls yield with each item of a list. False: it is none, or not a complete one.
func eachItem(list []byte, yield func(item)) bool { return eachItemIn(list, 3, yield) }

func eachItemIn(list []byte, depth int, yield func(item)) bool {
	list = bytes.TrimSpace(list)
	if len(list) == 0 || depth == 0 {
		return false
	}
	switch list[0] {
	case '[':
		return codec.Elements(list, func(raw []byte) {
			yield(item{codec.Inside(codec.Member(raw, "content", "step", "description", "title", "text")), codec.Inside(codec.Member(raw, "status")), false})
		})
	case '{':
		return eachItemIn(codec.Member(list, "todos", "plan", "items"), depth-1, yield)
	case '"':
		text := bytes.TrimSpace(codec.Unescape(nil, codec.Inside(list)))
		if string(text) == "[]" || len(text) > 0 && (text[0] == '{' || text[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(text[1:]), []byte{'{'})) {
			return eachItemIn(text, depth-1, yield)
		}
		return eachLine(text, yield)
	}
	return false
}

// eachLine reads lines like "- [x] Write the tests" and "2. [in_progress] Write them". A
// text without one is no list.
func eachLine(text []byte, yield func(item)) (found bool) {
	for line := range bytes.Lines(text) {
		line = bytes.TrimLeft(line, " \t-*+0123456789.)")
		box, content, ok := bytes.Cut(line, []byte("]"))
		if !ok || len(box) == 0 || box[0] != '[' {
			continue
		}
		i := item{content: bytes.TrimSpace(content), plain: true}
		switch string(bytes.TrimSpace(box[1:])) {
		case "x", "X", "completed", "done":
			i.status = []byte(completed.String())
		case "~", "-", ">", "in_progress":
			i.status = []byte(inProgress.String())
		default:
			i.status = []byte(pending.String())
		}
		found = true
		yield(i)
	}
	return found
}

// readList reads the todos of a list.
func readList(list []byte) (all []fact.Todo, ok bool) {
	all = []fact.Todo{}
	ok = eachItem(list, func(i item) {
		if len(all) == maxTodos { // the oldest that is done makes room
			oldest := 0
			for oldest < len(all) && all[oldest].Status != completed.String() {
				oldest++
			}
			if oldest == len(all) {
				return
			}
			all = append(all[:oldest], all[oldest+1:]...)
		}
		if i.plain {
			all = append(all, fact.Todo{Content: oneLine(string(bytes.ToValidUTF8(i.content, []byte("\uFFFD"))), maxTodo), Status: string(i.status)})
			return
		}
		all = append(all, fact.Todo{Content: short(i.content, maxTodo), Status: short(i.status, maxName)})
	})
	if !ok {
		return nil, false
	}
	return all, true
}
