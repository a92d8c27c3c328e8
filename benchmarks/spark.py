"""Judge files of conversations by the recipe for Spark of docs/batches.md, with two tasks on this machine.

    python -m benchmarks.spark OUT FILE...

pyspark is no requirement of this project. Its version 4 needs Java 17.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any


def main(arguments: list[str]) -> None:
    """Write the sparse rows of the files as Parquet to a folder."""
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    import ib

    out, *files = arguments
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else a worker is the `python3` of the path
    local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1"}
    builder = SparkSession.builder.master("local[2]").appName("ib").config(map={**local, **CUT})
    spark = builder.getOrCreate()
    try:
        logs = spark.read.parquet(*files)
        schema = from_arrow_schema(ib.batch.Scorer().schema)
        logs.mapInArrow(judged, schema=schema).write.parquet(out)
    finally:
        spark.stop()


CUT = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
    "spark.sql.files.maxPartitionBytes": "1m",
}


def judged(batches: Iterator[Any]) -> Iterator[Any]:
    """The recipe: a scorer in each task, one call a batch."""
    import ib

    scorer = ib.batch.Scorer()
    for batch in batches:
        yield scorer(batch)


if __name__ == "__main__":
    main(sys.argv[1:])
