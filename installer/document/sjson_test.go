package document

import "testing"

// Keys that mean something else to sjson are keys here, whatever stands around them.
func TestOddKeys(t *testing.T) {
	set := func(data []byte, path []string, value []byte) ([]byte, error) {
		d, err := ParseDocument(data)
		if err != nil {
			return nil, err
		}
		return d.ApplyEdits(Edit{Path: path, Value: value})
	}
	for _, key := range []string{"a.b@c", "*", "?", "#", "1", "-1", ":a", "@this", "!x", "a|b", `\`, `"`, "{x}", "[0]", "", " ", "é", "<&>", "~"} {
		before := "{\n  \"x\": {" + QuoteKey(key) + ": 1, \"z\": [1.0]},\n  \"y\":2\n}\n"
		after, err := set([]byte(before), []string{"x", key}, []byte(`{"n":true}`))
		if want := "{\n  \"x\": {" + QuoteKey(key) + ": {\"n\": true}, \"z\": [1.0]},\n  \"y\":2\n}\n"; err != nil || string(after) != want {
			t.Errorf("%q, %v", after, err)
		}
		gone, err := set(after, []string{"x", key}, nil)
		if want := "{\n  \"x\": {\"z\": [1.0]},\n  \"y\":2\n}\n"; err != nil || string(gone) != want {
			t.Errorf("%q is taken out: %q, %v", key, gone, err)
		}
		nested, err := set([]byte("{}\n"), []string{key, key}, []byte("1"))
		if want := "{\n  " + QuoteKey(key) + ": {\n    " + QuoteKey(key) + ": 1\n  }\n}\n"; err != nil || string(nested) != want {
			t.Errorf("%q, %v; want %q", nested, err, want)
		}
	}
}
