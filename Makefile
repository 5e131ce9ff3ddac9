# Everything a developer runs, by name. `make check` is for after each step,
# `make ci` is what .ci/run does on a new machine.

GO ?= go
LINT_VERSION := v2.12.2
BIN := bin

.PHONY: build check test race nocgo lint vet bench e2e demo docs ci fuzz clean

build: ## the binary, in bin/
	$(GO) build -o $(BIN)/emend ./cmd/emend

check: lint test race ## what must pass before a commit

test: ## everything that needs Go alone
	$(GO) test ./...

race: ## the same under the race detector
	$(GO) test -race ./...

nocgo: ## the same without cgo
	CGO_ENABLED=0 $(GO) test ./...

lint: $(BIN)/golangci-lint vet ## linters, and vet for the systems we do not run on
	$(BIN)/golangci-lint run ./...

vet:
	$(GO) vet ./...
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./...
	GOOS=windows CGO_ENABLED=0 $(GO) vet ./...

$(BIN)/golangci-lint:
	GOBIN=$(abspath $(BIN)) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)

bench: ## measured, bound and ratio; fails at twice the bound
	$(GO) run ./internal/bench

e2e: build ## the real editors that are installed
	EMEND_BIN=$(abspath $(BIN)/emend) $(GO) test -count=1 -v ./editors/...

demo: ## the main job, end to end
	$(GO) run ./cmd/emend demo

docs: ## regenerate what is generated
	$(GO) test ./internal/config -run Manual -update

fuzz: ## each fuzz target for a while: make fuzz FUZZTIME=1m
	$(GO) run ./internal/bench fuzz -time $(or $(FUZZTIME),20s)

ci: ## the gate
	bash .ci/run

clean:
	rm -rf $(BIN)
