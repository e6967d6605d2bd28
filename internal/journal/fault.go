//go:build !faults

package journal

// atStep is nil except in a build with the tag faults.
var atStep fault
