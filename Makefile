# CI runs check, test and what .ci/concerned chooses; nightly runs everything.
GO ?= go
LINTER ?= $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# SQLite is one C file. The compiler takes 44 s of CPU for it by default and 12 s so, and no command becomes slower
# (docs/research/measurements.md).
export CGO_CFLAGS ?= -O1

# Many packages' tests wait, for engines, a browser, the disk: more of them run than there are CPUs.
AT_ONCE ?= 4
# These wait most, so they begin first: else the last of them is alone at the end.
FIRST = ./cmd/gogi ./ui/web ./results/repair ./usi/process ./results ./farm/worker ./players/check ./runner/crash/replay ./farm/nats ./ui/terminal
NODES ?= 400
KINGS ?=
PAPER = paper-$(NODES)$(if $(KINGS),-kings)
NOISE = $(if $(KINGS),EvalNoise = $(KINGS)$(comma) NoiseModel = "king_square",EvalNoise = 5)
comma := ,
space := $(subst ,, )

.PHONY: build check test test-long nightly soak chaos chaos-days fuzz bench bench-once bench-peers engines formats liars crowd race draws lint vulnerabilities paper pictures figures truth wine windows macos dist test-dist print-list

build: ## the programs, as ./gogi, ./gogi-farm and ./gogi-lab, without debug information
	$(GO) build -ldflags="-s -w" -o ./ ./cmd/gogi ./cmd/gogi-farm ./cmd/gogi-lab

check: ## formatting, modules, vet, import directions
	@test -z "$$(gofmt -l .)" || { echo "gofmt would change:"; gofmt -l .; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) test -count=1 -run "TestImportDirections|TestLinkedPackages|TestArchitectureTable" .

# All packages, without those that have targets of their own below.
TESTED = $(shell $(GO) list ./... | grep -vE '/(chaos|soak|wine|dist)$$')
test: ## all tests, some in a short form; real engines where they are installed
	GOGC=400 $(GO) test -vet=off -ldflags="-s -w" -timeout 15m -p $(AT_ONCE) $(FIRST) $(TESTED) # check vets; without debug information a hundred programs link sooner, and with less collecting of garbage
	@.ci/not-played

# Which tests have a long form, and where; a test of the root holds both lists.
LONG = TestASuspendedRunnerStoresNothingOfIt TestATuneOfAThousandInFlight TestAdaptiveSavesGames TestAnotherUser TestAnytimeCoverage TestBrowser TestChoices TestClaims TestCouncilSurvivesItsMembers TestExitCodes TestFalseAlarmsOfSpeed TestFarmBuildPages TestFarmPages TestFaultsInPlay TestFlippedBits TestFoundAfter TestHistoryCoverage TestHonestFarms TestHostileRepositories TestKeptTruths TestKill TestKilledTune TestKilledUpkeep TestKingNoiseOfPositions TestKnownPairsAreNoTest TestLargeLosses TestLawsOfGaffke TestLibOSL TestLinksLead TestNoForfeitIsUnexplainedUnderLoad TestNormalizedByAnotherSearch TestNothingPasses TestOtherReaders TestPagesRun TestPlaysOnlyLegalMoves TestPower TestRateMany TestRealCouncil TestRealCrash TestRealEnginesByNodes TestRealEnginesOnTheClock TestRelativeWords TestRepairOfWhatAllPairsHangOn TestScripts/book TestScripts/check TestScripts/compare TestScripts/council TestScripts/farm_builds TestScripts/farm_owner TestScripts/farm_selfplay TestScripts/farm_tune TestScripts/farm_update TestScripts/gate TestScripts/hunt TestScripts/hunt_git TestScripts/ladder TestScripts/mate TestScripts/rate TestScripts/review TestScripts/selfplay TestScripts/selfplay_before TestScripts/stats TestScripts/tournament TestScripts/truth TestScripts/tune TestScripts/votes TestSessionsCoverage TestSimulatedBoundedElo TestSimulatedBoundedRates TestSimulatedComparison TestSimulatedCourse TestSimulatedEquals TestSimulatedGates TestSimulatedGatesByOtherRules TestSimulatedGatesHavePower TestSimulatedHabits TestSimulatedHunts TestSimulatedPairIntervalCoverage TestSimulatedPower TestSimulatedSignFlip TestSimulatedStoppedElo TestSmallLosses TestSpeedOfASlot TestUnlikeMachines TestYearOfFloodgate
LONG_IN = ./cmd/gogi ./farm/coordinator ./farm/worker/builder ./match/tournament ./match/trust ./match/tune ./players/builtin ./players/server ./report/effects ./report/ratings ./report/tuning ./results ./results/games ./results/repair ./runner ./runner/alarms ./stats ./stats/hunt ./ui/web
test-long: ## in full what make test plays in short, which takes minutes; real engines where they are installed
	$(GO) test -vet=off -timeout 30m -p $(AT_ONCE) -run '$(subst $(space),|,$(foreach t,$(LONG),^$(subst /,$$/^,$(t))$$))' $(LONG_IN) -long

