"""Count streams over the API: from a file to a verified download, what is refused, and comparisons with the upload."""

import csv
import gzip
import io
import json
import struct

import numpy as np
import pytest
from django.urls import reverse

from dashboard.datasets import heat_maps
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.jobs.models import State
from dashboard.releases.common import pages
from dashboard.releases.models import Release
from dashboard.releases.stream import comparisons
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, refused
from tests.dashboard.conftest import CSV
from tests.dashboard.kinds import (
    DATASETS,
    NAMES,
    POPULARITY,
    SAMPLE,
    STREAM,
    made,
    released,
    requested,
    requested_as_trajectory,
    sent,
)

COUNTS = kinds.counts()
FILES = {
    "wide": (kinds.wide(COUNTS), "counts.csv"),
    "long": (kinds.long(COUNTS), "counts.csv"),
    "parquet": (kinds.parquet(COUNTS), "counts.parquet"),
    "gzip": (gzip.compress(kinds.wide(COUNTS)), "counts.csv.gz"),
}
QUOTE = f"{RELEASES}quote/"


@pytest.fixture
def stream(owner_api):
    return made(owner_api, kinds.wide(COUNTS))


class TestUpload:
    @pytest.mark.parametrize("kind", [{}, {"kind": "stream"}], ids=["detected", "named"])
    @pytest.mark.parametrize("file", FILES)
    def test_reads_the_counts(self, owner_api, owner_page, file, kind):
        dataset = made(owner_api, *FILES[file], **kind)
        assert (dataset["kind"], dataset["points"]) == ("stream", kinds.DAYS)
        assert (dataset["start"][:10], dataset["end"][:10]) == (kinds.day(0), kinds.day(kinds.DAYS - 1))
        for i, name in enumerate(NAMES):
            shown = owner_api.get(f"{DATASETS}{dataset['id']}/counts/", {"stream": _place_of(dataset, name)}).json()
            assert (shown["name"], shown["counts"]) == (name, COUNTS[:, i].tolist())
        page = owner_page.get(dataset["urls"]["page"]).content.decode()
        facts = {"Timestamps": "40", "Streams": "3", "Interval": "1 d", "First": "2024-01-01"}
        for label, text in (facts | {"Total": f"{COUNTS.sum():,}"}).items():
            assert f"<dt>{label}</dt><dd>{text}</dd>" in page
        for i, name in enumerate(NAMES):
            assert f"{name} ({COUNTS[:, i].sum():,})" in page

    def test_is_thinned_out_to_the_points_requested(self, owner_api, stream):
        shown = owner_api.get(f"{DATASETS}{stream['id']}/counts/", {"points": 10}).json()
        total = COUNTS.sum(axis=1)
        assert (shown["stream"], shown["name"], shown["timestamps"]) == (None, "Total", kinds.DAYS)
        assert 2 < len(shown["index"]) < kinds.DAYS
        assert shown["counts"] == total[shown["index"]].tolist()
        assert max(shown["counts"]) == total.max()

    def test_what_is_no_count_is_refused(self, owner_api):
        for field, value in (("cleaning", json.dumps([{"name": "first-events", "events": 3}])), ("kind", "table")):
            answer = sent(owner_api, kinds.wide(COUNTS), **{field: value})
            assert refused(answer) == (400, field)
            assert first_error(answer)["rule"]
        for kind in ("trajectory", "checkins"):
            assert sent(owner_api, kinds.wide(COUNTS), kind=kind).status_code in (400, 422)
        assert not Dataset.objects.exists()
        for positions in ("48.85,2.35", "48.8,2.3"):
            body = "".join(f"2024-01-01T00:0{i}:00Z,{positions}{i}\n" for i in range(8)).encode()
            for head in (b"", b"time,a,b\n", b"when,breite,laenge\n"):
                answer = sent(owner_api, head + body)
                assert answer.status_code != 201 or answer.json()["kind"] == "trajectory", head
        assert made(owner_api, CSV)["kind"] == "trajectory"
        assert not Dataset.objects.filter(kind="stream").exists()
        data = b"date,a,b\n2026-01-01,1,2\n2026-01-01,3,4\n2026-01-02,5,6\n"
        answer = sent(owner_api, data)
        error = first_error(answer)
        assert (answer.status_code, error["parameter"]) == (422, "count")
        assert [choice["value"] for choice in error["choices"]] == ["#2", "#3", "#0"]
        assert [made(owner_api, data, count=value)["points"] for value in ("#0", "#3")] == [2, 2]


