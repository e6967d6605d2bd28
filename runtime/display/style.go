package display

// Style says what a piece of text means to its reader. Who prints it makes a colour
// of it, or nothing: a text is understood without.
type Style byte

const (
	Good   Style = iota + 1 // it worked; Claude continued
	Warn                    // look at this
	Bad                     // it failed
	Strong                  // a title
)
