#!/usr/bin/env bash
# make demo: from a fresh clone to a report, each step with its time. Needs python3.11, a C++ compiler and cmake.
set -euo pipefail
cd "$(dirname "$0")/.."
export NOVUM_LEVELS=${NOVUM_LEVELS:-own}  # kernels for this machine alone
python=${PYTHON:-python3.11} venv=${VENV:-.venv}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() {  # step LABEL COMMAND...: run quietly, show how long it took, and on failure what it printed
    local label=$1 start=$SECONDS
    shift
    printf '%-68s' "$label"
    if ! "$@" >"$log" 2>&1; then
        printf 'failed\n' && cat "$log" >&2
        exit 1
    fi
    printf '%4d s\n' $((SECONDS - start))
}

dependencies() {  # the requirements of the package and of its extra "study", read from pyproject.toml
    "$venv/bin/python" - <<'PY'
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print("\n".join(project["dependencies"] + project["optional-dependencies"]["study"]))
PY
}

environment() { [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"; }
tools() {
    "$venv/bin/python" -m pip install --upgrade pip --constraint constraints.txt
    "$venv/bin/python" -m pip install --constraint constraints.txt "scikit-build-core>=1.1" "nanobind>=3.1" ninja build
    touch "$venv/.made"
}
install() {  # what novum needs comes over the network while the compiler works
    local wheels=$log.wheels
    dependencies | "$venv/bin/python" -m pip install --constraint constraints.txt --requirement /dev/stdin &
    local others=$!
    "$venv/bin/python" -m pip wheel --no-build-isolation --no-deps --wheel-dir "$wheels" . || { kill $others; return 1; }
    wait $others && "$venv/bin/python" -m pip install --no-deps --force-reinstall "$wheels"/*.whl && rm -r "$wheels"
}

step "[1/4] virtual environment $venv" environment
step "[2/4] tools to build with" tools
step "[3/4] numpy scipy scikit-learn ...; $(find cpp/src bindings -name '*.cpp' | wc -l) sources of the core, $(nproc) jobs" install
echo "[4/4] novum $("$venv/bin/python" -c 'import novum; print(novum.__version__)')"
echo
"$venv/bin/novum" tour
echo
table=$("$venv/bin/python" -c 'from novum.datasets import path; print(path("breast_cancer.csv"))')
"$venv/bin/novum" study "$table" --target diagnosis --out demo-report
echo "more: $venv/bin/novum notes 000 8     $venv/bin/novum find \"naive bayes\""
