"""Every registered attack, and the two that need no chain: home and work, re-identification."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.attacks import HomeWork, Reidentification, SeriesAttack, attacks, hidden_markov, home_work
from privacy_engine.attacks.reidentification import _distinct
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.mechanisms.landmark import EventLevel, Skip, UserLevel
from tests.cases import each
from tests.engine.mechanism_examples import plain_example as example
from tests.engine.mechanism_examples import walk

MONDAY = 1_717_372_800.0  # 2024-06-03 00:00 UTC


def released(truth, radius_m=50.0, seed=1, mechanism=EventLevel):
    marks = LandmarkSet(np.zeros(len(truth), dtype=bool))
    return mechanism(epsilon=1.0, radius_m=radius_m).release(truth, marks, rng=noise.seeded(seed))


@each("cls", list(attacks))
class TestEveryAttack:
    def given_(self, cls, count):
        truths = [walk(30, seed=seed) for seed in range(count)]
        releases = [released(truth, 20.0, seed) for seed, truth in enumerate(truths)]
        return (truths[0], releases[0]) if issubclass(cls, SeriesAttack) else (truths, releases)

    def test_it_leaves_what_it_reads_and_a_page_can_show_it(self, cls):
        truth, release = self.given_(cls, 3)
        read = release if isinstance(release, list) else [release]
        before = [one.series.lon.copy() for one in read]
        one, two = example(cls).run(truth, release), example(cls).run(truth, release)
        assert one.sentence.endswith(".")
        assert one.as_dict() == two.as_dict()
        assert json.loads(json.dumps(one.as_dict(), allow_nan=False))["sentence"] == one.sentence
        assert all((now.series.lon == then).all() for now, then in zip(read, before, strict=True))
        json.dumps({what: place.as_dict() for what, place in one.places.items()}, allow_nan=False)
        assert list(one.places) == (["Home", "Workplace"] if cls is HomeWork else [])
        assert (one.path is not None) == (cls.registered_name() == "localisation")
        assert cls.assumes
        assert all(one.endswith(".") for one in cls.assumes)
        assert cls.population == (not issubclass(cls, SeriesAttack))

    def test_a_progress_callback_changes_nothing(self, cls, monkeypatch):
        monkeypatch.setattr(hidden_markov, "BLOCK_CELLS", 8 * 64**2)
        given_, received = self.given_(cls, 3), []
        watched = example(cls).run(*given_, watch=received.append)
        assert watched.as_dict() == example(cls).run(*given_).as_dict()
        assert received == sorted(set(received))
        assert all(0 <= share < 1 for share in received)
        assert (len(received) >= 3) == (cls is not HomeWork)

    def test_a_release_of_another_series_is_refused(self, cls):
        truth, release = walk(30), released(walk(29), 20.0)
        given_ = (truth, release) if issubclass(cls, SeriesAttack) else ([truth] * 2, [release] * 2)
        with pytest.raises(DataError, match="the release must be of 30 events, got 29"):
            example(cls).run(*given_)


def week(home, work, seed=1):
    """A fix every ten minutes from Monday on for seven days: work from 9 to 17 by the sun, weekends in a park."""
    sun_h = np.arange(7 * 144) / 6
    day, hour = sun_h // 24, sun_h % 24
    park = home[0] + 0.05, home[1] + 0.05
    at_work, out = (day < 5) & (hour >= 9) & (hour < 17), (day >= 5) & (hour >= 10) & (hour < 18)
    lon, lat = (np.where(at_work, work[i], np.where(out, park[i], home[i])) for i in (0, 1))
    jitter = np.random.default_rng(seed).normal(0, 1e-4, (2, len(sun_h)))
    return Trajectory(lon + jitter[0], lat + jitter[1], MONDAY + 3600 * sun_h - 240 * home[0], "week")


class TestHomeWork:
    attack = HomeWork(distance_m=200.0, duration_s=3600.0, within_m=200.0)

    @each("home", [(8.5, 47.3), (-179.99, 10.0), (139.7, 35.7)])
    def test_little_noise_gives_both_away(self, home):
        work = float(geo.wrap_lon(home[0] - 0.03)), home[1] + 0.02
        truth = week(home, work)
        truth = Trajectory(geo.wrap_lon(truth.lon), truth.lat, truth.time_s)
        found = self.attack.run(truth, released(truth, 20.0))
        for place, where in ((found.home, home), (found.work, work)):
            assert geo.distance_m(place.lon, place.lat, *where) < 20
            assert place.within
            apart_m = geo.distance_m(place.lon, place.lat, place.found_lon, place.found_lat)
            assert place.distance_m == pytest.approx(apart_m)
            assert apart_m < 50
        assert found.reach_m == pytest.approx(200 + 5 * np.sqrt(3) * 20)
        assert "found within 200 m" in found.sentence

    @each("lon", [-150.0, -60.0, 0.0, 60.0, 139.7])
    def test_night_is_where_the_sun_is_down(self, lon):
        """Less of the day at the one place than at the other, but all of the night."""
        hour = np.arange(7 * 144) / 6
        night = (hour % 24 < 7) | (hour % 24 >= 21)
        truth = Trajectory(np.where(night, lon, lon + 0.05), np.zeros(len(hour)), MONDAY + 3600 * hour - 240 * lon)
        found = self.attack.run(truth, released(truth, 1.0))
        assert found.home.lon == pytest.approx(lon)
        assert found.work.lon == pytest.approx(lon + 0.05)

    def test_landmarks_are_given_away_where_they_are_skipped_and_hidden_at_user_level(self):
        truth = week((8.5, 47.3), (8.53, 47.32))
        hour = (truth.time_s + 240 * 8.5) / 3600 % 24
        night = LandmarkSet((hour >= 22) | (hour < 6))
        release = Skip(epsilon=1.0, radius_m=20.0).release(truth, night, rng=noise.seeded(1))
        assert self.attack.run(truth, release).home.within
        found = self.attack.run(truth, released(truth, 20.0, mechanism=UserLevel))
        assert not found.home.within
        assert not found.work.within

    def test_who_is_never_seen_by_night_has_no_home(self):
        at = np.arange(7 * 24) + 12.0
        truth = Trajectory(np.zeros(60), np.zeros(60), MONDAY + 36000 + np.arange(60) * 60.0)
        found = self.attack.run(truth, released(truth, 1.0))
        assert not found.home.exists
        assert not found.home.within
        assert found.as_dict()["home"]["lon"] is None
        assert "The original shows no home." in found.sentence
        roams = Trajectory(at * 0.1, np.zeros(len(at)), MONDAY + at * 3600)
        assert not self.attack.run(roams, released(roams, 1.0)).work.exists

    def test_too_many_stays_and_no_times_are_refused(self, monkeypatch):
        truth = week((8.5, 47.3), (8.53, 47.32))
        monkeypatch.setattr(home_work, "MOST_STAYS", 5)
        with pytest.raises(ParameterError, match="duration_s must be so long that there are at most 5 stays"):
            self.attack.run(truth, released(truth, 1.0))
        truth = Trajectory([0.0, 0.1], [0.0, 0.0])
        with pytest.raises(DataError, match="Home and work needs times"):
            self.attack.run(truth, released(truth, 1.0))

    @given(start_h=st.integers(-1000, 10_000_00), lasts_h=st.integers(0, 500))
    def test_hours_of_the_week_against_counting(self, start_h, lasts_h):
        """Hour by hour, through the calendar."""
        start = np.array([start_h * 3600.0])
        hours = np.datetime64("1970-01-01T00") + np.arange(start_h, start_h + lasts_h).astype("timedelta64[h]")
        days = hours.astype("datetime64[D]")
        clock = (hours - days).astype(int)
        by_night, by_day = (clock >= 22) | (clock < 6), (clock >= 10) & (clock < 16) & np.is_busday(days)
        for first, last, weekdays, wanted in ((22, 6, 7, by_night), (10, 16, 5, by_day)):
            upto = home_work._weekly(first, last, weekdays)
            found = home_work._overlap_s(start, start + lasts_h * 3600.0, upto)
            assert found[0] == pytest.approx(3600 * wanted.sum(), abs=1e-3)


def plain_ranks(attack, truths, releases):
    ranks = np.zeros((len(truths), attack.tries), dtype=int)
    for number, truth in enumerate(truths):
        lon, lat, when = attack._known(truth, number)
        for i in range(attack.tries):
            scores = []
            for release in releases:
                total = 0.0
                for x, y, t in zip(lon[i], lat[i], when[i], strict=True):
                    late = [abs(float(u) - t) for u in release.series.time_s]
                    at = late.index(min(late))
                    near = geo.distance_m(x, y, release.series.lon[at], release.series.lat[at])
                    total += float(near) if late[at] <= attack.tolerance_s else np.inf
                scores.append(total)
            ranks[number, i] = sum(score <= scores[number] for score in scores)
    return ranks


class TestReidentification:
    truths = [walk(40, seed=seed) for seed in range(20)]

    def attack(self, **given_):
        return Reidentification(**{"points": 4, "tolerance_s": 3600.0, **given_})

    @each(("points", "tolerance_s", "radius_m"), [(1, 0.0, 50.0), (3, 90.0, 400.0), (5, 1e6, 1e4)])
    def test_against_plain_loops(self, points, tolerance_s, radius_m):
        """Series that begin at other times, so that some are ruled out."""
        truths = [
            Trajectory(one.lon, one.lat, one.time_s * (1 + i / 50) + 300 * i, one.name)
            for i, one in enumerate(self.truths[:6])
        ]
        releases = [released(truth, radius_m, i) for i, truth in enumerate(truths)]
        attack = self.attack(points=points, tolerance_s=tolerance_s, tries=4)
        found = attack.run(truths, releases)
        assert (found.rank == plain_ranks(attack, truths, releases)).all()
        assert found.unique_share == (found.rank == 1).mean()
        assert found.mean_rank == found.rank.mean()

    def test_little_noise_gives_everyone_away_and_much_no_one(self):
        """20 walkers from one place, seeds 0 to 19, and noise of 40 km. Chance is 5 %."""
        little = self.attack().run(self.truths, [released(one, 5.0, i) for i, one in enumerate(self.truths)])
        much = self.attack().run(self.truths, [released(one, 500.0, i, UserLevel) for i, one in enumerate(self.truths)])
        assert little.unique_share > 0.95
        assert much.unique_share < 0.2
        assert much.mean_rank == pytest.approx(10.5, abs=2)
        assert little.chance == much.chance == 0.05
        assert little.sentence.startswith("4 known points single out the right release of 20 in ")
        truths = [Trajectory(one.lon, one.lat) for one in self.truths]
        found = self.attack().run(truths, [released(one, 5.0, i) for i, one in enumerate(truths)])
        assert found.unique_share > 0.95, "without times, event by event"
        truths = [Trajectory(one.lon, one.lat, one.time_s + 1e5 * i) for i, one in enumerate(self.truths)]
        found = self.attack().run(truths, [released(one, 1e6, i) for i, one in enumerate(truths)])
        assert found.unique_share == 1, "whatever the noise: no two are seen at one time"
        found = self.attack().run([self.truths[0]] * 3, [released(self.truths[0], 10.0)] * 3)
        assert (found.rank == 3).all(), "the same release for all"
        releases = [released(one, 300.0, i) for i, one in enumerate(self.truths)]
        shares = [self.attack(points=k, tries=50).run(self.truths, releases).unique_share for k in (1, 4, 16)]
        assert (np.diff(shares) > 0).all(), "more points single out more"

    def test_points_are_distinct_and_every_set_alike(self):
        """Over all values of the uniform draws: each ordered pair of 4 comes once."""
        uniform = np.array(list(itertools.product((np.arange(4) + 0.5) / 4, (np.arange(3) + 0.5) / 3)))
        assert sorted(map(tuple, _distinct(uniform, 4).tolist())) == list(itertools.permutations(range(4), 2))
        uniform = np.random.default_rng(1).random((500, 20))
        chosen = _distinct(uniform, 20)
        assert (np.sort(chosen, axis=1) == np.arange(20)).all()

    def test_refusals(self, monkeypatch):
        two = self.truths[:2]
        releases = [released(one, 5.0) for one in two]
        with pytest.raises(DataError, match=r"at least 2 series and a release of each, got 1"):
            self.attack().run(two[:1], releases[:1])
        with pytest.raises(DataError, match="all series must have times, or none"):
            self.attack().run([two[0], Trajectory(two[1].lon, two[1].lat)], releases)
        short = [walk(3), walk(3)]
        with pytest.raises(DataError, match="every series must have at least 4 events"):
            self.attack().run(short, [released(one, 5.0) for one in short])
        monkeypatch.setattr("privacy_engine.attacks.reidentification.MOST_DISTANCES", 100)
        with pytest.raises(ParameterError, match="tries must be such that at most 100 distances") as caught:
            self.attack().run(two, releases)
        assert (caught.value.field, caught.value.value) == ("tries", 160)
