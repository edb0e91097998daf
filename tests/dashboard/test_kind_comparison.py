"""The comparison of count streams and check-ins, while a worker finishes a release."""

from django.urls import reverse

from dashboard.jobs.models import State
from dashboard.releases import kind_pages
from dashboard.releases.models import Release
from tests.dashboard import kinds
from tests.dashboard.kinds import POPULARITY, made, released


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
