# Thin targets: each is one command that can be typed by hand.
.DEFAULT_GOAL := help
PIPPIN := .build/release/pippin
RELEASE := .build/pippin
PREFIX ?= /usr/local
export PREFIX DESTDIR SYSCONFDIR UNITDIR ZSHDIR
SOURCES := Package.swift Sources Tests Benchmarks Fuzz Simulation

help:  ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## install missing system packages
	@Scripts/setup.sh build

build: setup  ## build the release binary
	swift build -c release --product pippin

release: build  ## the program to install: what make build has built, stripped
	@$(MAKE) --no-print-directory $(RELEASE)

# Made again whenever the program is newer: what make demo has built is what make install installs.
$(RELEASE): $(PIPPIN)
	strip -o $@ $<
	@ls -l $(RELEASE) | awk '{ printf "$(RELEASE): %.1f MB\n", $$5 / 1e6 }'

install:  ## install what make demo has built: make install PREFIX=/usr/local DESTDIR=
	@test -x $(PIPPIN) || $(MAKE) build
	@$(MAKE) --no-print-directory $(RELEASE)
	@Scripts/install.sh install $(RELEASE)

uninstall:  ## remove what make install has installed
	@Scripts/install.sh uninstall

deb: release  ## build a Debian package of it, in .build
	@Scripts/deb.sh $(RELEASE)

apt-repo: deb  ## a signed apt repository of the package, in .build/apt: make apt-repo FOLDER=/srv/apt
	@Scripts/apt-repo.sh $(or $(FOLDER),.build/apt) .build/pippin_*.deb

deb-check:  ## install, use, upgrade and purge the package in a fresh root (needs root)
	@ls .build/pippin_*.deb >/dev/null 2>&1 || $(MAKE) deb
	@Scripts/check-deb.sh .build/pippin_*.deb

demo: build  ## crawl the demo site with the release binary and show the records
	$(PIPPIN) demo --crawl

test:  ## run all tests; Benchmarks and Fuzz are type-checked
	@Scripts/setup.sh test
	swift build --build-tests
	@Scripts/check-packages.sh
	@Scripts/test.sh

test-fast: setup  ## run the tests that need no server and no other program: pages, reports, documents
	@PIPPIN_FAST_TESTS=1 Scripts/test.sh --disable-xctest --filter '^(PippinPageTests|PippinReportTests)\.|(Documentation|TargetOrder)Tests'

format:  ## format all Swift files
	swift format --in-place --recursive $(SOURCES)

check:  ## formatting, every package builds, all tests
	swift format lint --strict --recursive $(SOURCES)
	swift build --package-path Benchmarks
	Scripts/fuzz.sh build
	$(MAKE) test

coming-back: build  ## two runs of the demo's job an hour apart, with a page changed and one gone meanwhile
	@Scripts/coming-back.sh $(PIPPIN)

bench: build  ## cost in units of bare libraries, and what moved since the last run: make bench PAGES=folder
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks SpeedBenchmark --last .bench-last.json --pippin $(PIPPIN) $(PAGES)

bench-pages: setup  ## time reading, of the worst pages and of a folder of real ones: make bench-pages PAGES=folder
	@touch Benchmarks/Package.swift # or it does not notice new files of the package around it
	$(if $(PAGES),swift run -c release --package-path Benchmarks ExtractionBenchmark $(PAGES))
	swift run -c release --package-path Benchmarks PathologicalBenchmark $(PAGES)

bench-frontier: setup  ## time the frontier with many known URLs, as in Docs/Operations.md: make bench-frontier SIZES="10000 1000000"
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks FrontierBenchmark $(or $(SIZES),10000 1000000)

bench-politeness: setup  ## time the politeness schedule alone, as in Docs/Operations.md: make bench-politeness SIZES="HOSTS TURNS"
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks PolitenessBenchmark $(or $(SIZES),100000 1000000)

bench-signing: setup  ## time the signature of a request, as in Docs/Access.md
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks SigningBenchmark

bench-cores: build  ## pages a second on one core, two, four …, without a server: make bench-cores PAGES=folder
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks CoresBenchmark $(or $(PAGES),Examples/demo-site)

bench-links: setup  ## time the ranking of the link graph, as in Docs/Operations.md: make bench-links SIZES="100000 1000000"
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks LinkGraphBenchmark $(or $(SIZES),100000)

bench-search: setup  ## time the search index, as in Docs/Search.md: make bench-search PAGES=folder SIZES="100000 1000000"
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks SearchLatencyBenchmark $(PAGES) $(or $(SIZES),100000)

