"""What the mechanisms of count streams share: a publisher that goes from timestamp to timestamp."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine import noise
from privacy_engine.accounting.privacy_loss import PrivacyLoss
from privacy_engine.accounting.promise import Context, Neighbours, shortest
from privacy_engine.accounting.window_ledger import WindowLedger, laplace_rate
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import Param
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import LARGEST_COUNT, CountStream
from privacy_engine.data.counted import Counted
from privacy_engine.data.stream_release import Grouping, StreamRelease, on_lattice
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT, Guarantee, Mechanism
from privacy_engine.mechanisms.base.publisher_state import captured, from_bytes, restored, to_bytes

ROWS_AT_ONCE = 1024
MANY_WINDOWS = "Events in more than one window are protected in each window, not together."
CLEAR_NAMES = "Timestamps and names are published as they are: that a name or a timestamp occurs is not protected."

EPSILON = Param(
    label="Level",
    symbol="ε",
    help="How far the odds may move for the events of one window. Smaller protects more.",
    lowest=1e-3,
    highest=1e4,
    example=1.0,
)
WINDOW = Param(
    label="Window",
    symbol="w",
    unit="timestamps",
    help="How many successive timestamps share the level.",
    lowest=1,
    highest=10_000,
    example=20,
)
SENSITIVITY = Param(
    label="Sensitivity",
    symbol="Δ",
    unit="events",
    help="By how much the counts of one timestamp may differ in sum. 1 protects one event added or removed, "
    "2 also one moved between dimensions, c all events of a person who causes at most c at a timestamp.",
    lowest=1,
    highest=50,
    example=1,
)
StreamEpsilon = Annotated[float, EPSILON]
StreamWindow = Annotated[int, WINDOW]
Sensitivity = Annotated[int, SENSITIVITY]

_SHARED = frozenset({"mechanism", "dimensions", "rng", "ledger", "published", "_budgets"})


class Publisher(ABC):
    """The state of a run over a stream of ``dimensions``, which spends of a :class:`WindowLedger`.

    A subclass writes :meth:`_rows`, for any number of successive timestamps at once; its output must not depend on how
    many are given at a time. Estimates may be any finite floats: they are published as
    :func:`~privacy_engine.data.stream_release.on_lattice` rounds them.
    """

    def __init__(self, mechanism: StreamMechanism, dimensions: int, rng: noise.RandomSource) -> None:
        self.mechanism, self.dimensions, self.rng = mechanism, dimensions, rng
        self.ledger = WindowLedger(mechanism.epsilon, mechanism.window)
        self.published = 0
        self._budgets: list[float] = []

    @property
    def budgets(self) -> Floats:
        """What each timestamp spent so far, (t,)."""
        return np.array(self._budgets, dtype=np.float64)

    def record_grouping(self) -> bool:
        """Record the grouping of the timestamps to come; False where the mechanism reports none."""
        return False

    @property
    def grouping(self) -> Grouping | None:
        """What :meth:`record_grouping` recorded; None without it."""
        return None

    def publish(self, row: ArrayLike) -> Ints | Floats:
        """Publish the counts of the next timestamp, (d,); errors of :meth:`publish_all`."""
        return np.asarray(self.publish_all(np.asarray(row)[None])[0])

    def publish_all(self, rows: ArrayLike) -> Ints | Floats:
        """Publish the counts of the next timestamps, (n, d): the same bits as row after row.

        Whole numbers, or floats where the mechanism publishes estimates.

        Raises
        ------
        DataError
            They are not ``dimensions`` whole numbers each, from 0 to 2**52.
        FloatingPointError
            An estimate is not finite, which is an error of the mechanism: nothing is to be stored or published then.
        """
        counts = _whole(rows, self.dimensions)
        published = self._rows(counts)
        if not self.mechanism.whole:
            if not np.isfinite(published).all():
                raise FloatingPointError(f"{self.mechanism.name} estimated a count that is no finite number")
            published = on_lattice(published.astype(np.float64))
        self.published += len(counts)
        return published

    def state(self) -> bytes:
        """What later timestamps depend on: :meth:`restore` continues from it, with new noise.

        It holds the attributes of the publisher. Noise that was drawn ahead is not among them: it is stored nowhere.
        """
        about = {"mechanism": self.mechanism.model_dump(), "dimensions": self.dimensions}
        return to_bytes(
            about | {"published": self.published, "ledger": self.ledger.recent, "own": captured(self, without=_SHARED)}
        )

    def restore(self, state: bytes) -> None:
        """Continue a run whose :meth:`state` this is; ``budgets`` are those of later timestamps alone.

        Raises
        ------
        DataError
            It is damaged, or of another mechanism or number of dimensions.
        """
        stored = from_bytes(state)
        for field, value in (("mechanism", self.mechanism.model_dump()), ("dimensions", self.dimensions)):
            if stored[field] != value:
                raise DataError.must_be("state", f"that of a run with the same {field}", stored[field], got=False)
        self.ledger.restore(stored["ledger"])
        self.published, self._budgets = stored["published"], []
        self._continue(stored["own"])

    def _continue(self, own: dict[str, Any]) -> None:
        """Take over the attributes of a stored run, ``own``; the ledger and what was published are there already."""
        restored(self, own)

    def spend(self, budgets: Floats) -> None:
        """Take the budgets of the next timestamps, (n,), from the ledger; call it before drawing."""
        self._budgets += self.ledger.spend_all(budgets).tolist()

    def spend_more(self, budget: float) -> None:
        """Take ``budget`` for the timestamp that spent last, beside what it spent; call it before drawing."""
        self.ledger.spend_more(budget)
        self._budgets[-1] += budget

    @abstractmethod
    def _rows(self, counts: Ints) -> Ints | Floats:
        """What is published of the counts (n, d) of timestamps ``published``, ``published`` + 1, …"""


class RowPublisher(Publisher):
    """A publisher that goes from timestamp to timestamp: a subclass writes :meth:`_row`."""

    def _rows(self, counts: Ints) -> Ints | Floats:
        rows: Any = np.empty(counts.shape, dtype=np.int64 if self.mechanism.whole else np.float64)
        for i, row in enumerate(reported(counts)):
            rows[i] = self._row(row, self.published + i)
        return np.asarray(rows)

    def _row(self, row: Ints, t: int) -> Ints | Floats:
        """What is published of the counts (d,) of timestamp ``t``, from 0."""
        raise NotImplementedError


def _whole(rows: ArrayLike, dimensions: int) -> Ints:
    counts = np.asarray(rows)
    if counts.dtype.kind not in "iuf" or counts.ndim != 2 or counts.shape[1] != dimensions:
        raise DataError.must_be("counts", f"rows of {dimensions} numbers", got=f"{counts.dtype} of {counts.shape}")
    wrong = ~((counts >= 0) & (counts <= LARGEST_COUNT) & (counts == np.floor(counts)))
    if wrong.any():
        rule, value = "whole numbers from 0 to 2**52", float(counts[wrong][0])
        raise DataError.must_be("counts", rule, value, got=f"{value:g}")
    return counts.astype(np.int64, order="C")


def summable(counts: Ints) -> Ints:
    """Counts (n, d) cut at 2**62 / d, so that sums over dimensions are exact in 64 bits.

    A sum that wrapped would change by far more than its counts; a sum of cut counts changes by at most as much as they.
    """
    return np.asarray(np.minimum(counts, 2**62 // counts.shape[1]))


class StreamMechanism(Mechanism):
    """Base of every mechanism that releases count streams under w-event privacy.

    A subclass writes :meth:`publisher`; it sets ``independent_dimensions`` where what is published of a dimension
    depends on no other, and ``work``, the seconds of a release, of each timestamp and of each count, as measured
    on a core of a small machine with ε = 1 and windows of 20 to 100. Neighbours are streams with the same timestamps
    and names that differ in a single window of w successive timestamps only, at each by at most Δ in sum over all
    dimensions.
    """

    kind: ClassVar[str] = CountStream.kind
    level: ClassVar[str] = "w-event"
    sentence: ClassVar[str] = (
        "Whichever events of at most {window} successive timestamps are added, removed or changed, so that the counts "
        "of each timestamp differ by at most {sensitivity} in sum, the probability of any release changes by a factor "
        "of at most exp(ε), ε = {epsilon}, with the same timestamps and names"
    )
    neighbours: ClassVar[Neighbours] = Neighbours(
        "Two streams with the same timestamps and names whose counts differ in one window of w successive timestamps "
        "only, at each timestamp by at most Δ in sum over all dimensions.",
        "x ~ x′ ⇔ there is s with x_t = x′_t for all t ∉ {s, …, s + w − 1}, and Σ_k |x_tk − x′_tk| ≤ Δ for all t",
    )
    caveats: ClassVar[tuple[str, ...]] = (MANY_WINDOWS, CLEAR_NAMES)
    independent_dimensions: ClassVar[bool] = False
    work: ClassVar[tuple[float, float, float]] = (5e-4, 2e-5, 1e-7)
    clear_fields: ClassVar[tuple[str, ...]] = ("time", "names of dimensions", "number of timestamps")
    whole: ClassVar[bool] = True
    grid_text: ClassVar[str] = "counts are whole numbers"

    name: str
    epsilon: StreamEpsilon
    window: StreamWindow
    sensitivity: Sensitivity = 1

    def for_counts(self, counted: Counted | None, tree: Mapping[str, str]) -> Self:
        given, fields = self.model_fields_set, type(self).model_fields
        more: dict[str, Any] = dict(tree) if tree.keys() <= fields.keys() and not tree.keys() & given else {}
        if counted is not None and "sensitivity" not in given:
            more["sensitivity"] = counted.sensitivity
        elif counted is not None and self.sensitivity < counted.sensitivity:
            rule, value = f"at least {counted.sensitivity}, the sensitivity of these counts", self.sensitivity
            message, field = f"sensitivity must be {rule}, got {value}", "mechanism.sensitivity"
            raise ParameterErrors([ParameterError(message, field=field, rule=rule, value=value)])
        return type(self).model_validate(self.model_dump(exclude_unset=True) | more) if more else self

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> Publisher:
        """A publisher at its first timestamp."""
        raise NotImplementedError

    def publisher_of(self, dimensions: int, names: Sequence[str] | None, rng: noise.RandomSource) -> Publisher:
        """The publisher where the names of the dimensions, if they are known, matter: by default they do not."""
        return self.publisher(dimensions, rng)

    def start(
        self,
        dimensions: int,
        rng: noise.RandomSource | np.random.Generator,
        names: Sequence[str] | None = None,
    ) -> Publisher:
        """Start a run over a stream of ``dimensions``: a :class:`Publisher`, to give timestamp after timestamp.

        Raises
        ------
        DataError
            ``dimensions`` is not at least 1, ``names`` are not as many, or a mechanism needs them and there are none.
        """
        if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 1:
            raise DataError.must_be("dimensions", "a whole number of at least 1", got=f"{dimensions!r:.60}")
        if names is not None and len(names) != dimensions:
            raise DataError.must_be("names", f"as many as dimensions, {dimensions}", got=len(names))
        return self.publisher_of(dimensions, names, noise.as_source(rng))

    def release(self, stream: CountStream, *, rng: noise.RandomSource | np.random.Generator) -> StreamRelease:
        """One release of ``stream``, T timestamps by d names.

        Raises
        ------
        DataError
            A count is no whole number, or there is no name.
        """
        source = noise.as_source(rng)
        private = source.private and not self.unsound
        run = self.start(len(stream.names), source, stream.names)
        run.record_grouping()
        parts: list[Any] = [np.empty((0, len(stream.names)), dtype=np.int64 if self.whole else np.float64)]
        for some in blocks(len(stream), ROWS_AT_ONCE):
            source.reached(some.start, len(stream))
            parts.append(run.publish_all(stream.counts[some]))
        counts: Any = np.concatenate(parts)
        return StreamRelease.of(stream, counts, run.budgets, private=private, grouping=run.grouping)

    def releases(
        self, stream: CountStream, times: int, *, rng: noise.RandomSource | np.random.Generator
    ) -> list[StreamRelease]:
        """``times`` independent releases by :meth:`release`, at least 1.

        Where dimensions are published independently, all runs are a single release of ``times`` copies side by side.
        """
        if not self.independent_dimensions:
            return [self.release(stream, rng=rng) for _ in range(times)]
        copies = CountStream(np.tile(stream.counts, (1, times)), [*stream.names] * times, stream.labels)
        release = self.release(copies, rng=rng)
        each = release.counts.reshape(len(stream), times, -1).transpose(1, 0, 2)
        return [StreamRelease.of(stream, counts, release.budgets, private=release.private) for counts in each]

    @property
    def batched(self) -> bool:
        """True if releases that are drawn together take less time than in turn."""
        return self.independent_dimensions

    def seconds(self, timestamps: int, dimensions: int, together: int = 1) -> float:
        """About how long any of ``together`` releases that are drawn at once takes, of the right order of magnitude."""
        release, timestamp, count = self.work
        return (release + timestamp * timestamps) / together + count * timestamps * dimensions

    def repeat(
        self, stream: CountStream, times: int, *, rng: noise.RandomSource | np.random.Generator
    ) -> Ints | Floats:
        """Published counts of :meth:`releases`, (times, T, d)."""
        counts: list[Any] = [release.counts for release in self.releases(stream, times, rng=rng)]
        return np.asarray(np.stack(counts))

    @property
    def variant(self) -> str:
        """The choices that are not as by default, as "svt, relative"."""
        choices = [field for field in type(self).fields() if field["choices"]]
        given = [(field, getattr(self, field["name"])) for field in choices]
        return ", ".join(str(value) for field, value in given if value != field["default"] and value.isalpha())

    def noise_rate(self, budget: float) -> float:
        """The rate of the discrete Laplace noise for a budget."""
        return laplace_rate(budget, self.sensitivity)

    def noise_sd(self) -> float:
        """Standard deviation of the noise of a newly drawn count, the smallest where ``noise_varies``."""
        raise NotImplementedError

    def known_noise(self, timestamps: int) -> tuple[Ints, float] | None:
        """The timestamp whose counts each publishes, (T,), and the rate of the discrete Laplace noise of each.

        None where what is published depends on the counts in another way.
        """
        return None

    def loss(self, context: Context = NO_CONTEXT) -> PrivacyLoss:
        """ε of an event, at whichever timestamp."""
        return PrivacyLoss("event", float(self.epsilon))

    def guarantee(self, context: Context = NO_CONTEXT) -> Guarantee:
        promised = self.promised(context, self.sentence.format(**self.numbers()))
        unit = f"events of {self.window:,} successive timestamps"
        return Guarantee(
            self.level,
            unit,
            self.neighbours,
            None if self.unsound else float(self.epsilon),
            None,
            f"There is no guarantee: {self.unsound}." if self.unsound else promised,
            self.assumptions,
            self.caveats,
            context.uncovered,
        )

    def level_text(self) -> str:
        return f"epsilon {shortest(self.epsilon)} in any {self.window:,} timestamps, sensitivity {self.sensitivity}"

    def label_fields(self, context: Context) -> dict[str, Any]:
        counted = {} if context.counted is None else {"counted": context.counted.as_dict()}
        return {"window": self.window, "sensitivity": self.sensitivity, **counted}


class StreamEstimateMechanism(StreamMechanism):
    """Base of the mechanisms that publish estimates: averages, medians or filtered counts, rounded to 0.001."""

    whole: ClassVar[bool] = False
    grid_text: ClassVar[str] = "counts are estimates, multiples of 0.001"
