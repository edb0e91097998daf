"""Responses of every path below ``/api/``: problem details, strict queries, headers for clients and caches."""

import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from types import SimpleNamespace
from unittest.mock import Mock
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIRequestFactory, force_authenticate

from dashboard.accounts.models import User
from dashboard.config import api_schema, error_views
from dashboard.config.openapi import Generator
from dashboard.config.schema_view import SchemaView
from dashboard.core.filenames import MOST_BYTES, content_disposition, file_name, parameter_parts, title_parts
from dashboard.core.rest.problems import MEDIA_TYPE
from dashboard.core.rest.query import declared_parameters
from dashboard.core.rest.views import ApiView
from dashboard.datasets.models import Dataset
from dashboard.landmarks.services import mark_landmarks
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.dashboard.api_helpers import RELEASES, UNIFORM
from tests.dashboard.conftest import CSV, upload
from tests.dashboard.every_operation import operations, schema
from tests.dashboard.test_passwords import logged_in

API = "/api/v1/"
MANUAL = {"name": "manual", "events": [0]}


def problem_of(answer, status):
    assert (answer.status_code, answer["Content-Type"]) == (status, MEDIA_TYPE), answer.content[:200]
    found = answer.json()
    assert found["status"] == status
    assert found["type"] == f"urn:problem-type:cairn:{found['errors'][0]['code']}"
    assert found["title"]
    assert found["detail"] == " ".join(error["message"] for error in found["errors"])
    assert found["instance"] == answer.wsgi_request.path
    assert all({"code", "field", "rule", "value", "message"} <= set(error) for error in found["errors"])
    assert answer["Cache-Control"] == "private, no-store"
    return found


