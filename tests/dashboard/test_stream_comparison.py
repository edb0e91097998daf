"""The comparison of released counts with the upload over the API: heat maps, errors, budgets, grouping, zeros."""

import struct

import numpy as np
import pytest
from django.urls import reverse

from dashboard.datasets import heat_maps
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.releases import kind_pages
from dashboard.releases.models import Release
from dashboard.releases.stream_comparisons import figures_of_zeros
from dashboard.streams.services import open_stream
from privacy_engine.spec import ReleaseSpec
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, first_error, refused
from tests.dashboard.kinds import DATASETS, POPULARITY, STREAM, made, released

COUNTS = kinds.counts()
ADAPUB = STREAM | {"name": "stream-adapub"}


@pytest.fixture
def stream(owner_api):
    return made(owner_api, kinds.wide(COUNTS))


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
        found = figures_of_zeros(Dataset.objects.get(pk=stream["id"]))
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
        spec = ReleaseSpec.parse({"mechanism": STREAM})
        for user, dimensions in ((stranger, names), (owner, names[:2])):
            open_stream(owner=user, name="Another", dimensions=dimensions, spec=spec)
        page = released(owner_api, stream, STREAM)["urls"]["page"]
        assert owner_page.get(page).context["live"] is None
        open_stream(owner=owner, name="Visitors now", dimensions=names, spec=spec)
        assert "Visitors now" in owner_page.get(page).content.decode()


def test_a_release_that_ends_while_the_page_is_made_is_open_on_it(owner_api, owner_page, monkeypatch):
    """The page reloads when an open job is over: it must not list as ended what it does not show yet."""
    dataset = made(owner_api, kinds.checkins(kinds.checkin_rows()))
    release = Release.objects.get(pk=released(owner_api, dataset, POPULARITY)["id"])
    finished = release.finished_at
    Release.objects.filter(pk=release.pk).update(state=State.QUEUED, finished_at=None)
    styles = kind_pages._styles

    def meanwhile(*arguments):
        Release.objects.filter(pk=release.pk).update(state=State.DONE, finished_at=finished)
        return styles(*arguments)

    monkeypatch.setattr(kind_pages, "_styles", meanwhile)
    html = owner_page.get(reverse("releases:compare", args=[dataset["id"]])).content.decode()
    assert "No model yet" in html
    assert f'data-job="{release.pk}"' in html