def _place_of(dataset, name):
    return [one["name"] for one in Dataset.objects.get(pk=dataset["id"]).summary["dimensions"]].index(name)


class TestRereading:
    def test_as_another_kind_and_back(self, owner_api):
        dataset = made(
            owner_api, b"time,lat,lon\n" + b"".join(b"2024-01-0%d,4%d,%d\n" % (i, i, i) for i in range(1, 9))
        )
        assert dataset["kind"] == "trajectory"
        own = f"{DATASETS}{dataset['id']}/"
        for body, kind, status in (
            ({"kind": "stream"}, "stream", 200),
            ({}, "stream", 200),
            ({"kind": ""}, "trajectory", 400),
        ):
            assert owner_api.post(f"{own}read/", body).json()["kind"] == kind
            assert owner_api.get(f"{own}counts/").status_code == status

    def test_fail_leaves_it_as_it_was(self, owner_api, stream):
        read = f"{DATASETS}{stream['id']}/read/"
        for kind in ("trajectory", "checkins", "tables"):
            assert owner_api.post(read, {"kind": kind}).status_code in (400, 422)
        assert owner_api.post(read, {"cleaning": [{"name": "first-events", "events": 3}]}).status_code == 400
        assert owner_api.get(stream["urls"]["self"]).json() == stream
        released(owner_api, stream, STREAM)
        assert owner_api.post(read, {"kind": "stream"}).status_code == 409


class TestQuote:
    def test_is_what_a_release_is_charged(self, owner_api, stream):
        quoted = owner_api.post(QUOTE, {"dataset": stream["id"], "mechanisms": [STREAM, SAMPLE]}).json()
        (price,) = quoted["budgets"]
        expected = {"unit": "event", "price": 2, "spent": 0, "after": 2, "fits": True}
        assert {name: price[name] for name in expected} == expected
        assert not BudgetEntry.objects.exists()
        assert [one["name"] for one in quoted["mechanisms"]] == ["stream-uniform", "stream-sample"]
        first, second = (one["noise_sd"] for one in quoted["mechanisms"])
        assert first == pytest.approx(np.sqrt(2 * np.exp(0.25)) / (np.exp(0.25) - 1))
        assert second == pytest.approx(np.sqrt(2 * np.exp(1)) / (np.exp(1) - 1))
        for mechanism in (STREAM, SAMPLE):
            released(owner_api, stream, mechanism)
        assert owner_api.get(stream["urls"]["self"]).json()["spent"] == {"per_km": 2, "releases": 2, "events": 120}

    def test_states_that_a_limit_would_be_exceeded(self, owner_api, stream):
        owner_api.patch(stream["urls"]["self"], {"budget": {"epsilon": 1.5}})
        quoted = owner_api.post(QUOTE, {"dataset": stream["id"], "mechanisms": [STREAM, SAMPLE]}).json()
        assert (quoted["budgets"][0]["total"], quoted["budgets"][0]["fits"]) == (1.5, False)
        assert requested(owner_api, stream, STREAM).status_code == 201
        answer = requested(owner_api, stream, SAMPLE)
        assert (answer.status_code, first_error(answer)["code"]) == (409, "budget")
        assert Release.objects.count() == BudgetEntry.objects.count() == 1