class TestProblems:
    def test_unknown_path(self, anonymous_api):
        for path in ["/api/", "/api/v1/", "/api/v2/datasets/", f"{API}nothing/here", "/api/é/"]:
            for verb in ["get", "post", "put", "patch", "delete", "options"]:
                found = problem_of(getattr(anonymous_api, verb)(path), 404)
                assert found["errors"][0]["code"] == "not_found", (path, verb)
        for path in ("datasets/", "docs/", "schema/"):
            assert problem_of(anonymous_api.get(f"{API}{path}"), 401)["errors"][0]["code"] == "not_authenticated"
            answer = anonymous_api.get(f"{API}{path}", headers={"Authorization": "Token x"})
            problem_of(answer, 401)
            assert answer["WWW-Authenticate"] == "Token"

    def test_malformed_id(self, owner_api):
        for of in ["datasets", "landmark-sets", "releases", "experiments", "attacks", "audits", "streams"]:
            for pk in ["1", "x" * 300, "%00", "00000000-0000-0000-0000-00000000000g"]:
                for tail in ("", "data/", "cancel/"):
                    problem_of(owner_api.get(f"{API}{of}/{pk}/{tail}"), 404)
        for path in ("uploads/1/", "jobs/1/dismiss/", "landmark-sets/1/loss/", "releases/bundle/?release=1"):
            problem_of(owner_api.get(f"{API}{path}", headers={"Tus-Resumable": "1.0.0"}), 404)

    def test_value_that_breaks_a_rule(self, owner_api, ready_dataset):
        marks = mark_landmarks(owner=ready_dataset.owner, dataset=ready_dataset, method=MANUAL)
        body = {"dataset": str(ready_dataset.pk), "landmark_set": str(marks.pk), "mechanism": UNIFORM | {"epsilon": -1}}
        found = problem_of(owner_api.post(RELEASES, body), 400)
        assert found["title"] == "Bad Request"
        [error] = found["errors"]
        assert (error["field"], error["value"]) == ("mechanism.epsilon", -1)
        assert error["rule"] in found["detail"]

    def test_method(self, owner_api, ready_dataset):
        answer = owner_api.put(f"{API}mechanisms/")
        problem_of(answer, 405)
        assert answer["Allow"] == "GET, HEAD, OPTIONS"
        problem_of(owner_api.get(f"{API}docs/", headers={"Accept": "image/png"}), 406)
        problem_of(owner_api.get(f"{API}datasets/", headers={"Accept": "text/html"}), 406)
        problem_of(owner_api.post(f"{API}releases/", b"<a/>", content_type="application/xml"), 415)
        problem_of(owner_api.patch(f"{API}datasets/{ready_dataset.pk}/", {"name": "x"}, format="multipart"), 415)
        body = b'"' + b"x" * 5_000_000 + b'"'
        problem_of(owner_api.post(RELEASES, body, content_type="application/json"), 413)

    def test_value_of_another_type(self, owner_api, ready_dataset):
        dataset = f"{API}datasets/{ready_dataset.pk}/"
        for field, value in [("name", 1.5), ("name", True), ("name", ["x"]), ("tags", [1])]:
            (error,) = problem_of(owner_api.patch(dataset, {field: value}), 400)["errors"]
            assert (error["field"], error["rule"]) == (field, "text"), value
        for body in ["5", '"name"', "[]", "[{}]", "null", "true"]:
            for path in (RELEASES, f"{dataset}read/"):
                found = problem_of(owner_api.post(path, body, content_type="application/json"), 400)
                assert "must be a JSON object" in found["detail"], body

    def test_session_without_the_csrf_token(self, owner):
        browser = logged_in(owner, enforce_csrf_checks=True)
        assert "CSRF" in problem_of(browser.post(f"{API}datasets/", {"file": upload()}), 403)["detail"]

    def test_csrf_failure_of_django(self, rf):
        for path, kind in ((f"{API}x/", MEDIA_TYPE), ("/x/", "text/html; charset=utf-8")):
            answer = error_views.csrf_failure(rf.post(path), reason="no token")
            assert (answer.status_code, answer["Content-Type"]) == (403, kind)

    def test_host_of_another_server(self, owner_api):
        assert "Host" in problem_of(owner_api.get(f"{API}datasets/", headers={"Host": "evil.example"}), 400)["detail"]
        assert owner_api.get("/", headers={"Host": "evil.example"})["Content-Type"].startswith("text/html")

    def test_fault_of_ours(self, owner_api, monkeypatch):
        fail = Mock(side_effect=RuntimeError("secret at 48.85"))
        monkeypatch.setattr("dashboard.datasets.selectors.visible_datasets", fail)
        assert "48.85" not in str(problem_of(owner_api.get(f"{API}datasets/"), 500))

    def test_pages_of_errors_are_still_pages(self, client, db):
        assert client.get("/nowhere/")["Content-Type"].startswith("text/html")
        assert client.get("/apis/")["Content-Type"].startswith("text/html")


def test_a_last_slash_is_added_by_a_redirect_that_keeps_the_method(owner_api, settings):
    for verb in ["get", "post", "patch"]:
        answer = getattr(owner_api, verb)(f"{API}datasets?page=1")
        assert (answer.status_code, answer["Location"]) == (308, f"{API}datasets/?page=1"), verb
        assert "Content-Type" not in answer, verb
    settings.DEBUG = True
    assert owner_api.post(f"{API}releases").status_code == 308


def test_similar_name_of_a_query_is_proposed(owner_api):
    found = problem_of(owner_api.get(f"{API}datasets/?stat=ready&nam=x"), 400)
    assert [error["field"] for error in found["errors"]] == ["stat", "nam"]
    assert "did you mean state?" in found["detail"]


def test_etag_changes_with_the_row(owner_api, ready_dataset):
    url = f"{API}datasets/{ready_dataset.pk}/"
    tag = owner_api.get(url)["ETag"]
    assert owner_api.get(url, headers={"If-None-Match": tag}).status_code == 304
    owner_api.patch(url, {"name": str(uuid.uuid4())})
    assert owner_api.get(url, headers={"If-None-Match": tag}).status_code == 200


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