nightly: ## every stage that .ci/run leaves out or shortens, each with a time limit: three to five hours; STAGES="wine soak" runs only these
	.ci/nightly

print-list: # prints a list of this file for .ci/concerned
	@echo $($(LIST))

soak: ## an hour, or SOAK=3m, of kills, suspensions, full disks and failing engines; SOAK_SEED repeats what was drawn
	SOAK=$(or $(SOAK),1h) SOAK_SEED=$(SOAK_SEED) $(GO) test -count=1 -v -timeout 0 ./cmd/gogi/soak

chaos: ## ten minutes, or CHAOS=1h, of a farm whose processes are killed, stopped, cut off and starved of disk; CHAOS_SEED repeats what was drawn
	CHAOS=$(or $(CHAOS),10m) CHAOS_SEED=$(CHAOS_SEED) $(GO) test -count=1 -v -timeout 0 -parallel 4 ./farm/chaos

LIARS ?= liars.jsonl
liars: ## the table of docs/research/trust.md: real workers that lie in five ways, on nodes and on the clock; half an hour; resumes from LIARS=FILE
	CHAOS=1s LIARS=$(abspath $(LIARS)) $(GO) test -count=1 -v -timeout 0 -run 'TestChaosOfLiars$$' ./farm/chaos

CROWD ?= 10 1000 10000
crowd: ## a farm of CROWD="10 1000" simulated workers over NATS, and the CPU of a pair, beside another program if GOGI_BASE=PROGRAM; 10,000 need ulimit -n 20000 and ten minutes
	CHAOS=1s CROWD="$(CROWD)" $(GO) test -count=1 -v -timeout 0 -run 'TestChaosOfACrowd$$' -bench 'BenchmarkFarm$$' -benchtime 1x ./farm/chaos

chaos-days: ## five of the farm's bad days, in some minutes: full journal, torn outbox, revoked key, restore, standby
	CHAOS=1s $(GO) test -count=1 -timeout 30m -parallel 4 -run 'TestChaosOf(AFullJournal|AFullOutbox|ARevokedKey|ARestore|AStandby)$$|TestTheJudge|TestWhatIsNoViolation|TestMissing|TestResultsOutOfOrder|TestShares|TestATornTrace' ./farm/chaos

engines: ## measures the engines that Debian and npm serve, or those of ENGINES=FILE, plays 20 games with each by nodes and by clock, and rewrites their rows in docs/engines.md; half an hour
	PATH="$$PATH:/usr/games" $(GO) test -count=1 -vet=off -timeout 30m ./players/check -run 'TestEnginesTable$$' -args -write-engines $(if $(ENGINES),-engines $(abspath $(ENGINES)))
	PATH="$$PATH:/usr/games" $(GO) test -count=1 -vet=off -timeout 90m ./cmd/gogi -run 'TestEngineMatches$$' -args -write-matches $(if $(ENGINES),-engines $(abspath $(ENGINES)))

formats: ## compares the readers of records with gogi over FORMATS="FOLDER FOLDER", and prints the tables of docs/research/formats.md; DETAILS=FILE lists the differences
	@test -n "$(FORMATS)" || { echo 'no folders of record files; type make formats FORMATS="FOLDER FOLDER"'; exit 1; }
	$(GO) test -v -count=1 -vet=off -timeout 2h ./shogi/kifu/convert -run 'TestFormatsTable$$' -args -formats "$(subst $(space),:,$(abspath $(FORMATS)))" $(if $(DETAILS),-formats.details $(abspath $(DETAILS)))

wine: ## the program built for Windows plays under Wine; wants wine, gcc-mingw-w64-x86-64 and minutes
	GOGI_WINE=required $(GO) test -count=1 -timeout 15m ./cmd/gogi/wine

