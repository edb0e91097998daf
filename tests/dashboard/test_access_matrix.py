"""Who may do what: role x operation of the schema x state of the object, and no protected value in other answers.

``access_table.py`` lists what is covered; an operation that is not in it fails.
"""

import json
import re
import uuid

import pytest
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from dashboard.accounts import services
from dashboard.accounts.models import User
from dashboard.publications.models import Publication
from tests.dashboard import every_operation as every
from tests.dashboard.access_table import ACCESS
from tests.dashboard.conftest import client_of
from tests.dashboard.rows import HOME_WORK
from tests.dashboard.test_passwords import OLD, with_password
from tests.dashboard.test_publications import bodies
from tests.dashboard.test_second_factor import enabled

MEMBERS = {"owner", "lead", "editor", "viewer"}
PERMITTED = {"any": {*MEMBERS, "former", "stranger"}, "own": {"owner"}, "read": MEMBERS, "write": MEMBERS - {"viewer"}}
PERMITTED |= {"remove": {"owner", "lead"}, "manage": {"lead"}, "alone": {"owner"}, "leave": {"lead", "viewer"}}
PUBLISHING = {"POST streams/{id}/events/", "POST releases/{id}/publications/"}
pytestmark = [pytest.mark.timeout(900), pytest.mark.django_db]
EXTENT = pytest.mark.parametrize(
    "all_states", [pytest.param(False, id="one-state"), pytest.param(True, id="all-states", marks=pytest.mark.thorough)]
)
SCHEMA = every.schema()
OPERATIONS = list(every.operations(SCHEMA))
KIND = {"dataset": "datasets", "landmark_set": "landmark-sets", "release": "releases", "upload": "uploads"}
KIND |= {"derived_from": "releases", "others": "datasets", "project": "projects", "subject_id": "datasets"}
"""What the ids in queries and bodies are of."""
SENT = {"mechanism": every.UNIFORM, "method": every.MANUAL, "attack": HOME_WORK, "preset": every.PRESET}
SENT |= {"mechanisms": [every.UNIFORM], "correlation": {}, "alpha": 1.0, "epsilon": 1.0}
SENT |= {"accepted_m": 100.0, "radius_m": 200.0}
WRITING = {f"{every.API}{one}/" for one in ("releases", "landmark-sets", "experiments", "attacks")}
AHEAD = re.compile(rb'"ahead":\d+')  # jobs before one of this user: owners take turns


def needed_scope(operation):
    if operation.startswith(("GET", "HEAD", "OPTIONS")):
        return "read"
    return "publish" if operation in PUBLISHING else "write"


def expected(operation, role, scope, state):
    who, status, states = ACCESS[operation]
    if role == "anonymous":
        return 401, "not_authenticated"
    if scope and scope != needed_scope(operation):
        return 403, "scope"
    if role in PERMITTED[who]:
        return (status, "") if not states or state in states else (409, "conflict")
    return (403, "role") if who != "own" and role in MEMBERS else (404, "not_found")


def answers(api, rows, all_states):
    """Operation, state and answer of everything in the table; nothing stays changed."""
    for method, path, described in OPERATIONS:
        operation, states = f"{method} {path}", every.states_of(path)
        works = [state for state in states if not ACCESS[operation][2] or state in ACCESS[operation][2]]
        for state in states if all_states else works[:1]:
            with transaction.atomic():
                if state:
                    every.put_in_state(path, rows, state)
                sent = "requestBody" in described and path != "uploads/{id}/"
                body = every.body_of(operation, rows) if sent else None
                multipart = every.is_multipart(described)
                yield operation, state, every.request(api, method, path, rows, data=body, multipart=multipart)
                transaction.set_rollback(True)