def test_every_operation_is_refused_with_problem_details_and_its_headers_are_declared():
    assert set(api_schema._OWN) <= {f"{verb} {path.strip('/')}" for verb, path, _ in OPERATIONS}
    reference = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for verb, path, operation in OPERATIONS:
        responses = operation["responses"]
        assert responses["4XX"].get("content") == (None if verb == "HEAD" else reference), (verb, path)
        if "201" in responses:
            assert responses["201"]["headers"]["Location"]["required"], (verb, path)
        if verb == "GET":
            assert ("ETag" in responses["200"]["headers"]) == ("304" in responses), path


def test_queries_are_checked_by_what_is_declared():
    generator = Generator()
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

    monkeypatch.setattr(Generator, "get_schema", build)
    request = APIRequestFactory().get("/api/v1/schema/", {"format": "json"})
    force_authenticate(request, User(username="anyone"))
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(lambda _: SchemaView.as_view()(request).status_code, range(3)))
    assert (answers, most) == ([200] * 3, 1)


def test_odd_json_is_refused_in_json(owner_api, ready_dataset):
    address = f"{API}datasets/{ready_dataset.pk}/"
    for body in [
        *(b"[" * 100_000, b'{"a":' * 100_000, b'{"name": ' + b"9" * 5000 + b"}", b'{"name": "\\u0000"}'),
        *(b'{"name": "\\ud800"}', b'{"budget": {"epsilon": NaN, "radius_m": 1}}', b"\xff\xfe", b"", b"null", b"[]"),
        *(b'{"budget": {"epsilon": 1e999, "radius_m": 1}}', b'{"budget": {"epsilon": 1, "radius_m": "\\ud800"}}'),
        *(b'{"budget": ' + b"9" * 400 + b"}", b'"x"', b"{", b'{"\\u0000": 1}'),
    ]:
        for verb, path in (("patch", address), ("post", f"{address}read/"), ("post", f"{API}releases/")):
            answer = getattr(owner_api, verb)(path, body, content_type="application/json")
            harmless = body in (b"null", b"") and (verb == "patch" or path.endswith("read/"))
            assert 400 <= answer.status_code < 500 or harmless, (path, answer.content)
            assert harmless or answer.json()["errors"][0]["message"], body


def test_odd_forms_are_refused(owner_api):
    url = f"{API}datasets/"
    for boundary, status in (("", 400), ("; boundary=x", 400), (f"; boundary={'x' * 300}", 415)):
        answer = owner_api.post(url, b"--y\r\nnonsense", content_type=f"multipart/form-data{boundary}")
        assert (answer.status_code, bool(answer.json()["errors"])) == (status, True), boundary
    answer = owner_api.post(url, {f"f{i}": "x" for i in range(1000)}, format="multipart")
    assert (answer.status_code, bool(answer.json()["errors"])) == (400, True)
    answer = owner_api.post(url, {"name": "x" * 9_000_000}, format="multipart")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (413, "too-large")


class TestUploadCap:
    @pytest.fixture(autouse=True)
    def small_cap(self, settings):
        settings.CAIRN_UPLOAD_BYTES = 100_000

    @pytest.mark.parametrize("size", [100_001, 2_000_000])
    def test_is_kept_while_streaming_and_named(self, owner_api, files, size):
        answer = owner_api.post(
            f"{API}datasets/", {"file": SimpleUploadedFile("x.csv", b"1" * size)}, format="multipart"
        )
        [error] = answer.json()["errors"]
        assert (answer.status_code, error["code"], error["field"]) == (413, "too-large", "file")
        assert error["rule"] == "at most 100000 bytes"
        assert files() == []
        assert not Dataset.objects.exists()

    def test_counts_all_files_of_a_request_together(self, owner_api):
        two = {name: SimpleUploadedFile("x.csv", b"1" * 60_000) for name in ("file", "other")}
        assert owner_api.post(f"{API}datasets/", two, format="multipart").status_code == 413

    def test_lets_a_file_of_just_that_size_through(self, owner_api):
        body = CSV + b"\n" * (100_000 - len(CSV))
        answer = owner_api.post(f"{API}datasets/", {"file": SimpleUploadedFile("x.csv", body)}, format="multipart")
        assert answer.status_code == 201

    def test_holds_for_a_browsers_session_too(self, owner, files):
        browser = logged_in(owner, enforce_csrf_checks=True, raise_request_exception=False)
        large = SimpleUploadedFile("x.csv", b"1" * 200_000)
        assert browser.post(f"{API}datasets/", {"file": large}).status_code in (403, 413)
        assert browser.post("/", {"file": large}).status_code in (400, 403)
        assert files() == []


