package workspace

const nonblock = 0 // Windows has no pipes in the file system
