# For people who work on the package or want to see it run; R users need R CMD INSTALL only.
# Every target does its own set-up. GNU make; what is built goes to .build/.

SHELL = /bin/sh
.NOTPARALLEL:
# R's check of the sources wants UTF-8; a bare machine may have no other such locale than this.
ifneq ($(shell locale charmap 2>/dev/null),UTF-8)
export LC_ALL := C.UTF-8
endif
.PHONY: help cheatsheet stale example test test-all fresh check document site sanitize mutants bench bench-all speed rooms readme setup install clean c-tests testthat reliability portability static cluster

help:
	@echo "make example   fit the shipped multi-omics data, print, predict, plot"
	@echo "make test      the tests, ending in 'N passed, N failed, N skipped'"
	@echo "make test-all  the same with the slow tests, the site and what must be compiled from CRAN, as in CI"
	@echo "make fresh [FORM=debian|cran|user|broken]   both commands on a bare Debian, built for it"
	@echo "make check     R CMD check --as-cran"
	@echo "make sanitize  C tests and testthat under sanitizers and valgrind"
	@echo "make mutants [N=300] [SEED=1]   do tests notice N changes of single operators? an hour; writes dev/mutants.md"
	@echo "make reliability   everything that tries to break it, hours; writes bench/reliability.md"
	@echo "make portability, make static   other compilers and standards; static analysis"
	@echo "make cluster   cross-validation on a Slurm and on two nodes by ssh, built here and taken down again; needs root"
	@echo "make bench     the benchmarks of bench/ at small sizes, a few minutes"
	@echo "make bench-all [SCRIPTS=name]   at full size; writes bench/results and its table in bench/README.md"
	@echo "make stale     results, sentences and claims that are older than the code (Rscript dev/stale.R)"
	@echo "make speed [CELLS=regex]   is this build slower than the commit in bench/speed-base, or than e1071? 20 minutes"
	@echo "make rooms     who includes and calls whom in src/, and in R/"
	@echo "make document  NAMESPACE and man/ from roxygen comments"
	@echo "make site      the pkgdown site in .build/site"
	@echo "make cheatsheet   inst/doc/cheatsheet.pdf anew, whose code runs; needs LaTeX"
	@echo "make readme    the example's output and plots in README.md, anew"
	@echo "make install   install the package, with its vignettes, into R's library"
	@echo "make setup     only install what all targets need"
	@echo "make c-tests, make testthat [FILTER=name]   one part of the tests"
	@echo "make clean     remove .build/ and the example's plots"

example:
	@dev/setup.sh example
	@dev/install.sh
	@R_LIBS="$(CURDIR)/.build/lib:$$R_LIBS" Rscript inst/example/breast-tcga.R example-plots

test:
	@dev/test.sh

test-all:
	@[ "$$(id -u)" != 0 ] || dev/setup.sh cluster || echo "tests on a cluster are left out"
	@CI=true $(MAKE) test

fresh:
	@dev/setup.sh fresh
	@dev/fresh.sh $(FORM)

check:
	@dev/setup.sh test
	@NOT_CRAN=true dev/check.sh --as-cran $$(command -v pdflatex >/dev/null 2>&1 || echo --no-manual)

document:
	@dev/setup.sh document
	@Rscript dev/document.R

site:
	@dev/setup.sh site
	@dev/install.sh
	@Rscript dev/site.R .build/lib

sanitize:
	@dev/setup.sh sanitize
	@dev/sanitize.sh

mutants:
	@dev/setup.sh test
	@dev/mutate.sh $(or $(N),300) $(or $(SEED),1) record

reliability:
	@dev/setup.sh reliability
	@dev/install.sh
	@dev/reliability.sh long

cluster:
	@dev/setup.sh cluster
	@dev/install.sh
	@dev/cluster-all.sh

portability:
	@dev/setup.sh static
	@dev/portability.sh

static:
	@dev/setup.sh static
	@dev/static.sh

bench:
	@dev/setup.sh bench
	@dev/install.sh
	@R_LIBS="$(CURDIR)/.build/lib:$$R_LIBS" Rscript bench/all.R quick $(SCRIPTS)

bench-all:
	@dev/setup.sh bench
	@dev/install.sh
	@R_LIBS="$(CURDIR)/.build/lib:$$R_LIBS" Rscript bench/all.R full $(SCRIPTS)

speed:
	@dev/setup.sh speed
	@dev/install.sh
	@export R_LIBS="$(CURDIR)/.build/lib:$$R_LIBS"; status=0; for script in speed speed-e1071; do \
	  Rscript bench/$$script.R $(if $(CELLS),'cells=$(CELLS)') || status=1; done; exit $$status

cheatsheet:
	@dev/setup.sh cheatsheet
	@dev/install.sh
	@Rscript dev/cheatsheet.R .build/lib

readme:
	@dev/setup.sh example
	@dev/install.sh
	@R_LIBS="$(CURDIR)/.build/lib:$$R_LIBS" Rscript dev/readme.R

stale:
	@Rscript dev/stale.R

rooms:
	@dev/rooms.sh

setup:
	@for target in example test document reliability bench; do dev/setup.sh $$target; done

install:
	@dev/setup.sh install
	@tarball=$$(dev/tarball.sh --no-manual) && MAKEFLAGS=-j2 R CMD INSTALL "$$tarball"

c-tests:
	@dev/setup.sh example
	@dev/c-tests.sh

testthat:
	@dev/setup.sh test
	@dev/install.sh
	@NOT_CRAN=true Rscript dev/testthat.R .build/lib $(if $(FILTER),'$(FILTER)')

clean:
	rm -rf .build example-plots src/*.o src/*.so src/*/*.o