CASES = [
    (["geolife-000", "landmark-uniform", "eps1", "D1000m"], "geolife-000_landmark-uniform_eps1_D1000m.gpkg"),
    (["Geolife 000", "landmark-uniform"], "Geolife-000_landmark-uniform.gpkg"),
    (["../../etc/passwd", "eps0.1"], "etc-passwd_eps0.1.gpkg"),
    (["Übung: a/b\\c", "", "=1+2"], "Übung-a-b-c_1-2.gpkg"),
    (["москва 北京 हिन्दी", "ﬁn"], "москва-北京-हिन्दी_fin.gpkg"),
    (["photo\u202egpj.exe", "a\r\nb\0c"], "photo-gpj.exe_a-b-c.gpkg"),
    (["-.a.-.b..c - .", "."], "a.b.c.gpkg"),
    (["x" * 80, "🚶"], "x" * 60 + ".gpkg"),
    ([], "cairn.gpkg"),
]
"""Parts and their file name; tests/test_both_languages.py applies static/js/core/dom.js to the same."""


def test_a_file_name_has_letters_digits_points_hyphens_and_underscores_alone():
    for parts, name in CASES:
        assert file_name(*parts, extension="gpkg") == name, (parts, name)
    assert title_parts("Skip · ε 0.1–2 / 200\u202fm · Taxi day") == ["Skip", "eps0.1–2 / 200\u202fm", "Taxi day"]


def test_a_name_has_the_parameters_that_are_no_default():
    for mechanism, parts in [
        ({"name": "landmark-uniform", "epsilon": 1e-6, "radius_m": 2e7}, ["eps0.000001", "D20000000m"]),
        ({"name": "landmark-skip", "epsilon": 1.5, "radius_m": 0.5, "leading": "gap"}, ["eps1.5", "D0.5m", "gap"]),
        ({"name": "w-event", "epsilon": 1, "radius_m": 200, "window": 52}, ["eps1", "D200m", "w52"]),
        ({"name": "stream-uniform", "epsilon": 1, "window": 3, "sensitivity": 2}, ["eps1", "w3", "sensitivity2"]),
        (
            {"name": "checkin-popularity", "epsilon": 2, "contributions": 5, "side": 8}
            | {"west": 2.2, "south": 48.8, "east": 2.5, "north": 48.9},
            ["eps2", "c5", "G8"],
        ),
    ]:
        assert parameter_parts(mechanisms.parse(mechanism)) == parts, (mechanism, parts)


@given(st.lists(st.text(max_size=90), max_size=6), st.sampled_from(["csv", "gpx", "tar.gz"]))
def test_every_client_reads_the_name_back_from_the_header(parts, extension):
    name = file_name(*parts, extension=extension)
    header = content_disposition(name)
    assert header.isascii()
    assert header.isprintable()
    message = EmailMessage()
    message["Content-Disposition"] = header
    params = _params(header)
    assert message.get_content_disposition() == "attachment"
    assert params.get("filename*", params["filename"]) == name
    for one in (name, params["filename"]):
        assert re.fullmatch(r"[^/\\:*?\"<>|\x00-\x1f]*", one)
        assert not one.startswith((".", "-"))
        assert len(one.encode()) <= MOST_BYTES + 8


def _params(header):
    found = {}
    for part in header.split("; ")[1:]:
        key, _, value = part.partition("=")
        found[key] = unquote(value.removeprefix("UTF-8''")) if key.endswith("*") else value.strip('"')
    return found
