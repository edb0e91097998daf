"""One battery over everything an experiment measures: its own measures, every metric, every attack's headlines."""

import json
import re
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import experiments
from privacy_engine.attacks import Localisation, PopulationAttack, attacks
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.experiments import Block, measures, run, run_block
from privacy_engine.experiments.measures import AttackMeasure
from privacy_engine.experiments.trials import Trials
from privacy_engine.metrics import Hausdorff, metrics
from tests.cases import each, refusal
from tests.engine.mechanism_examples import needed
from tests.examples import examples

CLASSES = list(measures.of("trajectory"))
RADIUS = {"epsilon": 1.0, "radius_m": 20.0}
EVENT = {"mechanism": {"name": "event-level", **RADIUS}}
ADAPTIVE = {"mechanism": {"name": "landmark-adaptive", **RADIUS}}
JOINT = {"mechanism": {"name": "landmark-joint", **RADIUS, "step_variance_m2": 1e5}}
SMOOTHED = JOINT | {"postprocess": [{"name": "random-walk-smoother"}]}
MONDAY = 1_717_372_800.0  # 2024-06-03 00:00 UTC

every_measure = each("cls", CLASSES)


def example(cls, **changes):
    quick = {name: value for name, value in (("cells", 8), ("queries", 9), ("tries", 3)) if name in cls.model_fields}
    return {"name": cls.registered_name(), **needed(cls), **quick, **changes}


def commuter(seed, days=3):
    """A fix an hour: home by night, work by day, each somewhere within a city."""
    rng = np.random.default_rng(seed)
    places, hour = rng.normal(0, 0.02, (2, 2)), np.arange(24 * days)
    at = places[(hour % 24 >= 9).astype(int) & (hour % 24 <= 17)] + rng.normal(0, 1e-5, (len(hour), 2))
    return Trajectory(0.5 + at[:, 0], 48.9 + at[:, 1], MONDAY + 3600.0 * hour)


SERIES = [commuter(1), commuter(2), commuter(3, days=2)]
EMPTY = Trajectory([], [], [])


def cell(*entries, release=ADAPTIVE, **base):
    landmarks = {"name": "synthetic", "share": 0.4, "seed": 3}
    return experiments.TrajectoryCell.parse(
        {"release": release, "landmarks": landmarks, "redraw": True, "metrics": list(entries), "seed": 7} | base
    )


def spec(*entries, **changes):
    base = {"landmarks": {"name": "manual", "events": [1, 2]}, "release": EVENT}
    return experiments.ExperimentSpec.parse(
        {"base": base, "repetitions": 4, "seed": 1, "metrics": list(entries)} | changes
    )


@lru_cache(maxsize=64)
def whole(name, released, redraw):
    """Six repetitions in one block, and what they are of."""
    one = cell(example(measures[name]), release=RELEASED[released], redraw=redraw)
    return one, run_block(Block(one, 0, 6), SERIES)


RELEASED = {"adaptive": ADAPTIVE, "joint, smoothed": SMOOTHED}


@every_measure
@pytest.mark.parametrize("released", RELEASED)
@settings(max_examples=examples(4))
@given(first=st.integers(0, 5), count=st.integers(1, 6), redraw=st.booleans())
def test_any_cut_gives_the_same_bits(cls, released, first, count, redraw):
    one, values = whole(cls.registered_name(), released, redraw)
    count = min(count, 6 - first)
    part = run_block(Block(one, first, count), SERIES)
    assert part.tobytes() == np.ascontiguousarray(values[:, first : first + count]).tobytes()
    assert np.isfinite(values).any()


@every_measure
def test_it_does_not_depend_on_what_else_is_measured(cls):
    alone = run_block(Block(cell(example(cls)), 0, 2), SERIES)[1]
    others = [one for one in CLASSES if one is not cls][:14]
    beside = run_block(Block(cell(*map(example, others), example(cls)), 0, 2), SERIES)[-1]
    assert alone.tobytes() == beside.tobytes()


