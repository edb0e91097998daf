"""Printed reports: their content for each reader, and that the public one has no private data of the owner."""

import json
import re
import shlex

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import downloads, files, report, reproduce, trajectory_report
from dashboard.releases.models import Release
from dashboard.releases.services import derive_release, submit_release
from dashboard.storage import parquet
from dashboard.storage.data_files import read_data, write_data
from privacy_engine.accounting.temporal import smoothing_matrix, temporal_loss
from privacy_engine.analysis.losses import highest
from privacy_engine.data import Trajectory
from privacy_engine.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses
from privacy_engine.spec import ReleaseSpec
from tests.dashboard.api_helpers import UNIFORM, page_data
from tests.dashboard.release_runs import executed, secretive_release

SECRET = "Zebra"
WALK = "time,lat,lon\n" + "".join(
    f"2024-06-15T10:3{i}:00Z,48.{8123457 + 7919 * i * i},2.{3765431 + 6101 * i}\n" for i in range(8)
)


def page_of(release, query=""):
    return f"/releases/{release.pk}/report/{query}"


def several(release, query=""):
    return f"/datasets/{release.dataset_id}/compare/report/{query}"


def text_of(answer):
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.fixture
def secretive(owner, owner_api):
    """A finished release whose owner named everything Zebra; k = 4 of 8 events are landmarks, all 8 are marked."""
    row = secretive_release(owner, owner_api, WALK, SECRET)
    figures = {"mae_m": 123456.789, "median_error_m": 2, "p95_error_m": 3, "max_error_m": 654321.0}
    Release.objects.filter(pk=row.pk).update(owner_view=figures)
    return Release.objects.get(pk=row.pk)


def secrets_of(row):
    """Texts, ids and coordinates that only the owner may see."""
    sets = row.landmark_set, row.landmark_set.source
    texts = [SECRET, "dumm", "coin", str(row.dataset_id), *(str(one.pk) for one in sets)]
    texts += ["123,457", "123 km", "123456", "654,321", "654321", "error_m", "mae_m", "datasets/"]
    (truth,) = read_data("trajectory", row.dataset.points_path)
    errors = files.read_curves(row, 0).error_m
    return [*texts, *(f"{value:.5f}" for value in (*truth.lon, *truth.lat)), *(repr(value) for value in errors)]


