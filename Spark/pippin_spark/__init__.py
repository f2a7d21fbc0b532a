"""One Pippin job on many machines.

A job is cut into shards. Each shard is a Pippin storage as one machine has it, and `pippin worker` crawls it for one turn.
This package is the driver: it starts the workers as tasks of Apache Spark, moves what they find for each other, and commits turns.

Reading order: `job` (the folder), `protocol` (what a worker reads and writes), `worker` (a task), `exchange` and `turn` (one turn),
`run` (many). Docs/Cluster.md has the protocol, Spark/README.md the figures.
"""

__version__ = "1.0.0"
