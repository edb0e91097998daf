"""One event for every beat of a clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privacy_engine.cleaning.base import MOST_EVENTS, CleaningStep, Reads, cleaning_steps, made_of
from privacy_engine.core import geo
from privacy_engine.core.arrays import PIECE, Floats
from privacy_engine.core.params import BeatS, Param
from privacy_engine.core.progress import advance, blocks, reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import column, leaving, piecewise
from privacy_engine.data.trajectories import Trajectories

Between = Literal["straight", "last"]
Index = NDArray[np.intp]
NEAR = "successive uploaded records are less than 10,000 km apart"


@cleaning_steps.register
class Resample(CleaningStep):
    """Events at whole multiples of the interval (UTC), from the first to the last time of each series.

    Between two records a position lies on the great circle through both, or is the last one known. A mark of the file
    goes with the nearer record. The number of events then follows from the times alone.

    One record decides every event between the record before it and the record after it (``straight``), or every event
    until the next record (``last``): :meth:`stability` counts them. A record that moves by d moves each of them by at
    most d; for ``straight`` this holds if successive records are less than 10,000 km (a quarter of the globe) apart
    (docs/decisions/0018-stability-of-cleaning.md).
    """

    title: ClassVar[str] = "Resample"
    summary: ClassVar[str] = "One event per interval, interpolated between the records."
    reads: ClassVar[Reads] = "times"
    needs_time: ClassVar[bool] = True

    name: Literal["resample"] = "resample"
    every_s: BeatS
    between: Annotated[
        Between,
        Param(
            label="Between two records",
            help="The position of an event between two records.",
            options=(("straight", "on the straight way"), ("last", "at the last record")),
        ),
    ] = "straight"

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        total = sum(len(self._beats(track)) for track in series)
        if total > MOST_EVENTS:
            rule = f"at most {MOST_EVENTS:,} events"
            raise self._refuse(rule, f"would make {total:,} events; {rule} can be kept. Take a longer interval")
        return made_of(series, self._resampled), f"One event every {self.every_s:g} s.", []

    def _resampled(self, some: Trajectories) -> Trajectories:
        sizes = np.array([len(self._beats(track)) for track in some], dtype=np.int64)
        held, many = np.flatnonzero(sizes), int(sizes.sum())
        columns = {name: column(values.dtype, many) for name, values in some.columns.items()}
        for track in some:
            for when in self._instants(track):
                for name, values in self._at(track, when).items():
                    columns[name].add(values)
        return some.of_series(held, sizes[held], {name: values.taken() for name, values in columns.items()})

    @property
    def conditions(self) -> tuple[str, ...]:
        """On the way between two records none but that they are near enough; at the last record none."""
        return (NEAR,) if self.between == "straight" else ()

    def stability(self, series_before: Sequence[Trajectory]) -> int:
        """Return the most events that one record decides, both ends of each interval between two records included."""
        return max((self._decided(track) for track in reported(series_before)), default=1)

    def _decided(self, track: Trajectory) -> int:
        counts = piecewise(np.zeros_like, track.lon, dtype=np.int64)
        for when in leaving([counts], self._instants(track)):
            before, after, share = self._between(track, when)
            np.add.at(counts, before, 1)
            np.add.at(counts, after[(share > 0) & (self.between == "straight")], 1)
        return max([1, *(int(counts[part].max()) for part in leaving([counts], blocks(len(counts))))])

    def _beats(self, track: Trajectory) -> range:
        if track.time_s is None or not len(track):
            return range(0)
        return range(int(np.ceil(track.time_s[0] / self.every_s)), int(np.floor(track.time_s[-1] / self.every_s)) + 1)

    def _instants(self, track: Trajectory) -> Iterator[Floats]:
        """The instants in pieces, of which each is between few records."""
        assert track.time_s is not None
        beats = self._beats(track)
        for part in leaving(track, blocks(len(beats), min(PIECE * len(beats) // max(len(track), 1) + 1, PIECE))):
            when = (np.arange(part.start, part.stop) + beats.start) * self.every_s
            yield np.asarray(np.clip(when, track.time_s[0], track.time_s[-1]))  # may round past the end by an ulp

    @staticmethod
    def _between(track: Trajectory, when: Floats) -> tuple[Index, Index, Floats]:
        """The last record at or before each instant, the record after it, and the share of the way between them."""
        assert track.time_s is not None
        advance()
        before = np.searchsorted(track.time_s, when, side="right") - 1
        after = np.minimum(before + 1, len(track) - 1)
        span = track.time_s[after] - track.time_s[before]
        return before, after, np.divide(when - track.time_s[before], span, out=np.zeros(len(when)), where=span > 0)

    def _at(self, track: Trajectory, when: Floats) -> dict[str, NDArray[Any]]:
        before, after, share = self._between(track, when)
        lon, lat = track.lon[before], track.lat[before]
        if self.between == "straight":
            lon, lat = _on_the_way(track, before, after, share)
        marked = {} if track.marked is None else {"marked": track.marked[np.where(share <= 0.5, before, after)]}
        return {"lon": lon, "lat": lat, "time_s": when, **marked}


def _on_the_way(track: Trajectory, before: np.ndarray, after: np.ndarray, share: Floats) -> tuple[Floats, Floats]:
    """Positions a ``share`` of the way along the great circle; records themselves to the last bit."""
    advance()
    new = np.diff(before, prepend=-1) > 0
    of, records = np.cumsum(new) - 1, (before[new], after[new])  # those of several instants are computed once
    a, b = (np.column_stack(geo.unit_vectors(track.lon[at], track.lat[at]))[of] for at in records)
    advance()
    angle = 2 * np.arcsin(np.clip(np.linalg.norm(b - a, axis=1) / 2, 0, 1))
    sine = np.sin(angle)
    small = sine < 1e-9  # nearer than some centimetres: the chord is the arc (or antipodes: any way will do)
    weight_a = np.where(small, 1 - share, np.sin((1 - share) * angle) / np.where(small, 1, sine))
    weight_b = np.where(small, share, np.sin(share * angle) / np.where(small, 1, sine))
    advance()
    x, y, z = (weight_a[:, None] * a + weight_b[:, None] * b).T
    exact = share == 0
    lon = np.where(exact, track.lon[before], np.degrees(np.arctan2(y, x)))
    lat = np.where(exact, track.lat[before], np.degrees(np.arctan2(z, np.hypot(x, y))))
    return lon, lat
