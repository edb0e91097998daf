"""Experiments on count streams and check-ins: the same bits however they are run, and errors that are known exactly."""

import hashlib
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import experiments, noise
from privacy_engine.data import CheckIns, CountStream
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments import Block, ExperimentSpec, cell_seconds, dataset_digest, generators, run, run_block
from privacy_engine.experiments.release_trials import COUNTS_AT_ONCE, ReleaseTrials
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.metrics import metrics
from tests.cases import each, refusal
from tests.engine.mechanism_examples import needed
from tests.examples import examples

KINDS = ("stream", "checkins")
STREAM = CountStream(np.arange(60.0).reshape(20, 3), ["a", "b", "c"], [str(t) for t in range(20)])
CHECKINS = experiments.CityCheckIns(users=20, per_user=5, seed=4).data()
DATA = {"stream": STREAM, "checkins": CHECKINS}
UNIFORM = {"mechanism": {"name": "stream-uniform", "epsilon": 1.0, "window": 4, "sensitivity": 1}}
BOX = {"west": 8.40, "south": 47.30, "east": 8.68, "north": 47.46, "side": 4}
POPULARITY = {"mechanism": {"name": "checkin-popularity", "epsilon": 1.0, "contributions": 3, **BOX}}
RELEASE = {"stream": UNIFORM, "checkins": POPULARITY}
GENERATED = {
    "stream": {"name": "poisson-stream", "timestamps": 10, "dimensions": 2, "mean": 3.0},
    "checkins": {"name": "city-checkins", "users": 30, "per_user": 6},
}
LEVELS = [(1.0, 4, 1), (3.0, 2, 2), (0.3, 20, 1)]


every_kind = each("kind", KINDS)


def every_measure(kind):
    """By name, or with the examples of parameters that are required."""
    found = []
    for cls in experiments.measures.of(kind):
        given = needed(cls)
        found.append({"name": cls.registered_name(), **given} if given else cls.registered_name())
    return found


def plain(cell):
    """Which of the measures of a cell are described by a name alone."""
    return [isinstance(one.plain, str) for one in cell.metrics]


def spec(kind, **changes):
    described = {"base": {"release": RELEASE[kind]}, "repetitions": 5, "seed": 3, "metrics": every_measure(kind)}
    return ExperimentSpec.parse({"kind": kind} | described | changes)


def refused(**changes):
    described = {"kind": "stream", "base": {"release": UNIFORM}, "repetitions": 5, "seed": 3}
    wrong = refusal(ParameterErrors, ExperimentSpec.parse, described | {"metrics": every_measure("stream")} | changes)
    return "; ".join(error.message for error in wrong.errors)


def own_data(name, **about):
    return {"base": {"release": UNIFORM, "data": {"name": name, **about}}}


