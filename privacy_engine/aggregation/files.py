"""Exact counts as files, to be released later: a wide CSV or Parquet table. They are raw data, and have no label."""

import json
from collections.abc import Callable, Mapping
from typing import BinaryIO

import numpy as np

from privacy_engine.data import CountStream
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.streams import COUNTED


def write_csv(stream: CountStream, out: BinaryIO) -> None:
    """Write the timestamps and a column of whole numbers for each cell."""
    out.write((",".join([stream.time_name, *stream.names]) + "\n").encode())
    for label, row in zip(stream.labels, stream.counts.astype(np.int64).tolist(), strict=True):
        out.write((",".join([label, *map(str, row)]) + "\n").encode())


def write_parquet(stream: CountStream, out: BinaryIO) -> None:
    """Write the same; the metadata hold how the counts were made, so that their sensitivity is known when read."""
    columns = [pa.array(list(stream.labels)), *(pa.array(column) for column in stream.counts.T.astype(np.int64))]
    table = pa.table(columns, names=[stream.time_name, *stream.names])
    if stream.counted is not None:
        table = table.replace_schema_metadata({COUNTED: json.dumps(stream.counted.as_dict())})
    pq.write_table(table, out, compression="zstd")


WRITERS: Mapping[str, Callable[[CountStream, BinaryIO], None]] = {".csv": write_csv, ".parquet": write_parquet}
"""The formats by the extension of a file."""
