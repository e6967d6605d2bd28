package hosts

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/group"
)

type question struct {
	method string
	params any
}

const (
	conversePatience = 20 * time.Second
	maxConversed     = 8 << 20 // bytes of all output
	maxAnswer        = 4 << 20 // bytes of a line
)

// askProgram runs the host's program in p.Dir with p.Env's minimalEnvironment, asks the questions and returns the last
// answer. This takes up to conversePatience.
func (p Place) askProgram(ctx context.Context, args []string, questions ...question) (last json.RawMessage, err error) {
	ctx, cancel := context.WithTimeout(ctx, conversePatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Look(p.Host.Name), args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, minimalEnvironment(p.Env, p.Host.Variable), time.Second
	group.KillOnCancel(cmd)
	in, err := cmd.StdinPipe()
	out, failed := cmd.StdoutPipe()
	if err = cmp.Or(err, failed); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = out.Close() })() // it might be kept open by a child process
	lines := bufio.NewScanner(io.LimitReader(out, maxConversed))
	lines.Buffer(nil, maxAnswer)
	for n, q := range questions {
		if last, err = askQuestion(in, lines, n+1, q); err != nil {
			break
		}
	}
	late := ctx.Err()
	_ = in.Close()
	cancel()
	_ = cmd.Wait()
	return last, client.CallError(p.Host.Name+" "+strings.Join(args, " "), nil, err, late, conversePatience)
}

// askQuestion sends a request and returns the result, skipping other output.
func askQuestion(in io.Writer, lines *bufio.Scanner, id int, q question) (json.RawMessage, error) {
	line, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": q.method, "params": q.params})
	if _, err := in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	for lines.Scan() {
		var said struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(lines.Bytes(), &said) != nil || string(said.ID) != fmt.Sprint(id) {
			continue
		}
		if said.Result == nil {
			return nil, fmt.Errorf("%s: %s", q.method, said.Error.Message)
		}
		return said.Result, nil
	}
	return nil, cmp.Or(lines.Err(), fmt.Errorf("%s: it ended without an answer", q.method))
}

// minimalEnvironment returns the variables any program needs, and keep.
func minimalEnvironment(env []string, keep string) []string {
	needed := []string{
		strings.ToUpper(keep), "PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TMP", "TEMP",
		"USERPROFILE", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA",
	}
	return slices.DeleteFunc(slices.Clone(env), func(line string) bool {
		name, _, _ := strings.Cut(line, "=")
		return !slices.Contains(needed, strings.ToUpper(name)) // Windows has Path
	})
}