@every_kind
class TestEveryRun:
    @settings(max_examples=examples(8))
    @given(first=st.integers(0, 30), count=st.integers(1, 40), own=st.booleans())
    def test_any_cut_gives_the_same_bits(self, kind, first, count, own):
        base = {"release": RELEASE[kind]} | ({"data": GENERATED[kind]} if own else {})
        (cell,) = spec(kind, base=base).cells()
        whole = run_block(Block(cell, 0, first + count), DATA[kind])
        part = run_block(Block(cell, first, count), DATA[kind])
        assert part.tobytes() == np.ascontiguousarray(whole[:, first:]).tobytes()
        assert np.isnan(whole[0]).all()  # no landmarks, so no share of them
        assert np.isfinite(whole[1:][plain(cell)]).all()

    @pytest.mark.slow
    def test_processes_and_interruption_change_no_bit(self, kind, tmp_path):
        one = spec(kind, grid={"release.mechanism.epsilon": [0.5, 1.0, 2.0]}, repetitions=40)
        table, store, computed = run(one, DATA[kind]), experiments.FolderStore(tmp_path), []
        assert run(one, DATA[kind], size=7, workers=2).equals(table)

        def stop(done, blocks):
            if done == 4:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            run(one, DATA[kind], store, size=7, watch=stop)
        again = run(one, DATA[kind], store, size=7, watch=lambda done, blocks: computed.append(done))
        assert again.equals(table)
        assert computed[0] == 5

    def test_measures_what_the_data_type_measures(self, kind):
        (cell,) = spec(kind).cells()
        trials, values = ReleaseTrials(cell, DATA[kind], range(3)), run_block(Block(cell, 0, 3), DATA[kind])
        if kind == "stream":
            by_hand = [datatypes[kind].measure(one.truth, one.release) for one in trials.each()]
            names = [one for one in every_measure(kind) if isinstance(one, str)]
            assert values[1:][plain(cell)].T.tolist() == [[one[name] for name in names] for one in by_hand]
        else:
            assert all(not set(one.fitted.user) & set(one.others.user) for one in trials.each())
        for measure, row in zip(cell.metrics, values[1:], strict=True):
            np.testing.assert_array_equal(measure.values(trials), row)

    def test_generated_data_are_a_function_of_their_description_of_the_size_they_state(self, kind):
        one, same, other = (generators.parse(GENERATED[kind] | {"seed": seed}) for seed in (1, 1, 2))
        digests = [dataset_digest(about.data(), kind) for about in (one, same, other)]
        assert digests[0] == digests[1] != digests[2]
        for cls in generators.of(kind):
            one = cls(name=cls.registered_name())
            stated, found = one.sizes(), experiments.cells[kind].sizes_of(one.data())
            assert found == (stated if kind == "stream" else [pytest.approx(stated[0], rel=0.1)])
            assert one.describe().startswith(cls.title)

    def test_data_are_given_exactly_where_cells_take_them(self, kind):
        with pytest.raises(ParameterError, match="dataset is required by cells without data"):
            run(spec(kind), None)
        own = spec(kind, base={"release": RELEASE[kind], "data": GENERATED[kind]})
        with pytest.raises(ParameterError, match="dataset must be left out where every cell generates its data"):
            run(own, DATA[kind])
        both = spec(kind, grid={"data": [None, GENERATED[kind]]})
        assert run(both, DATA[kind]).num_rows == 2 * len(every_measure(kind))

    def test_a_cell_survives_json_and_a_process_and_more_work_takes_longer(self, kind):
        one = spec(kind, base={"release": RELEASE[kind], "data": GENERATED[kind]})
        again = ExperimentSpec.parse(json.loads(one.model_dump_json()))
        assert (again, again.digest) == (one, one.digest)
        (cell,) = one.cells()
        assert pickle.loads(pickle.dumps(cell)).digest == cell.digest == again.cells()[0].digest
        (cell,) = spec(kind).cells()
        small, large = [20, 3] if kind == "stream" else [100], [2000, 300] if kind == "stream" else [1_000_000]
        assert 0 < cell_seconds(cell, small, 10) < cell_seconds(cell, large, 10)
        assert cell_seconds(cell, small, 10) < cell_seconds(cell, small, 100)
        if kind == "stream":
            assert cell.batch(small) > 1 == cell.batch([COUNTS_AT_ONCE, 2])
        else:  # a batch of models that are fitted to the same users
            metrics = ["range-count-error", "range-share-error", "top-overlap"]
            (cell,) = spec(kind, base={"release": POPULARITY, "test_share": 0.0}, metrics=metrics).cells()
            assert cell.batch(small) > 1

    def test_a_page_can_show_every_measure(self, kind):
        listed = experiments.measures.of(kind).listing()
        assert [one["name"] for one in listed] == [cls.registered_name() for cls in metrics.of(kind)]
        assert len({one["title"] for one in listed}) == len(listed)
        assert all(one["kind"] == kind and one["owner_only"] and one["needs_release"] for one in listed)


@pytest.mark.slow
@each(
    "mechanism",
    [
        *({"name": "stream-uniform", "epsilon": e, "window": w, "sensitivity": d} for e, w, d in LEVELS),
        {"name": "stream-sample", "epsilon": 0.5, "window": 1, "sensitivity": 1},
    ],
)
def test_streams_have_the_mean_error_of_discrete_laplace(mechanism):
    """Uniform everywhere, and Sample where it samples every timestamp; seeded; false alarm 7e-6."""
    one = spec("stream", base={"release": {"mechanism": mechanism}}, repetitions=400)
    rate = mechanisms.parse(mechanism).noise_rate(mechanism["epsilon"] / mechanism["window"])
    expected = noise.discrete_laplace_mean(rate)
    found = {row["metric"]: row["mean"] for row in run(one, STREAM).to_pylist()}
    variance = max(noise.discrete_laplace_sd(rate) ** 2 - expected**2, 1e-12)
    spread = np.sqrt(variance / (400 * STREAM.counts.size))
    assert abs(found["stream-mean-absolute-error"] - expected) < 4.5 * spread


