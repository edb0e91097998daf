"""Responses of every path below ``/api/``: problem details, strict queries, headers for clients and caches."""

import uuid

from django.test import Client
from django.urls import get_resolver

from dashboard.config import error_views
from dashboard.core.rest.problems import MEDIA_TYPE
from dashboard.landmarks.services import mark_landmarks
from tests.dashboard.api_helpers import RELEASES, UNIFORM
from tests.dashboard.conftest import upload

API = "/api/v1/"
MANUAL = {"name": "manual", "events": [0]}


def problem_of(answer, status):
    """The problem details of a refusal, checked as RFC 9457 has them."""
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
                assert problem_of(getattr(anonymous_api, verb)(path), 404)["errors"][0]["code"] == "not_found", (
                    path,
                    verb,
                )

    def test_malformed_id(self, owner_api):
        for of in ["datasets", "landmark-sets", "releases", "experiments", "attacks", "audits", "streams"]:
            for pk in ["1", "x" * 300, "%00", "00000000-0000-0000-0000-00000000000g"]:
                for tail in ("", "data/", "cancel/"):
                    problem_of(owner_api.get(f"{API}{of}/{pk}/{tail}"), 404)

    def test_malformed_id_of_what_is_no_view_set(self, owner_api):
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

    def test_method(self, owner_api):
        answer = owner_api.put(f"{API}mechanisms/")
        problem_of(answer, 405)
        assert answer["Allow"] == "GET, HEAD, OPTIONS"

    def test_no_login_and_a_wrong_token(self, anonymous_api):
        for path in ("datasets/", "docs/", "schema/"):
            assert problem_of(anonymous_api.get(f"{API}{path}"), 401)["errors"][0]["code"] == "not_authenticated"
            answer = anonymous_api.get(f"{API}{path}", headers={"Authorization": "Token x"})
            problem_of(answer, 401)
            assert answer["WWW-Authenticate"] == "Token"

    def test_media_types_that_are_not_served(self, owner_api):
        problem_of(owner_api.get(f"{API}docs/", headers={"Accept": "image/png"}), 406)
        problem_of(owner_api.get(f"{API}datasets/", headers={"Accept": "text/html"}), 406)
        problem_of(owner_api.post(f"{API}releases/", b"<a/>", content_type="application/xml"), 415)

    def test_body_that_is_no_object(self, owner_api, ready_dataset):
        for body in ["5", '"name"', "[]", "[{}]", "null", "true"]:
            for path in (RELEASES, f"{API}datasets/{ready_dataset.pk}/read/"):
                found = problem_of(owner_api.post(path, body, content_type="application/json"), 400)
                assert "must be a JSON object" in found["detail"], body

    def test_form_where_an_object_is_expected(self, owner_api, ready_dataset):
        answer = owner_api.patch(f"{API}datasets/{ready_dataset.pk}/", {"name": "x"}, format="multipart")
        problem_of(answer, 415)

    def test_value_of_another_type(self, owner_api, ready_dataset):
        for field, value, rule in [
            ("name", 1.5, "text"),
            ("name", True, "text"),
            ("name", ["x"], "text"),
            ("tags", [1], "text"),
        ]:
            found = problem_of(owner_api.patch(f"{API}datasets/{ready_dataset.pk}/", {field: value}), 400)
            assert (found["errors"][0]["field"], found["errors"][0]["rule"]) == (field, rule), (field, value, rule)

    def test_too_large(self, owner_api):
        body = b'"' + b"x" * 5_000_000 + b'"'
        problem_of(owner_api.post(RELEASES, body, content_type="application/json"), 413)

    def test_session_without_the_csrf_token(self, owner):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(owner)
        assert "CSRF" in problem_of(browser.post(f"{API}datasets/", {"file": upload()}), 403)["detail"]

    def test_csrf_failure_of_django(self, rf):
        for path, kind in ((f"{API}x/", MEDIA_TYPE), ("/x/", "text/html; charset=utf-8")):
            answer = error_views.csrf_failure(rf.post(path), reason="no token")
            assert (answer.status_code, answer["Content-Type"]) == (403, kind)

    def test_host_of_another_server(self, owner_api):
        assert "Host" in problem_of(owner_api.get(f"{API}datasets/", headers={"Host": "evil.example"}), 400)["detail"]
        assert owner_api.get("/", headers={"Host": "evil.example"})["Content-Type"].startswith("text/html")

    def test_fault_of_ours(self, owner_api, monkeypatch):
        def fail(*_):
            raise RuntimeError("secret at 48.85")

        monkeypatch.setattr("dashboard.datasets.selectors.visible_datasets", fail)
        assert "48.85" not in str(problem_of(owner_api.get(f"{API}datasets/"), 500))

    def test_pages_of_errors_are_still_pages(self, client, db):
        assert client.get("/nowhere/")["Content-Type"].startswith("text/html")
        assert client.get("/apis/")["Content-Type"].startswith("text/html")

    def test_handlers_are_those_of_the_urls(self):
        resolver = get_resolver()
        names = {400: "bad_request", 403: "forbidden", 404: "not_found", 500: "server_error"}
        assert all(resolver.resolve_error_handler(code) is getattr(error_views, name) for code, name in names.items())


class TestLastSlash:
    def test_is_added_by_a_redirect_that_keeps_the_method(self, owner_api):
        for verb in ["get", "post", "patch"]:
            answer = getattr(owner_api, verb)(f"{API}datasets?page=1")
            assert (answer.status_code, answer["Location"]) == (308, f"{API}datasets/?page=1"), verb
            assert "Content-Type" not in answer, verb

    def test_with_debug_too(self, owner_api, settings):
        settings.DEBUG = True
        assert owner_api.post(f"{API}releases").status_code == 308


class TestQueries:
    def test_similar_name_is_proposed(self, owner_api):
        found = problem_of(owner_api.get(f"{API}datasets/?stat=ready&nam=x"), 400)
        assert [error["field"] for error in found["errors"]] == ["stat", "nam"]
        assert "did you mean state?" in found["detail"]

    def test_declared_ones_are_taken(self, owner_api):
        for query in (
            "state=ready&page=1&page_size=3",
            "search=x&ordering=-name",
            "tag=x&kind=stream&name=x&ordering=name,-state",
        ):
            assert owner_api.get(f"{API}datasets/?{query}").status_code == 200
            assert owner_api.head(f"{API}datasets/?{query}").status_code == 200
        assert owner_api.get(f"{API}experiments/runs/?search=x&ordering=-name").status_code == 200


class TestHeaders:
    def test_etag_changes_with_the_row(self, owner_api, ready_dataset):
        url = f"{API}datasets/{ready_dataset.pk}/"
        tag = owner_api.get(url)["ETag"]
        assert owner_api.get(url, headers={"If-None-Match": tag}).status_code == 304
        owner_api.patch(url, {"name": str(uuid.uuid4())})
        assert owner_api.get(url, headers={"If-None-Match": tag}).status_code == 200
