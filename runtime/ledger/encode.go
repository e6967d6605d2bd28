// Encoders for what is seldom there, so that a stop without it does not pay for
// them; see the file of the same name in package strategy.

package ledger

import "encoding/json"

// MarshalJSON encodes a question as it is.
func (a Asked) MarshalJSON() ([]byte, error) {
	type plain Asked
	return json.Marshal(plain(a))
}

// MarshalJSON encodes an answer as it is.
func (j Judged) MarshalJSON() ([]byte, error) {
	type plain Judged
	return json.Marshal(plain(j))
}
