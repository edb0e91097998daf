"""Printed reports of every kind: their content for each reader; the public one has no private data of the owner."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from dashboard.core.templatetags.display import metres
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.releases import downloads, files, reproduce
from dashboard.releases.checkins.cells import PLACES
from dashboard.releases.common.release_data import read_release
from dashboard.releases.models import Release
from dashboard.releases.report import POINTS, reports, software
from dashboard.releases.services import derive_release
from dashboard.releases.trajectory import report as trajectory_report
from dashboard.storage import parquet
from dashboard.storage.data_files import cached_data, read_data, write_data
from privacy_engine.accounting.temporal import smoothing_matrix, temporal_loss
from privacy_engine.analysis.losses import highest
from privacy_engine.data import Trajectory
from privacy_engine.datatypes import datatypes
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses
from tests.dashboard.api_helpers import RELEASES, page_data, release_url
from tests.dashboard.kinds import POPULARITY, RECORDS, SAMPLE, STREAM, checkin_rows, checkins, counts, made, wide
from tests.dashboard.release_runs import drawn, executed, secretive_release

pytestmark = pytest.mark.django_db


WALK = "time,lat,lon\n" + "".join(
    f"2024-06-15T10:3{i}:00Z,48.{8123457 + 7919 * i * i},2.{3765431 + 6101 * i}\n" for i in range(8)
)


def several(release, query=""):
    return f"/datasets/{release.dataset_id}/compare/report/{query}"


@pytest.fixture
def secretive(owner, owner_api):
    """A finished release whose owner named everything Zebra; k = 4 of 8 events are landmarks, all 8 are marked."""
    row = secretive_release(owner, owner_api, WALK, SECRET)
    figures = {"mae_m": 123456.789, "median_error_m": 2, "p95_error_m": 3, "max_error_m": 654321.0}
    Release.objects.filter(pk=row.pk).update(owner_view=figures)
    return Release.objects.get(pk=row.pk)


@pytest.fixture
def forecast_of(owner_api):
    """``forecast_of(release)``: the errors that `/releases/forecast/` states of its description."""

    def post(row):
        body = {"landmark_set": str(row.landmark_set_id), "mechanisms": [row.spec["mechanism"]]}
        return owner_api.post(f"{RELEASES}forecast/", body).json()["mechanisms"][0]["errors"]

    return post


def secrets_of(row):
    """Texts, ids and coordinates that only the owner may see."""
    sets = row.landmark_set, row.landmark_set.source
    texts = [SECRET, "dumm", "coin", str(row.dataset_id), *(str(one.pk) for one in sets)]
    texts += ["123,457", "123 km", "123456", "654,321", "654321", "error_m", "mae_m", "datasets/"]
    (truth,) = read_data("trajectory", row.dataset.points_path)
    errors = files.read_curves(row, 0).error_m
    return [*texts, *(f"{value:.5f}" for value in (*truth.lon, *truth.lat)), *(repr(value) for value in errors)]


class TestPublic:
    def test_holds_nothing_of_the_original_whatever_it_is(self, owner_page, secretive):
        comparison = text_of(owner_page, several(secretive, f"?release={secretive.pk}"))
        text = text_of(owner_page, page_of(secretive))
        for shown in (text, comparison):
            assert [one for one in secrets_of(secretive) if one.lower() in shown.lower()] == []
        for query in ("?for=public", "?for=", "?for=Owner", "?for=all"):
            assert SECRET not in text_of(owner_page, page_of(secretive, query))
        assert "all 8 landmarks" in text
        assert "8 of 8 events" in text
        assert not re.search(r"\b4 (landmarks|events)", text)
        before = text_of(owner_page, page_of(secretive))
        dataset = secretive.dataset
        (truth,) = read_data("trajectory", dataset.points_path)
        write_data("trajectory", dataset.points_path, [Trajectory(truth.lon + 1, truth.lat - 1, truth.time_s)])
        parquet.write_columns(secretive.errors_path, [{"error_m": np.linspace(1, 9e6, 8)}])
        dataset.name = "Another"
        dataset.summary |= {"bounds": [0, 0, 1, 1], "length_m": 5.0, "start": None, "end": None}
        dataset.save()
        LandmarkSet.objects.filter(dataset=dataset).update(name="Another", method={"name": "manual", "events": []})
        Release.objects.filter(pk=secretive.pk).update(name="Another", owner_view=None)
        assert text_of(owner_page, page_of(secretive)) == before

    def test_has_label_parameters_digests_versions_and_how_to_repeat(self, owner_page, done):
        text = text_of(owner_page, page_of(done)).replace("&quot;", '"').replace("&#x27;", "'")
        label = downloads.label(done)
        for part in (
            *(label["text"], label["guarantee"]["statement"], done.data_sha256, done.spec_digest, str(done.pk)),
            *(*label["guarantee"]["assumptions"], *label["guarantee"]["caveats"]),
            *(f"{name} {number}" for name, number in software()),
            *(reproduce.command(done), reproduce.brief([done]), "4 of 8 events", "ε = 1 within 200\u202fm"),
        ):
            assert part in text
        assert "ε = 1 within 200\u202fm, landmark level" in text_of(owner_page, page_of(done, "?for=owner"))
        text = text_of(owner_page, page_of(done, "?title=%3Cb%3ESpring%E2%80%AE+walk%3C/b%3E"))
        assert "<h1>&lt;b&gt;Spring walk&lt;/b&gt;</h1>" in text
        assert json.loads(reproduce.brief([done]))["releases"] == [done.spec]

    def test_states_that_it_is_seeded_or_derived(self, owner_page, submit, done):
        text = text_of(owner_page, page_of(executed(submit(seed=7))))
        assert 'class="sheet__mark"><span>Not private' in text
        assert "leak at most" not in text
        assert "knows the seed (7)" in text
        derived = executed(derive_release(source=done, steps=[postprocesses.parse({"name": "ou-smoother"})]))
        text = text_of(owner_page, page_of(derived))
        assert f"nothing: made from release {done.pk} (sha256 {done.data_sha256})" in text
        assert "Steps read the release only" in text


class TestOwners:
    def test_adds_original_and_errors_and_states_it(self, owner_page, secretive):
        text = text_of(owner_page, page_of(secretive, "?for=owner"))
        assert 'class="sheet__mark"><span>Contains the original: do not publish</span>' in text
        for part in (f"{SECRET} walk", f"“{SECRET} release”", "123\u202fkm", "4 landmarks and 4 dummies"):
            assert part in text
        page = page_data(text)
        assert page["original"] == reverse("api:dataset-track", args=[secretive.dataset_id])
        assert page["releases"][0]["curves"]["error_m"] == files.read_curves(secretive, 0).error_m.tolist()


class TestCurves:
    @pytest.mark.parametrize("name", [cls.registered_name() for cls in mechanisms.of("trajectory")])
    def test_every_mechanism_has_a_report(self, owner_page, submit, name):
        release = executed(submit(name))
        (one,) = page_data(text_of(owner_page, page_of(release)))["releases"]
        assert one["curves"]["budget"] == files.read_curves(release, 0).budget.tolist()
        assert one["curves"]["landmarks"] == ([[0, 1], [2, 3], [4, 5], [7, 8]] if release.set_read else [])
        assert len(one["curves"]["noise_m"]) == 8

    def test_noise_that_depends_on_the_run_is_left_out_and_the_owner_sees_the_forecast_of_errors(
        self, owner_page, submit, forecast_of
    ):
        text = text_of(owner_page, page_of(executed(submit("landmark-adaptive"))))
        assert "Noise</dt><dd>each event’s depends on the run" in text
        assert len(re.findall('<td class="number"[^>]*>–</td>', text)) == 2
        release = executed(submit("landmark-skip"))
        assert trajectory_report.owners(release, 0).expected.model_dump() == forecast_of(release)
        text = text_of(owner_page, page_of(release, "?for=owner"))
        expected = metres(forecast_of(release)["overall"]["mean_m"])
        assert re.search(f'data-label="Expected error"[^>]*>{expected}</td>', text)

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
        n, rng = 5000, np.random.default_rng(1)
        walk = Trajectory(2 + rng.random(n) / 10, 48 + rng.random(n) / 10, 60.0 * np.arange(n))
        release = drawn(owner, make_dataset(owner, walk), [5])
        kept = trajectory_report.public(release, 0).curves.event
        assert len(kept) <= POINTS
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
        made = owner_api.post("/api/v1/releases/", json.loads(arguments[arguments.index("-d") + 1]))
        assert made.status_code == 201
        assert Release.objects.get(pk=made.json()["id"]).spec_digest == done.spec_digest


class TestRefused:
    def test_what_is_not_done_no_series_or_not_comparable(self, owner_page, submit, done, owner):
        waiting = submit()
        answer = owner_page.get(page_of(waiting))
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(f"/datasets/{waiting.dataset_id}/compare/?")
        for series in ("1", "-1", "x", "١", "9" * 30, ""):
            assert owner_page.get(page_of(done), {"series": series}).status_code == 404, series
        assert owner_page.get(several(done, "?release=x")).status_code == 404
        second = drawn(owner, done.dataset, [1])
        assert owner_page.get(several(done, f"?release={done.pk}&release={second.pk}")).status_code == 404
        assert done.title in text_of(owner_page, several(done, f"?release={done.pk}"))


SECRET = "Zebra"
FILES = {"stream": wide(counts()), "checkins": checkins(checkin_rows())}
MECHANISMS = {"stream": (STREAM, SAMPLE), "checkins": (POPULARITY, RECORDS)}

every_kind = pytest.mark.parametrize("kind", FILES)


def released(api, kind, *, seed=None, which=0, dataset=""):
    dataset = dataset or made(api, FILES[kind], name=f"{SECRET}.csv")["id"]
    body = {"dataset": dataset, "mechanism": MECHANISMS[kind][which], "name": f"{SECRET} release"}
    answer = api.post(RELEASES, body | ({} if seed is None else {"seed": seed}), format="json")
    assert answer.status_code == 201, answer.json()
    return executed(Release.objects.get(pk=answer.json()["id"]))


def text_of(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def page_of(release, query=""):
    return f"/releases/{release.pk}/report/{query}"


@every_kind
class TestEveryKind:
    def test_the_public_one_does_not_change_with_the_original(self, owner_api, owner_page, kind):
        row = released(owner_api, kind)
        before = text_of(owner_page, page_of(row))
        other = made(owner_api, {"stream": wide(counts(seed=2)), "checkins": checkins(checkin_rows(seed=2))}[kind])
        source, target = Dataset.objects.get(pk=other["id"]), row.dataset
        Path(target.points_path).write_bytes(source.points_path.read_bytes())
        Dataset.objects.filter(pk=target.pk).update(summary=source.summary)
        cached_data.cache_clear()
        drop = r"csrf\w*|\d+ \w+ 20\d\d"
        assert re.sub(drop, "", text_of(owner_page, page_of(row))) == re.sub(drop, "", before)

    def test_has_what_each_reader_may_see_and_how_to_repeat_it(self, owner_api, owner_page, kind):
        row = released(owner_api, kind)
        text = text_of(owner_page, page_of(row, "?for=owner"))
        part = reports[row.kind].owners(row)
        metrics = [cls for cls in datatypes[kind].metrics if cls.registered_name() in row.owner_view]
        assert [one.title for one in part.figures] == [cls.title for cls in metrics]
        assert [one.value for one in part.figures] == [row.owner_view[cls.registered_name()] for cls in metrics]
        assert part.charge is not None
        assert part.charge.epsilon == 1.0
        assert "Contains the original" in text
        data = page_data(text)
        if kind == "stream":
            assert "original" in data["curves"]
        else:
            assert all("uploaded" in one for one in data["places"][0])
        report = reports[kind].public(row)
        given = dict(one.split("=", 1) for one in shlex.split(report.command.replace("\\\n", " ")) if "=" in one)
        own = {name: value for name, value in MECHANISMS[kind][0].items() if isinstance(value, int | float)}
        assert {name: float(given[name]) for name in own} == own
        body = json.loads(shlex.split(report.request.replace("\\\n", " "))[-1])
        assert body["dataset"] == "DATASET"
        assert "landmark_set" not in body
        again = owner_api.post(RELEASES, body | {"dataset": str(row.dataset_id)}, format="json")
        assert again.status_code == 201
        assert Release.objects.get(pk=again.json()["id"]).spec_digest == row.spec_digest
        text = text_of(owner_page, page_of(row))
        guarantee = report.label["guarantee"]
        for part in (guarantee["statement"], *guarantee["assumptions"], *guarantee["caveats"], row.data_sha256):
            assert str(part) in text.replace("&#x27;", "'")
        assert report.label["sha256"] == row.data_sha256 == datatypes[kind].digest(read_release(row))
        assert row.spec_digest in text
        assert "manage.py verify FILE" in text
        assert "--landmarks" not in report.command
        for one in report.parameters:
            assert one.label in text
        Release.objects.filter(pk=row.pk).update(owner_view=dict.fromkeys(row.owner_view, 123456.789))
        text = text_of(owner_page, page_of(row))
        hidden = (SECRET, "123,457", "123456", str(row.dataset_id), "Measured against", "uploaded", '"original"')
        assert [secret for secret in (*hidden, "for=owner") if secret in text] == []
        assert SECRET in text_of(owner_page, page_of(row, "?for=owner"))

    def test_seeded_ones_are_marked_repeatable_and_free_and_several_are_together(self, owner_api, owner_page, kind):
        row = released(owner_api, kind, seed=7)
        again = released(owner_api, kind, seed=7, dataset=str(row.dataset_id))
        assert (again.data_sha256, BudgetEntry.objects.count()) == (row.data_sha256, 0)
        found = owner_api.get(release_url(row)).json()
        assert (found["guarantee"], found["label"][:30]) == (None, "NOT PRIVATE: seeded simulation")
        for fmt in datatypes[kind].exports:
            assert b"NOT PRIVATE" in owner_api.get(release_url(row, "data"), {"format": fmt}).getvalue()
        text = text_of(owner_page, page_of(row))
        assert "Not private: seeded simulation, do not publish" in text
        assert "is NOT PRIVATE: a seeded simulation" in text
        assert reports[row.kind].owners(row).charge is None
        first = released(owner_api, kind)
        second = released(owner_api, kind, which=1, dataset=str(first.dataset_id))
        whole = f"/datasets/{first.dataset_id}/compare/report/"
        for address in (whole, f"{whole}?release={first.pk}&release={second.pk}"):
            data = page_data(text_of(owner_page, address))
            assert {one["id"] for one in data["releases"]} == {str(first.pk), str(second.pk)}
            styles = [(one["style"]["colour"]["light"], one["style"]["dash"]) for one in data["releases"]]
            assert len(set(map(str, styles))) == 2


def test_a_curve_is_of_the_stream_that_is_chosen(owner_api, owner_page):
    row = released(owner_api, "stream")
    published = read_release(row)
    for query, expected in (("", published.counts.sum(axis=1)), ("?series=1", published.counts[:, 1])):
        curves = page_data(text_of(owner_page, page_of(row, query)))["curves"]
        assert curves["released"][0] == expected[curves["index"]].astype(float).tolist()
    for wrong in ("?series=3", "?series=-1", "?series=x"):
        assert owner_page.get(page_of(row, wrong)).status_code == 404


def test_places_are_ranked_by_the_released_counts(owner_api, owner_page):
    row = released(owner_api, "checkins")
    model = read_release(row)
    (places,) = page_data(text_of(owner_page, page_of(row)))["places"]
    assert [one["cell"] for one in places] == model.top(PLACES).tolist()
    assert [one["count"] for one in places] == np.sort(model.counts)[::-1][:PLACES].tolist()
