package main

import (
	"context"

	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// takeSnapshot snapshots the project's files, records that in order, and returns a message for the user, even on
// errors. order must have an ID. Callers save order. Orders for every project get no snapshot.
func (o awayOptions) takeSnapshot(ctx context.Context, order *ledger.AwayOrder) (message string) {
	const none = "no snapshot of the files: "
	if o.all {
		return none + "the order is for every project"
	}
	defer o.showWorking("taking a snapshot of the files")()
	repository, err := o.gitOfProcess().RepositoryIfAny(ctx, order.Project)
	if err == nil && repository == nil {
		return none + order.Project + " is not in a git repository"
	}
	if err == nil {
		order.Head, order.Kept, err = repository.TakeSnapshot(ctx, order.ID)
	}
	if err != nil {
		order.Kept = ""
		return none + err.Error()
	}
	nested := ""
	if n, err := repository.CountNested(ctx); err == nil && n > 0 {
		nested = ", but not in " + countOf(n, "submodule or nested checkout")
	}
	return "a snapshot of the files was taken" + nested + "; springfield back shows how to restore it"
}

// findSnapshot returns the repository with the order's snapshot, or nil with the reason.
func (a *app) findSnapshot(ctx context.Context, order ledger.AwayOrder) (in *git.Repository, why string) {
	if order.Kept == "" {
		return nil, "no snapshot of the files was taken: away takes one of a single project in a git repository"
	}
	if !activity.IsShortLowerID(order.ID) {
		return nil, "the order has an ID that springfield did not make"
	}
	in, err := a.gitOfProcess().RepositoryIfAny(ctx, order.Project)
	switch ref := git.Snapshots + order.ID; {
	case err != nil:
		return nil, "the files cannot be compared: " + err.Error()
	case in == nil:
		return nil, order.Project + " is no longer in a git repository"
	case in.CommitOf(ctx, ref) != order.Kept:
		return nil, "the snapshot of the files is gone or was replaced: " + ref
	}
	return in, ""
}

// changesSince returns the files changed since the order's snapshot, and a note for the user. It clears edited.Kept if
// the snapshot is unusable.
func (a *app) changesSince(ctx context.Context, edited *ledger.AwayOrder) (changed []git.Changed, note string) {
	defer a.showWorking("comparing the files with the snapshot")()
	repository, note := a.findSnapshot(ctx, *edited)
	kept := edited.Kept
	edited.Kept = ""
	if repository == nil {
		return nil, note
	}
	changed, err := repository.ChangesSince(ctx, kept)
	if err != nil {
		return nil, "the files cannot be compared: " + err.Error()
	}
	edited.Kept = kept
	head := repository.CommitOf(ctx, "HEAD")
	if then := repository.CommitOf(ctx, edited.Head); then != "" && then != head {
		note = "HEAD was " + then[:12] + " when you left; git log -p " + then[:12] + ".. shows the commits since"
	}
	return changed, note
}

// removeSnapshot removes the order's snapshot, and prints its ref and how to restore it. With dryRun it only prints the
// ref.
func (a *app) removeSnapshot(ctx context.Context, order ledger.AwayOrder, dryRun bool) (found bool, err error) {
	repository, _ := a.findSnapshot(ctx, order)
	if repository == nil {
		return false, nil
	}
	ref := git.Snapshots + order.ID
	a.say("the snapshot of the files, %s", ref)
	if dryRun {
		return true, nil
	}
	a.talk("to restore it before git deletes it, run: git update-ref %s %s", ref, order.Kept)
	return true, repository.DropSnapshot(ctx, order.ID, order.Kept)
}
