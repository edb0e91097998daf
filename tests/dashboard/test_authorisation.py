"""Whose is it: every page with an id, from the URL resolver; every id in queries and bodies, from the schema.

Operations of the API are in test_access_matrix.py.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from dashboard.accounts.models import User
from dashboard.datasets.models import Dataset
from tests.dashboard.rows import rows_of

API = "/api/v1/"
TUS = {"Tus-Resumable": "1.0.0"}
NO_ROW = {"tiles"}  # whose id is that of a map file: tests/dashboard/test_tiles.py


def paths(patterns: list[Any], before: str = "/") -> Iterator[str]:
    """Every path of the resolver."""
    for one in patterns:
        if isinstance(one, URLResolver):
            yield from paths(one.url_patterns, f"{before}{one.pattern}")
        elif isinstance(one, URLPattern):
            yield f"{before}{one.pattern}"


WITH_ID = [path for path in paths(get_resolver().url_patterns) if "<uuid:pk>" in path]
PAGES = [path for path in WITH_ID if not path.startswith("/api/") and path.split("/")[1] not in NO_ROW]


@pytest.fixture
def rows(owner: User, ready_dataset: Dataset) -> dict[str, str]:
    """The owner's, one of each kind."""
    return rows_of(owner, ready_dataset)


def address(path: str, rows: dict[str, str]) -> str:
    """The path with the id of the owner's row."""
    return path.replace("<uuid:pk>", rows[path.removeprefix(API).strip("/").split("/")[0]])


def test_the_list_is_not_empty() -> None:
    assert len(PAGES) > 14


def test_pages_are_the_owners_alone(client: Client, stranger: User, rows: dict[str, str]) -> None:
    for path in PAGES:
        assert client.get(address(path, rows))["Location"].startswith("/login/?next="), path
    client.force_login(stranger)
    for path in PAGES:
        found = {getattr(client, verb)(address(path, rows)).status_code for verb in ("get", "post")}
        assert found in ({404}, {404, 405}), (path, found)  # 405 where the page has no such method


def id_fields(node: Any, components: dict[str, Any]) -> Iterator[str]:
    """Names of the fields of a body whose values are ids."""
    if "$ref" in node:
        node = components[node["$ref"].rsplit("/", 1)[1]]
    for name, field in node.get("properties", {}).items():
        if field.get("format") == "uuid" or field.get("items", {}).get("format") == "uuid":
            yield name


def of_body(sent: dict[str, Any], content: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    """What of ``sent`` the body takes: it refuses other fields before it looks for an id."""
    known = {
        name for one in content.values() for name in components[one["schema"]["$ref"].rsplit("/", 1)[1]]["properties"]
    }
    return {name: value for name, value in sent.items() if name in known}


KIND = {"dataset": "datasets", "landmark_set": "landmark-sets", "release": "releases", "upload": "uploads"}
KIND |= {"derived_from": "releases", "others": "datasets", "project": "projects", "subject_id": "datasets"}
SENT = {
    "mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0},
    "method": {"name": "manual", "events": [0]},
    "attack": {"name": "home-work", "distance_m": 200.0, "duration_s": 1800.0, "within_m": 500.0},
    "preset": {"name": "temporal-distance", "repetitions": 2},
    "correlation": {},
    "alpha": 1.0,
    "epsilon": 1.0,
    "accepted_m": 100.0,
    "radius_m": 200.0,
    "mechanisms": [{"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}],
}


def test_ids_in_queries_find_nothing_of_others(stranger_api: APIClient, rows: dict[str, str]) -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    tried = 0
    for path, item in schema["paths"].items():
        for one in item.get("get", {}).get("parameters", ()):
            inner = one["schema"].get("items", one["schema"])
            if one["in"] == "query" and inner.get("format") == "uuid" and "{" not in path:
                answer = stranger_api.get(path, {one["name"]: rows[KIND[one["name"]]]})
                text = answer.getvalue().decode()
                if answer.status_code == 200 and answer["Content-Type"] == "application/json":
                    assert json.loads(text)["results"] == [], (path, one["name"])
                else:  # a table in CSV has no line but its head
                    assert answer.status_code == 404 or len(text.splitlines()) <= 1, (path, one["name"], text)
                tried += 1
    assert tried > 6


def test_ids_in_bodies_are_not_found(stranger_api: APIClient, rows: dict[str, str]) -> None:
    """As an id that never was: the whole answer is the same, but for the id itself."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    components = schema["components"]["schemas"]
    tried = set()
    for path, item in schema["paths"].items():
        body = item.get("post", {}).get("requestBody", {}).get("content", {})
        for name in {name for one in body.values() for name in id_fields(one["schema"], components)}:
            if "{" in path:
                continue
            answers = []
            for pk in (rows[KIND[name]], str(uuid.uuid4())):
                others = {key: rows[KIND[key]] for key in ("dataset", "landmark_set") if key != name}
                answer = stranger_api.post(path, of_body(SENT | others | {name: pk}, body, components))
                answers.append((answer.status_code, answer.content.replace(pk.encode(), b"ID")))
            assert answers[0] == answers[1], (path, name)
            assert answers[0][0] in (400, 404), (path, name, answers[0])
            tried |= {(path, name)} if answers[0][0] == 404 else set()
    assert len(tried) > 10
