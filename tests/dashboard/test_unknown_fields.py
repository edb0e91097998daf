"""No field is ignored: every operation of the schema refuses what it does not know, and names its path."""

import copy
import json
from collections.abc import Mapping

import pytest

from dashboard.core.rest.parsing import CSRF
from tests.dashboard.access_table import ACCESS
from tests.dashboard.conftest import client_of
from tests.dashboard.every_operation import body_of, is_multipart, operations, request, schema

pytestmark = pytest.mark.django_db
SCHEMA = schema()
UNSAFE = [(method, path, one) for method, path, one in operations(SCHEMA) if method in ("POST", "PATCH", "DELETE")]
WITH_BODY = [(*one, is_multipart(one[2])) for one in UNSAFE if "requestBody" in one[2] and one[1] != "uploads/{id}/"]
OF_THE_PROJECT = {operation for operation, (who, *_) in ACCESS.items() if who == "manage"}
CORNERS = [[[2.3, 48.8], [2.4, 48.8], [2.4, 48.9], [2.3, 48.8]]]
DEEPER = {  # objects inside other valid bodies
    "PATCH datasets/{id}/": [{"budget": {"epsilon": 5.0, "radius_m": 200.0}}],
    "POST audits/": [{"mechanism": {"name": "control:half-noise:landmark-skip", "epsilon": 1.0, "radius_m": 200.0}}],
    "POST datasets/": [{"cleaning": [{"name": "drop-repeats"}]}],
    "POST experiments/": [{"spec": "planned"}],
    "POST landmark-sets/preview/": [
        {"method": {"name": "zones", "zones": [{"type": "Polygon", "coordinates": CORNERS}]}}
    ],
    "POST streams/{id}/events/": [{"events": [{"time": 3, "counts": {"canary a": 1, "canary b": 2}}]}],
}
FREE = {("events", 0, "counts")}  # names of dimensions


def objects(value, path=()):
    """Paths of the objects inside a value, its own first."""
    if isinstance(value, Mapping):
        yield path
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from objects(one, (*path, key))


def with_field(body, path, name):
    """A copy with one more field in the object at ``path``; files are shared."""
    changed = {key: value if hasattr(value, "read") else copy.deepcopy(value) for key, value in body.items()}
    inner = changed
    for key in path:
        inner = inner[key]
    inner[name] = "x"
    return changed


def as_form(body):
    """Objects and lists as JSON text, as forms have them."""
    return {key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in body.items()}


def refused(answer):
    assert answer.status_code == 400, (answer.status_code, answer.content[:300])
    return [one["field"] for one in answer.json()["errors"]]


def test_every_body_and_every_object_in_it(made):
    tried = 0
    for method, path, _, multipart in WITH_BODY:
        operation = f"{method} {path}"
        api = client_of(made.lead if operation in OF_THE_PROJECT else made.owner)
        valid = body_of(operation, made.rows)
        for body in [valid, *(valid | more for more in DEEPER.get(operation, ()))]:
            if body.get("spec") == "planned":
                body["spec"] = api.post("/api/v1/experiments/plan/", valid).json()["spec"]
            for where in objects(body):
                if where in FREE:
                    continue
                sent = with_field(body, where, "Name" if where == () else "foo")
                inside = where[1:] if where[:1] == ("spec",) else where  # an experiment's errors are named in its spec
                named = ".".join(map(str, (*inside, "Name" if where == () else "foo")))
                answer = request(
                    api, method, path, made.rows, data=as_form(sent) if multipart else sent, multipart=multipart
                )
                assert refused(answer) == [named], (operation, where, answer.json())
                tried += 1
    assert tried > 90


def test_operations_without_a_body_take_no_field(made):
    tried = 0
    for method, path, described in UNSAFE:
        if "requestBody" not in described and "uploads" not in path:
            form = path == "base-map/file/"  # takes no JSON
            answer = request(client_of(made.owner), method, path, made.rows, data={"name": "x"}, multipart=form)
            assert refused(answer) == ["name"], (method, path)
            tried += 1
    assert tried >= 30


def test_uploads_and_forms_and_the_message_names_what_there_is(made):
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "10"}
    assert refused(client_of(made.owner).post("/api/v1/uploads/", {"name": "x"}, headers=headers)) == ["name"]
    body = body_of("POST datasets/", made.rows) | {CSRF: "x"}
    assert request(client_of(made.owner), "POST", "datasets/", made.rows, data=body, multipart=True).status_code == 201
    answer = client_of(made.owner).post("/api/v1/projects/", {"nmae": "x"})
    assert answer.json()["errors"][0] == {
        "code": "parameter",
        "field": "nmae",
        "rule": "one of name",
        "value": "x",
        "message": "nmae is not a field of this operation, which takes one of name; did you mean name?",
    }


def test_what_cannot_be_changed_is_refused_when_sent_back(made):
    """A row as GET returned it: nothing of it is ignored, also not what is read only."""
    address, api = f"/api/v1/experiments/{made.rows['experiments']}/", client_of(made.owner)
    fields = refused(api.patch(address, api.get(address).json()))
    assert {"id", "state", "urls"} <= set(fields)
    assert not {"name", "tags", "project"} & set(fields)


def test_the_schema_closes_every_body():
    for method, path, described, _ in WITH_BODY:
        for content in described["requestBody"]["content"].values():
            name = content["schema"]["$ref"].rsplit("/", 1)[1]
            assert SCHEMA["components"]["schemas"][name]["additionalProperties"] is False, (method, path)
