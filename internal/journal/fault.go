//go:build !faults

package journal

// atStep lets no step fail. A build with the tag `faults` lets one, or ends the process
// there, as its environment says.
var atStep fault
