"""Public links of releases: who may make and end them, what readers see, what stays after the dataset is deleted."""

import io
import json
import struct
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.core import errors, filenames
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.maintenance import cleanup
from dashboard.publications import copies, limits, services
from dashboard.publications.models import Publication, digest_of
from dashboard.publications.trajectory.public import ADAPTER, MARKS, time_marks
from dashboard.releases import downloads, naming
from dashboard.releases.explanation import certainty
from dashboard.releases.models import Release
from dashboard.storage import data_files
from privacy_engine.datatypes import datatypes
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.api_helpers import UNIFORM, decode_track, refused, release_url
from tests.dashboard.conftest import HOME
from tests.dashboard.release_runs import executed
from tests.dashboard.test_releases_report import SECRET, released

LIST = "/api/v1/publications/"


def made(api, release, **body):
    answer = api.post(release_url(release, "publications"), body)
    assert answer.status_code == 201, answer.json()
    found = answer.json()
    assert answer["Location"] == found["urls"]["self"]
    return found


def addresses(page, kind):
    """Everything that a reader can open."""
    yield page
    yield f"{page}label/"
    yield from (f"{page}data/?format={name}" for name in datatypes[kind].exports)
    if kind == "trajectory":
        yield f"{page}track/"


def bodies(page, kind):
    """What a reader without an account receives, by address."""
    answers = {address: Client().get(address) for address in addresses(page, kind)}
    assert {answer.status_code for answer in answers.values()} == {200}
    return {address: answer.getvalue() for address, answer in answers.items()}


class TestLink:
    def test_is_shown_again_and_its_token_is_not_stored(self, owner_api, done, settings):
        link = made(owner_api, done, title="A week")
        row = Publication.objects.get()
        assert link["urls"]["page"] == f"/p/{row.token}/"
        assert owner_api.get(link["urls"]["self"]).json() == link
        assert len(row.token) == 43  # 256 bits
        assert row.digest == digest_of(row.token)
        assert row.token not in "".join(map(str, Publication.objects.values_list().get()))
        settings.SECRET_KEY = "another"  # it works still and is not shown
        assert owner_api.get(link["urls"]["self"]).json()["urls"]["page"] is None
        assert Client().get(link["urls"]["page"]).status_code == 200
        for day in ("2020-01-01", "tomorrow", "2026-13-01", 5):
            answer = owner_api.post(release_url(done, "publications"), {"expires_on": day})
            assert refused(answer) == (400, "expires_on"), day
        assert Publication.objects.count() == 1

    @pytest.mark.parametrize(
        ("title", "stem"), [("Übung: a week/../b", "Übung-a-week.b"), ("<?>", "cairn"), ("", "{}_{}")]
    )
    def test_names_its_files_by_the_title_or_the_parameters(self, owner_api, done, title, stem):
        link = made(owner_api, done, title=title)
        row = Publication.objects.get()
        assert row.file_stem == stem.format(filenames.file_stem(*naming.file_parts(done.parsed_spec)), row.pk.hex[:8])
        answer = Client().get(f"{link['urls']['page']}data/?format=csv")
        assert answer["Content-Disposition"] == filenames.content_disposition(f"{row.file_stem}.csv")
        answer.getvalue()

    def test_key_makes_one_link(self, owner_api, done):
        address, key = release_url(done, "publications"), {"Idempotency-Key": "once"}
        answers = [owner_api.post(address, {"title": "A"}, headers=key) for _ in range(3)]
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert Publication.objects.count() == 1
        assert owner_api.post(address, {"title": "B"}, headers=key).status_code == 409
        assert owner_api.post(address, {"title": "A", "expires_on": "2100-01-01"}, headers=key).status_code == 409

    def test_ends_with_its_last_day(self, owner_api, done):
        today = datetime.now(UTC).date()
        link = made(owner_api, done, expires_on=str(today))
        assert Client().get(link["urls"]["page"]).status_code == 200
        Publication.objects.update(expires_on=today - timedelta(days=1))
        assert owner_api.get(link["urls"]["self"]).json()["expired"] is True
        assert {Client().get(one).status_code for one in addresses(link["urls"]["page"], "trajectory")} == {404}

    def test_revoked_expired_and_unknown_are_one_page(self, owner_api, done, django_capture_on_commit_callbacks):
        link, other = made(owner_api, done), made(owner_api, done)
        with django_capture_on_commit_callbacks(execute=True):
            assert owner_api.delete(link["urls"]["self"]).status_code == 204
        assert owner_api.delete(link["urls"]["self"]).status_code == 404
        assert not list((HOME / "publications").glob(f"{link['id']}*"))
        Publication.objects.filter(pk=other["id"]).update(expires_on="2020-01-01")
        pages = [link["urls"]["page"], other["urls"]["page"], f"{other['urls']['page']}data/"]
        pages += ["/p/x/", f"/p/{'é' * 50}/"]
        answers = [Client().get(page) for page in pages]
        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.content for answer in answers}) == 1
        assert "has expired, or was withdrawn" in answers[0].content.decode()


