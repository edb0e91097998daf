"""Hashes of events: what an event is, how hashes are stored, samples of large uploads, classes, time and memory."""

import hashlib
import io
import time
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.core.progress import listening
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.data.event_hashes import EventHashes, classes, event_hashes, shared
from privacy_engine.errors import DataError
from tests.cases import each
from tests.engine.memory import peak_bytes
from tests.engine.test_event_sketch import KEYS, fresh_of, plain_siphash, walk
from tests.examples import examples


def checkins(one, places=None):
    """The fixes as check-ins with positions, or at ``places`` instead."""
    user = np.zeros(len(one), dtype=np.int64)
    if places is None:
        return CheckIns(user, ["a"], one.time_s, lon=one.lon, lat=one.lat)
    return CheckIns(user, ["a"], one.time_s, place=np.arange(len(one)) % len(places), places=places)


def stream(counts, names, labels, time_s):
    return CountStream(np.array(counts), names, labels, None if time_s is None else np.array(time_s))


class TestEvents:
    def test_are_hashed_by_siphash_of_position_and_milliseconds(self):
        one = Trajectory([10.1234567, -180.0], [-45.7654321, 1.0], [1.5, 2.0])
        messages = [(101_234_567 | (-457_654_321 & 0xFFFF_FFFF) << 32, 1500), (1_800_000_000 | 10_000_000 << 32, 2000)]
        expected = sorted(plain_siphash(list(event), KEYS.exact) for event in messages)
        assert fresh_of(one).exact.tolist() == expected

    @settings(max_examples=examples(50))
    @given(st.integers(0, 2**32), st.integers(1, 3000), st.floats(0, 1))
    def test_are_a_set(self, seed, n, cut):
        one = walk(n, seed)
        at = int(cut * n)
        whole = fresh_of(one)
        parts = fresh_of(one.picked(slice(at, n)), one.first(at), one.picked(slice(at // 2, at)))
        assert whole.to_bytes() == parts.to_bytes()
        assert whole.events == len(whole) == n

    def test_of_check_ins_are_those_of_trajectories_or_without_positions_places_and_times(self):
        one = walk(100)
        assert event_hashes("checkins", checkins(one), KEYS).to_bytes() == fresh_of(one).to_bytes()
        found, again, renamed = (event_hashes("checkins", checkins(one, ["x", y]), KEYS) for y in "yyz")
        assert (found.sort, len(found), len(found.near), len(found.phase)) == ("places", 100, 0, 100)
        assert len(np.intersect1d(found.exact, again.exact)) == 100
        assert len(np.intersect1d(found.exact, renamed.exact)) == 50

    def test_without_times_are_compared_by_position(self):
        one = walk(100)
        untimed = fresh_of(Trajectory(one.lon, one.lat))
        assert (untimed.sort, len(untimed), len(untimed.near), len(untimed.phase)) == ("untimed", 100, 0, 0)
        assert shared(untimed, fresh_of(one)) is None
        mixed = fresh_of(one.first(60), Trajectory(one.lon[60:], one.lat[60:]))
        assert (mixed.sort, len(mixed), int(mixed.timed.sum())) == ("timed", 100, 60)
        assert not mixed.near[~mixed.timed].any()
        found = shared(mixed, untimed)
        assert (len(found.one), dict(found.ways), found.share) == (40, {"same": 40}, 0.4)
        moved = Trajectory(one.lon + 1e-6, one.lat, one.time_s)
        again = shared(mixed, fresh_of(moved.first(60)))
        assert (again.how, len(again.one), len(again.other)) == ("moved", 60, 60)
        empty = fresh_of()
        assert shared(empty, mixed) is shared(mixed, empty) is shared(empty, empty) is None
        assert (len(empty), empty.events, empty.sampled) == (0, 0, False)

    def test_of_counts_are_those_above_0_by_instants_or_labels(self):
        names, labels = ["a", "b"], ["1", "2", "3"]
        one = event_hashes("stream", stream([[1, 0], [2, 0], [2, 5]], names, labels, None), KEYS)
        other = event_hashes("stream", stream([[1, 7], [2, 0], [3, 5]], names, labels, None), KEYS)
        found = shared(one, other)
        assert (one.sort, len(one), len(one.near), len(one.phase)) == ("counts", 4, 0, 0)
        assert (found.how, len(found.one), found.share) == ("same", 3, 0.75)
        timed = (stream([[1], [2]], ["a"], labels, [0.0, 60.0]) for labels in (["0", "1"], ["00:00", "00:01"]))
        assert len({event_hashes("stream", one, KEYS).to_bytes() for one in timed}) == 1

    @each("column", ["exact", "near", "phase"])
    def test_under_another_key_have_nothing_in_common(self, column):
        one, other = fresh_of(walk(1000)), fresh_of(walk(1000), keys=KEYS._replace(**{column: bytes(16)}))
        assert not np.intersect1d(getattr(one, column), getattr(other, column)).size
        for name in {"exact", "near", "phase"} - {column}:
            assert set(getattr(one, name).tolist()) == set(getattr(other, name).tolist())
        with pytest.raises(ValueError, match="16 bytes, got 3"):
            fresh_of(walk(1), keys=KEYS._replace(**{column: b"abc"}))


class TestStored:
    def test_survive_their_bytes_and_a_file(self, tmp_path):
        for hashes in (
            fresh_of(walk(1000)),
            fresh_of(),
            fresh_of(walk(1000), most=100),
            fresh_of(Trajectory([1.0], [2.0])),
            event_hashes("checkins", checkins(walk(9), ["x"]), KEYS),
            event_hashes("stream", stream([[1.0]], ["a"], ["1"], None), KEYS),
        ):
            path, file = tmp_path / "hashes", io.BytesIO()
            hashes.write(file)
            path.write_bytes(file.getvalue())
            for again in (EventHashes.from_bytes(hashes.to_bytes()), EventHashes.read(path)):
                for name in ("exact", "near", "phase"):
                    assert getattr(again, name).tolist() == getattr(hashes, name).tolist()
                assert (again.sort, again.events, again.sampled) == (hashes.sort, hashes.events, hashes.sampled)
                assert again.to_bytes() == file.getvalue()

    def test_other_bytes_are_refused_and_those_of_every_version_are_the_same(self, tmp_path):
        """Installations have stored them: a change of cells, hashes or layout needs a new MAGIC and new hashes."""
        stored, path = fresh_of(walk(1000)).to_bytes(), tmp_path / "hashes"
        expected = "77558ef486e04188759ee927c0930e870fa2fdd650c82b1b6f303b2337f32e44"
        assert (len(stored), hashlib.sha256(stored).hexdigest()) == (24 * 1000 + 40, expected)
        for data in (b"", b"CAIRNEH1", b"x" * 64, stored[:-1]):
            path.write_bytes(data)
            for read, source in ((EventHashes.from_bytes, data), (EventHashes.read, path)):
                with pytest.raises(DataError, match="must be whole"):
                    read(source)


class TestSamples:
    @each("held", [10**7, 1000])
    def test_are_the_smallest_hashes_in_whatever_order_events_come(self, held, monkeypatch):
        one = walk(400_000)
        whole = fresh_of(one)
        monkeypatch.setattr("privacy_engine.data.event_hashes.fresh.FEW", held)  # more are sorted in files
        assert fresh_of(one).to_bytes() == whole.to_bytes()
        for parts in ([one], [one.picked(slice(150_000, None)), one.first(200_000), one.first(150_000)]):
            found = fresh_of(*parts, most=1000)
            for name in ("exact", "near", "phase", "what", "ms"):
                assert getattr(found, name).tolist() == getattr(whole, name)[:1000].tolist()
            assert found.sampled
            assert abs(found.events - 400_000) < 5 * 400_000 / 1000**0.5, "5 standard deviations"
        few = walk(1000)
        assert [fresh_of(few, few, most=most).sampled for most in (1000, 999)] == [False, True]

    @each(("most_one", "most_other"), [(2000, 10**7), (10**7, 2000), (2000, 3000)])
    def test_estimate_what_is_shared_and_find_copies(self, most_one, most_other):
        """At least 500 of the smaller upload's events are compared: 5 standard deviations are 0.12 at most."""
        one, rest = walk(40_000), walk(10_000, 1)
        fresh = fresh_of(one, most=most_one)
        half = shared(fresh, fresh_of(one.first(10_000), rest, most=most_other))
        assert half.share == pytest.approx(0.5, abs=0.12)
        assert dict(half.ways) == {"same": len(half.one)}
        moved = Trajectory(one.lon.round(3), one.lat.round(3), one.time_s)
        for how, copy in (("zone", Trajectory(one.lon, one.lat, one.time_s + 3600)), ("moved", moved)):
            found = shared(fresh, fresh_of(copy, most=most_other))
            assert (found.how, found.share) == (how, pytest.approx(1, abs=0.15))


class TestLargeUploads:
    """Beyond 8,192 events at hand a sample decides first whether an upload can be a copy."""

    @each("how", ["moved", "zone"])
    @each("part", [1, 60, 1000, 60_000])
    def test_a_copied_part_is_found_whatever_its_size(self, how, part):
        one = walk(60_000)
        copy = Trajectory(one.lon.round(3), one.lat.round(3), one.time_s)
        if how == "zone":
            copy = Trajectory(one.lon, one.lat, one.time_s - 4.5 * 3600)
        sides = fresh_of(one), fresh_of(copy.first(part))
        for at_hand in (sides, sides[::-1]):
            found = shared(*at_hand)
            assert (found.how, found.share, len(found.one), len(found.other)) == (how, 1.0, part, part)

    @each("share", [0.45, 0.55])
    def test_a_copy_begins_at_half(self, share):
        one, rest = walk(60_000), walk(60_000, 1)
        part = int(share * 30_000)
        copy = Trajectory(one.lon.round(3), one.lat.round(3), one.time_s).first(part)
        found = shared(fresh_of(one), fresh_of(copy, rest.first(30_000 - part)))
        assert (found is not None) == (share > 0.5)
        assert found is None or found.share == pytest.approx(share)

    def test_overlapping_uploads_share_what_they_have_in_common_and_no_neighbours(self):
        """As two quarterly exports do; the events beside a shared one are less than a minute away."""
        rng = np.random.default_rng(0)
        lon = 10 + np.cumsum(rng.normal(0, 1e-5, 90_000))
        one = Trajectory(lon, np.full(90_000, 45.0), 1.7e9 + np.arange(90_000) * 10.0)
        found = shared(fresh_of(one.first(60_000)), fresh_of(one.picked(slice(40_000, None))))
        assert (found.share, len(found.one)) == (0.4, 20_000)

    def test_visits_to_the_same_places_are_no_copies(self):
        """Many phases are equal, and hardly any shift explains them: of 2,000 places in two months nothing is shared.

        Of 100 places in one month nearly every event has another one at its place some quarters of an hour away.
        """
        rng = np.random.default_rng(0)

        def month(places, first=0):
            at = places[rng.integers(0, len(places), 50_000)]
            times = np.sort(1.7e9 // 60 * 60 + (first + rng.integers(0, 43_200, 50_000)) * 60)
            return fresh_of(Trajectory(at[:, 0], at[:, 1], times))

        town, few = rng.uniform(0, 0.1, (2000, 2)), rng.uniform(0, 1, (100, 2))
        assert shared(month(town), month(town, 43_200)) is None
        found = shared(month(few), month(few))
        assert list(found.ways) == ["same"]
        assert found.share < 0.02


class TestClasses:
    @settings(max_examples=examples(500))
    @given(st.integers(0, 60), st.lists(st.sets(st.integers(0, 59)), max_size=8), st.integers(1, 300))
    def test_are_those_of_sets(self, n, held, most):
        """Where some are joined each event's set is part of that of a class, and counts still add up."""
        by_upload = {7 * i: {event for event in events if event < n} for i, events in enumerate(held)}
        plain = Counter(frozenset(i for i, its in by_upload.items() if event in its) for event in range(n))
        found = classes(n, {i: np.array(sorted(its), dtype=np.uint32) for i, its in by_upload.items()}, most)
        assert sum(count for _, count in found) == n
        assert len({one for one, _ in found}) == len(found) <= most
        if found.joined:
            assert len(plain) > most
            assert all(any(one <= its for its, _ in found) for one in plain)
        else:
            assert dict(found) == plain

    def test_of_many_uploads_are_joined_into_an_upper_bound(self):
        """What any event spent, with a random charge for each upload, is at most the class's."""
        rng = np.random.default_rng(0)
        n, uploads = 5_000, 40
        masks = rng.random((uploads, n)) < 0.5
        found = classes(n, {i: np.flatnonzero(mask) for i, mask in enumerate(masks)}, 500)
        charges = rng.integers(1, 10, uploads)
        spent = np.sort(charges @ masks)
        bound = np.sort(np.repeat([sum(charges[i] for i in one) for one, _ in found], [count for _, count in found]))
        assert found.joined
        assert len(found) <= 500
        assert (bound >= spent).all()


def test_a_million_events_report_and_take_flat_memory():
    one, reports = walk(1_000_000), []
    fresh_of(one.first(10))
    tracemalloc.start()
    with listening(lambda: reports.append(time.monotonic())):
        found = fresh_of(one)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held <= 41e6, "hashes, words and times, 40 bytes an event"
    assert peak <= held + 20e6
    assert len(reports) > 40
    assert peak_bytes(lambda: shared(found, EventHashes.from_bytes(found.to_bytes()))) <= 110e6