class TestPublic:
    def test_holds_nothing_of_the_owners_as_text_data_or_addresses(self, owner_page, secretive):
        comparison = text_of(owner_page.get(several(secretive, f"?release={secretive.pk}")))
        text = text_of(owner_page.get(page_of(secretive)))
        for shown in (text, comparison):
            assert [one for one in secrets_of(secretive) if one.lower() in shown.lower()] == []
        for query in ("?for=public", "?for=", "?for=Owner", "?for=all"):
            assert SECRET not in text_of(owner_page.get(page_of(secretive, query)))
        assert "all 8 landmarks" in text
        assert "8 of 8 events" in text
        assert not re.search(r"\b4 (landmarks|events)", text)

    def test_does_not_change_with_the_original_behind_the_same_points_published(self, owner_page, secretive):
        """Another truth, other errors, another budget: the same report, byte for byte."""
        before = text_of(owner_page.get(page_of(secretive)))
        dataset = secretive.dataset
        (truth,) = read_data("trajectory", dataset.points_path)
        write_data("trajectory", dataset.points_path, [Trajectory(truth.lon + 1, truth.lat - 1, truth.time_s)])
        parquet.write_columns(secretive.errors_path, [{"error_m": np.linspace(1, 9e6, 8)}])
        dataset.name = "Another"
        dataset.summary |= {"bounds": [0, 0, 1, 1], "length_m": 5.0, "start": None, "end": None}
        dataset.save()
        LandmarkSet.objects.filter(dataset=dataset).update(name="Another", method={"name": "manual", "events": []})
        Release.objects.filter(pk=secretive.pk).update(name="Another", owner_view=None)
        assert text_of(owner_page.get(page_of(secretive))) == before

    def test_has_label_parameters_digests_versions_and_how_to_repeat(self, owner_page, done):
        text = text_of(owner_page.get(page_of(done))).replace("&quot;", '"').replace("&#x27;", "'")
        label = downloads.label(done)
        for part in (
            *(label["text"], label["guarantee"]["statement"], done.data_sha256, done.spec_digest, str(done.pk)),
            *(*label["guarantee"]["assumptions"], *label["guarantee"]["caveats"]),
            *(f"{name} {number}" for name, number in report.software()),
            *(reproduce.command(done), reproduce.brief([done]), "4 of 8 events", "ε = 1 within 200\u202fm"),
        ):
            assert part in text
        assert "ε = 1 within 200\u202fm, landmark level" in text_of(owner_page.get(page_of(done, "?for=owner")))
        text = text_of(owner_page.get(page_of(done), {"title": "<b>Spring\u202e walk</b>"}))
        assert "<h1>&lt;b&gt;Spring walk&lt;/b&gt;</h1>" in text
        assert json.loads(reproduce.brief([done]))["releases"] == [done.spec]

    def test_a_seeded_release_states_on_every_page_that_it_is_not_private(self, owner_page, submit):
        release = executed(submit(seed=7))
        text = text_of(owner_page.get(page_of(release)))
        assert 'class="sheet__mark"><span>Not private' in text
        assert "leak at most" not in text
        assert "knows the seed (7)" in text

    def test_a_derived_release_names_its_source_and_was_charged_nothing(self, owner_page, done):
        derived = executed(derive_release(source=done, steps=[postprocesses.parse({"name": "ou-smoother"})]))
        text = text_of(owner_page.get(page_of(derived)))
        assert f"nothing: made from release {done.pk} (sha256 {done.data_sha256})" in text
        assert "Steps read the release only" in text


class TestOwners:
    def test_adds_original_and_errors_and_states_it(self, owner_page, secretive):
        text = text_of(owner_page.get(page_of(secretive, "?for=owner")))
        assert 'class="sheet__mark"><span>Contains the original: do not publish</span>' in text
        for part in (f"{SECRET} walk", f"“{SECRET} release”", "123\u202fkm", "4 landmarks and 4 dummies"):
            assert part in text
        page = page_data(text)
        assert page["original"] == reverse("api:dataset-track", args=[secretive.dataset_id])
        errors = files.read_curves(secretive, 0).error_m
        assert page["releases"][0]["curves"]["error_m"] == errors.tolist()


class TestCurves:
    @pytest.mark.parametrize("name", [cls.registered_name() for cls in mechanisms.of("trajectory")])
    def test_every_mechanism_has_a_report(self, owner_page, submit, name):
        release = executed(submit(name))
        (one,) = page_data(text_of(owner_page.get(page_of(release))))["releases"]
        budgets = files.read_curves(release, 0).budget
        assert one["curves"]["budget"] == budgets.tolist()
        assert one["curves"]["landmarks"] == ([[0, 1], [2, 3], [4, 5], [7, 8]] if release.set_read else [])
        assert len(one["curves"]["noise_m"]) == 8

    def test_what_would_take_long_to_expect_is_left_out_and_stated(self, owner_page, submit, monkeypatch):
        monkeypatch.setattr("privacy_engine.analysis.forecast.LONGEST_RUN", 7)
        text = text_of(owner_page.get(page_of(executed(submit("landmark-adaptive")))))
        assert "Expected error</dt><dd>not available: it can only be simulated" in text
        assert text.count('<td class="number">–</td>') == 2

    def test_the_loss_is_that_of_the_accounting(self, submit):
        release = executed(submit("landmark-uniform"))
        reported = trajectory_report.public(release, 0, 1000.0)
        budgets = 1000 / release.parsed_spec.mechanism.radius_m * files.read_curves(release, 0).budget
        assert [(name, s) for name, s, _ in reported.losses] == list(trajectory_report.STRENGTHS)
        for _, s, worst in reported.losses:
            matrix = smoothing_matrix(2, s)
            assert worst == pytest.approx(highest(temporal_loss(budgets, matrix, matrix).total), rel=1e-12)
        matrix = smoothing_matrix(2, 0.1)
        assert reported.curves.loss == pytest.approx(temporal_loss(budgets, matrix, matrix).total.tolist())

    def test_thinning_does_not_depend_on_errors(self, owner, make_dataset):
        """Which events a thinned curve has is public too: it must not show where errors are extreme."""
        n = 5000
        rng = np.random.default_rng(1)
        long = make_dataset(owner, Trajectory(2 + rng.random(n) / 10, 48 + rng.random(n) / 10, 60.0 * np.arange(n)))
        marks = mark_landmarks(owner=owner, dataset=long, method={"name": "manual", "events": [5]})
        spec = ReleaseSpec.parse({"mechanism": UNIFORM, "seed": None})
        release = executed(submit_release(owner=owner, dataset=long, landmark_set=marks, spec=spec))
        kept = trajectory_report.public(release, 0).curves.event
        assert len(kept) <= report.POINTS
        assert trajectory_report.owners(release, 0).curves.event != kept
        parquet.write_columns(release.errors_path, [{"error_m": rng.random(n)}])
        assert trajectory_report.public(release, 0).curves.event == kept