class TestWhoMay:
    def test_simulations_and_unfinished_releases_are_refused(self, owner_api, owner_page, body):
        waiting = Release.objects.get(pk=owner_api.post("/api/v1/releases/", body).json()["id"])
        seeded = Release.objects.get(pk=owner_api.post("/api/v1/releases/", body | {"seed": 1}).json()["id"])
        for release in (waiting, executed(seeded)):
            assert owner_api.post(release_url(release, "publications"), {}).status_code == 409
            assert b"<form class=" not in owner_page.get(reverse("publications:new", args=[release.pk])).content
        assert not Publication.objects.exists()

    def test_a_reader_comes_nowhere_else(self, owner_api, done):
        link, reader = made(owner_api, done)["urls"]["page"], Client()
        assert not reader.get(link).cookies
        for address in (f"/releases/{done.pk}/report/", f"/datasets/{done.dataset_id}/"):
            assert reader.get(address)["Location"].startswith("/login/"), address
        assert reader.get(release_url(done, "data")).status_code == 401
        for verb in ("post", "put", "patch", "delete"):
            assert getattr(reader, verb)(link).status_code == 405


class TestPage:
    def test_headers(self, owner_api, done):
        for address in (*addresses(made(owner_api, done)["urls"]["page"], "trajectory"), "/p/unknown/"):
            answer = Client().get(address)
            assert answer["Cache-Control"] == "private, no-store"
            assert answer["Referrer-Policy"] == "no-referrer"
            assert "noindex" in answer["X-Robots-Tag"]
            assert "default-src 'none'" in answer["Content-Security-Policy"]
            assert "unsafe" not in answer["Content-Security-Policy"]
            answer.getvalue()

    def test_label_does_not_name_the_entry_of_the_owners_ledger(self, owner_api, done):
        page = Client().get(made(owner_api, done, title="A <b>week</b>")["urls"]["page"]).content.decode()
        noise = Publication.objects.get().facts["noise_m"]
        assert 0 < noise["half"] < noise["most"]
        assert "A &lt;b&gt;week&lt;/b&gt;" in page
        assert "at most <strong>73.2 %</strong>" in page
        assert "half of the positions by more than" in page
        address = made(owner_api, done)["urls"]["page"]
        label = json.loads(Client().get(f"{address}label/").getvalue())
        assert (label["ledger_entry"], "ledger" in label["text"]) == (None, False)
        assert downloads.label(done)["ledger_entry"]
        levels = {0.0: 50.0, 1.0: 73.2, 2.0: 88.1, 8.0: 100.0, 800.0: 100.0}
        assert {epsilon: certainty(epsilon) for epsilon in levels} == levels

    @pytest.mark.parametrize("kind", ["stream", "checkins"])
    def test_other_kinds(self, owner_api, kind):
        release = released(owner_api, kind)
        link = made(owner_api, release, title="Open data")
        found = bodies(link["urls"]["page"], kind)
        for name in datatypes[kind].exports:
            assert verify(found[f"{link['urls']['page']}data/?format={name}"]).holds
        assert not [address for address, body in found.items() if SECRET.encode() in body]
        owner_api.delete(f"/api/v1/datasets/{release.dataset_id}/")
        assert bodies(link["urls"]["page"], kind) == found


class TestDeletion:
    def test_what_is_published_outlives_it(self, owner_api, done, monkeypatch, django_capture_on_commit_callbacks):
        link = made(owner_api, done, title="A week")
        before = bodies(link["urls"]["page"], "trajectory")
        with django_capture_on_commit_callbacks(execute=True):
            owner_api.delete(release_url(done))
        assert bodies(link["urls"]["page"], "trajectory") == before
        (HOME / "publications" / str(uuid.uuid4())).mkdir()
        monkeypatch.setattr(cleanup, "ABANDONED_S", -1.0)
        with django_capture_on_commit_callbacks(execute=True):
            assert owner_api.delete(f"/api/v1/datasets/{done.dataset_id}/").status_code == 204
        cleanup.tidy()
        kept = [path for path in HOME.rglob("*") if path.is_file() and path.parts[-2] != "run"]
        assert [path for path in kept if "datasets" in path.parts or "releases" in path.parts] == []
        assert [path.name for path in (HOME / "publications").iterdir()] == [link["id"]], "strays are swept"
        exports = {f"export.{name}" for name in datatypes["trajectory"].exports}
        assert {path.name for path in (HOME / "publications" / link["id"]).iterdir()} == {
            "data.parquet",
            "label.json",
            *exports,
        }
        assert bodies(link["urls"]["page"], "trajectory") == before
        assert owner_api.get(LIST).json()["results"][0]["release"] is None

    def test_discarded_meanwhile_is_a_conflict_without_files(self, done):
        Release.objects.filter(pk=done.pk).delete()
        with pytest.raises(errors.Conflict, match="discarded"):
            services.publish_release(release=done)
        assert not list((HOME / "publications").iterdir())


