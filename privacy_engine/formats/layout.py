"""How a table is laid out, as its reader took it: written down on the way, also by a reading that then fails."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from privacy_engine.data import Trajectory


@dataclass
class Layout:
    """The columns of a table and what each was taken for.

    ``roles`` has places from 0: lon, lat, time, id and landmark, and the parts that go with them. The first data row
    begins at byte ``offset`` of the text in UTF-8. ``headed`` where the names stand in the file, ``fixed`` where the
    format itself defines which column is which. ``kind`` is of the data that it was read as, ``sample`` the first rows
    and ``rows`` their lines, where these are known.
    """

    names: list[str]
    roles: dict[str, int] = field(default_factory=dict)
    delimiter: str = ""
    offset: int = 0
    headed: bool = True
    decimal: str = "."
    fixed: bool = False
    kind: str = Trajectory.kind
    sample: Sequence[Sequence[str]] = field(default=(), repr=False)
    rows: Sequence[int] = field(default=(), repr=False)
