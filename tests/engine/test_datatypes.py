"""What every kind of data offers: tables, digests, exports that verify, facts, releases, metrics."""

import hashlib
import io
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from privacy_engine import exports
from privacy_engine.accounting.privacy_loss import PrivacyLoss
from privacy_engine.accounting.promise import Context
from privacy_engine.core.whole_files import by_ending
from privacy_engine.data import CheckIns, CountStream, LandmarkSet, Trajectory
from privacy_engine.data.venues import Venues
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import BudgetError, DataError, ParameterError
from privacy_engine.exports.base import all_formats
from privacy_engine.exports.notebook import notebook
from privacy_engine.exports.reference_page import written
from privacy_engine.formats import KINDS
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.metrics import error_m, metrics
from privacy_engine.registry import Adapters
from privacy_engine.releases.label import Label, privacy_label
from privacy_engine.releases.spec import ReleaseSpec
from privacy_engine.verify import verify
from tests.cases import each, refusal
from tests.engine.format_samples import zipped
from tests.engine.mechanism_examples import walk
from tests.engine.recorded import whole


def on_grid(one):
    """The series with positions as tables hold them: multiples of 1e-7 degrees."""
    return one.moved(np.round(one.lon * 1e7) / 1e7, np.round(one.lat * 1e7) / 1e7)


DATA = {
    "trajectory": [on_grid(walk(6)), on_grid(walk(4, seed=2))],
    "stream": CountStream(
        [[3, 0], [5, 7], [1, 2]], ["=a,b", "=a,b"], ["2024-01-01", "2024-01-02", 'week "3"'], [0.0, 86400.0, 259200.0]
    ),
    "checkins": CheckIns(
        [0, 0, 1], ["u", "v"], [1.0, 2.0, 1.5], [0, 1, 1], ["cafe", "park"], [0.5, -0.5, 0.0], [0.1, 0.2, -2.0]
    ),
}
SPECS = {
    "trajectory": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 100.0},
    "stream": {"name": "stream-uniform", "epsilon": 1.0, "window": 2, "sensitivity": 1},
    "checkins": {"name": "checkin-popularity", "epsilon": 1.0, "contributions": 2}
    | {"west": -1.0, "south": -1.0, "east": 1.0, "north": 1.0, "side": 3},
}
every_kind = each("kind", list(datatypes))
EVERY_EXPORT = [(kind, fmt) for kind, one in datatypes.items() for fmt in one.exports]


def beside(kind):
    if kind != "trajectory":
        return None
    return [LandmarkSet(np.arange(len(one)) % 2 == 0) for one in DATA[kind]]


def released(kind, **spec):
    return datatypes[kind].release(ReleaseSpec(mechanism=SPECS[kind], **spec), DATA[kind], beside(kind))


def exported(kind, fmt, release=None):
    data_type, release = datatypes[kind], release or released(kind)
    label = privacy_label(ReleaseSpec(mechanism=SPECS[kind]), Context(), private=True, sha256=data_type.digest(release))
    out = io.BytesIO()
    data_type.write(release, fmt, out, label=label)
    return out.getvalue(), label


def test_every_mechanism_and_metric_belongs_to_one_kind():
    assert tuple(datatypes) == KINDS
    for registry in (mechanisms, metrics):
        found = [cls.registered_name() for kind in KINDS for cls in registry.of(kind)]
        assert sorted(found) == sorted(cls.registered_name() for cls in registry)
        assert all(len(registry.of(kind)) for kind in KINDS)
        assert len(registry.of("none")) == 0


def test_adapters_are_what_modules_and_folders_of_a_package_have(tmp_path, monkeypatch):
    one = "from types import SimpleNamespace\nADAPTER = SimpleNamespace(kind={!r}, rank={})\n"
    files = {"__init__": "", "base": "", "walks": one.format("walk", 2), "trips/__init__": one.format("trip", 1)}
    for name, text in files.items():
        path = tmp_path / "found_kinds" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    found = Adapters("found_kinds")
    assert (list(found), len(found), found["walk"].rank) == (["trip", "walk"], 2, 2)
    assert "base" not in found


@every_kind
def test_tables_hold_the_data(kind):
    data_type = datatypes[kind]
    again = data_type.from_table(data_type.to_table(DATA[kind]))
    assert data_type.content_digest(again) == data_type.content_digest(DATA[kind])
    facts = data_type.facts(again)
    assert facts == data_type.facts(DATA[kind])
    sketches = [one and one.hashes for one in data_type.sketches(again, b"t" * 16, b"p" * 16)]
    whole([facts.model_dump(), sketches, data_type.content_digest(again)])
    json.dumps(facts.model_dump(), allow_nan=False)
    if kind == "trajectory":
        assert data_type.size(DATA[kind]) == 10


