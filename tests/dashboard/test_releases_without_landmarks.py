"""Releases of trajectories without a landmark set: accepted iff the mechanism reads no landmarks, and complete."""

import io
import json
import re
import zipfile

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from dashboard.datasets.models import BudgetEntry
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads, execution, files, reproduce
from dashboard.releases.models import Release
from dashboard.releases.selectors import batches
from dashboard.releases.services import derive_release
from privacy_engine.datatypes import datatypes
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses
from privacy_engine.verify import verify
from tests.cases import refreshed
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, UNIFORM, described, first_error, page_data, refused, release_url
from tests.dashboard.attack_helpers import QUICK, run_queued_attacks
from tests.dashboard.conftest import upload
from tests.dashboard.test_shared_budget import RESAMPLE, THREE_FIXES

EVERY = [cls.registered_name() for cls in mechanisms.of("trajectory")]
FREE = [name for name in EVERY if not mechanisms[name].reads_landmarks]
STATED = re.compile("Repeats show|repeated positions?|repeat (the one|of such)")
EVENT = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}


def released_as(name):
    return described(name, epsilon=1.0, radius_m=200.0)


def finished(made):
    assert made.status_code == 201, made.json()
    row = Release.objects.get(pk=made.json()["id"])
    if row.parsed_spec.mechanism.unsound:
        assert row.seeded
    assert execution.run(row.pk)
    assert refreshed(row).state == "done", row.error
    return row


@pytest.fixture
def post(owner_api, ready_dataset):
    """``post(mechanism, landmark_set, …)``: the answer to a release of the owner's day."""

    def made(mechanism, marks=None, **more):
        seed = {} if not mechanisms.parse(mechanism).unsound else {"seed": 1}
        body = {"dataset": str(ready_dataset.pk), "mechanism": mechanism, **seed, **more}
        return owner_api.post(RELEASES, body | ({"landmark_set": str(marks.pk)} if marks else {}))

    return made


@pytest.fixture
def bare(post):
    """A finished release at event level without a landmark set, where the dataset has none."""
    return finished(post(EVENT))


@pytest.fixture
def seeded_dummies(owner_api, landmark_set):
    """A set of landmarks with dummies that a seed drew."""
    body = {"method": {"name": "dummies-one-sided", "epsilon": 0.001}, "seed": 1}
    made = owner_api.post(f"/api/v1/landmark-sets/{landmark_set.pk}/dummies/", body).json()
    return LandmarkSet.objects.get(pk=made["id"])


class TestAccepted:
    def test_without_a_set_iff_no_landmarks_are_read(self, post, owner_api):
        listed = owner_api.get("/api/v1/mechanisms/?kind=trajectory").json()["results"]
        assert {one["name"] for one in listed if not one["reads_landmarks"]} == set(FREE)
        assert 0 < len(FREE) < len(EVERY)
        for name in set(EVERY) - set(FREE):
            answer = post(released_as(name))
            assert refused(answer) == (400, "landmark_set"), name
            assert first_error(answer)["rule"] == f"a landmark set of this dataset: {name} reads landmarks"
        assert not Release.objects.exists()
        assert not BudgetEntry.objects.exists()

    def test_so_are_all_figures(self, owner_api, ready_dataset, owner, make_dataset, paris_day, landmark_set):
        more = {"least-levels": {"accepted_m": 5000}, "protection-costs": {"epsilon": 1.0}}
        for path in ("forecast", "expected-errors", "least-levels", "protection-costs", "curve"):
            for name in EVERY:
                body = {"dataset": str(ready_dataset.pk), "mechanisms": [released_as(name)], **more.get(path, {})}
                answer = owner_api.post(f"{RELEASES}{path}/", body)
                assert answer.status_code == (200 if name in FREE else 400), (path, name)
                assert name in FREE or first_error(answer)["field"] == "landmark_set"
        other = str(make_dataset(owner, paris_day).pk)
        counts = kinds.made(owner_api, b"time,a\n0,1\n60,2\n120,3\n", kind="stream")
        for body, status, field in (
            ({}, 400, "dataset"),
            ({"dataset": other, "landmark_set": str(landmark_set.pk)}, 400, "landmark_set"),
            ({"dataset": counts["id"]}, 400, "dataset"),
        ):
            assert refused(owner_api.post(f"{RELEASES}forecast/", body | {"mechanisms": [EVENT]})) == (status, field)
        body = {"dataset": str(ready_dataset.pk), "mechanisms": [EVENT]}
        found = owner_api.post(f"{RELEASES}forecast/", body).json()
        (one,) = found["mechanisms"]
        assert (one["expected"]["landmark"]["events"], one["expected"]["overall"]["events"]) == (0, 8)
        assert found["budget"]["price_per_km"] == 5.0
        errors = owner_api.post(f"{RELEASES}expected-errors/", body).json()["mechanisms"][0]["errors"]
        assert errors["overall"]["typical_m"] > 0

    def test_other_kinds_have_no_set_in_the_database(self, bare, landmark_set):
        with pytest.raises(IntegrityError), transaction.atomic():
            Release.objects.filter(pk=bare.pk).update(kind="stream", landmark_set=landmark_set)


