"""Count streams over the API: from a file to a verified download, what is refused, and permissions."""

import csv
import gzip
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases.models import Release
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, refused
from tests.dashboard.conftest import CSV
from tests.dashboard.kinds import (
    DATASETS,
    NAMES,
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

    def test_what_is_no_count_is_refused_or_asked_for(self, owner_api):
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
        body = b"time,lat,lon\n" + b"".join(b"2024-01-0%d,4%d,%d\n" % (i, i, i) for i in range(1, 9))
        dataset = made(owner_api, body)
        assert dataset["kind"] == "trajectory"
        read = f"{DATASETS}{dataset['id']}/read/"
        assert owner_api.post(read, {"kind": "stream"}).json()["kind"] == "stream"
        assert owner_api.get(f"{DATASETS}{dataset['id']}/counts/").status_code == 200
        assert owner_api.post(read, {}).json()["kind"] == "stream"
        assert owner_api.post(read, {"kind": ""}).json()["kind"] == "trajectory"
        assert owner_api.get(f"{DATASETS}{dataset['id']}/counts/").status_code == 400

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
        for fmt in ("csv", "parquet"):
            answer = owner_api.get(row["urls"]["data"], {"format": fmt})
            content, name = answer.getvalue(), f"data.csv_{mechanism['name']}_eps1_w4.{fmt}"
            assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
            verified = verify(content, name)
            assert verified.holds, verified.checks
            assert row["guarantee"]["statement"].split("ε")[0].encode() in content
            if fmt == "parquet":
                rows = pq.read_table(io.BytesIO(content)).to_pylist()
            else:
                rows = list(csv.DictReader(io.StringIO(content.decode())))
            assert [sum(int(one[name]) for name in NAMES) for one in rows] == shown["released"]
        row = released(owner_api, stream, mechanism | {"epsilon": 1600.0})
        exact = owner_api.get(row["urls"]["counts"], {"stream": 1}).json()
        kept = slice(None, None, 4 if mechanism is SAMPLE else 1)
        assert exact["released"][kept] == exact["counts"][kept]  # P(noise != 0) < 2 exp(-100) for each count

    def test_a_seeded_one_is_not_private_and_charged_nothing(self, owner_api, stream):
        rows = [released(owner_api, stream, STREAM, seed=7) for _ in range(2)]
        bodies = [owner_api.get(row["urls"]["counts"]).json()["released"] for row in rows]
        assert bodies[0] == bodies[1]
        assert not BudgetEntry.objects.exists()
        assert rows[0]["guarantee"] is None
        assert rows[0]["label"].startswith("NOT PRIVATE: seeded simulation")
        for fmt in ("csv", "parquet"):
            assert b"NOT PRIVATE" in owner_api.get(rows[0]["urls"]["data"], {"format": fmt}).getvalue()


class TestRefusal:
    def test_of_a_mechanism_or_a_landmark_set_of_another_kind(self, owner_api, stream, ready_dataset, landmark_set):
        trajectory, marks = {"id": str(ready_dataset.pk)}, {"landmark_set": str(landmark_set.pk)}
        for mechanism in (UNIFORM, kinds.POPULARITY):
            answer = requested(owner_api, stream, mechanism)
            assert refused(answer) == (400, "mechanism.name")
            assert first_error(answer)["rule"] == "a mechanism for count streams"
            for one in (answer, owner_api.post(QUOTE, {"dataset": stream["id"], "mechanisms": [mechanism]})):
                assert (one.status_code, first_error(one)["value"]) == (400, mechanism["name"])
        answer = owner_api.post(QUOTE, {"dataset": trajectory["id"], "mechanisms": [UNIFORM]})
        assert refused(answer) == (400, "dataset")
        for answer, value in (
            (requested(owner_api, stream, STREAM, **marks), str(landmark_set.pk)),
            (requested(owner_api, trajectory, UNIFORM), None),
        ):
            assert refused(answer) == (400, "landmark_set")
            assert first_error(answer)["value"] == value
        assert refused(requested(owner_api, trajectory, STREAM, **marks)) == (400, "mechanism.name")

    def test_of_counts_that_are_not_whole(self, owner_api):
        dataset = made(owner_api, kinds.wide(COUNTS / 8), kind="stream")
        quoted = owner_api.post(QUOTE, {"dataset": dataset["id"], "mechanisms": [STREAM]})
        for answer in (requested(owner_api, dataset, STREAM), quoted):
            error = first_error(answer)
            assert (answer.status_code, error["field"], error["value"]) == (400, "dataset", dataset["id"])
            assert error["rule"] == "counts: whole numbers from 0 to 2**52"
        assert not BudgetEntry.objects.exists()

    def test_of_what_only_other_kinds_have(self, owner_api, stream, owner_page):
        row = released(owner_api, stream, STREAM)
        for name in ("ou-smoother", "random-walk-smoother"):
            steps = {"postprocess": [{"name": name}]}
            answer = requested(owner_api, stream, STREAM, **steps)
            assert refused(answer) == (400, "postprocess")
            assert first_error(answer)["rule"] == "must be steps for the kind stream"
            assert refused(owner_api.post(f"{RELEASES}{row['id']}/postprocess/", steps)) == (400, "postprocess")
        for action in ("track", "series", "errors", "cells"):
            answer = owner_api.get(f"{RELEASES}{row['id']}/{action}/")
            assert refused(answer) == (400, "dataset"), action
            assert first_error(answer)["value"] == "stream"
            assert action not in row["urls"]
        for action in ("track", "cells"):
            assert refused(owner_api.get(f"{DATASETS}{stream['id']}/{action}/")) == (400, "dataset"), action
        for path, answer in requested_as_trajectory(owner_api, stream, row).items():
            assert (400 <= answer.status_code < 500, bool(first_error(answer)["field"])) == (True, True), path
        for field, values in {"stream": (3, "x", -1), "points": (0, 1, -5, "many")}.items():
            for value in values:
                answer = owner_api.get(f"{DATASETS}{stream['id']}/counts/", {field: value})
                assert refused(answer) == (400, field), value
        assert owner_page.get(f"/datasets/{stream['id']}/landmarks/new/").status_code == 302
        row = released(owner_api, stream, STREAM)
        assert owner_page.get(f"/releases/{row['id']}/report/").status_code == 200
        for path in ("", "releases/new/", "compare/"):
            assert owner_page.get(f"/datasets/{stream['id']}/{path}").status_code == 200
