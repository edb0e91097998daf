"""Check-ins over the API: from a file to a verified download, what is refused, and permissions."""

import csv
import gzip
import io
import json
import uuid

import numpy as np
import pytest

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases.models import Release
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, UNIFORM, first_error, release_url
from tests.dashboard.kinds import (
    DATASETS,
    POPULARITY,
    RECORDS,
    STREAM,
    made,
    released,
    requested,
    requested_as_trajectory,
    sent,
)
from tests.dashboard.release_runs import executed, fail, interrupted

ROWS = kinds.checkin_rows()
BODY = kinds.checkins(ROWS)
QUOTE = f"{RELEASES}quote/"
BARE = kinds.checkins([row.rsplit(",", 2)[0] for row in ROWS], "user_id,time,venue_id")


def counted():
    """How many of the rows are in each cell of the grid of the mechanism, by its definition."""
    found = np.zeros(64, dtype=int)
    for row in ROWS:
        lat, lon = map(float, row.split(",")[3:])
        found[int((lat - 48.8) / 0.1 * 8) * 8 + int((lon - 2.2) / 0.2 * 8)] += 1
    return found


@pytest.fixture
def checkins(owner_api):
    """The owner's check-ins."""
    return made(owner_api, BODY)


class TestUpload:
    @pytest.mark.parametrize("kind", ["", "checkins"], ids=["detected", "named"])
    @pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
    def test_reads_the_check_ins(self, owner_api, packed, kind):
        body, name = (gzip.compress(BODY), "c.csv.gz") if packed else (BODY, "c.csv")
        dataset = made(owner_api, body, name, **({"kind": kind} if kind else {}))
        assert (dataset["kind"], dataset["points"]) == ("checkins", 200)
        known = Dataset.objects.get().summary
        assert (known["users"], known["checkins"]) == (len({row.split(",")[0] for row in ROWS}), 200)
        assert dataset["start"] == "2024-06-01T00:00:00.000Z"

    def test_shows_its_facts_on_the_page(self, owner_page, checkins):
        page = owner_page.get(checkins["urls"]["page"]).content.decode()
        assert "<dt>Check-ins</dt><dd>200</dd>" in page
        assert "<dt>Users</dt><dd>20</dd>" in page
        assert "Positions" not in page.split("<dl")[1].split("</dl>")[0]

    def test_has_its_cells_by_their_counts(self, owner_api, checkins):
        found = owner_api.get(f"{DATASETS}{checkins['id']}/cells/", {"k": 1000}).json()
        cells = found["cells"]
        assert found["of"] == 24 * 24
        assert [one["count"] for one in cells] == sorted((one["count"] for one in cells), reverse=True)
        assert sum(one["count"] for one in cells) == 200
        assert all(one["count"] > 0 for one in cells)
        assert [one["rank"] for one in cells] == list(range(1, len(cells) + 1))

    def test_fail_of_numbers_of_cells(self, owner_api, checkins):
        for k in [0, -1, 1001, "all"]:
            answer = owner_api.get(f"{DATASETS}{checkins['id']}/cells/", {"k": k})
            assert (answer.status_code, first_error(answer)["field"]) == (400, "k"), k

    def test_fail_what_check_ins_do_not_take(self, owner_api):
        for fields, field in [
            ({"cleaning": json.dumps([{"name": "first-events", "events": 3}])}, "cleaning"),
            ({"kind": "table"}, "kind"),
        ]:
            answer = sent(owner_api, BODY, **fields)
            assert (answer.status_code, first_error(answer)["field"]) == (400, field), (fields, field)
            assert not Dataset.objects.exists(), (fields, field)

    def test_read_again_as_trajectories_and_back(self, owner_api, checkins):
        read = f"{DATASETS}{checkins['id']}/read/"
        assert owner_api.post(read, {"kind": "trajectory"}).json()["kind"] == "trajectory"
        assert owner_api.get(f"{DATASETS}{checkins['id']}/cells/").status_code == 400
        assert owner_api.post(read, {"kind": ""}).json()["kind"] == "checkins"
        assert Dataset.objects.get().source_file.lineage.source_files.count() == 1


