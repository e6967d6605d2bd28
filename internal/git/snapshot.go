package git

// A snapshot of a working tree: a commit of all that is there and not ignored, under a ref
// that no branch and no fetch knows. The index, the branch and the files stay as they are.
// The entries of the index are told apart by git's plumbing, which looks into no submodule.

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Snapshots is where the refs of snapshots lie.
const Snapshots = "refs/springfield/away/"

// maxIndex bounds the index that is copied, in bytes.
const maxIndex = 512 << 20

// KeepTree keeps the working tree under a ref, and returns the commits of HEAD, "" for none yet,
// and of the snapshot.
func (r *Repository) KeepTree(ctx context.Context, name string) (head, kept string, err error) {
	head = r.CommitOf(ctx, "HEAD")
	err = r.withTree(ctx, "", func(in *caller, tree string) error {
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

// Changed is a file that differs from a snapshot.
type Changed struct {
	Path    string `json:"path"`
	Added   int    `json:"added"` // lines
	Deleted int    `json:"deleted"`
	Binary  bool   `json:"binary,omitempty"`
}

// ChangesSince are the files of the working tree that are not as in a snapshot. Nothing is
// written into the repository.
func (r *Repository) ChangesSince(ctx context.Context, kept string) (all []Changed, err error) {
	err = r.withTree(ctx, kept, func(in *caller, tree string) error {
		out, err := in.runGit(ctx, "", "diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv",
			"--ignore-submodules=all", kept, tree)
		for _, entry := range strings.Split(out, "\x00") {
			parts := strings.SplitN(entry, "\t", 3)
			if len(parts) != 3 {
				continue
			}
			c := Changed{Path: parts[2], Binary: parts[0] == "-"}
			c.Added, _ = strconv.Atoi(parts[0])
			c.Deleted, _ = strconv.Atoi(parts[1])
			all = append(all, c)
		}
		return err
	})
	return all, err
}

// withTree makes a tree of what is there, in an index of its own. To compare it with a snapshot, its
// objects go elsewhere, too, and are gone afterwards; and what the snapshot has counts, though it may
// be ignored by now.
func (r *Repository) withTree(ctx context.Context, snapshot string, use func(in *caller, tree string) error) error {
	dir, err := os.MkdirTemp("", "springfield-away-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out, err := r.runGit(ctx, "", "rev-parse", "--git-path", "index", "--git-path", "objects")
	if err != nil {
		return err
	}
	places := strings.Split(out, "\n")
	if len(places) != 2 {
		return errors.New("git rev-parse: a directory's name goes over several lines")
	}
	for i := range places {
		if !filepath.IsAbs(places[i]) {
			places[i] = filepath.Join(r.Root, places[i])
		}
	}
	in := *r.caller
	in.within = 2 * time.Minute // a large tree is read as a whole
	in.quiet = append(slices.Clip(in.quiet), "-c", "core.splitIndex=false")
	in.env = append(slices.Clip(in.env), "GIT_INDEX_FILE="+filepath.Join(dir, "index"))
	if snapshot != "" {
		objects := filepath.Join(dir, "objects")
		in.env = append(in.env, "GIT_OBJECT_DIRECTORY="+objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+strconv.Quote(places[1]))
		if err := os.Mkdir(objects, 0o700); err != nil {
			return err
		}
	}
	if err := copyIndex(places[0], filepath.Join(dir, "index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	names, err := in.runGit(ctx, "", "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
	if err == nil && snapshot != "" {
		var kept string
		kept, err = in.runGit(ctx, "", "ls-tree", "-r", "-z", "--name-only", "--full-tree", snapshot)
		names += kept
	}
	if err == nil {
		_, err = in.runGit(ctx, names, "update-index", "-z", "--add", "--remove", "--stdin")
	}
	if err != nil {
		return err
	}
	tree, err := in.runGit(ctx, "", "write-tree")
	if err != nil {
		return err
	}
	return use(&in, tree)
}

// copyIndex copies an index: with it git needs not read what has not changed. By the index's time it
// knows which files may have changed in the second in which they were added.
func copyIndex(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxIndex {
		return errors.New("the index is no regular file, or too large")
	}
	index, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, index, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
