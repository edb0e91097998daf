"""The OpenAPI schema: what a client is generated from."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIRequestFactory, force_authenticate

from dashboard.accounts.models import User
from dashboard.config import api_schema
from dashboard.config.schema_view import SchemaView
from dashboard.core.rest.query import declared_parameters
from dashboard.core.rest.views import ApiView
from tests.dashboard.every_operation import operations, schema

SCHEMA = schema()
OPERATIONS = [one for one in operations(SCHEMA) if one[0] != "OPTIONS"]


def test_every_operation_has_a_summary_of_its_own_and_one_tag():
    summaries = [operation["summary"] for _, _, operation in OPERATIONS]
    assert len(set(summaries)) == len(summaries) > 100
    assert all(re.fullmatch(r"[A-Z][A-Za-z ε’-]{7,59}", text) for text in summaries)
    tags = [tag["name"] for tag in SCHEMA["tags"]]
    assert tags == list(api_schema.TAGS)
    assert {tuple(operation["tags"]) for _, _, operation in OPERATIONS} == {(tag,) for tag in tags}
    assert all(operation["description"] for _, _, operation in OPERATIONS)


def test_every_own_summary_is_of_an_operation():
    named = {f"{verb} {path.strip('/')}" for verb, path, _ in OPERATIONS}
    assert set(api_schema._OWN) <= named


def test_queries_are_checked_by_what_is_declared():
    generator = SchemaGenerator()
    generator._initialise_endpoints()
    found = 0
    for path, _, method, view in generator._get_paths_and_endpoints():
        if isinstance(view, ApiView):
            view.request = SimpleNamespace(method=method)
            declared = SCHEMA["paths"][path][method.lower()].get("parameters", ())
            assert set(declared_parameters(view)) == {one["name"] for one in declared if one["in"] == "query"}, path
            found += 1
    assert found > 100


def test_it_is_built_by_one_thread_at_a_time(monkeypatch):
    building = []
    most = 0

    def build(*_, **__):
        nonlocal most
        building.append(1)
        most = max(most, len(building))
        time.sleep(0.1)  # in which another thread would begin
        building.pop()
        return {}

    monkeypatch.setattr(SchemaGenerator, "get_schema", build)
    request = APIRequestFactory().get("/api/v1/schema/", {"format": "json"})
    force_authenticate(request, User(username="anyone"))
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: SchemaView.as_view()(request).status_code, range(3)))
    assert (answers, most) == ([200] * 3, 1)


def test_every_operation_is_refused_with_problem_details():
    for verb, path, operation in OPERATIONS:
        content = operation["responses"]["4XX"].get("content")
        reference = {"schema": {"$ref": "#/components/schemas/Problem"}}
        assert content == (None if verb == "HEAD" else {"application/problem+json": reference}), (verb, path)


def test_what_is_made_has_a_location_and_what_has_an_etag_may_be_unchanged():
    for verb, path, operation in OPERATIONS:
        responses = operation["responses"]
        if "201" in responses:
            assert responses["201"]["headers"]["Location"]["required"], (verb, path)
        if verb == "GET":
            assert ("ETag" in responses["200"]["headers"]) == ("304" in responses), path


def test_archives_and_resumable_uploads_are_in_it():
    paths = SCHEMA["paths"]
    for path in ("/api/v1/releases/bundle/", "/api/v1/releases/{id}/bundle/"):
        assert set(paths[path]["get"]["responses"]["200"]["content"]) == {"application/zip"}
    upload = paths["/api/v1/uploads/{id}/"]
    assert set(upload) >= {"head", "patch", "delete"}
    assert set(upload["patch"]["requestBody"]["content"]) == {"application/offset+octet-stream"}
    assert {"Upload-Offset", "Tus-Resumable"} <= set(upload["head"]["responses"]["200"]["headers"])
    assert "Upload-Offset" in upload["patch"]["responses"]["204"]["headers"]
    assert "Tus-Max-Size" in paths["/api/v1/uploads/"]["options"]["responses"]["204"]["headers"]
