"""The schema is the API: requests generated from it never break the server, and its answers are what it says."""

import contextlib

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from knox.models import AuthToken
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from dashboard.wsgi import application

CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]


def served(environ, start_response):
    """The application, its answers closed as a server closes them (uploads are let go of then)."""
    with contextlib.closing(application(environ, start_response)) as answer:
        return [b"".join(answer)]


@pytest.fixture
def header(owner):
    """What a client with a token sends; the test's own connection stays open between its requests."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    _, token = AuthToken.objects.create(owner)
    yield {"Authorization": f"Token {token}", "Accept-Encoding": "identity"}
    for signal in signals:
        signal.connect(close_old_connections)


def test_generated_requests_are_answered_as_the_schema_says(header, ready_dataset):
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/?format=json", served, headers=header)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 20
    for operation in operations:
        assert conforming(operation, header), operation.label


def conforming(operation, header):
    """Ask what the schema allows, check every answer, and return the requests."""
    asked = []

    @settings(max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=HealthCheck)
    @given(case=operation.as_strategy())
    def every_answer_conforms(case):
        asked.append(case)
        case.call_and_validate(headers=header, checks=CHECKS)

    every_answer_conforms()
    return asked
