"""What identifies an upload in the ledger: its bytes, and its events before any cleaning."""

import hashlib
import hmac
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dashboard.core.keys import derived_key
from dashboard.storage.stored_path import Source, located
from privacy_engine.core.progress import advance
from privacy_engine.data.event_hashes import FreshEvents, Keys, Shared, event_hashes
from privacy_engine.data.event_sketch import EventSketch
from privacy_engine.data.mapped_series import leave
from privacy_engine.datatypes import datatypes

CHUNK = 1 << 20


class Sketches(NamedTuple):
    """Sketches of events with their times, and of positions or places alone; empty where there are none."""

    timed: bytes = b""
    places: bytes = b""

    @classmethod
    def of(cls, kind: str, data: Any) -> "Sketches":
        keys = (derived_key(f"{name} 1")[:16] for name in ("timed events", "places"))
        return cls(*(b"" if sketch is None else sketch.to_bytes() for sketch in datatypes[kind].sketches(data, *keys)))

    @classmethod
    def joined(cls, parts: Iterable["Sketches"]) -> "Sketches":
        """Of the events of all parts; with times where all that have events have times."""
        columns = zip(*(part for part in parts if part.places), strict=True)
        return cls(*(_joined(column) if all(column) else b"" for column in columns))


def _joined(sketches: Iterable[bytes]) -> bytes:
    return EventSketch.joined([EventSketch.from_bytes(sketch) for sketch in sketches]).to_bytes()


@dataclass(frozen=True)
class Evidence:
    """A keyed digest of the bytes, and of the events keyed hashes, at hand with the events, and sketches.

    ``id`` is that of the reading it becomes if the ledger does not know it; ``compared`` has the events that it shares
    with readings it was compared with; the hashes of those that are ``lost`` cannot be read.
    """

    file_digest: str
    sketches: Sketches
    kind: str
    fresh: FreshEvents = field(repr=False)
    id: uuid.UUID = field(default_factory=uuid.uuid4)
    compared: dict[uuid.UUID, Shared | None] = field(default_factory=dict, repr=False)
    lost: set[uuid.UUID] = field(default_factory=set, repr=False)

    @property
    def timed(self) -> bytes:
        return self.sketches.timed

    @property
    def places(self) -> bytes:
        return self.sketches.places

    @property
    def digest(self) -> str:
        """The SHA-256 of both sketches: the same for two readings with the same events."""
        return hashlib.sha256(len(self.timed).to_bytes(8) + self.timed + self.places).hexdigest()

    @property
    def events_digest(self) -> str:
        """The SHA-256 of the hashes of all events."""
        digest = hashlib.sha256(self.fresh.sort.encode())
        digest.update(self.fresh.exact.data)
        leave(self.fresh)
        return digest.hexdigest()


def evidence_of(
    path: Source | None, data: Any, kind: str, *, file_digest: str = "", sketches: Sketches | None = None
) -> Evidence:
    """Return the evidence of the file at ``path`` (None if it is gone); ``data`` are its events as they were read.

    ``file_digest`` is that of a file that is gone, where it is known. ``sketches`` are computed where not given.
    """
    sketches = Sketches.of(kind, data) if sketches is None else sketches
    digest, fresh = _digest_of(path) if path else file_digest, event_hashes(kind, data, _keys())
    return Evidence(digest, sketches, kind, fresh)


def _keys() -> Keys:
    return Keys(*(derived_key(f"{name} 1")[:16] for name in ("hashes", "hashes of cells", "phases", "texts")))


def _digest_of(path: Source) -> str:
    mac = hmac.new(derived_key("file 1"), digestmod=hashlib.sha256)
    with located(path) as local, local.open("rb") as file:
        while piece := file.read(CHUNK):
            advance()
            mac.update(piece)
    return mac.hexdigest()