class TestSame:
    """A set that is given changes neither label, charge nor what recipients see."""

    @pytest.mark.parametrize("name", FREE)
    def test_label_summary_and_charge(self, post, owner_page, seeded_dummies, name):
        rows = [finished(post(released_as(name), marks)) for marks in (None, seeded_dummies)]
        labels = [downloads.label(row) for row in rows]
        own = ("text", "release", "sha256", "label_sha256", "ledger_entry")
        assert len({json.dumps({k: v for k, v in one.items() if k not in own}, sort_keys=True) for one in labels}) == 1
        assert labels[0]["landmarks"] is None
        assert min(labels[0]["noise_p95_m"], labels[0]["whole_trace_epsilon"]) > 0
        assert all("not covered" not in one["text"] and "same landmarks" not in one["text"] for one in labels)
        assert rows[0].summary == rows[1].summary
        assert [entry.amount for entry in BudgetEntry.objects.all()] == [BudgetEntry.objects.all()[0].amount] * 2
        assert rows[0].owner_view["noise_m"] == rows[1].owner_view["noise_m"]
        for row in rows:
            page = owner_page.get(f"/releases/{row.pk}/report/").content.decode()
            assert page_data(page)["releases"][0]["curves"]["landmarks"] == []
            assert "<dt>Landmarks</dt>" not in page
            assert "LANDMARK" not in reproduce.request(row) + reproduce.command(row)
        page = owner_page.get(f"/releases/{rows[1].pk}/report/?for=owner").content.decode()
        assert "<dt>Landmark set</dt>" in page
        assert f'"landmark_set": "{seeded_dummies.pk}"' in page.replace("&quot;", '"')
        assert len({finished(post(EVENT, marks, seed=7)).data_sha256 for marks in (None, seeded_dummies)}) == 1


@pytest.mark.parametrize("name", FREE)
def test_the_whole_way(post, owner_api, owner_page, name):
    row = finished(post(released_as(name)))
    found = owner_api.get(release_url(row)).json()
    assert found["landmark_set"] is None
    expected = {"points": 8, "published": 8, "people": 1, "series": 1, "landmarks": 0, "landmarks_per_person": 0}
    assert found["summary"] | expected == found["summary"]
    assert min(found["summary"]["whole_trace"], found["summary"]["noise_p95_m"], found["owner_view"]["mae_m"]) > 0
    assert found["verdict"]
    assert found["guarantee"]["statement"].rstrip(".") in found["label"]
    for fmt in datatypes["trajectory"].exports:
        assert verify(owner_api.get(release_url(row, "data"), {"format": fmt}).getvalue()).holds, fmt
    bundled = owner_api.get(release_url(row, "bundle")).getvalue()
    assert verify(bundled).holds
    assert "LANDMARK" not in zipfile.ZipFile(io.BytesIO(bundled)).read("README.txt").decode()
    for part in ("notebook", "track", "errors"):
        assert owner_api.get(release_url(row, part)).status_code == 200, part
    for query in ({}, {"n": 2, "s": 0.1, "diameter_m": 1000}):
        curves = owner_api.get(release_url(row, "series"), query).json()
        assert (curves["landmarks"], len(curves["event"])) == ([], 8)
    report, dataset = f"/releases/{row.pk}/report/", f"/datasets/{row.dataset_id}/"
    for page in (report, f"{report}?for=owner", found["urls"]["page"], row.page_url, dataset):
        answer = owner_page.get(page)
        assert answer.status_code == 200, page
        assert not page.startswith(report) or "Shaded: landmarks" not in answer.content.decode()
    link = owner_api.post(release_url(row, "publications"), {"title": "A day"}).json()
    assert "half of the positions by more than" in Client().get(link["urls"]["page"]).content.decode()
    assert owner_page.get("/experiments/new/", {"release": str(row.pk)}).status_code == 200
    form = owner_page.get(f"{dataset}releases/new/").content.decode()
    assert '<option value="" selected>No landmarks</option>' in form
    assert "Define landmarks" in form
    assert [len(one.releases) for one in batches([row])] == [1]


