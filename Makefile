# springfield: `make help` lists what there is.
SHELL = /bin/sh
# As releases are built. Programs that link to the C library also start more slowly, and tests start thousands.
export CGO_ENABLED = 0
HOOK_FLAGS = -trimpath -buildvcs=false -gcflags=github.com/cameronsjo/springfield/...=-l -gcflags=regexp/...=-l -gcflags=time=-l -gcflags=strings=-l -gcflags=syscall=-l -ldflags='-s -w'
TARGETS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
FUZZTIME = 1m
PREFIX = $(HOME)/.local
WINE = wine
# The newest one that Go 1.26 builds. It is no dependency of springfield.
GORELEASER_MODULE = github.com/goreleaser/goreleaser/v2@v2.16.0
GORELEASER = go run $(GORELEASER_MODULE)

# Tests write and sync small files by the thousand. In memory that costs a third, so their temporary directory is
# /dev/shm where programs can be started from it and 2 GB are free.
SCRATCH = $(shell p=/dev/shm/springfield-$$$$; test "$$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $$4 + 0 }')" -gt 2000000 && \
  cp /bin/sh $$p 2>/dev/null && $$p -c 'echo /dev/shm' 2>/dev/null || echo "$${TMPDIR:-/tmp}"; rm -f $$p)

# Without paths in the programs, a clone in another directory need not compile again. A third of the time of tests was
# garbage collection, as the heap of a test is small; the CLI sets the same.
TESTING = TMPDIR=$(SCRATCH) GOGC=400 GOFLAGS='$(GOFLAGS) -trimpath'

.PHONY: help generate registry build install uninstall prebuilt marketplace completions packaging sbom-tool licences snapshot reproducible release npm release-test demo test shells e2e fetch newest nightly wine hostile bench page score learn fuzz size man pictures lint vuln clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk '/^## / { print "\n" substr($$0, 4) } /^[a-z][a-z0-9-]*:.*## / { split($$0, part, ":.*## "); printf "  make %-13s %s\n", part[1], part[2] }' $(MAKEFILE_LIST)

## Build

generate: registry ## make the generated files: the registry, the JSON Schemas, docs/cli.md, the catalog, runtime/grave/weights.bin
	@go test ./runtime/grave -run '^TestWeightsAreCurrent$$' -count=1 -update >/dev/null
	@go test ./cmd/springfield ./release/marketplace -run '^Test(CLIDoc|Catalog)IsCurrent$$' -count=1 -update >/dev/null

registry:
	@go test ./runtime/strategy -run '^TestRegistryIsCurrent$$' -count=1 -update >/dev/null
	@go test ./generator -run '^TestStrategySchemaIsCurrent$$' -count=1 -update >/dev/null

build: ## build the CLI, bin/springfield; register new strategies and hosts first
	@command -v go >/dev/null || { echo "springfield is built with Go 1.25 or later, and there is no go on PATH: https://go.dev/dl" >&2; exit 1; }
	@for folder in runtime/strategy/*/ runtime/host/*/; do \
	  grep -q "/$${folder%/}\"" runtime/registry/list.go || { $(MAKE) registry && break; } || exit 1; \
	done
	go build -trimpath $(SHOWN) -o bin/springfield ./cmd/springfield

install: build ## copy springfield into ~/.local/bin, or into PREFIX/bin
	@mkdir -p "$(PREFIX)/bin" && cp bin/springfield "$(PREFIX)/bin/.springfield.new" && mv "$(PREFIX)/bin/.springfield.new" "$(PREFIX)/bin/springfield"
	@echo "installed $(PREFIX)/bin/springfield; next: springfield enable ned-flanders"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) echo "$(PREFIX)/bin is not on your PATH; for this shell: export PATH=\"$(PREFIX)/bin:\$$PATH\"" ;; esac

uninstall: ## remove springfield from there again; first run springfield disable --all --purge
	rm -f "$(PREFIX)/bin/springfield"
	@echo "plugins that are enabled stay so, with springfield's files; to remove them, run make build and bin/springfield disable --all --purge"

demo: ## show the main job from start to end in a scratch directory; V=1 shows raw answers
	@echo 'Building springfield: about 100 s with an empty Go build cache, 5 s with a full one.'
	@{ $(MAKE) --no-print-directory build SHOWN=-v 2>&1; echo "exit $$?"; } | { \
	  packages=0; \
	  while IFS= read -r line; do \
	    case $$line in \
	      "exit "*) exit "$${line#exit }" ;; \
	      *" "*) echo "$$line" ;; \
	      *) packages=$$((packages + 1)); test $$((packages % 20)) -ne 0 || echo "$$packages packages compiled" ;; \
	    esac; \
	  done; }
	@sh e2e/demo.sh "$(CURDIR)/bin/springfield"

man: ## make a man page for every verb, in man/
	go test ./cmd/springfield -run '^TestManPages$$' -count=1 -man "$(CURDIR)/man"

