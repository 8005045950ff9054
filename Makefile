# A newcomer needs two of these: `make accept` and `make test`; each makes what it needs by itself.
# What is built or downloaded goes to $XDG_CACHE_HOME (~/.cache), by version; the checkout holds .tox, .venv, reports.

PYTHON ?= python3
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/storage-acceptance
TOX_FOLDER := $(CACHE)/tox-$(shell sha256sum .ci/tox.txt | cut -c -12)
TOX := $(TOX_FOLDER)/bin/tox

.PHONY: accept accept-longhorn smoke test test-full test-release venv image cluster-up cluster-down bench audit lock clean

accept: $(TOX)  # the main job, on the embedded cluster; one that runs already is used and left running
	$(TOX) run -q -e accept

accept-longhorn: $(TOX)  # the whole suite on Longhorn itself, which is built first: docs/embedded-longhorn.md
	$(TOX) run -q -e accept-longhorn

smoke: $(TOX)  # a first answer: volumes are created and deleted, synchronous writes are fast enough
	$(TOX) run -q -e smoke

test: $(TOX)  # the suite's own tests, as before each commit: style and types, unit, integration
	@echo "Style, unit and integration tests run side by side; each kind is shown when it ends, the last after 15 to 30 minutes."
	@$(TOX) run -q -e selftest

test-full: $(TOX)  # and what takes long, as every night and before a release
	@echo "As make test, and what takes long; the last is shown after an hour."
	@SELFTEST_FULL=1 $(TOX) run -q -e selftest

test-release: $(TOX)  # what takes hours, before a release: Longhorn and Ceph themselves, judged disks, all simulations
	@$(TOX) run -q -e selftest -- release

venv: $(TOX)  # .venv with `storage-acceptance` of this checkout and all that its self-tests need
	$(TOX) devenv -q -e venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --editable .
	.venv/bin/storage-acceptance limits --schema > acceptance/limits/limits.schema.json  # for editors of thresholds.yaml

image: $(TOX)  # the suite's image in dist/, with its bill of materials; as root, on Debian with Python 3.11
	$(TOX) run -q -e image

cluster-up: $(TOX)
	$(TOX) run -q -e cluster -- up

cluster-down: $(TOX)
	$(TOX) run -q -e cluster -- down

bench: $(TOX)
	$(TOX) run -q -e bench

audit: $(TOX)  # known vulnerabilities of all pinned Python packages; needs pypi.org
	$(TOX) run -q -e audit

lock: $(TOX)  # pins all Python packages again, with their hashes, from the *.in files
	$(TOX) run -q -e lock -- $(if $(UPGRADE),--upgrade)

clean: cluster-down
	rm -rf .tox .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Debian splits venv off Python; everything else comes from PyPI.
$(TOX):
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "Python lacks venv, installing python3-venv"; \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3-venv; }
	$(PYTHON) -m venv $(TOX_FOLDER)
	$(TOX_FOLDER)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r .ci/tox.txt

# The suite's own tests, in an environment that has what they need: `make test` calls these there, side by side.
.PHONY: selftests lint packages programs unit integration disruptive alone release

PYTEST := python -m pytest -c selftests/pytest.ini --durations=25 --durations-min=1
# Files in the order that integration/conftest.py gives them, and not those with the most tests first.
BY_FILE := --dist loadfile --no-loadscope-reorder
# JUnit files with the times of all tests, of the last session of each kind.
TIMES := reports/selftests
SHORT := $(if $(SELFTEST_FULL),,and not full)

selftests: alone

lint:
	ruff check .
	ruff format --check .
	mypy
	lint-imports --no-logo --no-cache

packages:  # Debian's programs that loads and clusters are made of; most tests would miss them on a new machine
	python -c 'from embedded_cluster import packages; packages.ensure()'

programs: packages  # and what is built, before the tests: on a slow machine that takes longer than a test may
	python -c 'from embedded_cluster.preparation import prepare; prepare(parts=["csi"], simulated_nodes=True)'

# They have what the others leave of the processors. Half of their time they wait themselves, for the kernel and for
# processes that they start: two workers would leave a processor idle when the others wait or have ended.
unit: packages
	nice -n 10 $(PYTEST) selftests/unit -m "not release $(SHORT)" -n 4 --dist worksteal --junitxml=$(TIMES)/unit.xml

integration: programs  # on one cluster; every night most tests wait for what is meant to fail, so that more have room
	SELFTEST_CLUSTER=selftest-shared $(PYTEST) selftests/integration -m "not alone and not disrupts and not release $(SHORT)" \
		-n $(if $(SELFTEST_FULL),6,4) $(BY_FILE) --junitxml=$(TIMES)/integration.xml

disruptive: programs  # each worker on a cluster of its own
	SELFTEST_CLUSTER=selftest-own SELFTEST_CLUSTER_EACH=1 $(PYTEST) selftests/integration -m "disrupts and not release $(SHORT)" \
		-n 3 $(BY_FILE) --junitxml=$(TIMES)/disruptive.xml

alone: lint unit integration disruptive  # nothing may run at the same time
	$(PYTEST) selftests/integration -m "alone and not release" --junitxml=$(TIMES)/alone.xml

release: programs  # one after the other: each that is on a system has a cluster of its own, with what it is about
	python -c 'from embedded_cluster.ceph import part; part.ensure(rbd=True)'
	$(PYTEST) selftests/unit -m release -n 2 --junitxml=$(TIMES)/release-unit.xml
	$(PYTEST) selftests/integration -m release --junitxml=$(TIMES)/release.xml
