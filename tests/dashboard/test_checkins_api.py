"""Check-ins over the API: from a file to a verified download, what is refused, and permissions."""

import csv
import gzip
import io
import json
import uuid
import zipfile

import numpy as np
import pytest
from django.test import Client

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases import reproduce
from dashboard.releases.models import Release
from privacy_engine.accounting.promise import SEEN_BOX
from privacy_engine.releases.label import label_digest
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, first_error, refused
from tests.dashboard.kinds import DATASETS, POPULARITY, RECORDS, STREAM

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
    return kinds.made(owner_api, BODY)


def cells_of(api, row):
    return api.get(row["urls"]["cells"], {"k": 64}).json()["cells"]


class TestUpload:
    @pytest.mark.parametrize("kind", ["", "checkins"], ids=["detected", "named"])
    @pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
    def test_reads_the_check_ins(self, owner_api, packed, kind):
        body, name = (gzip.compress(BODY), "c.csv.gz") if packed else (BODY, "c.csv")
        dataset = kinds.made(owner_api, body, name, **({"kind": kind} if kind else {}))
        assert (dataset["kind"], dataset["points"]) == ("checkins", 200)
        known = Dataset.objects.get().summary
        assert (known["users"], known["checkins"]) == (len({row.split(",")[0] for row in ROWS}), 200)
        assert dataset["start"] == "2024-06-01T00:00:00.000Z"

    def test_has_its_cells_by_their_counts(self, owner_api, checkins):
        found = owner_api.get(f"{DATASETS}{checkins['id']}/cells/", {"k": 1000}).json()
        numbers = [one["count"] for one in found["cells"]]
        assert (found["of"], sum(numbers), min(numbers) > 0) == (24 * 24, 200, True)
        assert numbers == sorted(numbers, reverse=True)
        assert [one["rank"] for one in found["cells"]] == list(range(1, len(numbers) + 1))
        for k in [0, -1, 1001, "all"]:
            assert refused(owner_api.get(f"{DATASETS}{checkins['id']}/cells/", {"k": k})) == (400, "k"), k

    def test_fail_what_check_ins_do_not_take(self, owner_api):
        cleaning = json.dumps([{"name": "first-events", "events": 3}])
        for fields, field in [({"cleaning": cleaning}, "cleaning"), ({"kind": "table"}, "kind")]:
            assert refused(kinds.sent(owner_api, BODY, **fields)) == (400, field)
        assert not Dataset.objects.exists()

    def test_shows_its_facts_and_is_read_again_as_trajectories_and_back(self, owner_api, owner_page, checkins):
        page = owner_page.get(checkins["urls"]["page"]).content.decode()
        assert "<dt>Check-ins</dt><dd>200</dd>" in page
        assert "<dt>Users</dt><dd>20</dd>" in page
        assert "Positions" not in page.split("<dl")[1].split("</dl>")[0]
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
            kinds.released(owner_api, checkins, mechanism)
        entries = BudgetEntry.objects.order_by("pk").values_list("unit", "amount", "radius_m")
        assert list(entries) == [("user", 1_000_000, None), ("record", 1_000_000, None)]

    def test_states_where_the_nearest_cell_was_measured_to_be_as_good(self, owner_api, checkins):
        blend = POPULARITY | {"name": "checkin-blend", "side": 8}
        quoted = owner_api.post(QUOTE, {"dataset": checkins["id"], "mechanisms": [POPULARITY | {"side": 16}, blend]})
        popularity, better = (one["public_baseline"] for one in quoted.json()["mechanisms"])
        assert popularity.startswith("On 2 of 3 measured sets of check-ins this recommends no better than the nearest")
        assert "0.284 beside 0.466 on Manhattan" in popularity
        assert better == ""


class TestRelease:
    @pytest.mark.parametrize(
        ("mechanism", "level"), [(POPULARITY, "user"), (RECORDS, "record")], ids=["user", "record"]
    )
    def test_is_published_whole_with_its_label(self, owner_api, checkins, mechanism, level):
        row = kinds.released(owner_api, checkins, mechanism)
        shown = cells_of(owner_api, row)
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

    def test_a_bundle_has_the_formats_that_a_model_can_be_written_in(self, owner_api, checkins):
        row = kinds.released(owner_api, checkins, POPULARITY | {"name": "checkin-nearest"}, seed=7)
        bundle = row["urls"]["bundle"]
        names = zipfile.ZipFile(io.BytesIO(owner_api.get(bundle).getvalue())).namelist()
        assert {name.rpartition(".")[2] for name in names if row["id"][:8] + "." in name} == {"json"}
        answer = owner_api.get(bundle, {"format": "csv"})
        assert (answer.status_code, first_error(answer)["field"]) == (400, "format")

    def test_the_noise_is_that_of_the_level_and_each_user_counts_as_often_as_allowed(self, owner_api, checkins):
        cells = cells_of(owner_api, kinds.released(owner_api, checkins, RECORDS | {"epsilon": 200.0}))
        assert all(one["count"] == one["uploaded"] for one in cells)  # each differs with probability < 2 exp(-200)
        cells = cells_of(
            owner_api, kinds.released(owner_api, checkins, POPULARITY | {"epsilon": 200.0, "contributions": 1})
        )
        assert (sum(one["count"] for one in cells), sum(one["uploaded"] for one in cells)) == (20, 200)