def test_popularity_without_noise_ranks_as_the_truth_does():
    exact = POPULARITY["mechanism"] | {"epsilon": 1e4, "privacy_unit": "record"}
    rows = run(spec("checkins", base={"release": {"mechanism": exact}}), CHECKINS).to_pylist()
    found = {row["metric"]: row["mean"] for row in rows}
    assert (found["top-overlap"], found["range-count-error"]) == (100.0, 0.0)


def test_the_digest_of_data_reads_every_column_and_no_name():
    renamed, more = (CountStream(STREAM.counts + i, ["x", "y", "z"], STREAM.labels) for i in (0, 1))
    assert dataset_digest(renamed, "stream") == dataset_digest(STREAM, "stream") != dataset_digest(more, "stream")
    moved = CheckIns(CHECKINS.user, CHECKINS.users, CHECKINS.time_s + 1, lon=CHECKINS.lon, lat=CHECKINS.lat)
    assert len({dataset_digest(one, "checkins") for one in (CHECKINS, moved, None)}) == 3
    assert dataset_digest(None, "stream") != dataset_digest(None, "checkins") != dataset_digest([])


class TestSpecs:
    def test_of_trajectories_keep_their_digests(self):
        """Digests of specs and cells of every preset from before there were kinds."""
        known = {
            "error-geolife": ("eaa7e9e0bf1dab3e", "7173a8e95212abfb"),
            "error-tdrive": ("e9b3af0314ec51c8", "ab9ff320cce91a22"),
            "temporal-distance": ("53bb4cce8eb73b8c", "be130481bfe3d870"),
            "correlated-loss": ("e0185b0d3cf49f79", "00129179a0906b38"),
            "dummy-selection": ("83ef65df762376b1", "f8bb16ca1a0e919e"),
            "privacy-utility": ("84376c92ea4bfed9", "1d26da87422a7b87"),
        }
        for name, (of_spec, of_cells) in known.items():
            one = experiments.presets.parse({"name": name, "repetitions": 3, "events": 40}).spec()
            cells = hashlib.sha256("".join(cell.digest for cell in one.cells()).encode()).hexdigest()
            assert (one.digest[:16], cells[:16]) == (of_spec, of_cells)
            assert "kind" not in one.model_dump()

    def test_what_does_not_fit_is_named(self):
        for changes, message in (
            ({"kind": "graph"}, "kind must be one of 'trajectory', 'stream', 'checkins'"),
            ({"kind": "checkins"}, "metrics.0 must be one of range-count-error"),
            ({"series": {}}, "series must be left out for the kind stream"),
            ({"base": {}}, "base.release is required for the kind stream"),
            ({"base": {"release": UNIFORM, "landmarks": {"name": "manual", "events": []}}}, "base.landmarks is not"),
            ({"base": {"release": POPULARITY}}, "must be a mechanism for the kind stream, got checkin-popularity"),
            ({"base": {"release": UNIFORM | {"seed": 1}}}, "base.release.seed must be left out"),
            ({"base": {"release": UNIFORM, "kind": "stream"}}, "base.kind belongs to the experiment"),
            (own_data("poisson-stream", mean=0.0), "base.data.mean must be greater than 0"),
            (own_data("poisson-stream", timestamps=100_000, dimensions=21), "base.data.dimensions must be at most 20"),
            (own_data("city-checkins"), "base.data.name must be one of poisson-stream"),
            ({"grid": {"data": [{"name": "poisson-stream", "mean": 0.0}]}}, "grid.data.0.mean must be greater than 0"),
            ({"grid": {"kind": ["stream"]}}, "grid.kind belongs to the experiment"),
            ({"metrics": ["error"]}, "metrics.0 must be one of stream-relative-error"),
        ):
            assert message in refused(**changes)
