"""Pages of count streams with finished releases."""

from django.core.files.base import ContentFile
from django.urls import reverse
from playwright.sync_api import expect

from dashboard.datasets.services import import_dataset
from tests.browser.conftest import run_jobs
from tests.dashboard import kinds
from tests.dashboard.release_runs import submitted
from tests.patience import patience

READY = "[data-streams][data-ready=all]"
COUNTS = kinds.counts() // 2000


def compared(owner, body, *releases, name="Counts.csv"):
    """A count stream with finished releases."""
    dataset = import_dataset(owner=owner, upload=ContentFile(body, name=name))
    run_jobs()
    for mechanism in releases:
        submitted(dataset, mechanism)
    run_jobs()
    return dataset


def opened(page, dataset):
    page.goto(reverse("releases:compare", args=[dataset.pk]))
    expect(page.locator(READY)).to_be_visible(timeout=patience(30_000))
    return page