def check(api, made, all_states, role, scope=""):
    """Every answer has the status of the table, and those of others hold nothing protected; they are returned."""
    found = {}
    for operation, state, answer in answers(api, made.rows, all_states):
        status, code = expected(operation, role, scope, state)
        label = (role, scope, operation, state, answer.status_code, answer.whole[:300])
        assert answer.status_code == status, label
        if code and not operation.startswith("HEAD"):
            assert answer.json()["errors"][0]["code"] == code, label
        if code in ("role", "scope") or role not in MEMBERS or (ACCESS[operation][0] == "own" and role != "owner"):
            shown = answer.whole + str(answer.headers).encode()
            known = (b"Osprey",) if code == "role" else ()  # the name of their project is in the reason
            assert not [one for one in every.CANARIES if one in shown and one not in known], label
            if "{id}" not in operation and "{session" not in operation:
                assert not [pk for pk in made.rows.values() if pk.encode() in shown], label
        found[operation, state] = answer
    assert len(found) >= len(ACCESS)
    return found


def without_ids(answer, rows):
    text = answer.whole.decode()
    for pk in rows.values():
        text = text.replace(pk, "ID")
    return answer.status_code, text


def test_the_table_lists_every_operation_once():
    assert sorted(ACCESS) == sorted(f"{method} {path}" for method, path, _ in OPERATIONS)
    assert len(ACCESS) > 150
    for operation, (who, _, states) in ACCESS.items():
        assert who in PERMITTED, operation
        assert set(states) <= set(every.states_of(operation.split()[1])), operation


@EXTENT
def test_by_role(made, all_states):
    for role in ("owner", "lead", "editor", "viewer"):
        # what is not in the state that an operation needs is refused to its owner in every run
        check(client_of(User.objects.get(username=role)), made, all_states or role == "owner", role)


@EXTENT
def test_former_members_find_nothing(made, all_states):
    check(client_of(User.objects.get(username="former")), made, all_states, "former")


@EXTENT
def test_strangers_find_nothing_and_what_is_of_others_is_as_what_never_was(made, all_states):
    api, never = client_of(User.objects.get(username="stranger")), {name: str(uuid.uuid4()) for name in made.rows}
    found = check(api, made, all_states, "stranger")
    for operation, state, answer in answers(api, never, all_states):
        if ACCESS[operation][0] != "any":
            assert without_ids(answer, never) == without_ids(found[operation, state], made.rows), operation


@EXTENT
def test_without_a_login(made, all_states):
    """Anonymous, after the password alone where a second factor is needed, and with a public link."""
    enabled(with_password(made.owner))
    half, reader = APIClient(), APIClient()
    begun = half.post("/login/", {"username": "owner", "password": OLD}, format="multipart")
    assert begun["Location"] == "/login/code/"
    assert "_auth_user_id" not in half.session
    page = Publication.objects.get().path
    assert reader.get(page).status_code == 200
    for api in (client_of(None), half, reader):
        check(api, made, all_states, "anonymous")


@pytest.mark.slow
@EXTENT
@pytest.mark.parametrize("scope", ["read", "write", "publish"])
def test_by_scope_of_a_token(made, all_states, scope):
    token = services.make_token(user=made.owner, scopes=[scope])[1]
    check(APIClient(headers={"Authorization": f"Token {token}"}), made, all_states, "owner", scope)


def test_a_public_link_shows_what_was_published_until_it_ends(made):
    link = Publication.objects.get()
    ids = {pk.encode() for pk in made.rows.values()} - {str(link.release_id).encode()}  # the label names its release
    for address, content in bodies(link.path, link.kind).items():
        assert not [one for one in (*every.CANARIES, *ids) if one in content], address
    every.put_in_state("publications/{id}/", made.rows, "expired")
    assert Client().get(link.path).status_code == 404
    every.put_in_state("publications/{id}/", made.rows, "open")
    assert Client().get(link.path).status_code == 200
    link.delete()
    assert Client().get(link.path).status_code == 404


