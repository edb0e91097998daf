"""The fluent layer: the same releases, labels and errors as the engine's functions, for every registered mechanism."""

import io
import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

import privacy_engine as pe
from privacy_engine.analysis.checkin_forecast import checkin_forecast
from privacy_engine.analysis.stream_forecast import count_forecast
from privacy_engine.commands.read import Read
from privacy_engine.data import CheckIns, CountStream, Trajectory
from privacy_engine.data.grid import Grid
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.tables import Table
from privacy_engine.experiments.generated import CityCheckIns
from privacy_engine.experiments.presets.base import with_examples
from privacy_engine.fluent import CheckInData, CountData, TrajectoryData, drawing, plotting
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.verify import verify
from tests.cases import each, refusal
from tests.later import matplotlib, pyplot
from tests.later import pandas as pd

HOSTILE = '<script>alert("x")</script>&'


@pytest.fixture
def walk():
    n = 60
    steps = np.minimum(np.arange(n), 25) * 1e-3
    return TrajectoryData([Trajectory(2.35 + steps, 48.85 + steps, 1.7e9 + 60.0 * np.arange(n), "walk")])


@pytest.fixture
def counts():
    values = np.random.default_rng(1).poisson(20, (30, 3))
    labels = [f"2024-01-{day:02d}" for day in range(1, 31)]
    return CountData(CountStream(values, ["a", "b", "c"], labels, None, "day"))


@pytest.fixture(scope="module")
def visits():
    return CheckInData(CityCheckIns(users=40, seed=1).data())


@pytest.fixture(autouse=True)
def _closed_figures():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def described(cls, visits):
    known = {"epsilon": 1.0, "radius_m": 200.0, "window": 5, "sensitivity": 1, "side": 8, "contributions": 5}
    known |= dict(zip(("west", "south", "east", "north"), visits.facts.bounds, strict=True))
    return {name: value for name, value in with_examples(cls, known).items() if name != "name"}


ALL = [cls for cls in mechanisms if cls.registered_name() != "checkin-venues"]  # that one takes a list of venues


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.registered_name())
def test_every_mechanism_releases_by_its_name(cls, walk, counts, visits, tmp_path):
    """Shown, written with a label that holds, and as a table with the same label."""
    marked = walk.landmarks("stay-points:200m:20min")
    data = {"trajectory": marked, "stream": counts, "checkins": visits}[cls.kind]
    seed = {} if cls.publishable else {"seed": 7}
    release = data.publish(cls.registered_name(), **described(cls, visits), **seed)
    assert release.private is cls.publishable
    assert release.label["spec"]["mechanism"]["name"] == cls.registered_name()
    assert release.label["text"].startswith(release.statement.rstrip("."))
    assert ElementTree.fromstring(release._repr_html_().replace("&nbsp;", " ")).tag == "div"
    fmt = next(iter(datatypes[cls.kind].extensions))
    out = release.write(tmp_path / f"out{fmt}")
    assert verify(out.read_bytes(), out.name).holds
    if cls.kind == "checkins" and release.model.densities() is None:
        return  # such a model has no table of cells
    assert release.to_dataframe().attrs["privacy_label"] == release.label


class TestRead:
    def test_a_frame_is_read_as_its_file(self, walk):
        frame = walk.to_dataframe()[["time", "lon", "lat"]]
        text = io.BytesIO(frame.to_csv(index=False).encode())
        by_frame, by_file, by_arrow = pe.read(frame), pe.read(text), pe.read(pa.Table.from_pandas(frame))
        for other in (by_file, by_arrow):
            np.testing.assert_array_equal(by_frame.series[0].lon, other.series[0].lon)
            np.testing.assert_array_equal(by_frame.series[0].time_s, other.series[0].time_s)
        np.testing.assert_array_equal(by_frame.series[0].time_s, walk.series[0].time_s)
        indexed = walk.to_dataframe().set_index("time")[["lon", "lat"]]
        np.testing.assert_array_equal(pe.read(indexed).series[0].time_s, walk.series[0].time_s)
        frame = walk.to_geodataframe()[["time", "geometry"]]
        read = pe.read(frame.to_crs("EPSG:4326"))
        np.testing.assert_allclose(read.series[0].lon, walk.series[0].lon, atol=1e-9)

    def test_person_is_a_column_or_a_rule(self, walk):
        rows = walk.to_dataframe()[["time", "lon", "lat"]]
        frame = pd.concat([rows.assign(user="ada"), rows.assign(user="bob")])
        for person, people in (("user", 2), ("column:user", 2), ("one", 1)):
            assert pe.read(frame, person=person).facts.people == people

    def test_kinds_are_detected_or_given(self, counts, visits):
        assert isinstance(pe.read(counts.to_dataframe().reset_index()), CountData)
        assert pe.read(counts.to_dataframe().reset_index(), kind="stream").stream.names == ("a", "b", "c")
        assert len(pe.read(visits.to_dataframe(), kind="checkins")) == len(visits)

    def test_a_column_that_is_none_is_refused_by_name(self, walk):
        with pytest.raises(pe.EngineError, match="nowhere"):
            pe.read(walk.to_dataframe(), person="nowhere")
        with pytest.raises(pe.ParameterError, match="kinds must be among"):
            pe.read(walk.to_dataframe(), kind="maps")
        with pytest.raises(pe.DataError, match="data frame must be") as refused:
            pe.read(pd.DataFrame({"lon": [1, "a"], "lat": [object(), 2]}))
        assert refused.value.field == "dataframe"


