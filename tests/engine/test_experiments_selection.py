"""What an experiment is tried on is in its spec: run, exported and run again it gives the same bits."""

import io
import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import people
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments import AS_THEY_ARE, FILES, ExperimentSpec, SeriesSelection, presets, run
from privacy_engine.experiments.synthetic_series import taxi
from tests.cases import each, refusal

NAMES = [cls.registered_name() for cls in presets.of("trajectory")]


def days(series, *sizes, person=""):
    """A series cut into several of these sizes, the last with the rest."""
    ends = np.cumsum([0, *sizes, len(series) - sum(sizes)])
    found = [series.picked(slice(start, end)) for start, end in pairwise(ends)]
    return [Trajectory(one.lon, one.lat, one.time_s, f"day {i}", person=person) for i, one in enumerate(found)]


def dataset(kind):
    whole, other = (taxi(np.random.default_rng(seed), n) for seed, n in ((5, 30), (6, 21)))
    return {
        "generated": [],
        "one series": [whole],
        "several series": days(whole, 7, 11),
        "two people": [*days(whole, 9, person="a"), *days(other, 8, person="b")],
    }[kind]


def described(name):
    """A preset, small."""
    fields = presets[name].model_fields
    marks = {"marks": "stay-points"} if "marks" in fields else {}
    return presets.parse({"name": name, "repetitions": 2, "events": 20, "seed": 3} | marks)


def bits(spec, series):
    out = io.BytesIO()
    FILES["parquet"].write(run(spec, series), spec, out)
    return out.getvalue()


def exported(spec):
    out = io.BytesIO()
    FILES["json"].write(None, spec, out)
    return ExperimentSpec.parse(json.loads(out.getvalue()))


class TestRunExportRunAgain:
    @each("kind", ["generated", "one series", "several series", "two people"])
    @each("name", NAMES)
    def test_every_preset_gives_the_same_bits(self, name, kind):
        """By the spec alone: the preset's own choice of series is in what is exported."""
        spec, given = described(name).spec(), dataset(kind)
        assert bits(exported(spec), given) == bits(spec, described(name).data(given))

    def test_joined_and_not_joined_are_different_experiments(self):
        spec = described("error-tdrive").spec()
        given = dataset("several series")
        assert spec.series == SeriesSelection.model_validate(spec.series)
        assert bits(spec, given) != bits(spec.on(AS_THEY_ARE), given)


class TestSelection:
    @given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.sampled_from(["none", "person"]), st.data())
    def test_lengths_are_those_of_the_series_and_choosing_twice_is_choosing_once(self, sizes, join, data):
        owners = data.draw(st.lists(st.sampled_from(["", "a", "b"]), min_size=len(sizes), max_size=len(sizes)))
        starts = data.draw(st.permutations(range(len(sizes))))
        given = [
            Trajectory(np.linspace(8, 9, n), np.full(n, 47.0), np.arange(n) + 100.0 * start, person=owner)
            for n, start, owner in zip(sizes, starts, owners, strict=True)
        ]
        chosen = SeriesSelection(join=join, first_events=data.draw(st.none() | st.integers(1, 20)))
        found = chosen.of(given)
        assert list(map(len, found)) == chosen.lengths(sizes, [len(one) for one in people.people(given)])
        again = chosen.of(found)
        assert all(np.array_equal(a.lon, b.lon) and a.person == b.person for a, b in zip(found, again, strict=True))
        if join == "person":
            assert len({one.person for one in found}) == len(found)
            assert all(one.time_s is not None and (np.diff(one.time_s) >= 0).all() for one in found)

    def test_a_generated_series_is_the_one_of_its_description(self):
        for name in NAMES:
            preset = described(name)
            [one] = preset.data()
            assert preset.selection().lengths([], []) == [len(one)]
        long = SeriesSelection.model_validate({"generated": {"like": "walk", "events": 1_000_000}})
        assert long.lengths([], []) == [len(long.of([])[0])]  # the walk ends at some time
        with pytest.raises(ParameterError, match="dataset is required"):
            AS_THEY_ARE.of([])


class TestOldSpecs:
    OLD = {
        "base": {"landmarks": {"name": "synthetic", "share": 0.5, "seed": 1}},
        "grid": {},
        "repetitions": 2,
        "seed": 1,
        "metrics": ["temporal-distance"],
    }

    def test_mean_the_series_as_they_are_and_keep_their_digest(self):
        old = ExperimentSpec.parse(self.OLD)
        assert "series" not in old.model_dump()
        assert "series" not in old.model_dump_json()
        assert old.digest == "4ef63ed34b1d24ff972e814a8ba4f06aca598b87ef17d2c85b142b8a99eb8f81"
        given = dataset("several series")
        same = run(old.on(AS_THEY_ARE), given)
        assert run(old, given).equals(same)

    def test_what_is_no_selection_is_named(self):
        for series, field in (
            ({"join": "all"}, "series.join"),
            ({"first_events": 0}, "series.first_events"),
            ({"first_events": "0,5"}, "series.first_events"),
            ({"generated": {"like": "taxi"}}, "series.generated.events"),
            ({"generated": {"like": "bus", "events": 5}}, "series.generated.like"),
            ({"joined": True}, "series.joined"),
        ):
            caught = refusal(ParameterErrors, ExperimentSpec.parse, self.OLD | {"series": series})
            assert [one.field for one in caught.errors] == [field]