class TestQuote:
    def test_is_what_releases_are_charged_in_each_unit(self, owner_api, checkins):
        quoted = owner_api.post(QUOTE, {"dataset": checkins["id"], "mechanisms": [POPULARITY, RECORDS]}).json()
        prices = {one["unit"]: (one["price"], one["spent"], one["fits"]) for one in quoted["budgets"]}
        assert prices == {"user": (1, 0, True), "record": (1, 0, True)}
        users, records = (one["noise_sd"] for one in quoted["mechanisms"])
        rate = 1 / 5
        assert users == pytest.approx(np.sqrt(2 * np.exp(rate)) / (np.exp(rate) - 1), rel=1e-6)
        assert records == pytest.approx(np.sqrt(2 * np.exp(1)) / (np.exp(1) - 1), rel=1e-6)
        assert not BudgetEntry.objects.exists()
        for mechanism in (POPULARITY, RECORDS):
            released(owner_api, checkins, mechanism)
        entries = BudgetEntry.objects.order_by("pk").values_list("unit", "amount", "radius_m")
        assert list(entries) == [("user", 1_000_000, None), ("record", 1_000_000, None)]

    def test_states_where_the_nearest_cell_was_measured_to_be_as_good(self, owner_api, checkins):
        blend = POPULARITY | {"name": "checkin-blend", "side": 8}
        quoted = owner_api.post(QUOTE, {"dataset": checkins["id"], "mechanisms": [POPULARITY | {"side": 16}, blend]})
        popularity, better = (one["public_baseline"] for one in quoted.json()["mechanisms"])
        assert popularity.startswith("On 2 of 3 measured sets of check-ins this recommends no better than the nearest")
        assert "0.284 beside 0.466 on Manhattan" in popularity
        assert better == ""

    def test_limits_of_one_unit_leave_the_other(self, owner_api, checkins):
        for unit, epsilon in (("user", 0.5), ("record", 2)):
            answer = owner_api.patch(checkins["urls"]["self"], {"budget": {"epsilon": epsilon, "unit": unit}})
            assert answer.status_code == 200, answer.json()
        assert requested(owner_api, checkins, RECORDS).status_code == 201
        refused = requested(owner_api, checkins, POPULARITY)
        assert (refused.status_code, first_error(refused)["code"]) == (409, "budget")
        assert "of one user" in first_error(refused)["message"]
        quoted = owner_api.post(QUOTE, {"dataset": checkins["id"], "mechanisms": [POPULARITY, RECORDS]}).json()
        assert [(one["unit"], one["total"], one["fits"]) for one in quoted["budgets"]] == [
            ("user", 0.5, False),
            ("record", 2, True),
        ]

    def test_fail_of_a_mechanism_of_another_kind(self, owner_api, checkins):
        for mechanism in [UNIFORM, STREAM]:
            quoted = owner_api.post(QUOTE, {"dataset": checkins["id"], "mechanisms": [mechanism]})
            for answer in (quoted, requested(owner_api, checkins, mechanism)):
                error = first_error(answer)
                assert (answer.status_code, error["field"], error["value"]) == (
                    400,
                    "mechanism.name",
                    mechanism["name"],
                ), mechanism
                assert error["rule"] == "a mechanism for check-ins", mechanism


class TestRelease:
    @pytest.mark.parametrize(
        ("mechanism", "level"), [(POPULARITY, "user"), (RECORDS, "record")], ids=["user", "record"]
    )
    def test_is_published_whole_with_its_label(self, owner_api, checkins, mechanism, level):
        row = released(owner_api, checkins, mechanism)
        shown = owner_api.get(row["urls"]["cells"], {"k": 64}).json()["cells"]
        published = {one["cell"]: one["count"] for one in shown}
        assert sorted(published) == list(range(64))
        assert {one["cell"]: one["uploaded"] for one in shown} == dict(enumerate(counted().tolist()))
        for fmt in ("csv", "json"):
            content = owner_api.get(row["urls"]["data"], {"format": fmt}).getvalue()
            name = f"checkin-popularity-{uuid.UUID(row['id']).hex[:8]}.{fmt}"
            verified = verify(content, name)
            assert verified.holds, verified.checks
            assert row["guarantee"]["statement"].split("ε")[0].encode() in content
        assert level in row["guarantee"]["level"]
        rows = list(csv.DictReader(io.StringIO(owner_api.get(row["urls"]["data"]).getvalue().decode())))
        assert sorted(int(one["count"]) for one in rows) == sorted(published.values())

    def test_the_noise_is_that_of_the_level(self, owner_api, checkins):
        row = released(owner_api, checkins, RECORDS | {"epsilon": 200.0})
        cells = owner_api.get(row["urls"]["cells"], {"k": 64}).json()["cells"]
        assert all(one["count"] == one["uploaded"] for one in cells)  # each differs with probability < 2 exp(-200)

    def test_each_user_counts_as_often_as_allowed(self, owner_api, checkins):
        row = released(owner_api, checkins, POPULARITY | {"epsilon": 200.0, "contributions": 1})
        cells = owner_api.get(row["urls"]["cells"], {"k": 64}).json()["cells"]
        assert sum(one["count"] for one in cells) == 20
        assert sum(one["uploaded"] for one in cells) == 200

    def test_a_seeded_one_is_not_private_and_charged_nothing(self, owner_api, checkins):
        rows = [released(owner_api, checkins, POPULARITY, seed=7) for _ in range(2)]
        found = [owner_api.get(row["urls"]["cells"], {"k": 64}).json() for row in rows]
        assert found[0] == found[1]
        assert not BudgetEntry.objects.exists()
        assert rows[0]["guarantee"] is None
        assert rows[0]["label"].startswith("NOT PRIVATE: seeded simulation")
        for fmt in ("csv", "json"):
            assert b"NOT PRIVATE" in owner_api.get(rows[0]["urls"]["data"], {"format": fmt}).getvalue()

    def test_of_two_kinds_are_not_bundled(self, owner_api, checkins):
        stream = made(owner_api, kinds.wide(kinds.counts()))
        rows = [released(owner_api, checkins, POPULARITY), released(owner_api, stream, STREAM)]
        answer = owner_api.get(f"{RELEASES}bundle/", {"release": [row["id"] for row in rows]})
        assert (answer.status_code, first_error(answer)["rule"]) == (400, "releases of one kind of data")

    def test_cancelled_failed_and_discarded_as_any_other(self, owner_api, checkins, monkeypatch):
        first = requested(owner_api, checkins, POPULARITY).json()
        owner_api.post(f"{RELEASES}{first['id']}/cancel/")
        assert sum(BudgetEntry.objects.values_list("amount", flat=True)) == 0
        row = Release.objects.get(pk=requested(owner_api, checkins, POPULARITY).json()["id"])
        assert interrupted(row, monkeypatch, fail).state == "failed"
        assert owner_api.post(release_url(row, "retry")).status_code == 200
        assert executed(row).state == "done"
        assert owner_api.delete(release_url(row)).status_code == 204
        assert owner_api.get(release_url(row, "cells")).status_code == 404
        assert sum(BudgetEntry.objects.values_list("amount", flat=True)) == 1_000_000