clean: ## remove everything that make has made
	rm -rf bin dist man completions packaging THIRD_PARTY_LICENSES generator/prebuilt/*.zst generator/prebuilt/manifest.json

## Test

# These two wait longest, and so are first.
test: ## run every test that needs no agent; make lint vets
	@echo 'Testing every package: a package appears when its tests have ended, the first after some minutes.'
	$(TESTING) go test -count=1 -vet=off -ldflags='-s -w' -p 3 -parallel 4 -timeout 40m ./runtime/hook ./runtime/springfield-hook ./...

e2e: ## run the main sessions of the real programs, Claude Code and five other hosts, fetched through npm
	$(TESTING) go test -vet=off -tags e2e -count=1 -parallel 4 -timeout 60m ./e2e

fetch: ## fetch these programs, about 500 MB, so that make e2e need not wait for them
	$(TESTING) go test -vet=off -tags e2e -count=1 -run '^TestProgramsAreThere$$' ./e2e

nightly: ## run every session, with each version of Claude Code, and each strategy in each host
	$(TESTING) go test -tags e2e,nightly -count=1 -parallel 4 -timeout 60m ./e2e

newest: ## run the main sessions with the newest version of each program that npm has, not the pinned one
	$(TESTING) go test -tags e2e -count=1 -parallel 4 -timeout 60m ./e2e -newest

wine: prebuilt ## do the main job and run tests as on Windows; needs wine 10 or later
	@command -v $(WINE) >/dev/null || { echo "make wine needs wine 10 or later; on Debian: apt-get install -y --no-install-recommends wine wine64" >&2; exit 1; }
	GOOS=windows go build -o bin/springfield.exe ./cmd/springfield
	sh e2e/windows.sh bin/springfield.exe $(WINE)
	GOOS=windows WINEDEBUG=-all go test -exec $(WINE) -p 1 -timeout 30m \
	  -skip "^($$(cat .github/not-on-*.txt | grep -v '^#' | paste -sd '|' -))$$" $$(grep -v '^#' .github/windows-packages.txt)

shells: ## try completion in bash (with bash-completion), zsh and fish, which have to be installed
	@for needed in bash zsh fish; do command -v $$needed >/dev/null || { echo "make shells needs $$needed; on Debian: apt-get install -y bash-completion zsh fish" >&2; exit 1; }; done
	$(TESTING) go test -vet=off -tags shells ./cmd/springfield -run '^TestShells$$' -count=1

hostile: ## run every attack from outside: variables, suites, git, inputs; takes half an hour
	$(TESTING) go test -v -count=1 -timeout 180m ./e2e/hostile -full
	go test -count=1 -run '^TestModelExhaustively$$' ./runtime/guard -orders 8
	$(TESTING) go test -count=1 -timeout 60m ./cmd/springfield ./installer/settings ./generator ./replay/score ./runtime/grave ./release -full

fuzz: ## run every fuzz target, one after the other; FUZZTIME=1m each
	@for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$package || exit 1; \
	  done; \
	done

page: ## test the page of springfield replay in a real browser; needs chromium on PATH
	go test -tags browser -count=1 -run InABrowser ./replay

pictures: build ## draw the pictures of the README again, in docs/pictures/; needs npm and chromium
	go test -tags e2e ./e2e -run 'PictureIsCurrent$$' -count=1 -update
	@dir=$$(mktemp -d) && HOME=$$dir bin/springfield replay e2e/testdata/sessions --strategy ned-flanders --strategy lisa-simpson --strategy bart-simpson --html $$dir/sessions.html >/dev/null && \
	go test -tags browser ./replay -run '^TestPicture$$' -count=1 -page $$dir/sessions.html -picture "$(CURDIR)/docs/pictures/replay.png" && rm -rf "$$dir"

lint: ## run golangci-lint, actionlint and shfmt, built once through the Go module proxy, and go vet for macOS and Windows
	go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
	go run mvdan.cc/sh/v3/cmd/shfmt@v3.14.1 -ln posix -d release/install.sh
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...

vuln: ## look for known vulnerabilities in what is called, on each system; asks vuln.go.dev, or VULNDB=file:///DIR
	@dir=$$(mktemp -d) && GOBIN="$$dir" go install golang.org/x/vuln/cmd/govulncheck@v1.9.0 && \
	for system in linux darwin windows; do \
	  echo "$$system:" && GOOS=$$system "$$dir/govulncheck" $(if $(VULNDB),-db "$(VULNDB)") ./... || { rm -rf "$$dir"; exit 1; }; \
	done; rm -rf "$$dir"

## Measure

bench: ## time a decision, an empty Go program, and enable, each as a whole process
	go test -run '^$$' -bench Process -benchtime 1x -timeout 5m ./runtime/springfield-hook
	go test -run '^$$' -bench Enable -benchtime 50x ./cmd/springfield

size: ## show the size of the hook and the judge for every system
	@dir=$$(mktemp -d) && for program in hook judge; do for target in $(TARGETS); do \
	  GOOS=$${target%/*} GOARCH=$${target#*/} go build $(HOOK_FLAGS) -o "$$dir/program" ./runtime/springfield-$$program && \
	  printf '%-5s %-14s %s bytes\n' "$$program" "$$target" "$$(wc -c <"$$dir/program" | tr -d ' ')" || exit 1; \
	done; done; rm -rf "$$dir"

