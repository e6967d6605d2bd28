# springfield: `make help` lists what there is.
SHELL = /bin/sh
HOOK_FLAGS = -trimpath -buildvcs=false -ldflags='-s -w'

.PHONY: help build demo test e2e bench size lint clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the CLI: bin/springfield
	go build -o bin/springfield ./cmd/springfield

demo: build ## the main job, end to end, in a scratch directory; shows the result
	@sh e2e/demo.sh "$(CURDIR)/bin/springfield"

test: ## vet, and every test that needs no Claude Code
	go vet ./...
	go vet -tags e2e ./e2e
	go test ./...

e2e: ## the tests against the real Claude Code, fetched through npm
	go test -tags e2e -count=1 -timeout 12m ./e2e

bench: ## time a decision as a whole process, beside an empty Go program
	go test -run '^$$' -bench Process -benchtime 400x ./runtime/springfield-hook
	go test -run '^$$' -bench 'Ned|Read' -benchmem ./runtime/strategy ./runtime/transcript

size: ## size of the hook binary for every kind of system
	@dir=$$(mktemp -d) && for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
	  CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build $(HOOK_FLAGS) -o "$$dir/hook" ./runtime/springfield-hook && \
	  printf '%-14s %s bytes\n' "$$target" "$$(wc -c <"$$dir/hook" | tr -d ' ')" || exit 1; \
	done; rm -rf "$$dir"

lint: ## golangci-lint, built once through the Go module proxy
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0 run ./...

clean: ## remove what make has made
	rm -rf bin
