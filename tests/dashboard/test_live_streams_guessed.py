"""Guesses of what live streams counted: no response depends on whether the counts sent are those published; keys."""

import itertools
import random

import pytest
from rest_framework.test import APIClient

from dashboard.accounts.models import User
from dashboard.accounts.services import make_token
from dashboard.core.rest.parsing import JSONBody
from dashboard.projects import services as projects
from dashboard.projects.models import Role
from dashboard.streams import services
from dashboard.streams.models import LiveStream, StreamState
from tests.dashboard.api_helpers import first_error
from tests.dashboard.test_live_streams import MECHANISM, NAMES, PUBLISHABLE, event, opened, publish

TRUTH = {1: (137, 4), 2: (142, 5), 4: (0, 137)}
"""What was counted; nothing at 3."""
TIMES = [(1,), (2,), (4,), (1, 2, 4), (3,), (2, 3), (4, 5), (1, 2, 4, 5, 6)]
"""Of the guesses: all published, none before the last one, some of them."""
REFUSED = {"viewer": 403, "stranger": 404, "anonymous": 401}
KEYS = ["", "known", "new"]


def _stream(owner, name):
    mechanism = MECHANISM | {"name": name}
    row, _ = services.open_stream(owner=owner, name="Visits", dimensions=NAMES, spec=services.live_spec(mechanism))
    return row


def _clients(owner, stranger, row, number):
    """One of each role, which all know what they may; the owner and the editor have sent the key "known"."""
    project = projects.create_project(owner=User.objects.create_user(f"lead {number}"), name=f"Study {number}")
    projects.add_member(project=project, username=owner.username, role=Role.EDITOR)
    users = {"owner": owner, "stranger": stranger}
    for role in (Role.EDITOR, Role.VIEWER):
        users[role] = User.objects.create_user(f"{role} {number}")
        projects.add_member(project=project, username=users[role].username, role=role)
    projects.move_row(user=owner, row=row, project=project.pk)
    for time, user in ((1, owner), (2, users[Role.EDITOR]), (4, owner)):
        key = "known" if time < 4 else ""
        services.publish_events(stream=row, user=user, key=key, events=[event(time, *TRUTH[time])])
    scopes = {"publish only": ("publish",), "editor, publish only": ("publish",)}
    users |= {"publish only": owner, "editor, publish only": users[Role.EDITOR]}
    tokens = {
        role: make_token(user=user, scopes=scopes.get(role, ("read", "write", "publish")))[1]
        for role, user in users.items()
    }
    found = {role: APIClient(headers={"Authorization": f"Token {one}"}) for role, one in tokens.items()}
    return found | {"anonymous": APIClient()}


def _counts(chance, time, right):
    """The true counts, as a list or by name, or others, or none that could be."""
    truth = list(TRUTH.get(time, (0, 0)))
    if right:
        return truth
    near = [max(0, one + chance.randint(-3, 3)) for one in truth]
    odd = chance.choice([[-1, 2], [1], "137", None, [1.5, "x"], {"north": 1}, {}, 7])
    return chance.choice([truth, dict(zip(NAMES, truth, strict=True)), near, near, [0, 2**52], odd])


def _guess(api, url, chance, times, key, right=False):
    events = [{"time": time, "counts": _counts(chance, time, right)} for time in times]
    answer = publish(api, url, *events, key=key and f"{key}{'' if key == 'known' else chance.random()}")
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "Date")
    return answer.status_code, headers, answer.content


