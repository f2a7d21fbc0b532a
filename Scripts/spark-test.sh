#!/bin/sh
# Runs the tests of Spark/pippin_spark, with a Java and a Python environment of their own. Nothing else needs either.
#
#   Scripts/spark-test.sh PIPPIN [argument of pytest …]
#   Scripts/spark-test.sh --setup          only the environment
set -eu
cd "$(dirname "$0")/.."

if ! command -v java >/dev/null; then
    echo "spark-test: installing openjdk-17-jre-headless"
    root=
    [ "$(id -u)" -eq 0 ] || root=sudo
    $root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null
fi

# Versions are fixed where a verdict depends on them. pandas 3 has another type for text, which PySpark 4.3 does not know.
python=.build/spark/bin/python3
if ! "$python" -c 'import pyspark, pyarrow, pandas, pytest, xdist, mypy, yaml, networkx, deltalake' 2>/dev/null; then
    echo "spark-test: installing PySpark and what tests it into .build/spark"
    python3 -m venv .build/spark
    "$python" -m pip install -q --disable-pip-version-check \
        pyspark==4.3.0 pyarrow 'pandas<3' pytest pytest-xdist mypy PyYAML types-PyYAML networkx==3.4.2 warcio==1.7.5 deltalake==1.6.6
fi
[ "${1:-}" = --setup ] && exit 0

PIPPIN=$(realpath "$1")
export PIPPIN
shift
cd Spark
../.build/spark/bin/python3 -m mypy --strict
# Most tests wait most of the time: for the delays of hosts, for the ends of turns. Each worker of pytest has a Spark of 1.5 GB.
exec ../.build/spark/bin/python3 -m pytest --numprocesses "${PIPPIN_SPARK_TESTS:-$(($(nproc) + 1))}" --dist worksteal "$@"