class TestRefusals:
    """Each names field, rule and value."""

    @each(
        ("field", "rule", "value", "use"),
        [
            ("mechanism.epsilon", "greater than 0", -1, lambda w: w.release("event-level", epsilon=-1, radius_m=2)),
            ("mechanism.name", "one of event-level", "stream-bd", lambda w: w.release("stream-bd", epsilon=1)),
            ("mechanism.colour", "", 3, lambda w: w.release("event-level", epsilon=1, radius_m=2, colour=3)),
            ("landmarks", "marked first", None, lambda w: w.release("landmark-skip", epsilon=1, radius_m=2)),
            ("landmarks.duration_s", "required", None, lambda w: w.landmarks("stay-points", distance_m=2)),
            ("landmarks", "stay-points:", "nothing", lambda w: w.landmarks("nothing")),
            ("dummies", "METHOD:LEVEL", "x", lambda w: w.landmarks("manual:", dummies="x")),
            ("steps", "drop-jumps", "shake", lambda w: w.clean("shake")),
            ("then", "ou-smoother", "x", lambda w: w.release("event-level", epsilon=1, radius_m=2, then="x")),
            ("name", "one of walk, taxi, paris", "x", lambda w: pe.sample("x")),
            ("what", "one of landmarks", "x", lambda w: pe.catalogue("x")),
        ],
    )
    def test_of_trajectories(self, walk, field, rule, value, use):
        refused = refusal(pe.ParameterError, use, walk)
        error = getattr(refused, "errors", [refused])[0]
        assert (error.field, error.value) == (field, value)
        assert rule in error.rule

    def test_of_files_and_histories(self, walk, visits, tmp_path):
        release = walk.release("event-level", epsilon=1, radius_m=200)
        with pytest.raises(pe.ParameterError, match=r"ends in \.csv, \.parquet"):
            release.write(tmp_path / "out.doc")
        model = visits.release("checkin-popularity", **described(mechanisms["checkin-popularity"], visits))
        with pytest.raises(pe.DataError, match=r"got \[0.0, 0.0\]"):
            model.recommend([(0.0, 0.0)])
        with pytest.raises(pe.DataError, match="cells of the grid"):
            model.recommend([99_999])
        with pytest.raises(pe.ParameterError, match="k must be"):
            model.recommend([], k=0)


