# confighash needs Go and make, nothing else, for `make demo` and `make test`.
# `make help` lists the targets.

GO      ?= go
IMAGE   ?= confighash:latest
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The tests and the demo run this kustomize; KUSTOMIZE=PATH takes another.
KUSTOMIZE_VERSION := v5.8.2
ifndef KUSTOMIZE
KUSTOMIZE := $(CURDIR)/bin/tools/kustomize
endif
export KUSTOMIZE

# The tests render charts with this helm; HELM=PATH takes another Helm 3. Its module
# also holds some of the charts.
HELM_VERSION := v3.22.0
ifndef HELM
HELM := $(CURDIR)/bin/tools/helm
endif
export HELM

# make e2e runs this Helm 4 as well; HELM4=PATH takes another.
HELM4_VERSION := v4.3.1
ifndef HELM4
HELM4 := $(CURDIR)/bin/tools/helm4
endif
export HELM4

# make e2e-cluster runs this control plane and kubectl, of the version in that go.mod.
KUBERNETES := $(CURDIR)/bin/tools/kubernetes/built

GOLANGCI_LINT_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.8.0
GORELEASER_VERSION := v2.16.0
HUGO_VERSION := v0.165.0

GO_FILES := $(shell find cmd fn internal pkg bench hack test -name '*.go' 2>/dev/null)

.DEFAULT_GOAL := build

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: build
build: ## build bin/confighash, a static binary
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o bin/confighash ./fn

.PHONY: demo
demo: build $(KUSTOMIZE) ## kustomize build with the function over kustomization.example.yaml
	@hack/demo

.PHONY: check
check: build lint $(KUSTOMIZE) ## build, lint and the fast tests: a minute, before every commit
	$(GO) test -short ./cmd/... ./internal/... ./pkg/... ./test/scripts ./test/docs

.PHONY: test
test: $(KUSTOMIZE) $(HELM) ## go vet, then every test that needs Go alone: three minutes
	$(GO) vet ./...
	$(GO) test -timeout 10m ./...

# How many cases make test-long takes for each property, and what its random numbers begin with.
CASES ?= 10000
SEED ?= random

.PHONY: test-long
test-long: $(KUSTOMIZE) $(HELM) ## every test with CASES random cases, 10000 by default, and fresh seeds: hours
	CONFIGHASH_CASES=$(CASES) CONFIGHASH_SEED=$(SEED) $(GO) test -count=1 -timeout 5h ./...

.PHONY: generate
generate: $(KUSTOMIZE) notices ## write every file that is made from the code or the data
	$(GO) test -count=1 ./internal/cli -run TestManPage -update
	$(GO) test -count=1 ./hack/bom -run TestFlake -update
	$(GO) test -count=1 ./pkg/api/v1alpha1 -run TestSchema_followsTheTypes -update
	$(GO) test -count=1 ./internal/catalog -run TestPage -update
	$(GO) test -count=1 ./test/docs -run TestDocs_transcripts -update
	$(GO) test -count=1 ./test/examples -run TestKptDefinition_holdsTheSchema -update
	$(GO) test -count=1 ./test/hostile -run TestHostile_pageHasTheRows -update

.PHONY: playground
playground: ## dist/site/playground: confighash as WebAssembly in a page
	@GO=$(GO) hack/playground dist/site

.PHONY: site
site: bin/tools/hugo playground ## dist/site: the pages and the playground, as they are published
	bin/tools/hugo build --source site --destination $(CURDIR)/dist/site --noBuildLock --panicOnWarning

.PHONY: e2e
e2e: build $(KUSTOMIZE) $(HELM) $(HELM4) ## the tests that need docker, kpt, Helm 4 or chromium; says what it skips
	@hack/e2e $(IMAGE)

.PHONY: e2e-cluster
e2e-cluster: ## apply to a real control plane of Kubernetes and see what rolls; needs etcd
	@GO=$(GO) MAKE="$(MAKE)" hack/e2e-cluster

.PHONY: compare
compare: build kubernetes $(KUSTOMIZE) $(HELM) bin/tools/kapp ## the same changes under confighash and five other tools: docs/compare.md; needs etcd
	@GO=$(GO) VERSION=$(VERSION) HELM_VERSION=$(HELM_VERSION) KUSTOMIZE_VERSION=$(KUSTOMIZE_VERSION) hack/compare

.PHONY: kubernetes
kubernetes: $(KUBERNETES) ## bin/tools/kubernetes: the control plane and the kubectl of make e2e-cluster

.PHONY: image
image: ## build the container image: make image IMAGE=NAME
	@hack/image $(IMAGE) $(VERSION)

