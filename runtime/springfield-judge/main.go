// Command springfield-judge asks a model one question. It reads a judge.Question from standard input, and writes a
// judge.Reply as one line to standard output. It isolates the hook of lisa-simpson from programs that hang.
//
// It exits with 0 after any reply, with 1 if it cannot read the question, and never with 2, which Claude Code
// takes for a decision. On a signal, or when the parent ends, it ends its children and itself.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/cameronsjo/springfield/runtime/backend"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/judge"
)

const help = "springfield-judge asks lisa-simpson's question: JSON on standard input, JSON on standard output.\n"

func main() {
	debug.SetTraceback("crash") // so that a fatal error does not exit with 2
	if info, err := os.Stdin.Stat(); len(os.Args) > 1 || err != nil || info.Mode()&os.ModeCharDevice != 0 {
		os.Stderr.WriteString(help)
		os.Exit(1)
	}
	code := 0
	reply := judge.Reply{}
	if question, err := readQuestion(os.Stdin); err != nil {
		reply.Failed, reply.Detail, code = judge.Refused, err.Error(), 1
	} else {
		reply = askOrCancel(question)
	}
	if _, err := (&display.SafeWriter{To: os.Stdout}).Write(append(codec.Append(nil, &reply), '\n')); err != nil {
		os.Exit(1)
	}
	os.Exit(code)
}

func readQuestion(r io.Reader) (q judge.Question, err error) {
	data, err := io.ReadAll(io.LimitReader(r, judge.MaxWire+1))
	if err != nil {
		return q, err
	}
	if len(data) > judge.MaxWire {
		return q, errors.New("the question is too long")
	}
	if !codec.IsValid(data) || codec.ReadObject(data, &q) != nil {
		return q, errors.New("the question is not a JSON object")
	}
	return q, nil
}

func askOrCancel(q judge.Question) judge.Reply {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for alive := watchParent(); alive() && ctx.Err() == nil; {
			time.Sleep(100 * time.Millisecond)
		}
		cancel()
	}()
	home, _ := os.UserHomeDir()
	return backend.Ask(ctx, q, backend.Env{Vars: os.Environ(), Home: home, Temp: os.TempDir()})
}