class TestReproduce:
    def test_the_command_runs_and_is_the_same_description(self, submit, tmp_path, monkeypatch, capsys):
        release = executed(submit("landmark-skip", leading="gap", seed=3, steps=[{"name": "ou-smoother"}]))
        (tmp_path / "walk.csv").write_text(WALK)
        monkeypatch.chdir(tmp_path)
        line = reproduce.command(release).replace("FILE", "walk.csv").replace("LANDMARKS", "manual:0,2,4,7")
        arguments = shlex.split(line.replace("\\\n", " "))
        assert arguments[:2] == ["manage.py", "release"]
        call_command("release", *arguments[2:])
        assert "8 points, 4 landmarks" in (stated := capsys.readouterr().out)
        assert f"Then {release.parsed_spec.postprocess[0].title}, which costs nothing." in stated
        assert f"seed {release.spec['seed']}" in (tmp_path / "release.csv").read_text()

    def test_the_request_makes_the_same_release_again(self, owner_api, done):
        ids = {"dataset": str(done.dataset_id), "landmark_set": str(done.landmark_set_id)}
        arguments = shlex.split(reproduce.request(done, ids).replace("\\\n", " "))
        body = json.loads(arguments[arguments.index("-d") + 1])
        made = owner_api.post("/api/v1/releases/", body)
        assert made.status_code == 201
        assert Release.objects.get(pk=made.json()["id"]).spec_digest == done.spec_digest


class TestRefused:
    def test_what_is_not_done_is_looked_at_where_it_runs_and_a_series_must_be_one(self, owner_page, submit, done):
        waiting = submit()
        answer = owner_page.get(page_of(waiting))
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(f"/datasets/{waiting.dataset_id}/compare/?")
        for series in ("1", "-1", "x", "١", "9" * 30, ""):
            assert owner_page.get(page_of(done), {"series": series}).status_code == 404, series

    def test_a_comparison_without_releases_or_of_two_landmark_sets(self, owner, owner_page, done):
        assert owner_page.get(several(done, "?release=x")).status_code == 404
        other = mark_landmarks(owner=owner, dataset=done.dataset, method={"name": "manual", "events": [1]})
        spec = ReleaseSpec.parse({"mechanism": UNIFORM, "seed": None})
        second = executed(submit_release(owner=owner, dataset=done.dataset, landmark_set=other, spec=spec))
        assert owner_page.get(several(done, f"?release={done.pk}&release={second.pk}")).status_code == 404
        assert done.title in text_of(owner_page.get(several(done, f"?release={done.pk}")))