class TestRelease:
    @pytest.mark.parametrize("mechanism", [STREAM, SAMPLE], ids=lambda one: one["name"])
    def test_is_published_whole_with_its_label(self, owner_api, stream, mechanism):
        row = released(owner_api, stream, mechanism)
        assert all(value > 0 for value in row["owner_view"].values()), row["owner_view"]
        assert row["guarantee"]["level"] == "w-event"
        shown = owner_api.get(row["urls"]["counts"]).json()
        assert shown["counts"] == COUNTS.sum(axis=1).tolist()
        assert shown["released"] != shown["counts"]
        for fmt in ("parquet", "csv"):
            answer = owner_api.get(row["urls"]["data"], {"format": fmt})
            content, name = answer.getvalue(), f"data.csv_{mechanism['name']}_eps1_w4.{fmt}"
            assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
            assert verify(content, name).holds, fmt
            assert row["guarantee"]["statement"].split("ε")[0].encode() in content
        rows = csv.DictReader(io.StringIO(content.decode()))
        assert [sum(int(one[name]) for name in NAMES) for one in rows] == shown["released"]
        row = released(owner_api, stream, mechanism | {"epsilon": 1600.0})
        exact = owner_api.get(row["urls"]["counts"], {"stream": 1}).json()
        kept = slice(None, None, 4 if mechanism is SAMPLE else 1)
        assert exact["released"][kept] == exact["counts"][kept]  # P(noise != 0) < 2 exp(-100) for each count


class TestRefusal:
    def test_of_what_is_of_another_kind(self, owner_api, stream, ready_dataset, landmark_set):
        trajectory, marks = {"id": str(ready_dataset.pk)}, {"landmark_set": str(landmark_set.pk)}
        eighths = made(owner_api, kinds.wide(COUNTS / 8), kind="stream")

        def quoted(dataset, mechanism):
            return owner_api.post(QUOTE, {"dataset": dataset["id"], "mechanisms": [mechanism]})

        for mechanism in (UNIFORM, kinds.POPULARITY):
            answer = requested(owner_api, stream, mechanism)
            assert refused(answer) == (400, "mechanism.name")
            assert first_error(answer)["rule"] == "a mechanism for count streams"
            assert quoted(stream, mechanism).status_code == 400
        assert refused(quoted(trajectory, UNIFORM)) == (400, "dataset")
        assert refused(requested(owner_api, stream, STREAM, **marks)) == (400, "landmark_set")
        assert refused(requested(owner_api, trajectory, STREAM, **marks)) == (400, "mechanism.name")
        for answer in (requested(owner_api, eighths, STREAM), quoted(eighths, STREAM)):
            assert refused(answer) == (400, "dataset")
            assert first_error(answer)["rule"] == "counts: whole numbers from 0 to 2**52"
        assert not BudgetEntry.objects.exists()

    def test_of_what_only_other_kinds_have(self, owner_api, stream, owner_page):
        row = released(owner_api, stream, STREAM)
        steps, own = {"postprocess": [{"name": "ou-smoother"}]}, row["urls"]["self"]
        for answer in (requested(owner_api, stream, STREAM, **steps), owner_api.post(f"{own}postprocess/", steps)):
            assert refused(answer) == (400, "postprocess")
            assert first_error(answer)["rule"] == "must be steps for the kind stream"
        for action in ("track", "series", "errors", "cells"):
            answer = owner_api.get(f"{own}{action}/")
            assert refused(answer) == (400, "dataset"), action
            assert (first_error(answer)["value"], action in row["urls"]) == ("stream", False)
        for action in ("track", "cells"):
            assert refused(owner_api.get(f"{DATASETS}{stream['id']}/{action}/")) == (400, "dataset"), action
        for path, answer in requested_as_trajectory(owner_api, stream, row).items():
            assert (400 <= answer.status_code < 500, bool(first_error(answer)["field"])) == (True, True), path
        wrong = [("stream", value) for value in (3, "x", -1)] + [("points", value) for value in (0, 1, -5, "many")]
        for field, value in wrong:
            assert refused(owner_api.get(f"{DATASETS}{stream['id']}/counts/", {field: value})) == (400, field), value
        page = f"/datasets/{stream['id']}/"
        assert owner_page.get(f"{page}landmarks/new/").status_code == 302
        for path in (f"/releases/{row['id']}/report/", page, f"{page}releases/new/", f"{page}compare/"):
            assert owner_page.get(path).status_code == 200


ADAPUB = STREAM | {"name": "stream-adapub"}