def id_queries(rows):
    """Path and query of every operation without an id in its path that takes one in its query."""
    for path, item in SCHEMA["paths"].items():
        for one in item.get("get", {}).get("parameters", ()):
            inner = one["schema"].get("items", one["schema"])
            if one["in"] == "query" and inner.get("format") == "uuid" and "{" not in path:
                yield path, {one["name"]: rows[KIND[one["name"]]]}


def id_bodies():
    """Path, the fields that are ids, and all fields of every body of an operation without an id in its path."""
    for path, item in SCHEMA["paths"].items():
        fields = {}
        for one in item.get("post", {}).get("requestBody", {}).get("content", {}).values():
            fields |= SCHEMA["components"]["schemas"][one["schema"]["$ref"].rsplit("/", 1)[1]]["properties"]
        kinds = {name: one.get("format") or one.get("items", {}).get("format") for name, one in fields.items()}
        if "{" not in path:
            yield path, {name for name, kind in kinds.items() if kind == "uuid"}, set(fields)


def test_ids_in_queries_find_nothing_of_others_and_for_viewers_what_they_find_for_the_owner(made):
    found, tried = 0, 0
    apis = [client_of(User.objects.get(username=name)) for name in ("stranger", "viewer", "owner")]
    for path, query in id_queries(made.rows):
        stranger, *members = (api.get(path, query) for api in apis)
        text = stranger.getvalue().decode()
        assert [one.status_code for one in members] == [200, 200], (path, query)
        if stranger.status_code == 200 and stranger["Content-Type"] == "application/json":
            assert json.loads(text)["results"] == [], (path, query)
            ids = [[one["id"] for one in answer.json()["results"]] for answer in members]
            assert ids[0] == ids[1] or path == f"{every.API}access/", path
            found += len(ids[0])
        else:  # a table in CSV has no line but its head
            assert stranger.status_code == 404 or len(text.splitlines()) <= 1, (path, query, text)
        tried += 1
    assert tried > 6
    assert found > 8


def test_ids_in_bodies_are_not_found_by_others_and_refused_to_viewers_where_something_is_made(made):
    """To others as an id that never was: the whole answer is the same, but for the id itself."""
    stranger, viewer, owner = (client_of(User.objects.get(username=name)) for name in ("stranger", "viewer", "owner"))
    absent, refused = set(), set()
    for path, names, fields in id_bodies():
        for name in names:
            answers = []
            for pk in (made.rows[KIND[name]], str(uuid.uuid4())):
                others = {key: made.rows[KIND[key]] for key in ("dataset", "landmark_set") if key != name}
                sent = {key: value for key, value in (SENT | others | {name: pk}).items() if key in fields}
                answer = stranger.post(path, sent)
                answers.append((answer.status_code, answer.content.replace(pk.encode(), b"ID")))
            assert answers[0] == answers[1], (path, name)
            assert answers[0][0] in (400, 404), (path, name, answers[0])
            absent |= {(path, name)} if answers[0][0] == 404 else set()
        if not names - {"upload"}:
            continue
        ids = {name: made.rows[KIND[name]] for name in names | {"dataset", "landmark_set"}}
        sent = {key: value for key, value in (SENT | ids).items() if key in fields}
        answers = []
        for api in (viewer, owner):
            with transaction.atomic():
                answer = api.post(path, sent)
                answers.append((answer.status_code, AHEAD.sub(b"", answer.content)))
                transaction.set_rollback(True)
        if path in WRITING:
            assert answers[0][0] == 403, (path, answers[0])
            assert json.loads(answers[0][1])["errors"][0]["code"] == "role", path
            refused.add(path)
        else:
            assert answers[0] == answers[1], path
    assert len(absent) > 10
    assert refused == WRITING


def test_would_notice_a_row_in_a_list(made):
    with pytest.raises(AssertionError, match="GET account-exports/"):  # the owner's own, shown as to a stranger
        check(client_of(made.owner), made, False, "stranger")
