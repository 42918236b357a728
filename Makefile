# The targets that people and CI use; make help lists them.

GO      ?= go
ADDRESS ?= 127.0.0.1:8080
FUZZTIME ?= 20s
SOAKTIME ?= 10m
SOAKRACETIME ?= 1m

# A static binary without the paths of this machine in it.
BUILD = CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w'

# The race detector needs a C compiler.
RACE := $(shell command -v $$($(GO) env CC) >/dev/null 2>&1 && echo -race)

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: generate build ## check, generate, build, and serve the catalog at http://$(ADDRESS)/mcp
	./bin/promptd --http $(ADDRESS)

.PHONY: generate
generate: ## check content/ and compile it into catalog/baked
	$(GO) run ./cmd/promptc check
	$(GO) generate .

.PHONY: build
build: ## build bin/promptc and bin/promptd
	$(BUILD) -o bin/ ./cmd/promptc ./cmd/promptd

.PHONY: test
test: ## run all tests, with the race detector where there is a C compiler
	@[ -n "$(RACE)" ] || echo "there is no C compiler: the tests run without the race detector"
	$(GO) test $(RACE) -timeout 30m ./...
	cd cmd/promptbench && $(GO) test ./...
	cd cmd/promptd/deploy && $(GO) test ./...
	cd gen/dist/published && $(GO) test ./...

# What conformance runs: packages of npm, every version pinned, in a folder that git
# ignores.
CONFORMANCE := $(CURDIR)/.cache/conformance

.PHONY: conformance
conformance: $(CONFORMANCE)/installed ## run the official conformance suite, the Inspector and the tool of MCP bundles, which npm installs into .cache
	PROMPTC_CONFORMANCE=$(CONFORMANCE) $(GO) test -count=1 -v -run 'Conformance|Inspector' ./catalog/serve ./cmd/promptd
	cd gen/dist/published && PROMPTC_CONFORMANCE=$(CONFORMANCE) $(GO) test -count=1 -v -run Conformance .

$(CONFORMANCE)/installed: $(wildcard catalog/serve/testdata/conformance/package*.json)
	mkdir -p $(CONFORMANCE)
	cp $^ $(CONFORMANCE)
	cd $(CONFORMANCE) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

.PHONY: lint
lint: ## go mod tidy, gofmt, vet, staticcheck, and whether the generated package is stale
	$(GO) mod tidy -diff
	cd cmd/promptbench && $(GO) mod tidy -diff
	cd cmd/promptd/deploy && $(GO) mod tidy -diff
	cd gen/dist/published && $(GO) mod tidy -diff
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	cd cmd/promptbench && $(GO) vet ./...
	cd cmd/promptd/deploy && $(GO) vet ./...
	cd gen/dist/published && $(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) run ./cmd/promptc generate --check -o catalog/baked content

.PHONY: check
check: lint test conformance reproduce ## all that CI runs

.PHONY: update
update: ## rewrite the golden files of the tests; read the difference
	$(GO) test ./gen/... -update
	UPDATE=1 $(GO) test ./cmd/promptc ./catalog/promptd

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME
	@set -e; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test $$pkg -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x; \
		done; \
	done

.PHONY: soak
soak: ## serve at full speed for SOAKTIME, then for SOAKRACETIME under the race detector, and look for what grows
	SOAK=$(SOAKTIME) $(GO) test ./cmd/promptd -run '^TestSoak$$' -count=1 -v -timeout 2h
ifneq ($(RACE),)
	SOAK=$(SOAKRACETIME) $(GO) test $(RACE) ./cmd/promptd -run '^TestSoak$$' -count=1 -v -timeout 2h
endif

# The commit that a release is made of; empty where there is no git.
REVISION = $(shell git describe --always --abbrev=40 --exclude='*' --dirty 2>/dev/null)

# What a release is called, and where its files will be.
VERSION ?= $(shell sed -n 's/^  version: //p' content/catalog.yaml)
DOWNLOADS ?= https://github.com/seed33527553/promptc/releases/download/v$(VERSION)

.PHONY: release
release: ## build promptd for every platform, with archives, MCP bundles, an image, a bill of materials and the registry's entry, into dist
	$(GO) run ./cmd/promptc package --license Apache-2.0 --revision '$(REVISION)' --version '$(VERSION)' \
		--description "Prompts and skills for a software team's daily work" \
		--name io.github.seed33527553/promptd --download-url '$(DOWNLOADS)' ./cmd/promptd

.PHONY: reproduce
reproduce: ## make a release twice, from checkouts that differ, and compare each byte
	PROMPTC_REPRODUCE=1 $(GO) test ./gen/dist -run '^TestReproduce$$' -count=1 -v -timeout 60m

.PHONY: airgap
airgap: ## build, test and run all of it from an archive of vendored source, without a network
	AIRGAP=1 $(GO) test ./cmd/promptc -run '^TestAirgap$$' -count=1 -v -timeout 60m

.PHONY: bench
bench: ## measure rendering, serving and scale, as ratios beside their targets
	cd cmd/promptbench && $(GO) run . render
	cd cmd/promptbench && $(GO) run . serve
	cd cmd/promptbench && $(GO) run . live
	$(GO) test ./catalog/serve -run '^$$' -bench . -benchtime 200x
	cd cmd/promptbench && $(GO) run . scale

.PHONY: clean
clean: ## remove what was built
	rm -rf bin dist .cache/conformance
