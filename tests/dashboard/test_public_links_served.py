"""How public links are served: from published data alone, at a rate for each address, each file rendered once."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from hypothesis import example, given
from hypothesis import strategies as st

from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.landmarks.models import LandmarkSet
from dashboard.publications import copies, limits, services
from dashboard.publications.facts import MARKS, time_marks
from dashboard.publications.models import Publication
from dashboard.releases.models import Release
from dashboard.storage import data_files
from tests.dashboard.test_publications import bodies, made
from tests.dashboard.test_releases_kind_report import released


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
        facts_of = services.facts_of
        monkeypatch.setattr(
            services, "facts_of", lambda row, _: facts_of(row, _) | {"positions": row.dataset.size_bytes}
        )
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

    def test_revoked_while_a_file_is_rendered(self, owner_api, done, monkeypatch):
        page = made(owner_api, done)["urls"]["page"]
        row, read = Publication.objects.get(), copies.read_data

        def revoked(publication):
            found = read(publication)
            copies.remove(row)
            return found

        monkeypatch.setattr(copies, "read_data", revoked)
        assert Client().get(f"{page}data/?format=csv").status_code == 404
        assert not row.folder.exists()


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
