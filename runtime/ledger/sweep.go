// The CLI, and each new session after the first answer, removes ledgers with no decision for 90 days. Holds
// in force and ledgers with an open loop are kept.

package ledger

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

const (
	// KeepDays is the default age in days at which ledgers are removed, mostDays the maximum.
	KeepDays = 90
	mostDays = 36_500
	// swept bounds the files that one sweep examines. It starts at a random one, so that all are reached in time.
	swept = 200
)

type keeping struct {
	Days int // 0: forever
}

func (k *keeping) Members(m *codec.Coder) { codec.Number(m.EvenEmpty(), "keep_days", &k.Days) }

// ReadKeepDays returns how many days to keep ledgers (0 for forever). Unreadable or invalid settings are errors.
func ReadKeepDays(stateDir string) (days int, err error) {
	k, path := keeping{KeepDays}, filepath.Join(stateDir, "settings.json") // {"keep_days": 30}
	if there, err := readSmall(path, &k); there && err != nil {
		return 0, errors.New("read " + path + ": " + err.Error())
	}
	if k.Days < 0 || k.Days > mostDays {
		return 0, errors.New("read " + path + ": keep_days must be between 0 (for ever) and " + strconv.Itoa(mostDays))
	}
	return k.Days, nil
}

// SweepSomeSessions removes ledgers and ended holds older than ReadKeepDays says, but no ledgers with an open loop. It
// examines up to swept files and ignores errors.
func SweepSomeSessions(stateDir string, now time.Time) {
	keep, err := ReadKeepDays(stateDir)
	if err != nil || keep == 0 {
		return
	}
	d, err := os.Open(filepath.Join(stateDir, "sessions"))
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	if len(names) == 0 {
		return
	}
	first, before := rand.IntN(len(names)), now.AddDate(0, 0, -keep)
	for i := range min(len(names), swept) {
		path := filepath.Join(stateDir, "sessions", names[(first+i)%len(names)])
		if info, err := os.Lstat(path); err != nil || !info.ModTime().Before(before) {
			continue
		}
		if strings.HasSuffix(path, ".jsonl") {
			removeIfNoLoop(path)
		} else if strings.HasSuffix(path, ".hold") {
			var h Hold
			if there, err := readSmall(path, &h); there && err == nil && h.isOver(now) {
				os.Remove(path)
			}
		}
	}
}

// removeIfNoLoop removes a ledger, unless it contains a loop with an existing file.
func removeIfNoLoop(ledgerFile string) {
	rest, err := file.ReadEnd(ledgerFile, file.Nofollow, maxBack)
	if err != nil {
		return
	}
	t := tail{rest: rest}
	t.prevRecord()
	for _, loop := range t.head.State.Loops {
		if filepath.IsAbs(loop.Key) && file.IsReadable(loop.Key) {
			return
		}
	}
	_ = os.Remove(ledgerFile)
}
