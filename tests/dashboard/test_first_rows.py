"""The first rows of a file, raw and as read: for those who may see its events, and nowhere else."""

import json
import logging

import pytest
from django.test import Client

from dashboard.releases.models import Release
from tests.dashboard import kinds
from tests.dashboard.api_helpers import release_url
from tests.dashboard.test_publications import bodies
from tests.dashboard.test_publications import made as published

EVENTS = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}
SECRET = "Zebra 48.512341"
ROWS = "".join(f"2024-06-15T10:{i:02d}:00Z,52.5{i:02d},13.4{i:02d},{SECRET}\n" for i in range(30))
BODY = f"time,lat,lon,diary\n{ROWS}TOTAL,,,{SECRET}\n".encode()


@pytest.fixture
def dataset(owner_api):
    return kinds.made(owner_api, BODY)


def test_those_who_may_see_the_events_see_them(owner_api, owner_page, stranger, dataset):
    seen = owner_api.get(dataset["urls"]["preview"]).json()
    assert [row["cells"][3] for row in seen["rows"]] == [SECRET] * 7
    assert (seen["rows"][6]["number"], seen["rows"][6]["read"]) == (32, {})
    assert seen["rows"][6]["left_out"] == seen["report"]["dropped"]["missing"]["message"]
    assert [one["raw"][3] for one in dataset["report"]["first"]] == [SECRET] * 6
    assert SECRET in owner_page.get(dataset["urls"]["page"]).content.decode()
    assert owner_page.get(dataset["urls"]["import"]).status_code == 200
    other = Client()
    other.force_login(stranger)
    for address in (dataset["urls"][name] for name in ("self", "preview", "page", "import")):
        assert other.get(address).status_code == 404
    assert SECRET not in json.dumps(owner_api.get("/api/v1/datasets/").json())


def test_nothing_that_leaves_the_server_has_them(owner_api, stranger_api, caplog):
    with caplog.at_level(logging.DEBUG):
        dataset = kinds.made(owner_api, BODY)
        owner_api.get(dataset["urls"]["preview"], {"lat": "#4"})
        release = kinds.released(owner_api, dataset, EVENTS)
        row = Release.objects.get(pk=release["id"])
        found = bodies(published(owner_api, row)["urls"]["page"], "trajectory")
        found["label"] = owner_api.get(release_url(row, "label")).content
        found["release"] = owner_api.get(release["urls"]["self"]).content
        found["refused"] = kinds.sent(stranger_api, BODY, lat="diary").content
    assert not [address for address, body in found.items() if SECRET.encode() in body]
    assert SECRET not in caplog.text


def test_what_cannot_be_read_again_has_no_import_page(owner_page, owner_api, dataset):
    kinds.released(owner_api, dataset, EVENTS)
    answer = owner_page.get(dataset["urls"]["import"])
    assert (answer.status_code, answer.url) == (302, dataset["urls"]["page"])
    assert Client().get(dataset["urls"]["import"]).status_code == 302  # to log in