bench-search-quality: build  ## how search orders pages of judged queries, as in Docs/Search.md: make bench-search-quality PAGES="folder list.json"
	$(PIPPIN) demo --crawl --port 0 --http-port 0 --folder .build/judged-demo > .build/judged-demo.log
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks SearchQualityBenchmark Benchmarks/Search .build/judged-demo/storage $(PAGES) $(ARGS)

bench-search-known: setup  ## how often search finds the record that is meant, as in Docs/Search.md: make bench-search-known STORAGE=folder PAGES="folder list.json"
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks KnownItemBenchmark $(STORAGE) $(PAGES)

bench-stuffing: setup  ## how much of what stuffing is made of ordinary pages have: make bench-stuffing PAGES="folder list.json"
	@touch Benchmarks/Package.swift
	swift run -c release --package-path Benchmarks StuffingBenchmark $(PAGES)

check-frequency: build  ## how often each check finds something on a folder of pages: make check-frequency PAGES=folder ARGS=--messages
	Scripts/check-frequency.py $(PIPPIN) $(PAGES) $(ARGS)

fuzz: setup  ## run every fuzz target, or TARGETS="FuzzURL …", for SECONDS (60) with address sanitizer on all cores
	SANITIZER=address Scripts/fuzz.sh run $(or $(SECONDS),60) $(TARGETS)

screenshots: build  ## make the pictures of the README anew, from the pages of pippin demo --serve
	@Scripts/setup.sh test
	.build/browser/bin/python3 Scripts/browser --pippin $(PIPPIN) --parts pictures $(ARGS)

browser: build  ## drive a browser through every page of pippin serve: make browser ARGS="--parts looks"
	@Scripts/setup.sh test
	.build/browser/bin/python3 Scripts/browser --pippin $(PIPPIN) $(ARGS)

torture: build  ## kill, interrupt and starve a crawl, and prove that nothing is lost or rude: make torture ARGS="--seed 7 --keep"
	python3 Scripts/torture --pippin $(PIPPIN) $(ARGS)

hostile: build  ## crawl hundreds of hostile hosts beside good ones, and prove that nothing hangs or floods: make hostile ARGS="--only h2- --keep"
	python3 Scripts/hostile --pippin $(PIPPIN) $(ARGS)

simulate: setup  ## run the job in a made-up web on a disk that fails: make simulate SEEDS=1-1000 SIZE=small|year|large|cluster, or PLAN="seed=…"
	@touch Simulation/Package.swift
	swift run -c release --package-path Simulation simulate $(if $(PLAN),"$(PLAN)",$(or $(SIZE),small) $(or $(SEEDS),1-1000))

render-test: setup  ## render pages in a real browser, also hostile ones, with no other test beside it
	@Scripts/setup.sh test
	@PIPPIN_RENDER_TESTS=1 Scripts/test.sh --filter '(HostilePage|PageRenderer|PageFrame|Screenshot|ScriptRequest|Escape|Chromium|RenderCommand|RenderRefusal)Tests'

render-soak: build  ## render hostile pages alone and beside good ones, and thousands of good ones: make render-soak PAGES=10000
	@Scripts/setup.sh test
	python3 Scripts/render-soak --pippin $(PIPPIN) --pages $(or $(PAGES),1000)

fit-weights: setup  ## fit the weights of guesses to judged pages, which takes minutes: make fit-weights GOLD="folder …" ARGS=--effects
	Scripts/fit-weights.sh $(ARGS) $(GOLD)

bench-render: build  ## render real front ends of PyPI beside plain Chromium, as in Docs/Rendering.md: make bench-render ARGS="--only ray"
	@Scripts/setup.sh test
	.build/judges/bin/python3 Scripts/render-bench --pippin $(PIPPIN) $(ARGS)

api: build  ## hold the server's API against its description with schemathesis (PyPI), without and with a token
	@Scripts/api.sh $(PIPPIN)

lucene:  ## hold the analyzers of Examples/opensearch against Debian's Lucene (needs Java and liblucene8-java)
	@Scripts/lucene/analyzers.py

spark-test: build  ## run a job on Spark and break it, with a Java and a Python of its own: make spark-test ARGS="-k frozen"
	@Scripts/spark-test.sh $(PIPPIN) $(ARGS)

.PHONY: help lucene setup build release install uninstall deb apt-repo deb-check demo test test-fast format check coming-back screenshots browser torture hostile simulate render-test render-soak api spark-test bench bench-pages bench-frontier bench-politeness bench-signing bench-links bench-search bench-search-quality bench-search-known bench-stuffing bench-render fit-weights check-frequency fuzz
