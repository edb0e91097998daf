"""Count streams of tests: rows as a stream, and the shared sets that streams.md measured."""

import csv
import gzip
from functools import cache

import numpy as np

from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.laws.stream import stream_of


def counted(rows):
    return stream_of(np.asarray(rows))


def measured(metric, truth, published):
    """The metric of a release of these counts."""
    data = counted(truth)
    published = np.asarray(published, dtype=np.int64)
    return metric.of(data, StreamRelease(published, data.names, data.labels, None, np.zeros(len(published))))


@cache
def measured_set(path):
    """A set of the shared data; all but ``syn.csv`` begin with a column of times."""
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    lines = list(csv.reader(text.splitlines()))[1:]
    return counted(np.array([line if path.name == "syn.csv" else line[1:] for line in lines], dtype=np.float64))
