# springfield: `make help` lists what there is.
SHELL = /bin/sh
HOOK_FLAGS = -trimpath -buildvcs=false -ldflags='-s -w'
TARGETS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
FUZZTIME = 1m

# Tests write and sync small files by the thousand. In memory that costs a third, so their temporary directory is
# /dev/shm where programs can be started from it and 2 GB are free.
SCRATCH = $(shell p=/dev/shm/springfield-$$$$; test "$$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $$4 + 0 }')" -gt 2000000 && \
  cp /bin/sh $$p 2>/dev/null && $$p -c 'echo /dev/shm' 2>/dev/null || echo "$${TMPDIR:-/tmp}"; rm -f $$p)

.PHONY: help generate build prebuilt dist demo test e2e hostile bench page score fuzz size man strings lint clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk '/^## / { print "\n" substr($$0, 4) } /^[a-z][a-z0-9-]*:.*## / { split($$0, part, ":.*## "); printf "  make %-8s %s\n", part[1], part[2] }' $(MAKEFILE_LIST)

## Build

generate: ## what is made from other sources: the registry, the JSON Schemas, docs/cli.md
	@go test ./runtime/strategy -run '^TestRegistryIsCurrent$$' -count=1 -update >/dev/null
	@go test ./generator -run '^Test(StrategySchemaIsCurrent|AnswersSchema)$$' -count=1 -update >/dev/null
	@go test ./cmd/springfield -run '^TestCLIDocIsCurrent$$' -count=1 -update >/dev/null

build: ## build the CLI: bin/springfield; a folder of a new strategy is registered first
	@for folder in runtime/strategy/*/; do \
	  grep -q "/$${folder%/}\"" runtime/registry/list.go || { $(MAKE) generate && break; } || exit 1; \
	done
	go build -o bin/springfield ./cmd/springfield

demo: build ## the main job, end to end, in a scratch directory; shows the result
	@sh e2e/demo.sh "$(CURDIR)/bin/springfield"

man: ## a man page for every verb, in man/
	go test ./cmd/springfield -run '^TestManPages$$' -count=1 -man "$(CURDIR)/man"

clean: ## remove what make has made
	rm -rf bin dist man generator/prebuilt/*.gz generator/prebuilt/manifest.json

## Test

test: ## vet, and every test that needs no Claude Code
	go vet ./...
	go vet -tags e2e ./e2e
	TMPDIR=$(SCRATCH) go test -timeout 40m ./...

e2e: ## the tests against the real Claude Code, fetched through npm
	TMPDIR=$(SCRATCH) go test -tags e2e -count=1 -parallel 4 -timeout 20m ./e2e

hostile: ## every attack from outside: variables, suites, git, settings, inputs; half an hour
	TMPDIR=$(SCRATCH) go test -v -count=1 -timeout 180m ./hostile -full
	go test -count=1 -run '^TestModelExhaustively$$' ./runtime/guard -orders 8

fuzz: ## every fuzz target, one after the other; FUZZTIME=1m each
	@for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package || exit 1; \
	  done; \
	done

page: ## the page of springfield replay in a real browser; needs chromium on PATH
	go test -tags browser -count=1 -run InABrowser ./replay

lint: ## golangci-lint, built once through the Go module proxy
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

strings: ## list every sentence that springfield says to people; TREE=DIR counts what another checkout says differently
	@go run ./internal/wording $(if $(TREE),-against "$(TREE)")

## Measure

bench: ## time a decision, beside an empty Go program, and enable, each as a whole process
	go test -run '^$$' -bench "Process|SureLisa" -benchtime 1x -timeout 5m ./runtime/springfield-hook
	go test -run '^$$' -bench Enable -benchtime 50x ./cmd/springfield
	go test -run '^$$' -bench . -benchmem ./runtime/strategy ./runtime/transcript ./replay

size: ## size of the hook and the judge for every kind of system
	@dir=$$(mktemp -d) && for program in hook judge; do for target in $(TARGETS); do \
	  CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build $(HOOK_FLAGS) -o "$$dir/program" ./runtime/springfield-$$program && \
	  printf '%-5s %-14s %s bytes\n' "$$program" "$$target" "$$(wc -c <"$$dir/program" | tr -d ' ')" || exit 1; \
	done; done; rm -rf "$$dir"

score: ## measure the rules on closings, and on labelled stops of sessions: make score TRANSCRIPTS=DIR
	@go test -C replay/score -count=1 -run '^TestScoreClosings$$' -scores
	@test -z "$(TRANSCRIPTS)" || go test -C replay/score -count=1 -run '^TestScoreSessions$$' -sessions "$(abspath $(TRANSCRIPTS))"

## Release

prebuilt: ## compile hook and judge for every target; the CLI that is built next carries them
	go run ./cmd/springfield prebuild generator/prebuilt

dist: prebuilt ## the CLI for every target, carrying compiled hooks, and SHA256SUMS: dist/
	@rm -rf dist && mkdir dist
	@for target in $(TARGETS); do \
	  out=dist/springfield-$${target%/*}-$${target#*/}; case $$target in windows/*) out=$$out.exe ;; esac; \
	  CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go build -trimpath -ldflags='-s -w' -o "$$out" ./cmd/springfield && echo "$$out" || exit 1; \
	done
	@cd dist && { command -v sha256sum >/dev/null && sha256sum springfield-* || shasum -a 256 springfield-*; } >SHA256SUMS
