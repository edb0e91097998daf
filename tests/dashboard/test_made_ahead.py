"""What a worker makes ahead of requests about large series: the same answers, from files that go with their data."""

import re
from pathlib import Path

import numpy as np
import pytest

from dashboard.datasets.trajectory import steps
from dashboard.jobs import reaper
from dashboard.landmarks.services import mark_landmarks
from dashboard.maintenance import objects
from dashboard.maps import joined_tracks, prepared, track_encoding
from dashboard.releases.models import Release
from dashboard.releases.services import discard_release
from dashboard.releases.trajectory import charts
from privacy_engine.data import Trajectory
from privacy_engine.formats.arrow import pa
from tests.dashboard.api_helpers import release_url
from tests.dashboard.release_runs import drawn, expire, interrupted, submitted

SIZES = (40, 3, 60)
MODULES = (prepared, steps, joined_tracks, track_encoding, charts)


def large_from(monkeypatch, events):
    for module in MODULES:
        monkeypatch.setattr(module, "LARGE", events)


@pytest.fixture
def dataset(owner, make_dataset):
    rng = np.random.default_rng(5)
    series = [Trajectory(*rng.random((2, n)).cumsum(axis=1) / 1e3, 60.0 * np.arange(n)) for n in SIZES]
    return make_dataset(owner, *series)


def answers(api, dataset, row):
    """What pages request of all series and of the longest one, for one that is compressed and one that is not."""
    of, found = f"/api/v1/datasets/{dataset.pk}/", {}
    for url, queries in {
        f"{of}steps/": ({}, {"series": 2}),
        f"{of}tracks/": ({}, {"reduce": "sample"}, {"points": 1000}),
        f"{of}track/": ({"series": 0}, {"series": 1}, {"series": 2}),
        release_url(row, "track"): ({"series": 1}, {"series": 2}),
        release_url(row, "tracks"): ({"reduce": "sample"},),
        release_url(row, "errors"): (charts.ERRORS | {"series": 2}, {"series": 2, "points": 20}, {"series": 1}),
        release_url(row, "series"): (
            charts.CURVES | {"series": 2},
            {"series": 2},
            charts.CURVES | {"series": 2, "s": 1},
        ),
    }.items():
        for query in queries:
            for encoding in ("identity", "zstd"):
                answer = api.get(url, query, headers={"Accept-Encoding": encoding})
                body = b"".join(answer) if answer.streaming else answer.content
                if answer.headers.get("Content-Encoding") == "zstd":
                    assert encoding == "zstd"
                    body = pa.input_stream(pa.BufferReader(body), compression="zstd").read()
                assert answer.status_code == 200
                found[url, *map(str, query.items()), encoding] = body
    return found


def beside(row):
    return {path.name.split(str(row.pk))[-1] for path in row.dataset.folder.iterdir(f"errors-{row.pk}-")}


def test_the_answers_are_those_of_requests_that_make_them(owner, owner_api, dataset, monkeypatch):
    large_from(monkeypatch, 1000)
    row = drawn(owner, dataset, [0, 50, 70])
    expected = answers(owner_api, dataset, row)
    assert len(beside(row)) == 1
    large_from(monkeypatch, 20)
    assert answers(owner_api, dataset, row) == expected  # a request makes what is not there
    assert len(beside(row)) == 5
    steps.prepare(dataset)
    charts.prepare(row)
    made = [f"{what}-{i}" for what in ("track", "curves", "distribution") for i in (0, 2)] + ["tracks-sample"]
    files = [row.beside(what) for what in made] + [dataset.beside(what) for what in ("steps", "tracks-line", "track-0")]
    assert len(beside(row)) == 1 + len(made)
    assert all(path.exists() for path in files)
    names = {str(path) for path in [dataset.original_path, *files]}
    assert objects.named([*names, f"{dataset.folder}/track-0-points-x.zst"]) == names


def test_a_worker_makes_them_and_a_request_reads_them(
    owner, owner_api, dataset, monkeypatch, files, django_capture_on_commit_callbacks
):
    large_from(monkeypatch, 20)
    before = files()
    row = drawn(owner, dataset, [0, 50, 70])
    monkeypatch.setattr(charts, "release_curves", lambda *_, **__: pytest.fail("computed"))
    monkeypatch.setattr(track_encoding, "encode", lambda _: pytest.fail("encoded"))
    for what, query in (("series", charts.CURVES), ("track", {})):
        assert owner_api.get(release_url(row, what), query | {"series": 2}).status_code == 200
    with django_capture_on_commit_callbacks(execute=True):
        discard_release(release=row)
    assert files() == before


def test_a_lost_attempt_leaves_nothing(owner, dataset, monkeypatch, files):
    large_from(monkeypatch, 20)
    marks = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [0]})
    release, before = submitted(marks), files()
    release = interrupted(release, monkeypatch, lambda row: (expire(row), reaper.sweep(Release)))
    assert (release.state, files()) == ("queued", before)


def test_the_comparison_requests_what_was_made():
    """Its first query of charts, as the script has it."""
    root = Path("static/js/trajectory")
    text = (root / "compare/releases.js").read_text()
    usual = dict(re.findall(r"(\w+): ([\d.]+|DIAMETER_M)", re.search(r"const USUAL = \{(.*?)\}", text)[1]))
    usual["diameter_m"] = re.search(r'const DIAMETER_M = "(\d+)"', (root / "loss/view_state.js").read_text())[1]
    usual["points"] = re.search(r"const POINTS = (\d+)", text)[1]
    assert {name: float(value) for name, value in usual.items()} == charts.CURVES
