package file

const (
	Nonblock = 0 // Windows has no pipes in the file system
	Nofollow = 0 // and links only for those who may make them
)
