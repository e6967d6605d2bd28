//go:build !windows

package change

// persist tries once: elsewhere than on Windows it does not matter which program has a file
// open.
func persist(attempt func() error) error { return attempt() }
