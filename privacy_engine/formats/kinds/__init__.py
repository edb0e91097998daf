"""The kinds of data that a file can hold: one module or folder here each, named after the kind.

>>> list(table_kinds)
['trajectory', 'stream', 'checkins']
"""

from privacy_engine.formats.kinds.base import OTHER_COLUMNS, Columns, TableKind
from privacy_engine.registry import Adapters

table_kinds: Adapters[TableKind] = Adapters(__name__)

__all__ = ["OTHER_COLUMNS", "Columns", "TableKind", "table_kinds"]
