"""What identifies an upload in the ledger: its bytes, and its events before any cleaning."""

import hashlib
import hmac
import uuid
from dataclasses import dataclass, field
from typing import Any

from dashboard.core.keys import derived_key
from dashboard.storage.stored_path import Source, located
from privacy_engine.core.progress import advance
from privacy_engine.data.event_hashes import FreshEvents, Keys, Shared, event_hashes
from privacy_engine.data.mapped_series import leave
from privacy_engine.datatypes import datatypes

CHUNK = 1 << 20


@dataclass(frozen=True)
class Evidence:
    """A keyed digest of the bytes, and of the events keyed hashes, at hand with the events, and sketches.

    ``id`` is that of the reading it becomes if the ledger does not know it; ``compared`` has the events that it shares
    with readings it was compared with; the hashes of those that are ``lost`` cannot be read.
    """

    file_digest: str
    timed: bytes
    places: bytes
    kind: str
    fresh: FreshEvents = field(repr=False)
    id: uuid.UUID = field(default_factory=uuid.uuid4)
    compared: dict[uuid.UUID, Shared | None] = field(default_factory=dict, repr=False)
    lost: set[uuid.UUID] = field(default_factory=set, repr=False)

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


def evidence_of(path: Source | None, data: Any, kind: str, *, file_digest: str = "") -> Evidence:
    """Return the evidence of the file at ``path`` (None if it is gone); ``data`` are its events as they were read.

    ``file_digest`` is that of a file that is gone, where it is known.
    """
    timed, places = datatypes[kind].sketches(data, derived_key("timed events 1")[:16], derived_key("places 1")[:16])
    return Evidence(
        file_digest=_digest_of(path) if path else file_digest,
        timed=b"" if timed is None else timed.to_bytes(),
        places=b"" if places is None else places.to_bytes(),
        kind=kind,
        fresh=event_hashes(kind, data, _keys()),
    )


def _keys() -> Keys:
    return Keys(*(derived_key(f"{name} 1")[:16] for name in ("hashes", "hashes of cells", "phases", "texts")))


def _digest_of(path: Source) -> str:
    mac = hmac.new(derived_key("file 1"), digestmod=hashlib.sha256)
    with located(path) as local, local.open("rb") as file:
        while piece := file.read(CHUNK):
            advance()
            mac.update(piece)
    return mac.hexdigest()
