// Session logs are all *.jsonl files in the given directories, and given files of any name. Links are
// followed, but each file is read once. Logs of subagents are skipped: agent-*.jsonl and all files in
// "subagents" directories. In a host's directory only files and directories that match the pattern are read.

package replay

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// LogDir is the directory in which a host keeps session logs.
type LogDir struct {
	Host *host.Host
	Dir  string
}

func ProjectsDir(config string) string { return filepath.Join(config, "projects") }

type found struct {
	path  string
	host  *host.Host // nil: known from the log itself
	size  int64
	given bool // by the user
}

type finder struct {
	ctx     context.Context
	seen    map[string]bool // real paths
	kept    LogDir          // host's directory in progress, zero for paths of the user
	logs    []found
	skipped []Skipped
}

// findLogs returns the logs in paths and andDirs, sorted by path, and the paths skipped, without missing andDirs. If
// ctx ends, it returns those found so far.
func findLogs(ctx context.Context, paths []string, andDirs ...LogDir) ([]found, []Skipped) {
	f := finder{ctx: ctx, seen: map[string]bool{}}
	for _, path := range paths {
		f.lookAt(path, 0)
	}
	for _, f.kept = range andDirs {
		if _, err := os.Stat(f.kept.Dir); !errors.Is(err, fs.ErrNotExist) {
			f.lookAt(f.kept.Dir, 0)
		}
	}
	slices.SortStableFunc(f.logs, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return f.logs, f.skipped
}

// maxDepth bounds nested directories.
const maxDepth = 40

// lookAt adds the log from path, or all logs below. depth is 0 for given paths.
func (f *finder) lookAt(path string, depth int) {
	if f.ctx.Err() != nil {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if f.seen[real] && err == nil {
		return
	}
	f.seen[real] = true
	info, failed := os.Stat(real)
	switch err := cmp.Or(err, failed); {
	case err != nil:
		f.skipPath(path, err)
	case info.Mode().IsRegular():
		if h := f.kept.Host; h == nil || registry.ReadLogHost(path) == h { // else a subagent's, or not a log
			f.logs = append(f.logs, found{path, h, info.Size(), depth == 0})
		}
	case !info.IsDir():
		f.skipPath(path, errors.New("neither a file nor a directory"))
	case depth == maxDepth:
		f.skipPath(path, errors.New("too many nested directories"))
	default:
		f.walkDir(path, depth)
	}
}

func (f *finder) walkDir(path string, depth int) {
	entries, err := os.ReadDir(path)
	if err != nil {
		f.skipPath(path, err)
	}
	for _, e := range entries {
		name := e.Name()
		inner := filepath.Join(path, name)
		info, err := os.Stat(inner) // follows links
		isLog := filepath.Ext(name) == ".jsonl" && !strings.HasPrefix(name, "agent-")
		if err != nil {
			if isLog || !errors.Is(err, fs.ErrNotExist) {
				f.skipPath(inner, err)
			}
			continue
		}
		directory := info.IsDir()
		wanted := directory && name != "subagents" || !directory && isLog
		if f.kept.Host != nil {
			wanted = f.fitsPattern(inner, directory)
		}
		if wanted {
			f.lookAt(inner, depth+1)
		}
	}
}

// fitsPattern reports whether a file matches the host's pattern for logs, or a directory its beginning.
func (f *finder) fitsPattern(at string, isDir bool) bool {
	rest, err := filepath.Rel(f.kept.Dir, at)
	if err != nil {
		return false
	}
	pattern := strings.Split(f.kept.Host.Sessions, "/")
	n := strings.Count(filepath.ToSlash(rest), "/") + 1
	if n > len(pattern) || isDir != (n < len(pattern)) {
		return false
	}
	ok, err := path.Match(strings.Join(pattern[:n], "/"), filepath.ToSlash(rest))
	return ok && err == nil
}

func (f *finder) skipPath(path string, err error) {
	f.skipped = append(f.skipped, Skipped{path, why(err)})
}

func why(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "not found"
	}
	return check.DropPath(err).Error()
}