FAR = UNIFORM | {"epsilon": 0.001}
"""Noise of hundreds of kilometres: five digits of a draw are those of the truth in 1 of 2,000 runs, not in 1 of 7."""
CANARIES = ("Ada Canary", "Bert Canary", "canarynote", "canary-file", "Canary dataset", "Canary marks", "canary-value")


def canary_rows():
    """A table of two people with names of every sort, and its positions."""
    rows, places = [], []
    for k, person in enumerate(("Ada Canary", "Bert Canary")):
        for i in range(12):
            lon, lat = round(2.3123457 + 0.0031 * i + 0.1 * k, 7), round(48.8123459 + 0.0017 * i, 7)
            places.append((lon, lat))
            rows.append(f"{person},2024-06-15T10:{i:02}:00Z,{lat:.7f},{lon:.7f},canary-value")
    return "\n".join(["person,time,lat,lon,canarynote", *rows, ""]).encode(), places


def test_nothing_of_the_original_is_in_any_byte_that_is_published(owner_api):
    body, places = canary_rows()
    dataset = kinds.made(owner_api, body, "canary-file.csv")
    assert owner_api.patch(dataset["urls"]["self"], {"name": "Canary dataset"}).status_code == 200
    marks = {"dataset": dataset["id"], "name": "Canary marks", "method": {"name": "manual", "events": [0, 3]}}
    marks = owner_api.post("/api/v1/landmark-sets/", marks).json()
    drawn = {"dataset": dataset["id"], "landmark_set": marks["id"], "name": "canary-value", "mechanism": FAR}
    release = executed(Release.objects.get(pk=owner_api.post("/api/v1/releases/", drawn).json()["id"]))
    assert release.state == "done"
    page = made(owner_api, release, title="Two people")["urls"]["page"]
    found = bodies(page, "trajectory")
    secrets = [*CANARIES, "owner", dataset["id"], marks["id"], str(release.owner_view["mae_m"])]
    digits = [text for lon, lat in places for text in (f"{lon:.7f}", f"{lat:.7f}", f"{lon:.5f}", f"{lat:.5f}")]
    whole = [struct.pack("<i", round(one * 1e7)) for place in places for one in place]
    wanted = [text.encode() for text in (*secrets, *digits)] + whole
    stored = {str(path): path.read_bytes() for path in (HOME / "publications").rglob("*") if path.is_file()}
    assert [(address, one) for address, body in (found | stored).items() for one in wanted if one in body] == []
    table = pq.read_table(io.BytesIO(found[f"{page}data/?format=parquet"]))
    columns = [set(column.to_pylist()) for column in table.columns]
    assert not [one for place in places for one in place if any(one in column for column in columns)]
    track = decode_track(found[f"{page}track/"])
    assert not {round(lon * 1e7) for lon, _ in places} & set(track["lon"])
    assert b"person 1" in found[f"{page}data/?format=csv"]


def published_bytes(release, monkeypatch):
    """All that is public of a release under a link whose id, nonce and day are always the same."""
    monkeypatch.setattr(services, "Publication", partial(Publication, pk=uuid.UUID(int=7), nonce="0" * 32))
    link = services.publish_release(release=Release.objects.get(pk=release.pk), title="The same")
    Publication.objects.update(created_at=datetime(2026, 1, 2, tzinfo=UTC))
    found = bodies(link.path, release.kind)
    services.revoke_publication(publication=link)
    copies.remove(link)
    return found


