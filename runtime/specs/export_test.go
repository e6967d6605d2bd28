package specs

// What the tests name. They stand outside of the package, since they ask the two
// strategies that import it.
const (
	AllDone        = allDone
	MaxErrors      = maxErrors
	QuickMode      = quickMode
	UncheckedBoxes = uncheckedBoxes
)

var (
	SaysDone   = saysDone
	TaskBlock  = taskBlock
	WholeState = isWholeState
)
