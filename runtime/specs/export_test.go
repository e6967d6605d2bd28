package specs

// The tests use the two strategies that import this package, so they are an external package.
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
