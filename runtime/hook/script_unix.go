//go:build unix

package hook

import (
	"os"
	"time"
)

func runScript(path, dir string, args []string) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	p, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{Dir: dir, Files: []*os.File{null, null, null}})
	if err != nil {
		return
	}
	deadline := time.AfterFunc(scriptTime, func() { _ = p.Kill() })
	_, _ = p.Wait()
	deadline.Stop()
}