def test_facts_of_little_and_of_what_crosses_the_antimeridian():
    one, no = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    few = [CheckIns(no, [], no.astype(float), no, []), CheckIns(one, ["u"], [5.0], one, ["p"])]
    few.append(CheckIns([0, 2, 2], ["u", "v", "w"], [1.0, 2.0, 3.0], None, (), [0.5, 179.5, -179.5], [1.0, 2.0, -2.0]))
    times = ([0.0, 2.0, 5.0, 7.0, 10.1], [0.0, 1.0, 2.0, 4.0, 8.0], [3.0], [], None)
    streams = [CountStream(np.ones((5 if t is None else len(t), 2)), ["a", "b"], list("vwxyz"), t) for t in times[:2]]
    streams += [
        CountStream(np.full((n, 1), 0.5), ["a"], list("vwxyz"[:n]), t) for n, t in ((1, [3.0]), (0, []), (2, None))
    ]
    tracks = [
        Trajectory([179.5, -179.5], [0.0, 1.0]),
        Trajectory([0.0], [1.0], [2.0], "n", [True], "p"),
        Trajectory([], []),
    ]
    tracks += [Trajectory([-180.0, 180.0, 0.0], [90.0, -90.0, 0.0]), Trajectory([-170.0, 0.0, 170.0], [5.0, 5.0, 5.0])]
    parts = [*(tracks[i:j] for i in range(5) for j in range(i + 1, 6)), [], [on_grid(walk(9, seed=4)), tracks[1]]]
    for kind, found in (("checkins", few), ("stream", streams), ("trajectory", parts)):
        whole([datatypes[kind].facts(data).model_dump() for data in found])


def test_lists_of_venues_that_are_none():
    good = {"ids": ["a"], "lon": [1.0], "lat": [2.0], "names": ["x"]}
    assert Venues.from_dict(good).as_dict() == good
    for wrong in (
        {"ids": [5]},
        {"ids": "a"},
        {"names": None},
        {"lon": []},
        {"lat": [1, 2]},
        {"lon": ["x"]},
        {"more": []},
    ):
        assert refusal(DataError, Venues.from_dict, good | wrong).field == "venues"
    assert refusal(DataError, Venues.from_dict, [good]).field == "venues"


@every_kind
def test_tables_hold_the_release(kind):
    data_type, release = datatypes[kind], released(kind)
    again = data_type.release_from_table(data_type.release_to_table(release))
    if kind == "trajectory":
        for one, (series, event) in zip(release, again, strict=True):
            assert np.array_equal(one.series.lon, series.lon)
            assert np.array_equal(one.event, event)
            assert one.series.name == series.name
    else:
        assert np.array_equal(release.counts, again.counts)
        assert release.private is again.private is True
    assert data_type.digest(release) == data_type.digest(again)


@every_kind
def test_a_seed_repeats_a_release_that_is_never_private(kind):
    data_type = datatypes[kind]
    one, two, three = (released(kind, seed=seed) for seed in (1, 1, 2))
    assert data_type.digest(one) == data_type.digest(two) != data_type.digest(three)
    assert not any(release.private for release in (one if kind == "trajectory" else [one]))


@every_kind
def test_other_kinds_of_mechanisms_and_formats_are_refused(kind):
    for other in set(KINDS) - {kind}:
        with pytest.raises(ParameterError, match="mechanism must be a mechanism for"):
            datatypes[kind].release(ReleaseSpec(mechanism=SPECS[other]), DATA[kind])
    with pytest.raises(ParameterError, match="format must be one of"):
        datatypes[kind].write(released(kind), "xls", io.BytesIO(), label={})


@each(("kind", "fmt"), EVERY_EXPORT)
def test_every_export_verifies(kind, fmt):
    data, label = exported(kind, fmt)
    found = verify(data, f"x.{fmt}")
    assert [check.message for check in found.checks if not check.holds] == []
    assert found.holds
    assert [check.name for check in found.checks] == ["readable", "label", "grid", "digest"]
    assert Label.model_validate(label).kind == kind


@each(("kind", "fmt"), EVERY_EXPORT)
def test_a_file_begins_like_the_formats_of_its_own_reader_alone(kind, fmt):
    data, _ = exported(kind, fmt)
    read = datatypes[kind].exports[fmt].read
    assert [form.name for form in all_formats() if form.begins(data) and form.read is not read] == []
    assert datatypes[kind].exports[fmt].begins(data)