class TestReleases:
    def test_seeds_cards_cleaning_and_steps_are_stated(self, walk):
        one, two = (walk.release("event-level", epsilon=1, radius_m=200, seed=7) for _ in range(2))
        np.testing.assert_array_equal(one.series[0].lon, two.series[0].lon)
        assert not one.private
        assert one.statement.startswith("NOT PRIVATE")
        release = walk.release("event-level", epsilon=1, radius_m=200)
        drawn = re.findall(r'points="([^"]+)"', release._repr_html_())
        assert drawn != re.findall(r'points="([^"]+)"', walk._repr_html_())
        release = walk.clean("drop-jumps:300").release("event-level", epsilon=1, radius_m=200, then="ou-smoother")
        assert [one["name"] for one in release.label["cleaning"]] == ["drop-jumps"]
        assert [one["name"] for one in release.label["spec"]["postprocess"]] == ["ou-smoother"]

    def test_forecast_and_comparison_agree(self, walk):
        """The mean of 60 planar Laplace errors of 2 radii has a standard deviation of 18 %: false alarm below 1e-6."""
        parameters = {"epsilon": 1, "radius_m": 200}
        forecast = walk.forecast("event-level", **parameters)["all events"]["mean_m"]
        release = walk.release("event-level", **parameters, seed=3)
        assert forecast == pytest.approx(400, rel=0.01)
        assert release.forecast()["all events"]["mean_m"] == forecast
        assert release.compare()["mean-absolute-error"]["value"] == pytest.approx(forecast, rel=0.5)

    def test_forecasts_of_counts_and_models_are_those_of_their_kind(self, counts, visits):
        parameters = {"epsilon": 1, "window": 5}
        found = count_forecast(mechanisms["stream-uniform"](**parameters), counts.stream)
        table = counts.forecast("stream-uniform", **parameters)
        assert table["Stream uniform"]["typical_error"] == found.typical_error
        assert table["publishing zeros"]["typical_error"] == np.median(counts.stream.counts)
        assert counts.publish("stream-uniform", **parameters).forecast().rows == table.rows
        given = described(mechanisms["checkin-gravity"], visits)
        model = checkin_forecast(mechanisms["checkin-gravity"](**given), visits.checkins)
        table = visits.forecast("checkin-gravity", **given)
        assert [one["hit_rate"] for one in table] == [model.hit_rate, model.baseline]
        assert "for its owner alone" in table.note
        with pytest.raises(pe.ParameterErrors, match="epsilon"):
            counts.forecast("stream-uniform", epsilon=-1, window=5)

    def test_recommended_cells_are_those_of_the_model(self, visits):
        model = visits.release("checkin-gravity", **described(mechanisms["checkin-gravity"], visits), seed=1)
        lon, lat = float(visits.checkins.lon[0]), float(visits.checkins.lat[0])
        [cell] = model.model.grid.cells([lon], [lat]).tolist()
        found = model.recommend([(lon, lat)], k=5)
        assert [one.cell for one in found] == model.model.recommend([cell], 5).tolist()
        assert [one.cell for one in model.recommend([cell], k=5)] == [one.cell for one in found]
        assert all(one.west < one.lon < one.east and one.south < one.lat < one.north for one in found)


def shapes(svg):
    """What is drawn: places, sizes, colours and texts, in their order."""
    found = re.findall(r' (?:points|c?[xy][12]?|r|width|height|fill|fill-opacity)="([^"]*)"|>([^<]+)<', svg)
    return " ".join(value or text for value, text in found).removeprefix("280 180 .5 .5 279 179 none").strip()


