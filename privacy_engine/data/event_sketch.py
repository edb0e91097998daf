"""Sketches of the events of an upload: small keyed samples that show whether two uploads share most of their events.

A sketch holds the :data:`SIZE` smallest values of a keyed hash over the *set* of events: a bottom-k sample (Cohen and
Kaplan, "Summarizing data using bottom-k sketches", PODC 2007), so the order, the division into series and repeated
events do not matter. The hash is SipHash-2-4 (Aumasson and Bernstein, INDOCRYPT 2012) with a secret key of 128 bits:
without the key a sketch reveals nothing but how many values two sketches have in common. An event is its position on
the grid of 1e-7 degrees and its time in milliseconds, or its position alone where there are no times; a count of a
stream is its timestamp, its stream's name and its value; a check-in is its place or position, and its time.

Below the smaller of two thresholds both samples are complete, so the share of the smaller sample's values that the
other has estimates the *containment*: which part of the smaller upload lies in the larger. A part of an upload, or an
upload with more data in it, is recognised as a whole copy is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from privacy_engine.core.progress import reported
from privacy_engine.data.event_words import Hashes, instants, position_words, siphash24, text_words
from privacy_engine.data.trajectories import in_pieces
from privacy_engine.data.types import CheckIns, CountStream, Trajectory

SIZE = 4096
"""The most hashes a sketch holds (32 kB); uploads of at most so many distinct events are compared exactly."""
LEAST_SAMPLED = 8
"""Fewer comparable hashes than this decide nothing, unless both sketches hold all events."""
MOST = 0.5
"""Uploads are taken to be of the same data from this share of the smaller upload's events on."""

_BLOCK = 1 << 15  # events hashed at a time, which stay in the cache
_LARGEST = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@dataclass(frozen=True, eq=False)
class EventSketch:
    """The smallest distinct hashes of the events, sorted; all of them if they are fewer than :data:`SIZE`."""

    hashes: Hashes

    @property
    def complete(self) -> bool:
        """True if it holds a hash of every event."""
        return len(self.hashes) < SIZE

    @property
    def threshold(self) -> np.uint64:
        """Every event with a hash up to this is in the sketch."""
        return _LARGEST if self.complete else np.uint64(self.hashes[-1])

    def to_bytes(self) -> bytes:
        """Return the hashes as little-endian 64-bit words."""
        return self.hashes.astype("<u8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> EventSketch:
        """Return the sketch of :meth:`to_bytes`."""
        return cls(np.frombuffer(data, dtype="<u8").astype(np.uint64))

    @classmethod
    def joined(cls, parts: Sequence[EventSketch]) -> EventSketch:
        """Return the sketch of the events of all ``parts``, which have the same key and sort of event."""
        return cls(np.unique(np.concatenate([part.hashes for part in parts]))[:SIZE])


@dataclass(frozen=True)
class Overlap:
    """How much of the smaller of two uploads the other contains: ``share`` estimated from ``sampled`` of its events."""

    share: float
    sampled: int
    exact: bool

    @property
    def most(self) -> bool:
        """True if the smaller upload shares at least :data:`MOST` of its events, as far as can be known."""
        return self.share >= MOST and (self.exact or self.sampled >= LEAST_SAMPLED)


def sketch_of(series: Sequence[Trajectory], key: bytes, *, timed: bool) -> EventSketch:
    """Return the sketch of all events of ``series`` under the 16 bytes of ``key``.

    With ``timed`` an event is a position and a time, which every series must have; else its position alone. Memory
    beyond the data is constant: blocks of events are hashed and merged into the sample in turn.
    """
    return _sketch(_words(series, timed), key)


def stream_sketch(stream: CountStream, key: bytes) -> EventSketch:
    """Return the sketch of the counts above 0 of a stream: zeros are alike in every stream of the same layout."""
    return _sketch(_count_words(stream, key), key)


def checkin_sketch(checkins: CheckIns, key: bytes, *, timed: bool) -> EventSketch:
    """Return the sketch of check-ins: places (positions where there are no places), and times with ``timed``."""
    return _sketch(_checkin_words(checkins, key, timed), key)


def _sketch(events: Iterable[Sequence[Hashes]], key: bytes) -> EventSketch:
    smallest: Hashes = np.empty(0, dtype=np.uint64)
    for words in reported(events):
        hashes = siphash24(words, key)
        if len(smallest) == SIZE:
            hashes = hashes[hashes < smallest[-1]]
        if len(hashes):
            smallest = np.unique(np.concatenate((smallest, hashes)))[:SIZE]
    return EventSketch(smallest)


def overlap(first: EventSketch, second: EventSketch) -> Overlap:
    """How much of the smaller upload the other contains; both sketches have the same key and sort of event.

    Where the events are sampled, ``sampled`` of the smaller upload's were compared, a uniform sample without
    replacement. Two uploads of a and b distinct events that share none have a hash in common with probability at most
    a·b/2**64, for SipHash behaving as a random function.
    """
    threshold = min(first.threshold, second.threshold)
    a, b = (sketch.hashes[sketch.hashes <= threshold] for sketch in (first, second))
    sampled = min(len(a), len(b))
    common = len(np.intersect1d(a, b, assume_unique=True))
    return Overlap(common / sampled if sampled else 0.0, sampled, first.complete and second.complete)


def _words(series: Sequence[Trajectory], timed: bool) -> Iterator[list[Hashes]]:
    """The events as messages of 1 or 2 words, block by block."""
    for piece in in_pieces(series, _BLOCK):
        words = [position_words(piece.lon, piece.lat)]
        if timed:
            assert piece.time_s is not None
            words.append(instants(piece.time_s).view(np.uint64))
        yield words


def _count_words(stream: CountStream, key: bytes) -> Iterator[list[Hashes]]:
    """The counts above 0 as messages of three words, timestamp by timestamp in blocks."""
    names = text_words(stream.names, key)
    labels = text_words(stream.labels, key) if stream.time_s is None else instants(stream.time_s).view(np.uint64)
    rows = max(_BLOCK // max(len(stream.names), 1), 1)
    for start in range(0, len(stream), rows):
        counts = stream.counts[start : start + rows]
        at, which = np.nonzero(counts)
        if len(at):
            yield [labels[start + at], names[which], counts[at, which].view(np.uint64)]


def _checkin_words(checkins: CheckIns, key: bytes, timed: bool) -> Iterator[list[Hashes]]:
    places = text_words(checkins.places, key) if checkins.place is not None else None
    for start in range(0, len(checkins), _BLOCK):
        part = slice(start, start + _BLOCK)
        if places is not None and checkins.place is not None:
            words = [places[checkins.place[part]]]
        else:
            assert checkins.lon is not None
            assert checkins.lat is not None
            words = [position_words(checkins.lon[part], checkins.lat[part])]
        if timed:
            words.append(instants(checkins.time_s[part]).view(np.uint64))
        yield words
