package ledger

import "os"

func openOwned(path string, flags int) (*os.File, error) { return os.OpenFile(path, flags, 0o600) }

func makeDirOwnedAsParent(path string) error { return os.Mkdir(path, 0o700) }
