//go:build !windows

package installer

// persist tries once: elsewhere than on Windows it does not matter who has a file
// open.
func persist(attempt func() error) error { return attempt() }
