package git

// A snapshot is a commit of the working tree with untracked files, under a ref outside of branches. It does
// not change the index, the branch or the files, and does not enter submodules.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/internal/rooted"
)

const Snapshots = "refs/springfield/away/" // prefix of their refs

// TakeSnapshot commits the working tree as a named snapshot. head is HEAD's commit ("" before the first); kept is the
// snapshot's commit.
func (r *Repository) TakeSnapshot(ctx context.Context, name string) (head, kept string, err error) {
	head = r.CommitOf(ctx, "HEAD")
	err = r.withTreeObject(ctx, "", func(in *caller, tree string) error {
		for _, who := range []string{"AUTHOR", "COMMITTER"} {
			in.env = append(in.env, "GIT_"+who+"_NAME=springfield", "GIT_"+who+"_EMAIL=springfield@localhost")
		}
		args := []string{"commit-tree", tree, "-m", "The working tree when the user left"}
		if head != "" {
			args = append(args, "-p", head)
		}
		if kept, err = in.runGit(ctx, "", args...); err != nil {
			return err
		}
		_, err = in.runGit(ctx, "", "update-ref", Snapshots+name, kept)
		return err
	})
	return head, kept, err
}

// DropSnapshot removes the named snapshot if its ref still points to ifCommit, or returns an error.
func (r *Repository) DropSnapshot(ctx context.Context, name, ifCommit string) error {
	_, err := r.runGit(ctx, "", "update-ref", "-d", Snapshots+name, ifCommit)
	return err
}

// Changed is a file that differs from a snapshot.
type Changed struct {
	Path    string `json:"path"`
	Added   int    `json:"added"` // lines
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
	New     bool   `json:"new,omitempty"` // not in the snapshot
}

// ChangesSince returns the files that differ from kept, a commit from TakeSnapshot. It writes nothing into the
// repository.
func (r *Repository) ChangesSince(ctx context.Context, kept string) (all []Changed, err error) {
	err = r.withTreeObject(ctx, kept, func(in *caller, tree string) error {
		out, err := in.runGit(ctx, "", "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv",
			"--ignore-submodules=all", kept, tree)
		entries, added := strings.Split(out, "\x00"), map[string]bool{}
		for len(entries) > 1 && strings.HasPrefix(entries[0], ":") { // the raw part: mode, hash and status, then the path
			added[entries[1]] = strings.HasSuffix(entries[0], " A")
			entries = entries[2:]
		}
		for _, entry := range entries {
			parts := strings.SplitN(entry, "\t", 3)
			if len(parts) != 3 {
				continue
			}
			c := Changed{Path: parts[2], Binary: parts[0] == "-", New: added[parts[2]]}
			c.Added, _ = strconv.Atoi(parts[0])
			c.Deleted, _ = strconv.Atoi(parts[1])
			all = append(all, c)
		}
		return err
	})
	return all, err
}

// withTreeObject calls use with a git tree of the working tree, made in a temporary index. snapshotOrKeep is a
// snapshot's commit to compare with: objects go to a temporary directory, and its files are included even if now
// ignored. If it is "", objects stay in the repository.
func (r *Repository) withTreeObject(ctx context.Context, snapshotOrKeep string, use func(in *caller, tree string) error) error {
	dir, err := os.MkdirTemp("", "springfield-away-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in := *r.caller
	in.within = 2 * r.within // for lists
	in.quiet = append(slices.Clip(in.quiet), "-c", "core.splitIndex=false", "-c", "core.untrackedCache=false",
		"-c", "core.checkStat=default", "-c", "core.trustctime=true")
	in.env = append(slices.Clip(in.env), "GIT_NO_REPLACE_OBJECTS=1")
	entries, files, _, err := r.listWorkFiles(ctx, &in, snapshotOrKeep)
	if err != nil {
		return err
	}
	// This reads .gitattributes, with the short timeout: one can be a pipe.
	names := strings.Join(files, "\x00")
	if _, err := in.runGit(ctx, names, "check-attr", "-z", "--stdin", "text"); err != nil {
		return err
	}
	in.env = append(in.env, "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
	if snapshotOrKeep != "" {
		own, err := r.runGit(ctx, "", "rev-parse", "--git-path", "objects")
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, "info"), 0o700)
		}
		if err == nil { // unlike in the variable, paths in this file need no quotes
			err = os.WriteFile(filepath.Join(dir, "info", "alternates"), []byte(rooted.PathFrom(r.Root, own)+"\n"), 0o600)
		}
		if err != nil {
			return err
		}
		in.env = append(in.env, "GIT_OBJECT_DIRECTORY="+dir)
	}
	in.within = 12 * r.within // reads the whole tree
	if _, err := in.runGit(ctx, strings.Join(entries, "\x00"), "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	if _, err := in.runGit(ctx, names, "update-index", "-z", "--add", "--stdin"); err != nil {
		return err
	}
	tree, err := in.runGit(ctx, "", "write-tree")
	if err != nil {
		return err
	}
	return use(&in, tree)
}

// listWorkFiles returns existing files from the index, and untracked files not ignored. With plusSnapshot, it adds this
// snapshot's files and skips submodules. It always skips pipes, devices and files below a symlink. entries are index
// and snapshot lines. nested counts nested repositories.
func (r *Repository) listWorkFiles(ctx context.Context, in *caller, plusSnapshot string) (
	entries, names []string, nested int, err error,
) {
	known, err := in.runGit(ctx, "", "ls-files", "-z", "--stage")
	if err == nil && plusSnapshot != "" {
		var kept string
		kept, err = in.runGit(ctx, "", "ls-tree", "-r", "-z", "--full-tree", plusSnapshot)
		known += kept
	}
	if err != nil {
		return nil, nil, 0, err
	}
	others, err := in.runGit(ctx, "", "ls-files", "-z", "--others", "--exclude-standard")
	directories, last := map[string]bool{".": true}, ""
	for _, entry := range strings.Split(known, "\x00") {
		_, name, _ := strings.Cut(entry, "\t")
		submodule := strings.HasPrefix(entry, "160000 ")
		if name == "" || submodule && plusSnapshot != "" || !r.isOnDisk(name, submodule, directories) {
			continue
		}
		entries = append(entries, entry)
		if name != last { // else a merge conflict
			names = append(names, name)
			if submodule && RepositoryRoot(filepath.Join(r.Root, name)) != r.Root {
				nested++
			}
		}
		last = name
	}
	for _, name := range strings.Split(others, "\x00") {
		if strings.HasSuffix(name, "/") {
			nested++
		} else if name != "" && r.isOnDisk(name, false, directories) {
			names = append(names, name)
		}
	}
	return entries, names, nested, err
}

// isOnDisk reports whether name exists as a directory, if directory is set, or else as a file or symlink. Pipes,
// devices and names below a symlink do not count. Without permission it returns true. directories caches results, and
// already maps "." to true.
func (r *Repository) isOnDisk(name string, directory bool, directories map[string]bool) bool {
	up := path.Dir(name)
	if _, known := directories[up]; !known {
		directories[up] = r.isOnDisk(up, true, directories)
	}
	if !directories[up] {
		return false
	}
	info, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(name)))
	if err != nil {
		return errors.Is(err, fs.ErrPermission) // git will report it
	}
	return info.IsDir() == directory && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0
}

// CountNested counts nested repositories, whose changes snapshots lack.
func (r *Repository) CountNested(ctx context.Context) (int, error) {
	_, _, nested, err := r.listWorkFiles(ctx, r.caller, "")
	return nested, err
}