class TestAfter:
    def test_a_derived_release_landmarks_by_zones_and_an_attack(self, bare, owner, owner_api):
        row = derive_release(source=bare, steps=[postprocesses.parse({"name": "ou-smoother"})])
        assert execution.run(row.pk)
        assert (refreshed(row).state, row.landmark_set, row.charged) == ("done", None, False)
        assert row.summary["noise_p95_m"] is None
        assert downloads.label(row)["guarantee"] == downloads.label(bare)["guarantee"]
        lon, lat = (float(getattr(files.read_releases(bare)[0].series, name)[0]) for name in ("lon", "lat"))
        zone = {"type": "Circle", "center": [lon, lat], "radius_m": 50.0}
        method = {"name": "released-zones", "release": str(bare.pk), "zones": [zone]}
        marks = mark_landmarks(owner=owner, dataset=bare.dataset, method=method)
        assert marks.mask[0]
        assert marks.earlier["spent_per_m"] == pytest.approx((marks.count + (marks.count < 8)) / 200)
        answer = owner_api.post("/api/v1/attacks/", {"release": str(bare.pk), "attack": QUICK})
        assert answer.status_code == 201, answer.json()
        run_queued_attacks()
        row = bare.attacks.get()
        assert row.state == "done"
        assert f"?release={bare.pk}&attack={row.pk}" in row.page_url
        assert "None" not in row.page_url


class TestCleaning:
    @pytest.mark.parametrize("name", FREE)
    def test_stability_and_conditions_of_cleaning_are_kept(self, owner, owner_api, name):
        body = {"file": upload(THREE_FIXES), "cleaning": json.dumps([RESAMPLE])}
        dataset = owner.datasets.get(pk=owner_api.post("/api/v1/datasets/", body, format="multipart").json()["id"])
        marks = mark_landmarks(owner=owner, dataset=dataset, method={"name": "manual", "events": [60]})
        labels, prices = [], []
        for more in ({}, {"landmark_set": str(marks.pk)}):
            requested = {"dataset": str(dataset.pk), **more}
            quoted = owner_api.post(f"{RELEASES}forecast/", requested | {"mechanisms": [released_as(name)]}).json()
            row = finished(owner_api.post(RELEASES, requested | {"mechanism": released_as(name)}))
            label = downloads.label(row)
            assert quoted["mechanisms"][0]["guarantee"] == label["guarantee"]
            labels.append({key: label[key] for key in ("guarantee", "stability", "epsilon", "neighbours", "cleaning")})
            prices.append((quoted["budget"]["price_per_km"], BudgetEntry.objects.get(release_id=row.pk).amount))
        assert labels[0] == labels[1]
        assert labels[0]["stability"] == 119
        assert labels[0]["epsilon"] == (1.0 if name == "user-level" else 119.0)
        assert "provided that successive uploaded records" in labels[0]["guarantee"]["statement"]
        assert prices[0] == prices[1]
        assert prices[0][0] == (5.0 if name == "user-level" else 595.0)


class TestWhatDidNotHappen:
    """Of landmarks and of repeats nothing is stated where a release has none."""

    REPEATING = ("landmark-skip", "landmark-planned", "landmark-adaptive", "landmark-joint")

    def texts(self, owner_page, owner_api, row):
        guarantee = owner_api.get(release_url(row)).json()["guarantee"]
        label = downloads.label(row)["guarantee"]
        assert label["caveats"] == guarantee["caveats"]
        explained = owner_page.get(f"/releases/{row.pk}/explain/?reader=colleague").content.decode()
        return " ".join(guarantee["caveats"]), explained.partition("<main")[2]

    @pytest.mark.parametrize("name", EVERY)
    def test_without_landmarks(self, owner, owner_page, owner_api, post, ready_dataset, name):
        none = mark_landmarks(owner=owner, dataset=ready_dataset, method={"name": "manual", "events": []})
        row = finished(post(released_as(name), none))
        if row.seeded:
            return
        caveats, explained = self.texts(owner_page, owner_api, row)
        assert "epeat" not in caveats
        assert name in FREE or "landmark" not in caveats.lower()
        assert not STATED.search(explained)

    @pytest.mark.parametrize("name", REPEATING)
    def test_repeats_that_happened_and_those_that_did_not(self, owner_page, owner_api, post, landmark_set, name):
        row = finished(post(released_as(name), landmark_set))
        happened = row.summary["published"] > row.summary["drawn"]
        caveats, explained = self.texts(owner_page, owner_api, row)
        assert ("Repeats show" in caveats) == happened
        assert "Which events are landmarks is public" in caveats
        assert bool(STATED.search(explained)) == happened
        row.summary = row.summary | {"drawn": row.summary["published"]}
        row.save(update_fields=["summary"])
        caveats, explained = self.texts(owner_page, owner_api, row)
        assert "epeat" not in caveats
        assert not STATED.search(explained)

    def test_the_comparison_defines_no_losses_of_landmarks_without_a_set(self, owner, owner_page, bare, post):
        alone = owner_page.get(f"/datasets/{bare.dataset_id}/compare/").content.decode()
        assert "Definitions of the losses" in alone
        assert "Skip publishes" not in alone
        some = mark_landmarks(owner=owner, dataset=bare.dataset, method={"name": "manual", "events": [1]})
        finished(post(UNIFORM, some))
        assert "Skip publishes" in owner_page.get(f"/datasets/{bare.dataset_id}/compare/").content.decode()


