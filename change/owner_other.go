//go:build !unix

package change

import (
	"io/fs"
	"os"

	"github.com/cameronsjo/springfield/folder"
)

// keepOwner has nothing to do: a new file belongs to its directory's rules.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// ownAsAround has nothing to do either.
func ownAsAround(folder.Folder, string) error { return nil }