@every_measure
def test_an_empty_series_has_no_value_and_one_without_times_has_one_or_states_why_not(cls):
    one = cell(example(cls), redraw=False)
    for data in ([], [EMPTY], [EMPTY] * 2):
        assert np.isnan(run_block(Block(one, 0, 3), data)[1]).all()
    with_empty, without = (run_block(Block(one, 0, 2), data)[1] for data in ([*SERIES, EMPTY], SERIES))
    assert with_empty.tobytes() == without.tobytes()
    bare = [Trajectory(one.lon, one.lat) for one in SERIES]
    if cls.needs_time:
        assert refusal(DataError, run_block, Block(one, 0, 1), bare).field == "time_s"
    else:
        assert np.isfinite(run_block(Block(one, 0, 1), bare)[1]).all()


@every_measure
def test_a_page_can_show_it(cls):
    (listed,) = (one for one in measures.listing() if one["name"] == cls.registered_name())
    assert json.loads(json.dumps(listed, allow_nan=False)) == listed
    assert listed["needs"] == ["time"] * listed["needs_time"]
    assert listed["owner_only"] or not issubclass(cls, AttackMeasure)
    assert bool(listed["assumes"]) == issubclass(cls, AttackMeasure)
    assert listed["fields"] == cls.fields()


class TestTheRegistry:
    def test_has_every_metric_and_every_headline_and_nothing_twice(self):
        names = [cls.registered_name() for cls in measures.of("trajectory")]
        headlines = [one.name for attack in attacks for one in attack.headlines]
        derived = {cls.registered_name() for cls in metrics.of("trajectory")} - {"mean-absolute-error"} | set(headlines)
        assert derived < set(names)
        assert len(set(names)) == len(names) == len({cls.title for cls in measures.of("trajectory")})
        assert len(derived) + 7 == len(names)
        assert "mean-absolute-error" not in measures  # it is "error"
        assert all(attack.headlines for attack in attacks)

    def test_counts_what_two_measures_share_once(self):
        entry, lengths = {"step_variance_m2": 1e5, "cells": 32}, [len(one) for one in SERIES]
        both = [{"name": name, **entry} for name in ("localisation-error", "localisation-factor")]
        one, two = (experiments.cell_seconds(cell(*entries), list(map(len, SERIES)), 9) for entries in (both[:1], both))
        assert one == pytest.approx(two)
        assert one > measures.parse(both[0]).seconds(cell(both[0]), lengths, 9)


class TestSpecs:
    def test_name_a_measure_that_is_as_it_comes(self):
        bare = spec("dynamic-time-warping", "error")
        spelled = spec({"name": "dynamic-time-warping", "band": None}, {"name": "error"})
        assert bare.digest == spelled.digest
        assert bare.model_dump()["metrics"] == ["dynamic-time-warping", "error"]
        full = spec({"name": "localisation-error", "step_variance_m2": 1e5})
        assert full.model_dump()["metrics"][0] == {
            "name": "localisation-error", "step_variance_m2": 1e5, "cells": 64, "tile_m": 5000.0,
        }  # fmt: skip

    def test_refuse_what_is_no_measure(self):
        for entries, field, rule in (
            ([["error"]], "metrics.0", "one of error"),
            ([{"p": 0.5}], "metrics.0", "one of error"),
            (["error", {"name": "mean-absolute-error"}], "metrics.1", "one of error"),
            ([{"name": "error-quantile", "p": 0.5}] * 2, "metrics", "different"),
            (["hausdorff", {"name": "hausdorff"}], "metrics", "different"),
            (["error", "error-quantile"], "metrics.1.p", "required"),
        ):
            refused = refusal(ParameterErrors, spec, *entries)
            assert refused.errors[0].field == field
            assert rule in refused.errors[0].rule

    def test_name_the_entry_whose_work_is_too_much(self):
        entry = {"name": "localisation-error", "step_variance_m2": 1e5, "cells": 128}
        long = Trajectory(np.linspace(0, 0.5, 20_000), np.linspace(0, 0.5, 20_000))
        refused = refusal(ParameterError, run, spec("marked-share", entry), [long])
        assert refused.field == "metrics.1.cells"
        assert refused.message.startswith("metrics.1.cells must be such that events times cells are at most")


