"""What each role may do on every page with an id, from the URL resolver, and with every id in queries and bodies.

Operations of the API are in test_access_matrix.py.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.projects.models import Membership, Project, Role
from dashboard.projects.services import add_member, create_project, move_row
from dashboard.streams.models import LiveStream
from tests.dashboard.conftest import client_of
from tests.dashboard.rows import rows_of
from tests.dashboard.test_authorisation import API, KIND, PAGES, SENT, TUS, address, id_fields, of_body

# what is in no project: a member is a stranger to them
PERSONAL = {"uploads", "sessions", "audits", "account-exports", "invitations"}
FORMS = {  # pages that are forms alone: refused to who may not submit them
    *("/datasets/<uuid:pk>/count/", "/datasets/<uuid:pk>/stays/", "/datasets/<uuid:pk>/landmarks/new/"),
    *("/datasets/<uuid:pk>/releases/new/", "/landmark-sets/<uuid:pk>/dummies/"),
}
MOVES = {f"/{kind}/<uuid:pk>/project/" for kind in ("datasets", "experiments", "streams")}
AHEAD = re.compile(rb'"ahead":\d+')  # jobs before one of this user: owners take turns
WRITING_BODIES = {f"{API}{one}/" for one in ("releases", "landmark-sets", "experiments", "attacks")}


def what(path: str) -> str:
    return path.removeprefix(API).strip("/").split("/")[0]


@pytest.fixture
def people(owner: User, stranger: User) -> dict[str, User]:
    """The owner of the rows is an editor of the project of ``lead``."""
    return {name: User.objects.create_user(name) for name in ("lead", "editor", "viewer")} | {
        "owner": owner,
        "stranger": stranger,
    }


@pytest.fixture
def rows(people: dict[str, User], ready_dataset: Dataset) -> dict[str, str]:
    """Rows of the owner in the project of the lead."""
    found = rows_of(people["owner"], ready_dataset)
    project = create_project(owner=people["lead"], name="Taxis")
    for name, role in (("owner", Role.EDITOR), ("editor", Role.EDITOR), ("viewer", Role.VIEWER)):
        add_member(project=project, username=name, role=role)
    for row in (ready_dataset, Experiment.objects.get(), LiveStream.objects.get()):
        move_row(user=people["owner"], row=row, project=project.pk)
    Project.objects.exclude(pk=project.pk).delete()
    viewers = Membership.objects.get(project=project, user=people["viewer"])
    return found | {"projects": str(project.pk), "members": str(viewers.pk)}


def tried(api: APIClient, method: str, url: str, body: Any = None) -> Any:
    """The answer, with what it changed undone."""
    with transaction.atomic():
        answer = getattr(api, method)(url, body, headers=TUS) if body else getattr(api, method)(url, headers=TUS)
        if getattr(answer, "streaming", False):
            b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    return answer


def refused(answer: Any) -> bool:
    return answer.status_code == 403 and answer.json()["errors"][0]["code"] == "role"


def test_pages_by_role(client: Client, people: dict[str, User], rows: dict[str, str]) -> None:
    for name in ("viewer", "editor", "lead"):
        client.force_login(people[name])
        for path in PAGES:
            if what(path) in PERSONAL:
                assert client.get(address(path, rows)).status_code in (404, 405), (name, path)
                continue
            with transaction.atomic():
                got, posted = (getattr(client, verb)(address(path, rows)) for verb in ("get", "post"))
                transaction.set_rollback(True)
            form = (path in FORMS and name == "viewer") or (path in MOVES and name != "lead")
            assert got.status_code == 403 if form else got.status_code in (200, 302, 405), (name, path, got.status_code)
            if form:
                assert "of the project “Taxis”" in got.content.decode()
            if name == "viewer" and path != "/members/<uuid:pk>/remove/":
                assert posted.status_code in (403, 405), (path, posted.status_code)
            if name == "lead":
                assert posted.status_code != 403, path


def test_ids_in_queries_find_for_viewers_what_they_find_for_the_owner(
    people: dict[str, User], rows: dict[str, str]
) -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    viewer, owner, found = client_of(people["viewer"]), client_of(people["owner"]), 0
    for path, item in schema["paths"].items():
        for one in item.get("get", {}).get("parameters", ()):
            inner = one["schema"].get("items", one["schema"])
            if one["in"] == "query" and inner.get("format") == "uuid" and "{" not in path:
                query = {one["name"]: rows[KIND[one["name"]]]}
                answers = [api.get(path, query) for api in (viewer, owner)]
                assert [one.status_code for one in answers] == [200, 200], (path, query)
                if answers[0]["Content-Type"] == "application/json":
                    ids = [[one["id"] for one in answer.json()["results"]] for answer in answers]
                    assert ids[0] == ids[1], path
                    found += len(ids[0])
    assert found > 8


def test_ids_in_bodies_are_refused_to_viewers_where_something_is_made(
    people: dict[str, User], rows: dict[str, str]
) -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    viewer, owner, seen = client_of(people["viewer"]), client_of(people["owner"]), set()
    for path, item in schema["paths"].items():
        body = item.get("post", {}).get("requestBody", {}).get("content", {})
        names = {name for one in body.values() for name in id_fields(one["schema"], schema["components"]["schemas"])}
        if "{" in path or not names - {"upload"}:
            continue
        ids = {name: rows[KIND[name]] for name in names | {"dataset", "landmark_set"}}
        sent = of_body(SENT | ids, body, schema["components"]["schemas"])
        answer = tried(viewer, "post", path, sent)
        if path in WRITING_BODIES:
            assert refused(answer), (path, answer.status_code)
            seen.add(path)
        else:
            expected = tried(owner, "post", path, sent)
            shown = [AHEAD.sub(b"", one.content) for one in (answer, expected)]
            assert (answer.status_code, shown[0]) == (expected.status_code, shown[1]), path
    assert seen == WRITING_BODIES