class TestComparison:
    @pytest.fixture
    def marked(self, post, landmark_set):
        return finished(post(UNIFORM, landmark_set))

    def page(self, client, dataset, query=""):
        answer = client.get(f"/datasets/{dataset}/compare/{query}")
        assert answer.status_code == 200
        text = answer.content.decode()
        return text, page_data(text)

    def test_without_any_set(self, owner_page, bare):
        text, data = self.page(owner_page, bare.dataset_id)
        assert (data["releases"], data["landmark_set"]) == ([str(bare.pk)], None)
        assert "events" not in data["urls"]
        assert "None" not in text

    def test_beside_those_of_every_set(self, owner, owner_page, bare, marked):
        other = mark_landmarks(owner=owner, dataset=bare.dataset, method={"name": "manual", "events": [1]})
        text, data = self.page(owner_page, bare.dataset_id)
        assert set(data["releases"]) == {str(bare.pk), str(marked.pk)}
        assert data["landmark_set"] == str(marked.landmark_set_id)
        assert f'value="{bare.pk}"' in text
        assert f"?landmark_set={other.pk}" in text
        _, data = self.page(owner_page, bare.dataset_id, f"?landmark_set={other.pk}")
        assert (data["releases"], data["landmark_set"]) == ([str(bare.pk)], str(other.pk))

    def test_on_its_set(self, owner, owner_api, bare, landmark_set, make_dataset, paris_day, marked):
        query = {"landmarks_of": str(landmark_set.pk)}
        curves = owner_api.get(release_url(bare, "series"), query).json()
        assert curves["landmarks"] == [[0, 1], [2, 3], [4, 5], [7, 8]]
        on_it, plain = (owner_api.get(release_url(bare, "errors"), one).json() for one in (query, {}))
        assert [one["landmarks"]["n"] for one in (on_it, plain)] == [4, 0]
        assert on_it["all"] == plain["all"]
        elsewhere = make_dataset(owner, paris_day)
        other = mark_landmarks(owner=owner, dataset=elsewhere, method={"name": "manual", "events": [1]})
        assert owner_api.get(release_url(bare, "errors"), {"landmarks_of": str(other.pk)}).status_code == 404
        other = mark_landmarks(owner=owner, dataset=marked.dataset, method={"name": "manual", "events": [1]})
        for path in ("errors", "series"):
            answer = owner_api.get(release_url(marked, path), {"landmarks_of": str(other.pk)})
            assert refused(answer) == (400, "landmarks_of")
            own = owner_api.get(release_url(marked, path), {"landmarks_of": str(marked.landmark_set_id)}).json()
            assert own == owner_api.get(release_url(marked, path)).json()

    @pytest.mark.parametrize("query", ["?for=owner", ""])
    def test_one_report_of_both(self, owner_page, bare, marked, query):
        sign = "&" if query else "?"
        for names in (f"{sign}release={bare.pk}&release={marked.pk}", ""):
            page = owner_page.get(f"/datasets/{bare.dataset_id}/compare/report/{query}{names}")
            assert page.status_code == 200
            text = page.content.decode()
            marks = {one["id"]: one["curves"]["landmarks"] for one in page_data(text)["releases"]}
            every = [[0, 1], [2, 3], [4, 5], [7, 8]]
            assert marks == {str(bare.pk): every if query else [], str(marked.pk): every}
            assert "<dt>Landmarks</dt>" in text