class TestShown:
    def test_maps_to_the_pixel(self):
        """The whole width or height is used but for the margin, and 10 metres are a pixel at most; north is up."""
        two = [Trajectory([0.0005, -0.001], [0.0005, 0.0]), Trajectory([0.0, 0.001, 0.002], [0.0, 0.0, 0.001])]
        marks = [np.array([False, True]), np.array([True, False, True]), np.zeros(0, dtype=bool)]
        assert shapes(drawing.track_map([*two, Trajectory([], [])], marks)) == (
            "96.7,133.3 183.3,133.3 270.0,46.7 none 97 133 3 #d55e00 270 47 3 #d55e00 "
            "140.0,90.0 10.0,133.3 none 10 133 3 #d55e00 8 172 85.9 172 8 168 currentColor 100 m"
        )
        for lon, lat, expected in (
            ([0, 1], [0, 0], "10.0,90.0 270.0,90.0 none 8 172 54.8 172 8 168 currentColor 20 km"),
            ([0, 0.02], [0, 1], "138.5,165.0 141.5,15.0 none 8 172 75.4 172 8 168 currentColor 50 km"),
            ([0, 1e-4], [0, 0], "134.4,90.0 145.6,90.0 none 8 172 58.0 172 8 168 currentColor 50 m"),
        ):
            assert shapes(drawing.track_map([Trajectory(lon, lat)])) == expected
        many = drawing.track_map([Trajectory(np.arange(1000) % 7 * 1e-3, np.arange(1000) * 1e-5)] * 13)
        assert [line.count(",") for line in re.findall(r'points="([^"]+)"', many)] == [300] * 12
        assert re.findall(r'stroke="(#\w+)"', many) == [*drawing.COLOURS, *drawing.COLOURS]

    def test_counts_and_boxes_to_the_pixel(self, visits):
        counts = CountStream(np.array([[0, 1], [2, 3], [1, 0]]), ["a", "b"], ["1", "2", "3"])
        assert shapes(drawing.count_line(counts)) == "10.0,138.0 140.0,10.0 270.0,138.0 none"
        for boxes, share, expected in (
            ([[0, 0, 1, 1], [1, 0, 2, 0.5]], [0, 1], "10.0 25.0 130.0 130.0 {0} 0.08 140.0 90.0 130.0 65.0 {0} 1.00"),
            ([[0, 0, 1, 60], [1, 60, 2, 80]], [0.25, 1], "138.5 50.0 1.5 120.0 {0} 0.31 140.0 10.0 1.5 40.0 {0} 1.00"),
        ):
            found = drawing.box_map(np.array(boxes), np.array(share), "x")
            assert shapes(found) == expected.format(drawing.COLOURS[0])
        model = visits.release("checkin-popularity", **described(mechanisms["checkin-popularity"], visits)).model
        boxes, share = model.grid.boxes(np.arange(64)), np.clip(model.densities() / model.densities().max(), 0, 1)
        assert drawing.model_map(model) == drawing.box_map(boxes, share, "mass of the cells of the grid")
        grid, data = Grid.square(*visits.facts.bounds, 24), visits.checkins
        often = np.bincount(grid.cells(data.lon, data.lat), minlength=len(grid))
        boxes, share = grid.boxes(np.flatnonzero(often)), np.log1p(often[often > 0]) / np.log1p(often.max())
        assert visits._drawing() == drawing.box_map(boxes, share, "check-ins in the cells of a grid")

    def test_data_that_were_read_show_their_columns_and_first_rows_as_the_command_prints_them(self, tmp_path):
        path = tmp_path / "a.csv"
        rows = "".join(f"2024-06-0{i + 1}T10:00:00Z,<b>,48.{i},2\n" for i in range(9))
        path.write_text(f"day,note,lat,lon\n{rows}")
        options = {"kind": None, "read": [], "person": None, "json": False}
        shown, printed = pe.read(path)._repr_html_(), Read(print, print).run(file=path, **options)
        cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>([^<]*)</td>", shown)]
        for name, sentence in (("day", "The time, in UTC where a cell names no zone."), ("note", "Not used.")):
            assert cells[cells.index(name) + 1] == sentence
            assert f"{name}: {sentence}" in printed
        row = cells.index("2024-06-01T10:00:00Z | <b> | 48.0 | 2")
        assert f"line {cells[row - 1]}: {cells[row]} -> {cells[row + 1]}" in printed
        assert cells[row + 1] == "lon 2.000000, lat 48.000000, time 2024-06-01T10:00:00Z"

    def test_text_of_a_file_is_escaped(self):
        counts = CountData(CountStream(np.ones((2, 1)), [HOSTILE], [HOSTILE, "2"], None, HOSTILE))
        walk = TrajectoryData([Trajectory([1.0, 2.0], [1.0, 2.0], name=HOSTILE, person=HOSTILE)])
        for shown in (counts, walk, walk.release("event-level", epsilon=1, radius_m=2)):
            assert "<script" not in shown._repr_html_()

    @each("n", [0, 1, 2])
    def test_few_events_are_drawn(self, n):
        data = TrajectoryData([Trajectory([2.0] * n, [48.0] * n)])
        release = data.release("event-level", epsilon=1, radius_m=200)
        for shown in (data, release):
            assert "NaN" not in shown._repr_html_()
            assert "nan" not in shown._repr_html_()
            shown.plot()

    def test_figures_have_what_was_published(self, counts, visits, walk):
        release = walk.landmarks("manual:1,2").release("landmark-uniform", epsilon=1, radius_m=200)
        np.testing.assert_array_equal(release.plot().lines[0].get_xdata(), release.series[0].lon)
        assert len(release.plot(original=True).lines) == 2
        published = counts.publish("stream-uniform", epsilon=1, window=3, sensitivity=1)
        axes = published.plot(original=True)
        np.testing.assert_array_equal(axes.lines[-1].get_ydata(), published.made.published.counts[:, 2])
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b", "c"]
        visits.plot()
        model = visits.release("checkin-popularity", **described(mechanisms["checkin-popularity"], visits))
        model.plot()
        assert len(model.to_geodataframe()) == 64
        cells = model.plot().collections[0]
        np.testing.assert_array_equal(cells.get_array().ravel(), model.model.densities())
        np.testing.assert_array_equal(cells.get_coordinates()[0, :, 0], model.model.grid.edges()[0])
        assert cells.axes.get_aspect() == pytest.approx(1 / np.cos(np.radians(np.mean(visits.facts.bounds[1::2]))))
        dots = visits.plot()
        np.testing.assert_array_equal(dots.lines[0].get_data(), [visits.checkins.lon, visits.checkins.lat])
        assert dots.get_aspect() == pytest.approx(1 / np.cos(np.radians(visits.checkins.lat.mean())))
        placed = CheckIns(np.zeros(1, int), ("u",), np.zeros(1), np.zeros(1, int), ("p",))
        assert refusal(pe.DataError, CheckInData(placed).plot).rule == "positions"
        rows = pe.catalogue("stream").to_dataframe()
        assert rows["name"].tolist() == [cls.registered_name() for cls in mechanisms.of("stream")]

    def test_figures_of_several_series_and_dimensions(self):
        """Landmarks as dots; a legend of 2 to 10 series; of more than 8 dimensions the total."""
        series = [Trajectory([1.0 * i, 2.0, 3.0], [60.0] * 3, name=f"t{i}") for i in range(7)]
        axes = plotting.plot_tracks(
            [*series, Trajectory([5.0], [60.0])], [np.array([False, True, i > 0]) for i in range(7)]
        )
        assert [line.get_color() for line in axes.lines[:8]] == [*drawing.COLOURS, *drawing.COLOURS[:2]]
        assert [line.get_marker() for line in axes.lines] == ["None"] * 7 + ["."] * 8
        assert [line.get_xdata().tolist() for line in axes.lines[8:]] == [[2.0], *[[2.0, 3.0]] * 6]
        labels = "longitude, degrees", "latitude, degrees"
        assert (axes.get_aspect(), axes.get_xlabel(), axes.get_ylabel()) == (pytest.approx(2.0), *labels)
        legends = [plotting.plot_tracks((series * 2)[:n]).get_legend() is not None for n in (1, 2, 10, 11)]
        assert legends == [False, True, True, False]
        for dimensions, names in ((1, ["0"]), (8, list("01234567")), (9, ["total of 9 dimensions"])):
            values = np.arange(2 * dimensions).reshape(2, -1)
            stream = CountStream(values, list("012345678")[:dimensions], ["1", "2"], None, "day")
            axes, faint = plotting.plot_counts(stream), plotting.plot_counts(stream, faint=True)
            expected = values.T if dimensions < 9 else [values.sum(axis=1)]
            for drawn in (axes, faint):
                np.testing.assert_array_equal([line.get_ydata() for line in drawn.lines], expected)
            assert [text.get_text() for text in axes.get_legend().get_texts()] == names
            assert faint.get_legend() is None
            assert (axes.get_xlabel(), axes.get_ylabel()) == ("day, number of the timestamp", "count")

    def test_a_table_as_text_and_rows(self):
        values = [("small", 0.123456, None), ("large", 1000.4, "x"), ("many", -12345.0, 12345), ("e", 999.9, True)]
        table = Table("T", [dict(zip(("name", "a_b", "c"), row, strict=True)) for row in values], "N")
        rows = ["small, a_b 0.1235, c ", "large, a_b 1,000, c x", "many, a_b -12,345, c 12,345", "e, a_b 999.9, c True"]
        assert repr(table) == "\n".join(["T", *(f"  name {row}" for row in rows), "N"])
        assert table["large"] == {"name": "large", "a_b": 1000.4, "c": "x"}
        cells = re.findall(r">([^<]*)</t[hd]>", table._repr_html_())
        assert cells[:9] == ["name", "a b", "c", "small", "0.1235", "", "large", "1,000", "x"]


