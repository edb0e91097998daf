"""``DataType``: everything that depends on the kind of data, in a single place."""

import hashlib
import hmac
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, BinaryIO, ClassVar

from privacy_engine.accounting.promise import Context
from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Frozen
from privacy_engine.data.event_sketch import EventSketch
from privacy_engine.datatypes.tables import Table
from privacy_engine.exports.base import ExportFormat, Label, format_named, formats_of
from privacy_engine.formats.arrow import pa
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT, mechanisms
from privacy_engine.metrics import Metric, metrics
from privacy_engine.registry import Registry
from privacy_engine.releases.inputs import ReleaseInputs
from privacy_engine.releases.spec import ReleaseSpec

Watch = Callable[[float], None]


class DataType(ABC):
    """A kind of data: the ``ADAPTER`` of a module or folder beside this module. It has no state.

    ``rank`` orders the kinds in lists. ``item`` and ``items`` are the nouns for what there is most of, for pages, and
    ``about`` is what the data are. ``units`` are those of the loss of its releases, the usual unit first.
    ``slow_columns`` are the columns of its tables with whole numbers that differ little from row to row: a file holds
    their differences. Data that are ``cleaned`` take cleaning steps; the axes of an outline that is ``outline_filled``
    have scales of their own. Data of ``users`` have a series a person; ``has_stays`` is True where stays can be
    detected in data with times, ``has_landmarks`` where events can be marked as landmarks before a release, and steps
    can follow it, ``has_events`` where :func:`privacy_engine.aggregation.events_of` takes the data.
    """

    kind: ClassVar[str]
    rank: ClassVar[int] = 100
    title: ClassVar[str]
    item: ClassVar[str]
    items: ClassVar[str]
    about: ClassVar[str]
    units: ClassVar[tuple[str, ...]]
    slow_columns: ClassVar[Collection[str]] = ()
    cleaned: ClassVar[bool] = False
    outline_filled: ClassVar[bool] = False
    users: ClassVar[bool] = False
    has_stays: ClassVar[bool] = False
    has_landmarks: ClassVar[bool] = False
    has_events: ClassVar[bool] = False

    @property
    def exports(self) -> Mapping[str, ExportFormat]:
        """The formats that releases are written in, by name."""
        return formats_of(self.kind)

    @property
    def mechanisms(self) -> Registry[Any]:
        """The mechanisms for this kind."""
        return mechanisms.of(self.kind)

    @property
    def metrics(self) -> Registry[Metric]:
        """The metrics for this kind: they read the truth and are the owner's alone."""
        return metrics.of(self.kind)

    @property
    def series_of_release(self) -> Callable[[str, str, dict[str, Any]], Any] | None:
        """What makes a published series of its name, person and columns; None where releases are read as a whole."""
        return None

    @property
    def extensions(self) -> dict[str, str]:
        """The name of the export format of each file extension, with its point."""
        return {f".{export.extension}": name for name, export in self.exports.items()}

    def size(self, data: Any) -> int:
        """How many :attr:`items` there are."""
        return len(data)

    @abstractmethod
    def facts(self, data: Any) -> Frozen:
        """What the dataset's page shows of ``data``; the owner's alone."""

    def unreleasable(self, facts: Mapping[str, Any]) -> tuple[str, str, str] | None:
        """What every mechanism would refuse of data with these facts, what it must be, and why it is not that; or None.

        The reason is empty where what it must be states it.
        """
        return None

    @abstractmethod
    def uncountable(self, facts: Mapping[str, Any]) -> str:
        """What data with these facts do not hold that is needed to count them on a grid; empty where they hold all."""

    @abstractmethod
    def outline(self, data: Any) -> list[Floats]:
        """A small drawing of ``data``: lines in the unit square, (n, 2) each; the owner's alone."""

    @abstractmethod
    def content_digest(self, data: Any) -> str:
        """SHA-256 of what ``data`` holds, without names that could be changed at will."""

    def keyed_digest(self, data: Any, key: str) -> str:
        """Return HMAC-SHA256 of the content digest under ``key``: whoever has the data cannot compute it."""
        return hmac.new(key.encode(), f"cairn content {self.content_digest(data)}".encode(), hashlib.sha256).hexdigest()

    @abstractmethod
    def sketches(self, data: Any, timed_key: bytes, places_key: bytes) -> tuple[EventSketch | None, EventSketch | None]:
        """Sketches that recognise ``data`` in another upload: of events with times, and of places without them.

        None where the data have no times, or no places.
        """

    @abstractmethod
    def to_table(self, data: Any) -> Any:
        """``data`` as a pyarrow table."""

    def to_tables(self, data: Any) -> Iterable[Any]:
        """The rows of :meth:`to_table` in successive tables, at least a single table."""
        return [self.to_table(data)]

    @abstractmethod
    def from_table(self, table: Any) -> Any:
        """The data of :meth:`to_table`."""

    def from_batches(self, schema: Any, batches: Iterable[Any]) -> Any:
        """The data of a table of ``schema`` whose rows come in record batches, in little memory where that is possible.

        None of the batches needs to be kept.
        """
        return self.from_table(pa.Table.from_batches(batches, schema))

    @abstractmethod
    def release_to_table(self, release: Any) -> Any:
        """What :meth:`release` published as a pyarrow table."""

    def release_to_tables(self, release: Any) -> Iterable[Any]:
        """The rows of :meth:`release_to_table` in successive tables, at least a single table."""
        return [self.release_to_table(release)]

    @abstractmethod
    def release_from_table(self, table: Any) -> Any:
        """What is published in a table of :meth:`release_to_table`, as :meth:`digest` and :meth:`write` take it."""

    @abstractmethod
    def digest(self, release: Any) -> str:
        """SHA-256 of what a release publishes: the ``sha256`` of its label, the same for every format."""

    def prepared(self, spec: ReleaseSpec, data: Any) -> tuple[ReleaseSpec, Context]:
        """A spec with what follows from ``data`` where it was not given, and what else its promise depends on.

        Raises
        ------
        ParameterErrors
            What was given contradicts the data, or the spec's mechanism is for another kind.
        """
        return spec.checked(self.kind), NO_CONTEXT

    @abstractmethod
    def release(self, spec: ReleaseSpec, data: Any, beside: Any = None, *, watch: Watch | None = None) -> Any:
        """One release of ``data`` by ``spec``; ``beside`` is what it needs beside the data (landmark sets).

        ``watch(share)`` is called with the share of the work that is done, and may raise to stop.

        Raises
        ------
        ParameterError
            The spec's mechanism is for another kind of data.
        """

    @abstractmethod
    def forecast(self, spec: ReleaseSpec, data: Any, beside: Any = None) -> Table:
        """What to expect of the error of such a release of ``data``, before any is made: the owner's alone.

        Errors of :meth:`release`. Seeds are fixed: it is the same for every call.
        """

    def drawn_context(self, spec: ReleaseSpec, inputs: ReleaseInputs[Any], release: Any) -> Context:
        """What the promise of a release depends on once it is drawn."""
        return inputs.context

    def is_private(self, release: Any) -> bool:
        """True if all noise of it came from the operating system."""
        return bool(release.private)

    def measure(self, truth: Any, release: Any) -> dict[str, float]:
        """The metrics of a release by name, of those that need no parameter and nothing that was left out of it."""
        values: dict[str, float] = {}
        for cls in self.metrics:
            if not cls.held_out and not any(field["required"] for field in cls.fields()):
                values[cls.registered_name()] = cls(name=cls.registered_name()).of(truth, release)
        return values

    def figures(self, truth: Any, release: Any) -> dict[str, float]:
        """The figures that are stored for the owner of a release, by name: the metrics that have a value for it."""
        return {name: value for name, value in self.measure(truth, release).items() if math.isfinite(value)}

    def budget_columns(self, release: Any) -> Iterable[dict[str, Any]]:
        """What each draw of a release consumed, for a file beside it; nothing where its table has it.

        The columns in successive parts; those of a part are of the same length.
        """
        return ()

    def owner_columns(self, truth: Any, release: Any) -> Iterable[dict[str, Any]]:
        """What charts show the owner of each published item, for a file of the owner's, as :meth:`budget_columns`.

        It is not for publication: errors, and what a mechanism reports beside its release.
        """
        return ()

    def write(self, release: Any, fmt: str, out: BinaryIO, *, label: Label) -> None:
        """Write a release to the binary stream ``out`` in the format ``fmt``, a name of :attr:`exports`.

        Raises
        ------
        ParameterError
            ``fmt`` is not the name of a format of this kind.
        """
        format_named(self.kind, fmt).write(release, out, label)