class TestAttacks:
    ENTRY = {"name": "localisation-error", "step_variance_m2": 1e5, "cells": 8}

    def values(self, entry, release):
        return run_block(Block(cell(entry, release=release), 0, 2), SERIES)[1]

    def test_localisation_reads_the_draws_and_not_what_smoothing_makes_of_them(self):
        assert self.values(self.ENTRY, SMOOTHED).tobytes() == self.values(self.ENTRY, JOINT).tobytes()
        rough, smooth = (self.values("hausdorff", one) for one in (JOINT, SMOOTHED))
        assert (rough != smooth).all()

    def test_localisation_gets_which_draws_share_their_noise(self):
        one = cell(self.ENTRY, release=JOINT)
        trials, attack, expected = Trials(one, SERIES, range(2)), Localisation(step_variance_m2=1e5, cells=8), []
        for series, marks, draw in zip(SERIES, trials.marked(1), trials.draws(1), strict=True):
            shared = marks.mask & draw.fresh
            assert shared.any()
            expected.append(attack.run(series, draw, shared=shared).error_m[~draw.fresh].mean())
        assert self.values(self.ENTRY, JOINT)[1] == pytest.approx(np.mean(expected), rel=1e-12)

    def test_share_one_run_among_their_headlines(self, monkeypatch):
        runs = []
        really = Localisation.run
        monkeypatch.setattr(Localisation, "run", lambda *a, **kw: runs.append(1) or really(*a, **kw))
        both = [self.ENTRY, self.ENTRY | {"name": "localisation-factor"}]
        run_block(Block(cell(*both), 0, 2), SERIES)
        assert len(runs) == 2 * len(SERIES)
        run_block(Block(cell(*both, both[0] | {"cells": 9}), 0, 2), SERIES)
        assert len(runs) == 6 * len(SERIES)

    def test_on_a_population_need_one_and_homes_that_are_hardly_hidden_are_found(self):
        (cls,) = (one for one in CLASSES if issubclass(one, PopulationAttack))
        assert self.values(example(cls), EVENT).tolist() == [1.0, 1.0]
        with pytest.raises(DataError, match="at least 2 series"):
            run_block(Block(cell(example(cls)), 0, 1), SERIES[:1])
        how = {"distance_m": 200.0, "duration_s": 1800.0, "within_m": 200.0}
        for what in ("home", "work"):
            assert self.values({"name": f"{what}-found", **how}, EVENT).tolist() == [1.0, 1.0]
            assert (self.values({"name": f"{what}-distance", **how}, EVENT) < 60).all()
        one = cell("hausdorff", release=SMOOTHED)
        releases = Trials(one, SERIES, range(3)).releases(2)
        expected = np.mean([Hausdorff().of(*pair) for pair in zip(SERIES, releases, strict=True)])
        assert run_block(Block(one, 2, 1), SERIES)[1, 0] == pytest.approx(expected, rel=1e-12), "a metric is no attack"


class TestTable:
    QUANTILES = [{"name": "error-quantile", "p": p} for p in (0.5, 0.9)]

    def test_distinguishes_parameters_of_one_name(self):
        here = spec("error", *self.QUANTILES, "dynamic-time-warping", {"name": "dynamic-time-warping", "band": 3})
        table = run(here, SERIES)
        place = table.column_names.index("metric")
        assert table.column_names[place : place + 4] == ["metric", "metric.p", "metric.band", "unit"]
        rows = [(row["metric"], row["metric.p"], row["metric.band"]) for row in table.to_pylist()]
        quantiles = [("error-quantile", 0.5, None), ("error-quantile", 0.9, None)]
        warped = [("dynamic-time-warping", None, None), ("dynamic-time-warping", None, 3)]
        assert rows == [("error", None, None), *quantiles, *warped]
        assert table.to_pylist()[1]["mean"] < table.to_pylist()[2]["mean"]
        assert json.loads(table.schema.metadata[b"spec"])["metrics"][1] == self.QUANTILES[0]

    def test_as_latex_has_a_macro_for_each(self):
        here = spec(*self.QUANTILES, "error")
        text = experiments.latex(run(here, SERIES), here)
        assert re.findall(r"}\\(\w+)", text) == ["cairnErrorQuantileA", "cairnErrorQuantileB", "cairnError"]
        assert "% Quantile of the error, share of the events 0.5, m\n" in text
        assert "% Mean absolute error, m\n" in text