def decoded(body):
    """How many timestamps there are, and the cells, (n, d)."""
    magic, version, timestamps, columns, dimensions, _ = struct.unpack("<6I", body[:24])
    assert (magic, version) == (heat_maps.MAGIC, heat_maps.VERSION)
    return timestamps, np.frombuffer(body[24:], "<f8").reshape(dimensions, columns).T


class TestHeatMap:
    def test_holds_the_counts_of_upload_and_release(self, owner_api, stream, ready_dataset):
        names = [one["name"] for one in Dataset.objects.get(pk=stream["id"]).summary["dimensions"]]
        expected = COUNTS[:, [kinds.NAMES.index(name) for name in names]]
        timestamps, uploaded = decoded(owner_api.get(f"{DATASETS}{stream['id']}/heat-map/").content)
        assert timestamps == kinds.DAYS
        assert uploaded.tolist() == expected.tolist()
        row = released(owner_api, stream, STREAM | {"epsilon": 400.0})  # P(noise != 0) < 2 exp(-100) for each count
        assert decoded(owner_api.get(row["urls"]["heat_map"]).content)[1].tolist() == expected.tolist()
        large = made(owner_api, kinds.wide(COUNTS + 2**52))
        _, found = decoded(owner_api.get(f"{DATASETS}{large['id']}/heat-map/").content)
        assert sorted(found.ravel().tolist()) == sorted((COUNTS + 2**52).ravel().tolist())
        assert owner_api.get(f"{DATASETS}{ready_dataset.pk}/heat-map/").status_code == 400


class TestComparison:
    def test_errors_and_budgets_of_releases_and_of_zeros(self, owner_api, stream):
        row = released(owner_api, stream, STREAM)
        found = owner_api.get(row["urls"]["comparison"]).json()
        for name, key in (("relative_error", "relative-error"), ("absolute_error", "mean-absolute-error")):
            assert np.mean(found["dimensions"][name]) == pytest.approx(row["owner_view"][f"stream-{key}"])
        assert found["budgets"] == [0.25] * kinds.DAYS  # ε = 1 over 4 timestamps
        assert found["window_spent"][:5] == [0.25, 0.5, 0.75, 1.0, 1.0]
        assert found["most_spent"] == 1.0
        found = comparisons.figures_of_zeros(Dataset.objects.get(pk=stream["id"]))
        bound = np.maximum(COUNTS, 0.01 * COUNTS.sum(axis=0))
        assert found == {
            "stream-relative-error": pytest.approx((COUNTS / bound).mean()),
            "stream-mean-absolute-error": pytest.approx(COUNTS.mean()),
            "stream-root-mean-square-error": pytest.approx(np.sqrt((COUNTS.astype(float) ** 2).mean())),
        }


class TestGrouping:
    def test_of_adapub_lies_with_the_owners_files_alone_and_bad_queries_name_the_field(self, owner_api, stream):
        row = released(owner_api, stream, ADAPUB)
        sizes = []
        for k in range(3):
            found = owner_api.get(row["urls"]["grouping"], {"dimension": k}).json()["grouping"]
            assert len(found["cluster_start"]) == kinds.DAYS
            assert found["cluster_start"][0]
            sizes.append(found["group_size"])
        groups = (1 / np.array(sizes)).sum(axis=0)
        assert groups == pytest.approx(np.round(groups))
        assert set(np.ravel(sizes)) <= {1, 2, 3}
        stored = Release.objects.get(pk=row["id"])
        assert stored.errors_path.parent == stored.dataset.folder
        assert sorted(path.name for path in stored.folder.iterdir()) == [stored.data_file]
        row = released(owner_api, stream, STREAM)
        assert owner_api.get(row["urls"]["grouping"], {"dimension": 0}).json() == {"grouping": None}
        for query in ({}, {"dimension": 3}, {"dimension": -1}, {"dimension": "a"}):
            assert refused(owner_api.get(f"{RELEASES}{row['id']}/grouping/", query)) == (400, "dimension"), query