def exchange_original(release):
    """Give the dataset of a finished release other data, names, facts and charges; what it published stays."""
    row = release.dataset
    if row.kind == "trajectory":
        held = data_files.read_data(row.kind, row.points_path)
        moved = [replace(one, lon=one.lon + 5.0, lat=one.lat - 3.0, name="other", person="other") for one in held]
        data_files.write_data(row.kind, row.points_path, moved)
    else:
        Path(row.points_path).write_bytes(b"nothing that can be read")
    texts = {"name": "Another", "file_name": "another.csv", "stored_tags": "another", "thumbnail": "M0 0"}
    summary = (row.summary or {}) | {"bounds": [0.0, 0.0, 1.0, 1.0], "length_m": 1.0, "secret": "another"}
    facts = {"size_bytes": 1, "report": {"events": 1}, "summary": summary, "content_digest": "f" * 64}
    Dataset.objects.filter(pk=row.pk).update(**texts, **facts)
    LandmarkSet.objects.filter(dataset=row).update(name="Another", method={"name": "manual", "events": [1]})
    Release.objects.filter(pk=release.pk).update(
        name="Another", owner_view={"mae_m": 1.0}, summary=(release.summary or {}) | {"published": 9999, "drawn": 1}
    )
    BudgetEntry.objects.filter(release_id=release.pk).update(amount=123.0)
    type(row.owner).objects.filter(pk=row.owner_id).update(username="another")


class TestNonInterference:
    """Every byte behind a link follows from what was released and described, whatever the original is."""

    @pytest.mark.parametrize("kind", ["trajectory", "stream", "checkins"])
    def test_of_every_kind(self, owner_api, done, kind, monkeypatch):
        release = done if kind == "trajectory" else released(owner_api, kind)
        before = published_bytes(release, monkeypatch)
        exchange_original(release)
        after = published_bytes(release, monkeypatch)
        assert [address for address in before if before[address] != after[address]] == []

    def test_would_notice_a_fact_of_the_original(self, done, monkeypatch):
        facts = ADAPTER.facts
        monkeypatch.setattr(ADAPTER, "facts", lambda row, _: facts(row, _) | {"positions": row.dataset.size_bytes})
        before = published_bytes(done, monkeypatch)
        exchange_original(done)
        assert before != published_bytes(done, monkeypatch)


class TestLimits:
    @pytest.fixture(autouse=True)
    def full_rate(self):
        cache.clear()

    def test_each_address_has_a_rate(self, owner_api, done, monkeypatch):
        monkeypatch.setattr(limits.ReaderThrottle, "THROTTLE_RATES", {"public": "3/min"})
        page = made(owner_api, done)["urls"]["page"]
        reader, other = Client(), Client(REMOTE_ADDR="203.0.113.9")
        answers = [reader.get(address) for address in (page, "/p/nothing/", f"{page}label/", page)]
        assert [answer.status_code for answer in answers] == [200, 404, 200, 429]
        assert 1 <= int(answers[-1]["Retry-After"]) <= 60
        assert answers[-1]["Cache-Control"] == "private, no-store"
        assert "Too many requests came from your network" in answers[-1].content.decode()
        assert other.get(page).status_code == 200
        answers[2].getvalue()

    def test_one_file_is_rendered_at_a_time(self, owner_api, done, monkeypatch):
        monkeypatch.setattr(limits, "PATIENCE_S", 0.01)
        page = made(owner_api, done)["urls"]["page"]
        with limits.one_rendering():
            refused = Client().get(f"{page}data/?format=gpx")
            assert (refused.status_code, "preparing another file" in refused.content.decode()) == (503, True)
            assert int(refused["Retry-After"]) >= 0
            assert Client().get(page).status_code == 200
        first = Client().get(f"{page}data/?format=gpx").getvalue()
        assert b"<gpx" in first
        monkeypatch.setattr(copies, "read_data", lambda publication: pytest.fail("rendered again"))
        assert Client().get(f"{page}data/?format=gpx").getvalue() == first
        assert Client().get(f"{page}data/?format=no").status_code == 404


@given(start=st.floats(0, 4e9), span=st.floats(0, 3e9, exclude_min=True))
@example(start=5e-324, span=60.0)
@example(start=5e-324, span=5e-324)
def test_marks_lie_on_the_strip_and_are_few(start, span):
    marks = time_marks(start, start + span)
    assert len(marks) <= MARKS + 1
    assert all(0 <= one["at"] <= 100 and one["text"] for one in marks)


def test_marks_of_days_and_hours():
    start = datetime(2025, 3, 3, 9, tzinfo=UTC).timestamp()
    assert [one["text"] for one in time_marks(start, start + 4 * 86400)] == ["4 Mar", "5 Mar", "6 Mar", "7 Mar"]
    assert [one["text"] for one in time_marks(start, start + 4 * 3600)][1] == "10:00"
    assert time_marks(start, start) == []
