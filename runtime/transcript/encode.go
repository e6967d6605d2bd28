// Encoders for what is seldom there, for the reason that package strategy has
// its own: json makes those of a type before it is needed.

package transcript

import "encoding/json"

func (c claim) MarshalJSON() ([]byte, error) {
	type plain claim
	return json.Marshal(plain(c))
}

func (j job) MarshalJSON() ([]byte, error) {
	type plain job
	return json.Marshal(plain(j))
}

func (t task) MarshalJSON() ([]byte, error) {
	type plain task
	return json.Marshal(plain(t))
}

func (n named) MarshalJSON() ([]byte, error) {
	type plain named
	return json.Marshal(plain(n))
}
