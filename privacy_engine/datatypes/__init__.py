"""The kinds of data: a :class:`DataType` each, which forms, pages, downloads, commands and audits use.

A kind is a module or a folder here with an ``ADAPTER``. docs/decisions/0025-data-types.md lists the files of another.

>>> [adapter.kind for adapter in datatypes.values()][:3]
['trajectory', 'stream', 'checkins']
"""

from collections.abc import Mapping

from privacy_engine import mechanisms as _families  # a data type lists every mechanism, in any process
from privacy_engine.datatypes.base import DataType
from privacy_engine.registry import Adapters

datatypes: Mapping[str, DataType] = Adapters(__name__)

__all__ = ["DataType", "datatypes"]