TAB_SEPARATED = """
import json
from privacy_engine.data import Trajectory
from privacy_engine.exports.base import TABLES, ExportFormat, as_json
from privacy_engine.exports.columns import chunks
from privacy_engine.exports.contents import Unreadable
from privacy_engine.exports.points import points


def write(series, out, label):
    out.write(f"# {as_json(dict(label))}\\n".encode())
    for track in series:
        for lon, lat, times in chunks(track):
            for x, y, t in zip(lon, lat, times or [""] * len(lon), strict=True):
                out.write("\\t".join([track.name, track.person, t, f"{x:.7f}", f"{y:.7f}"]).encode() + b"\\n")


def read(data):
    try:
        label, *rows = data.decode().splitlines()
        label = json.loads(label[2:])
        rows = [(name, person, t, lon, lat) for name, person, t, lon, lat in (row.split("\\t") for row in rows)]
    except ValueError as error:
        raise Unreadable("The table is damaged.") from error
    return points(rows, label)


FORMATS = (
    ExportFormat(
        Trajectory.kind, "tab", "Tab-separated table", "text/tab-separated-values", "tab", write, read,
        lambda data: data.startswith(b"# {"), TABLES, "A row for each event, without quotes.", bundled=True,
    ),
)
"""


def test_a_format_of_exports_is_a_single_module(tmp_path, monkeypatch):
    (tmp_path / "tab_separated_toy.py").write_text(TAB_SEPARATED)
    monkeypatch.setattr(exports, "__path__", [*exports.__path__, str(tmp_path)])
    all_formats.cache_clear()
    try:
        form = datatypes["trajectory"].exports["tab"]
        data, label = exported("trajectory", "tab")
        assert by_ending(Path("walk.tab"), datatypes["trajectory"].extensions) == "tab"
        assert "| Tab-separated table | `tab` | .tab | A row for each event, without quotes. | yes |" in written()
        assert [one.name for one in all_formats() if one.begins(data)] == ["tab"]
        assert form.read(data).digest() == label["sha256"]
        members = {"r/r.tab": data, "r/label.json": json.dumps(label).encode()}
        sums = "".join(f"{hashlib.sha256(member).hexdigest()}  {name}\n" for name, member in members.items())
        assert [check.message for check in verify(data).checks if not check.holds] == []
        bundle = verify(zipped(**members, SHA256SUMS=sums.encode())).checks
        assert [(check.name, check.holds) for check in bundle if check.file == "r/r.tab"] == [
            (name, True) for name in ("readable", "label", "grid", "digest", "same label")
        ]
        (lon,) = re.findall(rb"\t(-?[0-9.]+)\t[^\t\n]+\n$", data)
        assert [check.name for check in verify(data.replace(lon, b"1.5000000")).checks if not check.holds] == ["digest"]
    finally:
        all_formats.cache_clear()
        sys.modules.pop("privacy_engine.exports.tab_separated_toy", None)


