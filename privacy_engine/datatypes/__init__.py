"""The kinds of data: one :class:`DataType` each, which forms, pages, downloads, commands and audits use.

docs/decisions/0025-data-types.md lists the files of a further kind.

>>> [one.kind for one in datatypes.values()]
['trajectory', 'stream', 'checkins']
"""

from collections.abc import Mapping

from privacy_engine import mechanisms as _families  # noqa: F401  (a data type lists every mechanism, in any process)
from privacy_engine.datatypes.base import DataType
from privacy_engine.datatypes.checkins import CheckInFacts, CheckInType
from privacy_engine.datatypes.stream import StreamFacts, StreamType
from privacy_engine.datatypes.trajectory import TrajectoryType
from privacy_engine.datatypes.trajectory_facts import TrajectoryFacts
from privacy_engine.datatypes.trajectory_table import PublishedSeries

datatypes: Mapping[str, DataType] = {one.kind: one for one in (TrajectoryType(), StreamType(), CheckInType())}

__all__ = [
    "CheckInFacts",
    "CheckInType",
    "DataType",
    "PublishedSeries",
    "StreamFacts",
    "StreamType",
    "TrajectoryFacts",
    "TrajectoryType",
    "datatypes",
]
