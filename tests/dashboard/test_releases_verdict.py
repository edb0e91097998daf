"""The verdict on a release: measured errors beside the scale of the data, for its owner alone; the reference radius."""

import json
import re

import pytest

from dashboard.datasets import selectors
from dashboard.datasets.models import Dataset
from dashboard.datasets.scale import scale_of, stored_scale
from dashboard.datasets.services import set_budget
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.releases.trajectory import report as trajectory_report
from privacy_engine.analysis.data_scale import data_scale
from privacy_engine.analysis.verdict import TITLES, verdict
from tests.dashboard.api_helpers import release_url


class TestVerdictOfARelease:
    def test_it_compares_measured_errors_with_the_scale_also_of_an_earlier_version(self, owner_api, done, paris_day):
        found = owner_api.get(release_url(done)).json()
        view, scale = done.owner_view, stored_scale(done.dataset)
        wanted = verdict(view["median_error_m"], view["p95_error_m"], scale, noise_m=view["noise_m"])
        assert found["verdict"] == wanted.model_dump()
        assert view["noise_m"] == pytest.approx(1.6783469900166605 * 200, rel=1e-6)
        summary = {name: value for name, value in done.dataset.summary.items() if name != "own_scale"}
        Dataset.objects.filter(pk=done.dataset_id).update(summary=summary)
        row = Release.objects.get(pk=done.pk)
        assert row.verdict is None
        assert scale_of(row.dataset) == data_scale([paris_day])
        assert Release.objects.get(pk=done.pk).verdict is not None

    def test_no_public_view_has_a_verdict_or_the_scale(self, done):
        """The label, the public part of the report and the summary follow from what is published."""
        scale = stored_scale(done.dataset)
        secrets = [f"{value:.1f}"[:-2] for value in (scale.extent_m, scale.median_step_m)] + list(TITLES.values())
        public = [json.dumps(downloads.label(done)), json.dumps(done.summary), repr(trajectory_report.public(done, 0))]
        for text in public:
            # digits inside a digest or a coordinate are none of the scale's
            assert not any(re.search(rf"(?<![\w.]){re.escape(secret)}(?!\w)", text) for secret in secrets)
            assert "verdict" not in text
            assert "extent" not in text

    def test_the_owners_report_and_pages_show_it_and_the_public_report_does_not(self, done, owner_page):
        page, title = f"/releases/{done.pk}/report/", done.verdict.title
        mine = owner_page.get(page, {"for": "owner"}).content.decode()
        assert title in mine
        assert "median step" in mine
        public = owner_page.get(page).content.decode()
        assert not any(one in public for one in TITLES.values())
        assert title in owner_page.get(f"/datasets/{done.dataset_id}/").content.decode()


def test_the_reference_radius(submit, ready_dataset, owner_page, owner):
    """The limit's radius, else that of the first charged release, else one for the extent, here four kilometres."""

    def radius_m():
        return selectors.spending(ready_dataset, owner)["radius_m"]

    assert radius_m() == 20.0
    submit(seed=1, radius_m=50.0)
    assert radius_m() == 20.0
    submit(radius_m=150.0)
    submit(radius_m=300.0)
    assert radius_m() == 150.0
    page = owner_page.get(f"/datasets/{ready_dataset.pk}/").content.decode().replace("\u202f", " ")
    assert "= 0.5 per 150 m" in page
    assert "= 1 per 150 m" not in page.replace("ε = 1 per 150 m", "")
    set_budget(dataset=ready_dataset, epsilon=9.0, radius_m=40.0)
    assert radius_m() == 40.0