def changes(text):
    """The text of an export with what Cairn never writes in place of one thing of each sort."""
    found = [
        text,
        text.replace("series,", "name,", 1),
        text + text,
        text[: len(text) // 2],
        text.replace("person", "x", 1),
    ]
    for pattern in (
        r"(?<=[,\[ \"])-?\d+(\.\d+)?(?=[,\]\n\"])",
        r"\d{4}-\d\d-\d\dT[\d:.]+Z",
        r"\[[\d.]+,[\d.]+\],?",
        r"\n[^\n]+",
    ):
        hits = list(re.finditer(pattern, text))
        for hit in dict.fromkeys([*hits[:2], *hits[-2:]]):
            for new in (
                "",
                "x",
                "1e3",
                "9" * 30,
                "181",
                "180.00000001",
                "-0",
                "2024-02-30T00:00:00Z",
                "null",
                hit[0] * 2,
            ):
                found.append(text[: hit.start()] + new + text[hit.end() :])
    return found


TEXTS = [("trajectory", fmt) for fmt in ("csv", "geojson", "geojson-points", "kepler", "gpx", "mfjson")]
TEXTS += [("stream", "csv"), ("checkins", "json"), ("checkins", "csv")]


@each(("kind", "fmt"), TEXTS)
def test_texts_that_were_never_written_so(kind, fmt):
    data, _ = exported(kind, fmt, released(kind, seed=3))
    for number, changed in enumerate(changes(data.decode())):
        checks = verify(changed.encode(), f"x.{fmt}").checks
        assert number > 0 or all(check.holds for check in checks)
        whole([(check.name, check.holds, check.message if check.name == "readable" else "") for check in checks])


@each(("kind", "fmt"), [one for one in EVERY_EXPORT if one[0] != "trajectory"])
def test_a_changed_count_or_label_is_found(kind, fmt):
    release = released(kind)
    _, label = exported(kind, fmt, release)
    counts = release.counts.copy()
    counts.flat[0] += 1
    changed = type(release)(**{**release.__dict__, "counts": counts})
    out = io.BytesIO()
    datatypes[kind].write(changed, fmt, out, label=label)
    assert [check.name for check in verify(out.getvalue()).checks if not check.holds] == ["digest"]
    out = io.BytesIO()
    datatypes[kind].write(release, fmt, out, label={**label, "epsilon": 0.1})
    assert [check.name for check in verify(out.getvalue()).checks if not check.holds] == ["label"]


@each(("kind", "fmt"), [one for one in EVERY_EXPORT if one[0] != "trajectory"])
def test_damaged_exports_fail_and_never_raise(kind, fmt):
    data, _ = exported(kind, fmt)
    for cut in range(0, len(data) - 1, max(len(data) // 60, 1)):
        assert not verify(data[:cut]).holds
        assert not verify(data[:cut] + b"x" + data[cut + 2 :]).holds or fmt == "parquet"


@every_kind
def test_labels_carry_the_unit(kind):
    _, label = exported(kind, next(iter(datatypes[kind].exports)))
    expected = {
        "trajectory": ("landmark", 100.0, None, None, 1e-7, "event_per_m"),
        "stream": ("w-event", None, 2, 1, None, "event"),
        "checkins": ("user", None, None, 2, None, "user"),
    }[kind]
    names = ("level", "radius_m", "window", "sensitivity", "grid_degrees")
    assert (*(label[name] for name in names), ReleaseSpec(mechanism=SPECS[kind]).mechanism.loss().unit) == expected
    assert label["epsilon"] == 1.0
    assert label["guarantee"]["statement"].rstrip(".") in label["text"]
    text = notebook(kind, title="A *release*\n[x]", file_name='r "1".csv', label=label)
    whole(re.sub("[0-9a-f]{8,}", "", text))  # the digest of counts that are drawn
    seeded = privacy_label(ReleaseSpec(mechanism=SPECS[kind], seed=1), Context(), private=True)
    assert (seeded["guarantee"], seeded["noise"]) == (None, "seeded")


def test_figures_of_trajectories_are_those_of_all_published_positions_together():
    truth = [walk(6), walk(1, seed=3), walk(40, seed=2)]
    beside = [LandmarkSet(np.arange(len(one)) % 3 == 0) for one in truth]
    spec = ReleaseSpec(mechanism={"name": "landmark-skip", "epsilon": 1.0, "radius_m": 100.0, "leading": "gap"}, seed=1)
    release = datatypes["trajectory"].release(spec, truth, beside)
    assert [len(one.event) for one in release] == [5, 0, 39]  # one series publishes nothing, the others not all
    errors = np.concatenate([error_m(*pair) for pair in zip(truth, release, strict=True)])
    median, p95 = np.quantile(errors, [0.5, 0.95])
    figures = datatypes["trajectory"].figures(truth, release)
    assert list(figures) == ["mae_m", "median_error_m", "p95_error_m", "max_error_m"]
    assert list(figures.values()) == [round(float(one), 3) for one in (errors.mean(), median, p95, errors.max())]
    assert datatypes["trajectory"].figures(truth[1:2], release[1:2]) == {}


@every_kind
def test_metrics_by_name_are_the_figures_of_other_kinds(kind):
    data, release = DATA[kind], released(kind)
    measured = datatypes[kind].measure(data, release)
    assert set() < set(measured) <= {cls.registered_name() for cls in metrics.of(kind)}
    if kind != "trajectory":
        assert datatypes[kind].figures(data, release) == {k: v for k, v in measured.items() if np.isfinite(v)} != {}


def test_losses_add_up_where_they_have_one_unit():
    total = PrivacyLoss("event_per_m", 1.0, 100.0) + PrivacyLoss("event_per_m", 1.0, 50.0)
    assert (total.epsilon, total.radius_m) == (3.0, 100.0)
    assert (PrivacyLoss("user", 0.1) + PrivacyLoss("user", 0.2)).epsilon == 0.3
    with pytest.raises(BudgetError, match="only a loss of the unit user can be added, got record"):
        PrivacyLoss("user", 1.0) + PrivacyLoss("record", 1.0)
    for wrong in (("year", 1.0), ("user", 0.0), ("user", float("nan")), ("user", 1.0, 5.0), ("event_per_m", 1.0)):
        with pytest.raises(ParameterError):
            PrivacyLoss(*wrong)
