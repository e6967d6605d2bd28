package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/replay"
)

// maxTried limits a prompt or a message, in bytes.
const maxTried = 1 << 20

func newTry(a *app) *cobra.Command {
	var o explainOptions
	cmd := &cobra.Command{
		Use:   "try PROMPT MESSAGE",
		Short: "Show the decision on a prompt and a last message that you write",
		Long: `Decides as a plugin's hook would if you had typed PROMPT and Claude had ended
its turn with MESSAGE, without a tool call. If MESSAGE is -, reads it from standard input. Settings
and output are those of springfield explain.`,
		Example: `  springfield try "Carry out the plan." "Task 1 is done. Moving to task 2."
  springfield try "What is left?" "Left: the docs. I'll write them next." --strategy marge-simpson
  pbpaste | springfield try "Carry out the plan." -`,
		Args: arguments(2, 2, "your prompt and Claude's last message"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.chosen = cmd.Flags().Changed("strategy")
			return runTry(a, cmd.InOrStdin(), args[0], args[1], o)
		},
		PreRunE: a.needPlaces,
	}
	explainFlags(cmd, &o)
	return cmd
}

// runTry explains the decision on a prompt and a message ("-" reads it from in).
func runTry(a *app, in io.Reader, prompt, message string, o explainOptions) (err error) {
	if message == "-" {
		text, err := io.ReadAll(io.LimitReader(in, maxTried+1))
		if err != nil {
			return err
		}
		message = string(text)
	}
	switch {
	case strings.TrimSpace(prompt) == "" || strings.TrimSpace(message) == "":
		return check.Misuse(errors.New("the prompt or the message is empty"), `write both, like springfield try "Carry out the plan." "Moving to task 2."`)
	case max(len(prompt), len(message)) > maxTried:
		return check.Misuse(errors.New("the prompt or the message is larger than 1 MB"), "omit the beginning of the message")
	}
	dir, err := os.MkdirTemp("", "springfield-try-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	place := replay.Place{Log: filepath.Join(dir, "session.jsonl"), Work: a.work, Home: a.home, Now: time.Now()}
	if err := os.WriteFile(place.Log, tryLog(prompt, message, place.Now), 0o600); err != nil {
		return err
	}
	c, err := a.candidateToExplain(o, o.strategy, a.work)
	if err != nil {
		return err
	}
	return a.explainPlace(place, c, o.json)
}

func tryLog(prompt, message string, now time.Time) []byte {
	entry := func(kind, id string, content any) []byte {
		line, _ := json.Marshal(map[string]any{ // of maps and texts, which cannot fail
			"type": kind, "uuid": id, "sessionId": "try", "timestamp": now.UTC().Format(time.RFC3339), "promptId": "p", "origin": map[string]string{"kind": "human"},
			"message": map[string]any{"role": kind, "content": content},
		})
		return append(line, '\n')
	}
	return append(entry("user", "u", prompt), entry("assistant", "a", []map[string]string{{"type": "text", "text": message}})...)
}
