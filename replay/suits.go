package replay

import (
	"context"
	"time"

	"github.com/cameronsjo/springfield/runtime/registry"
)

// Size is how many session logs are below paths, and how large they are. It looks no
// longer than it is told; whole says that this was enough.
func Size(paths []string, within time.Duration) (files int, bytes int64, whole bool) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	logs, _ := find(ctx, paths)
	for _, log := range logs {
		bytes += log.size
	}
	return len(logs), bytes, ctx.Err() == nil
}

// Suits is the strategy to begin with: the default one, unless the data speaks for
// another that is a plugin as it is, beyond chance.
func (r *Report) Suits() Score {
	usual := Score{Name: registry.Default()}
	at := -1
	for i, s := range r.Scores {
		if s.Name == usual.Name {
			usual, at = s, i
		}
	}
	if at < 0 || len(r.careful(r.deciding())) == 0 {
		return usual
	}
	best := r.Scores[r.best()]
	known, ok := registry.Named(best.Name)
	more, fewer := r.differ(r.best(), at, WantContinue)
	if !ok || known.Judges || known.Answers() != "Stop" || more <= fewer || signTest(more, fewer) >= levelOf(r.deciding()) {
		return usual
	}
	return best
}
