package transcript

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestOnlyLooks(t *testing.T) {
	for _, line := range []string{
		"cat a.go", "head -20 a.go | tail -5", "ls -la src", "pwd", "find . -name '*.go' -newer x", "grep -rn 'a > b' .", `rg 'func \w+' -t go`, "wc -l *.go",
		"git log --oneline -5", "git -C ../x status --short", "git --no-pager diff HEAD~1", "git show HEAD:a.go", "git blame a.go", "git branch -a", "git branch",
		"git branch --show-current", "git stash list", "git remote -v", "git tag", "git config get user.name", "git rev-parse HEAD",
		"go test ./...", "go test -run 'TestX|TestY' -count=1 ./a", "npm test", "npm run test:unit", "pytest -q tests", "python3 -m pytest -x", "cargo test", "make test", "make check",
		"./gradlew test", "npx vitest run", "npx tsc --noEmit", "golangci-lint run", "eslint src",
		"which go", "command -v node", "echo done", "jq .name package.json", "sed -n '1,20p' a.go", "sed -n '/^func/,/^}/p' a.go", `sed -n '/a\/b/p' a.go`,
		"tree -L 2", "du -sh .", "env", "env GOFLAGS=-v go test ./...", "cd sub && ls", "cat a 2>/dev/null || echo none", "go test ./... 2>&1 | tail -20", "ls >/dev/null",
		"GOFLAGS=-v go vet ./...", "timeout 60 go test ./...", "for f in *.go; do wc -l $f; done", "if [ -f a ]; then cat a; fi",
		"rg -l x | xargs grep y", "sort a | uniq -c", "gh pr view 3", "gh run list", "docker ps", "kubectl get pods",
	} {
		if !onlyLooks(line) {
			t.Errorf("%s: changes something", line)
		}
	}
	for _, line := range []string{
		"", " ", "cat > x", "cat a >> b", "echo a > b", "echo a | tee b", "ls 2> errors", "cat <<EOF\na\nEOF", "cat a >/dev/nullx", "ls &> out",
		"find . -name '*.o' -delete", "find . -exec rm {} +", "fd x -x rm", "sed -i s/a/b/ x", "sed -n -i p x", "sed s/a/b/w\\ out x", "sed -n '1e rm x' a", "sed -n '/x/w out' a", `sed -n '/\//w out' a`, `sed -n '/\\/w out' a`, "sed -n '1w p' a",
		"git stash", "git stash pop", "git branch -D x", "git branch new", "git checkout .", "git commit -m x", "git push", "git tag v1", "git -c alias.x='!rm' x", "git config user.name x",
		"git diff --output=x", "git remote add a b", "git remote 'show get-url'", "git reflog expire --all", "git fetch", "git log; git reset --hard",
		"go test ./... -update", "go test -coverprofile=c.out ./...", "go test -c ./a", "go build ./...", "go generate", "go env -w GOFLAGS=-v", "npm install", "npm run build", "npm test -- -u", "jest --updateSnapshot",
		"make", "make test install", "make clean", "cargo build", "cargo run", "eslint --fix src", "npx prettier --write .", "npx tsc", "ruff format", "python3 x.py", "python -c 'x'", "node -e 1",
		"rm x", "mv a b", "rg x | xargs rm", "ls && rm x", "ls; touch x", "ls & rm x", "echo $(rm x)", `echo "$(rm x)"`, "echo `rm x`", "(rm x)", "cat <(rm x)", "$X", "eval ls", "sudo cat x",
		"bash x.sh", "bash -c 'rm x'", "sh", "for f in *; do rm $f; done", "if rm x; then ls; fi", "env -i rm x", "env rm x", "timeout 5 rm x", "command rm x", "sort a -o b", "sort -uo b a", "uniq a b", "date -s now",
		"curl -X POST x", "kubectl delete pod x", "docker rm x", "gh pr merge 3", "gh api x -X POST", "awk '{print > \"x\"}' a", "echo 'open", `echo "$(ls`, "ls )", "f() { rm x; }", "printf x >| y",
		"ls\nrm x", "ls # a\nrm x", "ls \x00 ; rm x", "rg --pre rm x", "git grep -Orm x", "xargs rm", "((((((((((((ls))))))))))))",
	} {
		if onlyLooks(line) {
			t.Errorf("%s: only looks", line)
		}
	}
}

// A log has commands of any form with up to 1 MiB. A hook has neither the stack for a deep recursion nor the time to
// copy a word for each of its bytes.
func TestOnlyLooksAtLongCommands(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(4 << 20)) // as in a hook
	if !onlyLooks(strings.Repeat("env ", 250_000) + "ls") {
		t.Error("many env: changes something")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	onlyLooks(strings.Repeat("x", 64<<10))
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 4<<20 {
		t.Errorf("a word of 64 KiB takes %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}

func FuzzOnlyLooks(f *testing.F) {
	f.Add("echo \"$(ls `pwd`)\" > x 2>&1 | sed -n '1,2p'")
	f.Fuzz(func(t *testing.T, line string) {
		if !strings.HasSuffix(line, `\`) && onlyLooks(line+"\nrm x") {
			t.Errorf("%q hides a command that follows it", line)
		}
	})
}
