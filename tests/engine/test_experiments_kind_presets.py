"""Presets of count streams and check-ins, and the batches and predicted times of their releases."""

from time import process_time

import pytest

from privacy_engine.data import CountStream
from privacy_engine.errors import ParameterErrors
from privacy_engine.experiments import (
    FILES,
    Block,
    PoissonStream,
    cell_seconds,
    figure,
    generators,
    given_of,
    latex,
    measures,
    predicted_seconds,
    presets,
    run,
    run_block,
)
from privacy_engine.mechanism import mechanisms
from tests.cases import each
from tests.engine.test_experiments_kinds import CHECKINS, KINDS, STREAM, spec

STREAM_MECHANISMS = each("mechanism", [cls.registered_name() for cls in mechanisms.of("stream")])


def stream_cell(mechanism, **changes):
    release = {"mechanism": {"name": mechanism, "epsilon": 1.0, "window": 4}}
    (cell,) = spec("stream", base={"release": release}, **changes).cells()
    return cell


def assert_predicted(cell, data, sizes, repetitions):
    run_block(Block(cell, 0, 1), data)  # kernels are compiled
    start = process_time()
    run_block(Block(cell, 0, repetitions), data)
    seconds = process_time() - start
    assert seconds / 8 < cell_seconds(cell, sizes, repetitions) < 8 * seconds


class TestBatches:
    @STREAM_MECHANISMS
    def test_no_release_is_computed_that_is_not_measured_unless_a_batch_saves_time(self, mechanism, monkeypatch):
        cell, drawn = stream_cell(mechanism), []
        found = cell.release.mechanism.releases
        monkeypatch.setattr(
            type(cell.release.mechanism),
            "releases",
            lambda self, stream, times, *, rng: drawn.append(times) or found(stream, times, rng=rng),
        )
        for first, count in ((0, 2), (2, 3)):
            run_block(Block(cell, first, count), STREAM)
        assert drawn == ([16, 16] if cell.release.mechanism.batched else [1] * 5)

    @pytest.mark.thorough  # it measures time, which CI never does
    @STREAM_MECHANISMS
    @pytest.mark.parametrize(("timestamps", "dimensions"), [(100, 1), (200, 20), (100, 200)])
    def test_the_prediction_has_the_order_of_the_time_it_takes(self, mechanism, timestamps, dimensions):
        about = {"name": "poisson-stream", "timestamps": timestamps, "dimensions": dimensions, "mean": 20.0}
        data, cell = generators.parse(about).data(), stream_cell(mechanism, metrics=["stream-mean-absolute-error"])
        assert_predicted(cell, data, [timestamps, dimensions], 16)


PRESETS = [cls.registered_name() for kind in KINDS for cls in presets.of(kind)]
FEW_COUNTS = {"timestamps": 24, "dimensions": 2}
FEW_USERS = {"users": 30, "per_user": 8, "side": 6}
GIVEN = {"stream": PoissonStream(timestamps=24, dimensions=3, mean=30.0, seed=5).data(), "checkins": CHECKINS}
"""Datasets, of which the stream has jumps and low signals."""
ADAPUB = {"stream-adapub"}
OF_PAPER = {f"stream-{name}" for name in ("bd", "ba", "rescuedp", "pegasus", "adapub", "shrink")}
OF_TREES = {"stream-pegasus", "stream-adapub", "stream-hieradapub"}
TRIED = {
    "stream-thresholds": ADAPUB,
    "stream-partition": ADAPUB,
    "stream-paper-levels": OF_PAPER,
    "stream-paper-windows": OF_PAPER,
    "stream-detection": OF_PAPER,
    "stream-correlation": OF_PAPER,
    "stream-binary-tree": OF_TREES,
    "stream-quad-tree": OF_TREES,
    "stream-dimensions": OF_PAPER | {"stream-hieradapub"},
    "stream-samples": {"stream-fast", "stream-kalman"},
}
"""What the presets of figures try; all others try every mechanism of their kind."""


