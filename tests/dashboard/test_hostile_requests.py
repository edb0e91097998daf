"""Hostile requests: malformed JSON, broken forms, bodies without end."""

import logging

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from dashboard.config.logs import REFUSED_CHARS, in_one_line
from dashboard.datasets.models import Dataset
from tests.dashboard.conftest import CSV

API = "/api/v1/"


class TestHostileRequest:
    def test_odd_json_is_refused_in_json(self, owner_api, ready_dataset):
        for body in [
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b'{"name": ' + b"9" * 5000 + b"}",
            b'{"name": "\\u0000"}',
            b'{"name": "\\ud800"}',
            b'{"budget": {"epsilon": NaN, "radius_m": 1}}',
            b'{"budget": {"epsilon": 1e999, "radius_m": 1}}',
            b'{"budget": {"epsilon": 1, "radius_m": "\\ud800"}}',
            b'{"budget": ' + b"9" * 400 + b"}",
            b"\xff\xfe",
            b"",
            b"null",
            b"[]",
            b'"x"',
            b"{",
            b'{"\\u0000": 1}',
        ]:
            address = f"{API}datasets/{ready_dataset.pk}/"
            for verb, path in (("patch", address), ("post", f"{address}read/"), ("post", f"{API}releases/")):
                answer = getattr(owner_api, verb)(path, body, content_type="application/json")
                harmless = body in (b"null", b"") and (verb == "patch" or path.endswith("read/"))
                assert 400 <= answer.status_code < 500 or harmless, (path, answer.content)
                assert harmless or answer.json()["errors"][0]["message"], body

    def test_broken_multipart_is_refused(self, owner_api):
        for kind in [
            "multipart/form-data",
            "multipart/form-data; boundary=x",
            "multipart/form-data; boundary=" + "x" * 300,
        ]:
            answer = owner_api.post(f"{API}datasets/", b"--y\r\nnonsense", content_type=kind)
            assert (answer.status_code, bool(answer.json()["errors"])) == (415 if len(kind) > 300 else 400, True), kind

    def test_a_thousand_fields_are_refused(self, owner_api):
        fields = {f"f{i}": "x" for i in range(1000)}
        answer = owner_api.post(f"{API}datasets/", fields, format="multipart")
        assert (answer.status_code, bool(answer.json()["errors"])) == (400, True)

    def test_nine_megabytes_of_text_in_a_form_are_too_large(self, owner_api):
        answer = owner_api.post(f"{API}datasets/", {"name": "x" * 9_000_000}, format="multipart")
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
        browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
        browser.force_login(owner)
        large = SimpleUploadedFile("x.csv", b"1" * 200_000)
        assert browser.post(f"{API}datasets/", {"file": large}).status_code in (403, 413)
        assert browser.post("/", {"file": large}).status_code in (400, 403)
        assert files() == []


def test_the_log_has_one_line_of_a_refused_host_and_all_else_as_it_is():
    for name, expected in (("django.security.DisallowedHost", ("x" * REFUSED_CHARS, None)), ("dashboard", ("%s", 1))):
        record = logging.makeLogRecord({"name": name, "msg": "%s", "args": ("x" * 2 * REFUSED_CHARS,), "exc_info": 1})
        assert in_one_line(record)
        assert (record.msg, record.exc_info) == expected