.PHONY: sbom
sbom: build ## bin/confighash.cdx.json: what the binary is made of, in CycloneDX
	$(GO) run ./hack/bom sbom -version $(VERSION) bin/confighash >bin/confighash.cdx.json.tmp
	mv bin/confighash.cdx.json.tmp bin/confighash.cdx.json

.PHONY: notices
notices: ## write THIRD_PARTY_LICENSES.txt, where a dependency came or went
	$(GO) run ./hack/bom notices >THIRD_PARTY_LICENSES.txt.tmp
	mv THIRD_PARTY_LICENSES.txt.tmp THIRD_PARTY_LICENSES.txt

.PHONY: vulncheck
vulncheck: bin/tools/govulncheck ## known vulnerabilities in what is linked; needs vuln.go.dev
	@GO=$(GO) hack/vulncheck bin/tools/govulncheck

.PHONY: release-check
release-check: ## build for every platform; check .goreleaser.yaml where goreleaser is installed
	@GO=$(GO) hack/release/check

.PHONY: release-snapshot
release-snapshot: bin/tools/goreleaser ## dist/: a release of this commit, without images and signatures
	bin/tools/goreleaser release --snapshot --clean --skip=docker,sign

# make bench measures BENCH that many times; BENCHFLAGS= takes the largest sizes as well.
COUNT ?= 3
BENCH ?= .
BENCHFLAGS ?= -short

.PHONY: bench
bench: $(KUSTOMIZE) ## time and memory, compared with the kpt SDK and kustomize: bin/bench.txt, for benchstat
	@mkdir -p bin
	@for i in $$(seq $(COUNT)); do \
		$(GO) test ./bench -run '^$$' -bench '$(BENCH)' -benchtime 0.5s -timeout 2h $(BENCHFLAGS); \
	done | tee bin/bench.txt | $(GO) run ./bench

# How long make fuzz runs each target.
FUZZTIME ?= 1m

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME, 1m by default: make fuzz FUZZTIME=10m
	@grep -roE --include='*_test.go' '^func Fuzz[A-Za-z_]+' internal pkg | sort | while IFS=: read -r file target; do \
		target=$${target#func }; \
		echo "$$(dirname "$$file"): $$target"; \
		$(GO) test "./$$(dirname "$$file")" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x </dev/null || exit 1; \
	done

.PHONY: lint
lint: ## gofmt, go vet, and golangci-lint where it is installed
	@unformatted=$$(gofmt -l $(GO_FILES)); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags e2e ./test/...
	$(GO) vet -tags cluster ./test/cluster
	GOOS=js GOARCH=wasm $(GO) vet -gcflags=all=-l ./cmd/playground
	@linter=$$(PATH="$$PATH:$(CURDIR)/bin/tools" command -v golangci-lint); \
	if [ -n "$$linter" ]; then \
		echo "$$linter run"; "$$linter" run; \
	else \
		echo "golangci-lint is not on the PATH, so only gofmt and go vet ran; make bin/tools/golangci-lint builds it"; \
	fi

.PHONY: clean
clean: ## remove bin/ and dist/
	rm -rf bin dist

bin/tools/golangci-lint:
	GOBIN=$(CURDIR)/bin/tools $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)

bin/tools/govulncheck:
	GOBIN=$(CURDIR)/bin/tools $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)

bin/tools/hugo:
	CGO_ENABLED=0 GOBIN=$(CURDIR)/bin/tools $(GO) install github.com/gohugoio/hugo@$(HUGO_VERSION)

bin/tools/goreleaser:
	GOBIN=$(CURDIR)/bin/tools $(GO) install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)

$(CURDIR)/bin/tools/kustomize:
	GOBIN=$(CURDIR)/bin/tools $(GO) install sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION)

$(CURDIR)/bin/tools/helm:
	GOBIN=$(CURDIR)/bin/tools $(GO) install helm.sh/helm/v3/cmd/helm@$(HELM_VERSION)

# Helm 3 has the name helm there.
$(CURDIR)/bin/tools/helm4:
	GOBIN=$(CURDIR)/bin/tools/v4 $(GO) install helm.sh/helm/v4/cmd/helm@$(HELM4_VERSION)
	mv $(CURDIR)/bin/tools/v4/helm $@
	rmdir $(CURDIR)/bin/tools/v4

bin/tools/kapp: test/compare/kapp/go.mod
	cd test/compare/kapp && CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -o $(CURDIR)/$@ tool

$(KUBERNETES): test/cluster/kubernetes/go.mod test/cluster/kubernetes/go.sum test/cluster/build
	GO=$(GO) test/cluster/build $(@D)
	touch $@
