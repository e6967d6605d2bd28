// Encoders for what is seldom there. encoding/json makes the encoder of a type
// and of all that is in it when it first meets the type, even where it decodes,
// and even where nothing is there. For rules of one's own, loops and their
// programs that was a tenth of a decision. A type that encodes itself waits until
// there is something to encode.

package strategy

import "encoding/json"

// MarshalJSON encodes a rule as it is.
func (r Rule) MarshalJSON() ([]byte, error) {
	type plain Rule
	return json.Marshal(plain(r))
}

// MarshalJSON encodes a memory as it is.
func (m Memory) MarshalJSON() ([]byte, error) {
	type plain Memory
	return json.Marshal(plain(m))
}

// MarshalJSON encodes a program as it is.
func (p Progress) MarshalJSON() ([]byte, error) {
	type plain Progress
	return json.Marshal(plain(p))
}

// MarshalJSON encodes a judge as it is.
func (j Judge) MarshalJSON() ([]byte, error) {
	type plain Judge
	return json.Marshal(plain(j))
}