def test_detection_is_perfect_without_noise(owner_api, stream):
    row = released(owner_api, stream, STREAM | {"epsilon": 1e4})
    url, query = f"{RELEASES}{row['id']}/detection/", {"event": "jump", "length": 2, "threshold": 20_000}
    curve = owner_api.get(url, query).json()["curve"]
    assert (curve["area"], curve["positives"]) == (1.0, (abs(COUNTS[2:] - COUNTS[:-2]) >= 20_000).sum())
    none = owner_api.get(url, query | {"event": "low-signal", "threshold": 0}).json()
    assert none == {"curve": None, "positives": 0, "negatives": COUNTS.size}
    every = owner_api.get(url, query | {"threshold": 0}).json()
    assert every == {"curve": None, "positives": COUNTS[2:].size, "negatives": 0}
    for field, wrong in (("event", "peak"), ("length", 0), ("threshold", "1,5")):
        assert refused(owner_api.get(url, query | {field: wrong})) == (400, field)
    answer = owner_api.get(url, query | {"length": 40})
    assert refused(answer) == (400, "length")
    rule = "below 40, the number of timestamps of the stream"
    assert first_error(answer)["message"] == f"length must be {rule}, got 40"


class TestPage:
    def test_zeros_lie_where_their_error_puts_them(self, owner_api, owner_page, stream):
        exact = released(owner_api, stream, STREAM | {"epsilon": 400.0})
        noisy = released(owner_api, stream, STREAM | {"epsilon": 1e-3, "sensitivity": 50})
        page = owner_page.get(exact["urls"]["page"])
        assert [row["id"] or "zeros" for row in page.context["table"]] == [exact["id"], "zeros", noisy["id"]]
        worse = [[cell["worse"] for cell in row["cells"]] for row in page.context["table"]]
        assert worse == [[False] * 4, [False] * 4, [True] * 3 + [False]]

    def test_opens_on_releases_that_are_private_whatever_simulations_reach(self, owner_api, owner_page, stream):
        private = [released(owner_api, stream, STREAM | {"epsilon": one}) for one in (0.1, 0.2)]
        simulated = released(owner_api, stream, STREAM | {"epsilon": 1e3}, seed=1)
        rows = owner_page.get(simulated["urls"]["page"]).context["page"]["releases"]
        assert rows[0]["id"] == simulated["id"]
        assert {row["id"] for row in rows if row["visible"]} == {one["id"] for one in private}

    def test_guarantees_are_those_of_the_label_and_budgets_are_named(self, owner_api, owner_page, stream):
        row = released(owner_api, stream, STREAM | {"name": "stream-rescuedp"}, seed=1)
        (found,) = owner_page.get(row["urls"]["page"]).context["page"]["releases"]
        assert found["seeded"]
        assert found["unsound"]
        assert found["statement"].startswith("There is no guarantee")

    def test_shows_the_owners_live_stream_of_the_same_dimensions(self, owner, stranger, owner_api, owner_page, stream):
        names = [one["name"] for one in Dataset.objects.get(pk=stream["id"]).summary["dimensions"]]
        for user, dimensions in ((stranger, names), (owner, names[:2])):
            kinds.live_stream(user, dimensions)
        page = released(owner_api, stream, STREAM)["urls"]["page"]
        assert owner_page.get(page).context["live"] is None
        kinds.live_stream(owner, names, "Visitors now")
        assert "Visitors now" in owner_page.get(page).content.decode()


def test_a_release_that_ends_while_the_page_is_made_is_open_on_it(owner_api, owner_page, monkeypatch):
    """The page reloads when an open job is over: it must not list as ended what it does not show yet."""
    dataset = made(owner_api, kinds.checkins(kinds.checkin_rows()))
    release = Release.objects.get(pk=released(owner_api, dataset, POPULARITY)["id"])
    finished = release.finished_at
    Release.objects.filter(pk=release.pk).update(state=State.QUEUED, finished_at=None)
    spending = pages.spending

    def meanwhile(*arguments):
        Release.objects.filter(pk=release.pk).update(state=State.DONE, finished_at=finished)
        return spending(*arguments)

    monkeypatch.setattr(pages, "spending", meanwhile)
    html = owner_page.get(reverse("releases:compare", args=[dataset["id"]])).content.decode()
    assert "No model yet" in html
    assert f'data-job="{release.pk}"' in html