def test_an_experiment_is_that_of_the_engine():
    """Its curves are the rows of the table."""
    found = pe.experiment("error-tdrive", repetitions=2, events=30)
    frame, lines = found.to_dataframe(), found.lines()
    assert len(lines) * 6 == len(frame)
    assert [value for line in lines for value in line["x"]] == frame["marked_share"].tolist()
    assert found.plot().get_ylabel().endswith("m")
    two = pe.experiment("stream-epsilon", repetitions=1, timestamps=12, dimensions=2)
    rows, lines, drawn = two.table.to_pylist()[1::2], two.lines(1), two.plot(metric=1)
    for name in ("mean", "low", "high"):
        assert [value for line in lines for value in line[name]] == [row[name] for row in rows]
    named = [f"mean {mean}, {cls.title}" for mean in ("100", "0.5") for cls in mechanisms.of("stream")]
    assert [line["label"] for line in lines] == [f"Generated stream 12 × 2, {one}" for one in named]
    assert all(line["x"] == [0.1, 0.3, 1.0, 3.0, 10.0] for line in lines)
    styles = [(style, f"C{colour}") for style in ("-", "--", "-.") for colour in range(10)][: len(lines)]
    assert [(line.get_linestyle(), line.get_color()) for line in drawn.lines] == styles
    assert len(drawn.collections) == len(drawn.get_legend().get_texts()) == len(lines)
    assert (drawn.get_xlabel(), drawn.get_xscale()) == ("Level", "log")


def test_only_public_names_are_at_the_top():
    assert set(pe.__all__) <= set(dir(pe))
    assert len([name for name in pe.__all__ if not name.startswith("_")]) <= 10
    with pytest.raises(AttributeError, match="no attribute"):
        _ = pe.nothing