@pytest.mark.parametrize("preset", PRESETS)
class TestEveryPreset:
    def test_runs_on_what_it_generates_and_on_what_is_given(self, preset, tmp_path):
        small = FEW_COUNTS if presets[preset].kind == "stream" else FEW_USERS
        one = presets.parse({"name": preset, "repetitions": 1, **small})
        table = run(one.spec(), None)
        assert table.num_rows == len(list(one.spec().points())) * len(one.metrics)
        assert table.column("mean").null_count == 0
        assert "marked_share" not in table.column_names
        assert latex(table, one.spec()).count("\\pgfplotstableread") == len(one.metrics)
        assert "nan" not in latex(table, one.spec())
        on_given = one.spec(given_of(one.kind, GIVEN[one.kind]))
        assert on_given.takes_dataset
        assert not one.spec().takes_dataset
        assert run(on_given, GIVEN[one.kind]).column("mean").null_count == 0
        for name, kind in FILES.items():
            with (tmp_path / name).open("wb") as out:
                kind.write(table, one.spec(), out)

    def test_is_described_and_tries_the_mechanisms_of_its_figure_or_all_of_its_kind(self, preset):
        one = presets.parse({"name": preset})
        tried = {cell.release.mechanism.name for cell in one.spec().cells()}
        usual = [cls for cls in mechanisms.of(one.kind) if not getattr(cls, "needs_venues", False)]
        if preset == "recommendation-range":
            usual = [cls for cls in usual if cls.has_masses]
        assert tried == TRIED.get(preset, {cls.registered_name() for cls in usual})
        assert 0 < predicted_seconds(one.spec(), []) < 60
        shown = figure(one.spec())
        assert shown["shares"] is shown["marked"] is False
        (release,) = (axis for axis in shown["axes"] if axis["name"] == "release")
        assert all(value["mechanism"] for value in release["values"])
        along = shown["axes"][shown["along"]]
        assert along["log"] is not (along["name"] == "history")
        assert [one["unit"] for one in shown["measures"]] == [measures.parse(measure).unit for measure in one.metrics]


class TestFirstDimensions:
    """A cell that reads the first dimensions of its data is one of data that have no others."""

    @each("own", [False, True])
    def test_are_measured_as_data_of_these_dimensions_alone(self, own):
        whole = GIVEN["stream"]
        generated = {"name": "normal-steps", "timestamps": 12, "dimensions": 4, "first": 5}
        data = generators.parse(generated).data() if own else whole
        base = {"release": {"mechanism": {"name": "stream-pegasus", "epsilon": 1.0, "window": 4}}}
        first = CountStream(data.counts[:, :2], data.names[:2], data.labels)
        found = spec("stream", base=base | ({"data": generated} if own else {}), grid={"dimensions": [2, 3]})
        rows = run(found, None if own else whole).to_pylist()
        alone = run(spec("stream", base=base), first).to_pylist()
        means = [row["mean"] for row in rows if row["dimensions"] == 2]
        assert means == [row["mean"] for row in alone]
        assert figure(found)["axes"][0]["title"] == "Dimensions"

    def test_must_be_there_and_left_out_a_cell_keeps_its_digest(self):
        with pytest.raises(
            ParameterErrors, match=r"grid.dimensions.1 must be at most 3, as many as the data have, got 4"
        ):
            run(spec("stream", grid={"dimensions": [1, 4]}), STREAM)
        own = {**spec("stream").base, "data": {"name": "poisson-stream"}}
        with pytest.raises(
            ParameterErrors, match=r"grid.dimensions.0 must be at most 5, as many as the data have, got 6"
        ):
            spec("stream", base=own, grid={"dimensions": [6]})
        (one, whole) = spec("stream", grid={"dimensions": [1, None]}).cells()
        assert cell_seconds(one, [200, 100], 50) < cell_seconds(whole, [200, 100], 50)
        assert "dimensions" not in whole.model_dump()
        assert whole.parse(whole.model_dump() | {"dimensions": None}).digest == whole.digest


def test_the_sweep_of_dimensions_ends_with_all_and_thresholds_of_detection_are_the_mean_count():
    preset, about = presets.parse({"name": "stream-dimensions"}), given_of("stream", GIVEN["stream"])
    assert preset.spec().grid["dimensions"] == [1, 2, 5, 10, 20, 50, 100]
    assert preset.spec(about).grid["dimensions"] == [1, 2, 3]
    found = presets.parse({"name": "stream-detection"}).spec(about)
    assert [one.threshold for one in found.metrics] == pytest.approx([GIVEN["stream"].counts.mean()] * 2, rel=0.005)
