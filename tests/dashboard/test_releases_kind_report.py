"""Printed reports of count streams and check-ins: what is on them, for whom, and that the public one hides the rest."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from dashboard.datasets.models import Dataset
from dashboard.releases import kind_report, kinds
from dashboard.releases.models import Release
from dashboard.storage.data_files import cached_data
from privacy_engine.datatypes import datatypes
from tests.dashboard.api_helpers import RELEASES, page_data
from tests.dashboard.kinds import POPULARITY, RECORDS, SAMPLE, STREAM, checkin_rows, checkins, counts, made, wide
from tests.dashboard.release_runs import executed

pytestmark = pytest.mark.django_db

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
    def test_the_public_one_states_label_and_parameters_and_hides_the_owners(self, owner_api, owner_page, kind):
        row = released(owner_api, kind)
        text = text_of(owner_page, page_of(row))
        report = kind_report.public(row)
        guarantee = report.label["guarantee"]
        for part in (guarantee["statement"], *guarantee["assumptions"], *guarantee["caveats"], row.data_sha256):
            assert str(part) in text.replace("&#x27;", "'")
        assert report.label["sha256"] == row.data_sha256 == datatypes[kind].digest(kinds.read_release(row))
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

    def test_the_owners_has_original_figures_and_ledger(self, owner_api, owner_page, kind):
        row = released(owner_api, kind)
        text = text_of(owner_page, page_of(row, "?for=owner"))
        part = kind_report.owners(row)
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

    def test_a_seeded_one_is_marked_on_every_page(self, owner_api, owner_page, kind):
        row = released(owner_api, kind, seed=7)
        text = text_of(owner_page, page_of(row))
        assert "Not private: seeded simulation, do not publish" in text
        assert "is NOT PRIVATE: a seeded simulation" in text
        assert kind_report.owners(row).charge is None

    def test_several_releases_are_beside_each_other(self, owner_api, owner_page, kind):
        first = released(owner_api, kind)
        second = released(owner_api, kind, which=1, dataset=str(first.dataset_id))
        whole = f"/datasets/{first.dataset_id}/compare/report/"
        for address in (whole, f"{whole}?release={first.pk}&release={second.pk}"):
            data = page_data(text_of(owner_page, address))
            assert {one["id"] for one in data["releases"]} == {str(first.pk), str(second.pk)}
            styles = [(one["style"]["colour"]["light"], one["style"]["dash"]) for one in data["releases"]]
            assert len(set(map(str, styles))) == 2

    def test_the_command_and_the_request_are_the_same_description(self, owner_api, kind):
        row = released(owner_api, kind)
        report = kind_report.public(row)
        parts = shlex.split(report.command.replace("\\\n", " "))
        given = dict(one.split("=", 1) for one in parts if "=" in one)
        own = {name: value for name, value in MECHANISMS[kind][0].items() if isinstance(value, int | float)}
        assert {name: float(given[name]) for name in own} == own
        body = json.loads(shlex.split(report.request.replace("\\\n", " "))[-1])
        assert body["dataset"] == "DATASET"
        assert "landmark_set" not in body
        again = owner_api.post(RELEASES, body | {"dataset": str(row.dataset_id)}, format="json")
        assert again.status_code == 201
        assert Release.objects.get(pk=again.json()["id"]).spec_digest == row.spec_digest


def test_a_curve_is_of_the_stream_that_is_chosen(owner_api, owner_page):
    row = released(owner_api, "stream")
    published = kinds.read_release(row)
    for query, expected in (("", published.counts.sum(axis=1)), ("?series=1", published.counts[:, 1])):
        curves = page_data(text_of(owner_page, page_of(row, query)))["curves"]
        assert curves["released"][0] == expected[curves["index"]].astype(float).tolist()
    for wrong in ("?series=3", "?series=-1", "?series=x"):
        assert owner_page.get(page_of(row, wrong)).status_code == 404


def test_places_are_ranked_by_the_released_counts(owner_api, owner_page):
    row = released(owner_api, "checkins")
    model = kinds.read_release(row)
    (places,) = page_data(text_of(owner_page, page_of(row)))["places"]
    assert [one["cell"] for one in places] == model.top(kind_report.PLACES).tolist()
    assert [one["count"] for one in places] == np.sort(model.counts)[::-1][: kind_report.PLACES].tolist()