class TestRefusal:
    def test_of_check_ins_without_positions(self, owner_api, owner_page):
        dataset = kinds.made(owner_api, BARE)
        quoted = owner_api.post(QUOTE, {"dataset": dataset["id"], "mechanisms": [POPULARITY]})
        for answer in (quoted, kinds.requested(owner_api, dataset, POPULARITY)):
            assert (*refused(answer), first_error(answer)["value"]) == (400, "dataset", dataset["id"])
            assert first_error(answer)["rule"] == "positions: longitudes and latitudes"
        answer = owner_api.get(f"{DATASETS}{dataset['id']}/cells/")
        assert (answer.status_code, first_error(answer)["rule"]) == (400, "positions")
        assert "no mechanism can release them" in owner_page.get(dataset["urls"]["page"]).content.decode()
        assert not BudgetEntry.objects.exists()

    def test_of_parameters_and_budgets(self, owner_api, checkins, landmark_set):
        for changes in [{"side": 0}, {"epsilon": 0}, {"side": 0.5}]:
            field = f"mechanism.{next(iter(changes))}"
            assert refused(kinds.requested(owner_api, checkins, POPULARITY | changes)) == (400, field), changes
        assert refused(kinds.requested(owner_api, checkins, POPULARITY | {"west": 2.5})) == (400, "mechanism.east")
        answer = kinds.requested(owner_api, checkins, POPULARITY, landmark_set=str(landmark_set.pk))
        assert refused(answer) == (400, "landmark_set")
        for changes, field in [({"unit": "event"}, "unit"), ({"unit": 3}, "unit"), ({"radius_m": 9}, "radius_m")]:
            answer = owner_api.patch(checkins["urls"]["self"], {"budget": {"epsilon": 1} | changes})
            assert refused(answer) == (400, f"budget.{field}"), changes

    def test_of_what_only_other_kinds_have(self, owner_api, owner_page, checkins):
        row = kinds.released(owner_api, checkins, POPULARITY)
        for action in ["track", "series", "errors", "counts"]:
            answer = owner_api.get(f"{RELEASES}{row['id']}/{action}/")
            assert (*refused(answer), first_error(answer)["value"]) == (400, "dataset", "checkins"), action
            assert action not in row["urls"], action
        stream = kinds.released(owner_api, kinds.made(owner_api, kinds.wide(kinds.counts())), STREAM)
        answer = owner_api.get(f"{RELEASES}bundle/", {"release": [row["id"], stream["id"]]})
        assert (answer.status_code, first_error(answer)["rule"]) == (400, "releases of one kind of data")
        for path, answer in kinds.requested_as_trajectory(owner_api, checkins, row).items():
            assert 400 <= answer.status_code < 500, path
        assert owner_page.get(f"/releases/{row['id']}/report/").status_code == 200
        for path in ("", "releases/new/", "compare/"):
            assert owner_page.get(f"/datasets/{checkins['id']}/{path}").status_code == 200


LOOKED = {"box_from_data": True}
PUBLIC = "chosen without the check-ins"


def promised(api, dataset, **more):
    answer = api.post(f"{RELEASES}quote/", {"dataset": dataset["id"], "mechanisms": [POPULARITY], **more})
    return answer.json()["mechanisms"][0]


def public_label(api, release):
    """The label behind a public link of a release, and its page, as a reader without an account receives them."""
    page = api.post(release["urls"]["publications"], {}).json()["urls"]["page"]
    found = json.loads(Client().get(f"{page}label/").getvalue())
    return found | {"page": Client().get(page).content.decode()}


def test_a_box_that_was_seen_is_not_covered(owner_api, checkins):
    quoted = promised(owner_api, checkins, **LOOKED)
    assert SEEN_BOX in quoted["not_covered"]
    assert SEEN_BOX in quoted["statement"]
    release = kinds.released(owner_api, checkins, POPULARITY, **LOOKED)
    assert release["box_from_data"] is True
    assert SEEN_BOX in release["guarantee"]["not_covered"]
    row = Release.objects.get()
    for text in (quoted["statement"], release["guarantee"]["statement"], release["label"]):
        assert PUBLIC not in text
        assert SEEN_BOX in text
    assert "--box-from-data" in reproduce.command(row)
    assert '"box_from_data": true' in reproduce.request(row)
    label = public_label(owner_api, release)
    assert SEEN_BOX in label["not_covered"]
    assert SEEN_BOX.capitalize() in label.pop("page")
    assert label["spec"]["box_from_data"] is True
    assert label["label_sha256"] == label_digest(label)
    body = {"dataset": checkins["id"], "mechanism": POPULARITY}
    answers = [owner_api.post(RELEASES, body | more, headers={"Idempotency-Key": "one"}) for more in ({}, LOOKED, {})]
    assert [answer.status_code for answer in answers] == [201, 409, 201]
    stream = kinds.made(owner_api, kinds.wide(kinds.counts()))
    answer = kinds.requested(owner_api, stream, STREAM, **LOOKED)
    assert answer.status_code == 400
    assert first_error(answer)["field"] == "box_from_data"
    assert "this mechanism has no box" in first_error(answer)["rule"]


def test_a_public_box_is_promised_as_before(owner_api, checkins):
    release = kinds.released(owner_api, checkins, POPULARITY)
    label = public_label(owner_api, release)
    assert release["box_from_data"] is False
    for found in (promised(owner_api, checkins), release["guarantee"], label):
        assert SEEN_BOX not in found["not_covered"]
    assert PUBLIC in release["guarantee"]["statement"]
    assert set(label["spec"]) == {"mechanism", "seed"}  # as that of releases from before it could be stated