def _every_answer(owner, stranger, cases, of_each):
    """Send ``of_each`` guesses in some ``cases`` of each cell, whose responses must be equal; how many were sent."""
    chance, sent = random.Random(32), 0
    for number, name in enumerate(PUBLISHABLE):
        row = _stream(owner, name)
        clients, url = _clients(owner, stranger, row, number), f"/api/v1/streams/{row.pk}/"
        for state in (StreamState.OPEN, StreamState.PAUSED, StreamState.CLOSED):
            services.change_state(stream=row, state=state)
            for role, api in clients.items():
                for times, key in chance.sample(list(itertools.product(TIMES, KEYS)), cases):
                    answers = [_guess(api, url, chance, times, key, right=not k) for k in range(of_each)]
                    sent += of_each
                    assert all(one == answers[0] for one in answers), (name, state, role, times, key, answers)
                    changes = role in ("owner", "editor", "publish only", "editor, publish only")
                    known = state == StreamState.OPEN and key == "known"
                    expected = (200 if known else 409) if changes else REFUSED[role]
                    assert answers[0][0] == expected, (name, state, role, times, key, answers[0])
        row.refresh_from_db()
        assert row.published == 3
    return sent


@pytest.mark.slow
def test_no_response_depends_on_counts_of_published_timestamps(owner, stranger):
    """A few hundred guesses, right and wrong ones mixed: status, headers and body are equal byte for byte."""
    assert _every_answer(owner, stranger, 1, 2) >= 300


@pytest.mark.thorough
@pytest.mark.timeout(1800)
def test_no_response_of_ten_thousand_does(owner, stranger):
    assert _every_answer(owner, stranger, 11, 4) >= 10_000


class _Unread:
    def __getattribute__(self, name):
        raise AssertionError(f"{name} of counts was read")

    __iter__ = __len__ = __getitem__ = __eq__ = __repr__ = __str__ = __hash__ = __bool__ = None


def test_no_count_of_a_published_timestamp_is_read(owner, stranger, monkeypatch):
    row = _stream(owner, "stream-uniform")
    clients = _clients(owner, stranger, row, 0)
    parse = JSONBody.parse

    def hidden(*args):
        body = parse(*args)
        return body | {"events": [one | {"counts": _Unread()} for one in body["events"]]}

    monkeypatch.setattr(JSONBody, "parse", hidden)
    for state in (StreamState.OPEN, StreamState.PAUSED, StreamState.CLOSED):
        services.change_state(stream=row, state=state)
        for api, times, key in itertools.product((clients[role] for role in ("owner", "publish only")), TIMES, KEYS):
            _guess(api, f"/api/v1/streams/{row.pk}/", random.Random(1), times, key)
    other = f"/api/v1/streams/{_stream(owner, 'stream-uniform').pk}/"
    with pytest.raises(AssertionError, match="of counts was read"):  # where they are new, they are
        _guess(clients["owner"], other, random.Random(1), (1,), "")


def test_the_refusal_has_what_was_published(owner, stranger):
    row = _stream(owner, "stream-uniform")
    clients = _clients(owner, stranger, row, 0)
    url = f"/api/v1/streams/{row.pk}/"
    stored = clients["owner"].get(f"{url}events/").json()["results"]
    problem = publish(clients["publish only"], url, event(2, 0, 0), event(3, 0, 0), event(5, 0, 0)).json()
    (error,) = problem["errors"]
    assert problem["type"] == "urn:problem-type:cairn:published"
    assert error["published"] == [{key: stored[1][key] for key in ("position", "time", "counts", "budget")}]
    assert error["rule"] == "after 4, the last timestamp published"


def test_a_key_is_of_one_user_and_one_stream_and_free_where_refused(owner_api):
    url, other = opened(owner_api), opened(owner_api)
    for one in (url, other):
        assert publish(owner_api, one, event(1, 5, 6), key="a").status_code == 201
    row = LiveStream.objects.get(pk=url.split("/")[-2])
    sender = User.objects.create_user("sender")
    assert services.repeated(stream=row, user=sender, key="a") is None
    services.publish_events(stream=row, user=sender, key="a", events=[event(2, 5, 6)])
    assert [one.label for one in services.repeated(stream=row, user=sender, key="a") or []] == ["2"]
    url = opened(owner_api)
    assert publish(owner_api, url, event(1, 5), key="a").status_code == 400
    assert publish(owner_api, url, event(1, 5, 6), key="a").status_code == 201
    for key in ("k" * 101, "line 5"):
        assert "1 to 100 visible" in first_error(publish(owner_api, url, event(2, 5, 6), key=key))["message"]
