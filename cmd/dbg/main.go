package main

import (
	"fmt"
	"io"
	"os"

	"github.com/cameronsjo/springfield/runtime/closing"
)

func main() {
	b, _ := io.ReadAll(os.Stdin)
	closing.Debug(string(b), func(a ...any) { fmt.Println(a...) })
}
