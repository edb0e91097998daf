"""Check-ins whose box was chosen with knowledge of them: promise, label and public copy list it as not covered."""

import json

import pytest
from django.test import Client

from dashboard.releases import reproduce
from dashboard.releases.models import Release
from privacy_engine.label import label_digest
from privacy_engine.promise import SEEN_BOX
from tests.dashboard import kinds
from tests.dashboard.api_helpers import RELEASES, first_error
from tests.dashboard.kinds import POPULARITY, STREAM, made, released, requested

LOOKED = {"box_from_data": True}
PUBLIC = "chosen without the check-ins"


@pytest.fixture
def checkins(owner_api):
    """The owner's check-ins."""
    return made(owner_api, kinds.checkins(kinds.checkin_rows()))


def promised(api, dataset, **more):
    """What the release form shows of one mechanism."""
    answer = api.post(f"{RELEASES}quote/", {"dataset": dataset["id"], "mechanisms": [POPULARITY], **more})
    return answer.json()["mechanisms"][0]


def public_label(api, release):
    """The label behind a public link of a release, and its page, as a reader without an account receives them."""
    page = api.post(release["urls"]["publications"], {}).json()["urls"]["page"]
    found = json.loads(Client().get(f"{page}label/").getvalue())
    return found | {"page": Client().get(page).content.decode()}


def test_a_box_that_was_seen_is_not_covered(owner_api, checkins):
    quoted = promised(owner_api, checkins, **LOOKED)
    assert SEEN_BOX in quoted["not_covered"]
    assert SEEN_BOX in quoted["statement"]
    release = released(owner_api, checkins, POPULARITY, **LOOKED)
    assert release["box_from_data"] is True
    assert SEEN_BOX in release["guarantee"]["not_covered"]
    row = Release.objects.get()
    for text in (quoted["statement"], release["guarantee"]["statement"], release["label"]):
        assert PUBLIC not in text
        assert SEEN_BOX in text
    assert "--box-from-data" in reproduce.command(row)
    assert '"box_from_data": true' in reproduce.request(row)
    label = public_label(owner_api, release)
    assert SEEN_BOX in label["not_covered"]
    assert SEEN_BOX.capitalize() in label.pop("page")
    assert label["spec"]["box_from_data"] is True
    assert label["label_sha256"] == label_digest(label)


def test_a_public_box_is_promised_as_before(owner_api, checkins):
    release = released(owner_api, checkins, POPULARITY)
    label = public_label(owner_api, release)
    assert release["box_from_data"] is False
    for found in (promised(owner_api, checkins), release["guarantee"], label):
        assert SEEN_BOX not in found["not_covered"]
    assert PUBLIC in release["guarantee"]["statement"]
    assert set(label["spec"]) == {"mechanism", "seed"}  # as that of releases from before it could be stated


def test_the_same_key_with_another_statement_is_another_request(owner_api, checkins):
    body = {"dataset": checkins["id"], "mechanism": POPULARITY}
    answers = [owner_api.post(RELEASES, body | more, headers={"Idempotency-Key": "one"}) for more in ({}, LOOKED, {})]
    assert [answer.status_code for answer in answers] == [201, 409, 201]


def test_only_check_ins_have_a_box(owner_api):
    stream = made(owner_api, kinds.wide(kinds.counts()))
    answer = requested(owner_api, stream, STREAM, **LOOKED)
    assert answer.status_code == 400
    assert first_error(answer)["field"] == "box_from_data"
    assert "only mechanisms of check-ins" in first_error(answer)["rule"]