windows: ## types for Windows, the tests' too; wants gcc-mingw-w64-x86-64
	GOFLAGS=-trimpath CGO_ENABLED=1 GOOS=windows CC=x86_64-w64-mingw32-gcc $(GO) vet ./... # -trimpath: what make dist has compiled is used

dist: ## archives for Linux and Windows, Debian packages and their SHA-256, into dist/: docs/install.md
	.ci/dist

test-dist: ## make dist in two folders, whose archives must be equal; GOGI_DIST=required, or it is skipped
	$(GO) test -vet=off -count=1 -timeout 20m ./cmd/gogi/dist

macos: ## types for macOS, without SQLite, which wants a C compiler for it
	CGO_ENABLED=0 GOOS=darwin $(GO) vet ./...

fuzz: ## each fuzz target for FUZZTIME, ten minutes unless it is given; what they find goes to testdata/fuzz and is kept
	GO="$(GO)" .ci/fuzz $(or $(FUZZTIME),10m)

bench: ## perft, the built-in engine, the store and the runner's overhead
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-peers: ## CPU time of a move in gogi, in another gogi (GOGI_BASE=PROGRAM) and in fastchess if it is on the PATH, in turn; some minutes
	$(GO) test ./cmd/gogi/peers -run '^$$' -bench . -benchtime 7x -timeout 30m -v

# Only the packages that have benchmarks, so that no other test program is built.
BENCHES = $(shell grep -rl '^func Benchmark' --include='*_test.go' . | xargs -n1 dirname | sort -u)
bench-once: ## whether every benchmark still runs: once, in its short form
	$(GO) test -vet=off -ldflags="-s -w" -timeout 10m -p $(AT_ONCE) -run '^$$' -bench . -benchtime 1x -short $(BENCHES)

# The packages that hold goroutines.
RACED ?= ./runner ./ensemble/... ./usi/... ./runner/events ./farm/coordinator ./farm/worker ./farm/nats ./runner/series ./ui/web ./usi/csa ./ui/metrics ./players/server ./runner/selfplay
race: ## the race detector over the packages that hold goroutines, or over RACED="./usi ./runner/events"
	$(GO) test -race -vet=off -ldflags="-s -w" -timeout 20m -p $(AT_ONCE) $(RACED)

# The packages that have property tests; only their test programs know the flag.
DRAWN ?= $(shell grep -rl 'pgregory.net/rapid"' --include='*_test.go' . | xargs -n1 dirname | sort -u)
draws: ## the property tests with 100 times as many draws as in make test, of all packages or of DRAWN="./usi ./match"
	$(GO) test -vet=off -ldflags="-s -w" -timeout 60m -p $(AT_ONCE) $(DRAWN) -rapid.checks=10000 -rapid.nofailfile

vulnerabilities: ## govulncheck, if its database can be reached
	.ci/vulnerabilities

lint: ## golangci-lint; the first run builds it, which takes minutes
	$(LINTER) run

paper: build ## the experiments of docs/research/consensus.md with NODES a member, KINGS=3 with noise by king and square, into paper-….db; goes on where it stopped
	@mkdir -p $(PAPER) && cp configs/paper/openings.sfen $(PAPER)
	@for file in configs/paper/*.toml; do \
		copy=$(PAPER)/$$(basename $$file); \
		sed -e 's/nodes = 400/nodes = $(NODES)/' -e "s/nodes = 2800/nodes = $$((7 * $(NODES)))/" -e 's/EvalNoise = 5/$(NOISE)/' $$file > $$copy; \
		./gogi match $$copy --db $(PAPER).db || exit 1; \
	done

pictures: build ## the pictures of docs/watch.md, made by a real browser: docs/images
	.ci/pictures

TRUTH ?= configs/truth/hour.toml
truth: build ## how often the figures that gogi prints are true: real matches of engines with a known truth; an hour, or TRUTH=PLAN; resumes
	$(GO) build -ldflags="-s -w" -o truth-engine ./cmd/gogi-lab/truth-engine
	./gogi-lab truth $(TRUTH) --gogi $(CURDIR)/gogi --engine $(CURDIR)/truth-engine --results truth-$(basename $(notdir $(TRUTH))).jsonl --jobs $(or $(JOBS),2) $(if $(TRUTH_SEED),--seed $(TRUTH_SEED))

figures: build ## the simulations of docs/statistics.md, with their seeds; takes hours
	$(GO) test ./stats ./stats/binomial -count=1 -run 'Simulat|Coverage|PerGame|Bounded|Flips' -figures -v -timeout 6h