class TestRefusal:
    def test_of_check_ins_without_positions(self, owner_api, owner_page):
        dataset = made(owner_api, BARE)
        quoted = owner_api.post(QUOTE, {"dataset": dataset["id"], "mechanisms": [POPULARITY]})
        for answer in (quoted, requested(owner_api, dataset, POPULARITY)):
            error = first_error(answer)
            assert (answer.status_code, error["field"], error["value"]) == (400, "dataset", dataset["id"])
            assert error["rule"] == "positions: longitudes and latitudes"
        answer = owner_api.get(f"{DATASETS}{dataset['id']}/cells/")
        assert (answer.status_code, first_error(answer)["rule"]) == (400, "positions")
        assert "no mechanism can release them" in owner_page.get(dataset["urls"]["page"]).content.decode()
        assert not BudgetEntry.objects.exists()

    def test_of_parameters(self, owner_api, checkins):
        for changes, field in [
            ({"west": 2.5}, "east"),
            ({"side": 0}, "side"),
            ({"epsilon": 0}, "epsilon"),
            ({"side": 0.5}, "side"),
        ]:
            answer = requested(owner_api, checkins, POPULARITY | changes)
            assert answer.status_code == 400, (changes, field)
            assert first_error(answer)["field"].startswith(f"mechanism.{field}"), (changes, field)

    def test_of_a_landmark_set(self, owner_api, checkins, landmark_set):
        answer = requested(owner_api, checkins, POPULARITY, landmark_set=str(landmark_set.pk))
        assert (answer.status_code, first_error(answer)["field"]) == (400, "landmark_set")

    def test_of_what_only_other_kinds_have(self, owner_api, checkins):
        for action in ["track", "series", "errors", "counts"]:
            row = released(owner_api, checkins, POPULARITY)
            answer = owner_api.get(f"{RELEASES}{row['id']}/{action}/")
            error = first_error(answer)
            assert (answer.status_code, error["field"], error["value"]) == (400, "dataset", "checkins"), action
            assert action not in row["urls"], action

    def test_of_landmarks_attacks_and_experiments_of_trajectories(self, owner_api, owner_page, checkins):
        row = released(owner_api, checkins, POPULARITY)
        for path, answer in requested_as_trajectory(owner_api, checkins, row).items():
            assert 400 <= answer.status_code < 500, path
        assert owner_page.get(f"/releases/{row['id']}/report/").status_code == 200
        for path in ("", "releases/new/", "compare/"):
            assert owner_page.get(f"/datasets/{checkins['id']}/{path}").status_code == 200

    def test_of_a_budget(self, owner_api, checkins):
        for budget, field in [
            ({"epsilon": 1, "unit": "event"}, "budget.unit"),
            ({"epsilon": 1, "unit": 3}, "budget.unit"),
            ({"epsilon": 1, "radius_m": 9}, "budget.radius_m"),
            ({"epsilon": -1, "unit": "user"}, "budget.epsilon"),
        ]:
            answer = owner_api.patch(checkins["urls"]["self"], {"budget": budget})
            assert (answer.status_code, first_error(answer)["field"]) == (400, field), (budget, field)