score: ## measure the rules on closings; STOPS=DIR adds real stops, TRANSCRIPTS=DIR labelled stops of sessions
	@test -z "$(STOPS)" || go test -C replay/score -count=1 -run '^TestScoreStops$$' -stops "$(abspath $(STOPS))"
	@go test -C replay/score -count=1 -run '^TestScoreClosings$$' -scores
	@test -z "$(TRANSCRIPTS)" || go test -C replay/score -count=1 -run '^Test(ScoreSessions|Learn)$$' -sessions "$(abspath $(TRANSCRIPTS))" -stops "$(if $(STOPS),$(abspath $(STOPS)))"

learn: ## learn the second opinion from the stops in TRANSCRIPTS=DIR and STOPS=DIR, and print what it is worth
	@test -n "$(TRANSCRIPTS)" && test -n "$(STOPS)" || { echo "make learn needs TRANSCRIPTS=DIR, with stops.jsonl and sessions/, and STOPS=DIR, with stops.jsonl: see CONTRIBUTING.md" >&2; exit 1; }
	@go test -C replay/score -count=1 -run '^TestLearn$$' -sessions "$(abspath $(TRANSCRIPTS))" -stops "$(abspath $(STOPS))" -learned "$(CURDIR)/runtime/rules/opinion.txt"

## Release

prebuilt: ## compile hook and judge for every target; the next build of the CLI carries them
	go run ./cmd/springfield prebuild generator/prebuilt

marketplace: build ## make the marketplace of a release in DIR: VERSION (default: the tag), on top of the branches in FROM
	@sh release/marketplace/build.sh "$(DIR)" "$(or $(VERSION),$(patsubst v%,%,$(shell git describe --tags --exact-match)))" bin/springfield $(FROM)

completions: build ## make the completions of every shell, in completions/
	@mkdir -p completions
	@for shell in bash fish powershell zsh; do \
	  case $$shell in powershell) file=springfield.ps1 ;; zsh) file=_springfield ;; *) file=springfield.$$shell ;; esac; \
	  bin/springfield completion $$shell >completions/$$file || exit 1; \
	done

packaging: man
	@rm -rf packaging && mkdir packaging
	@for page in man/*.1; do gzip -9nc $$page >packaging/$${page#man/}.gz || exit 1; done
	@gzip -9nc CHANGELOG.md >packaging/changelog.gz

# Its document has the checksum of the tool itself, so the tool is built in a way that gives the same bytes again.
sbom-tool:
	go build -C release/tools -trimpath -buildvcs=false -o "$(CURDIR)/bin/cyclonedx-gomod" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

licences: ## write the licences of Go and of all modules that the CLI is made of, THIRD_PARTY_LICENSES
	sh release/licences.sh THIRD_PARTY_LICENSES

snapshot: ## build everything that a release has, in dist/, and publish nothing; goreleaser takes minutes to compile once
	$(GORELEASER) check
	$(GORELEASER) release --snapshot --clean --skip=sign
	@cp -p release/install.sh release/install.ps1 dist/
	@cd dist && sha256sum --check --quiet SHA256SUMS

reproducible: ## build the snapshot of the last commit in two clones, and compare every file
	@GORELEASER_MODULE=$(GORELEASER_MODULE) sh release/reproducible.sh

release: ## publish the release of the tag that is checked out; only the forge's CI can sign it
	@notes=$$(mktemp) && awk -v tag="$$(git describe --tags --exact-match --match 'v*')" '/^## / { gsub(/[][]/, "", $$2); on = $$2 == tag || "v" $$2 == tag; next } on' CHANGELOG.md >$$notes && \
	  { test -s $$notes || { echo "CHANGELOG.md has nothing about this version" >&2; exit 1; }; } && \
	  $(GORELEASER) release --clean --release-notes $$notes && cp -p release/install.sh release/install.ps1 dist/ && rm $$notes

npm: ## make the npm packages of the release in dist/, and pack them, in dist/npm/
	rm -rf dist/npm
	node release/npm/packages.js dist dist/npm
	cd dist/npm && npm pack --silent --ignore-scripts --logs-max=0 ./springfield*

release-test: ## install the files of dist/ in every way, on an empty home without Go, and use them
	TMPDIR=$(SCRATCH) go test -tags snapshot -count=1 -timeout 20m ./release
