"""What every list and query of the API does: pages, orders, filters, refusals and caches, as the schema has them."""

import uuid

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.dashboard import every_operation as every
from tests.dashboard.access_table import ACCESS
from tests.dashboard.conftest import client_of

pytestmark = pytest.mark.django_db
OPERATIONS = list(every.operations(every.schema()))
GETS = {path: one for method, path, one in OPERATIONS if method == "GET"}
QUERIES = {path: [two for two in one.get("parameters", ()) if two["in"] == "query"] for path, one in GETS.items()}
PAGED = [path for path, found in QUERIES.items() if "{" not in path and any(one["name"] == "page" for one in found)]
MADE = [(path, one) for method, path, one in OPERATIONS if method == "POST" and path in PAGED]
NONE = {"boolean": "perhaps", "integer": "x", "number": "x", "uuid": "1", "enum": "nothing"}
"""A value that a parameter of each type does not have."""
LIVE = "streams/{id}/live/"  # a response without an end


def type_of(described):
    inner = described.get("items", described)
    return "enum" if "enum" in inner else str(inner.get("format", inner.get("type")))


def parameters(paths=QUERIES):
    """Path, name and schema of every parameter of a query of what has no id."""
    for path in paths:
        if "{" not in path and path != "releases/bundle/":
            yield from ((path, one["name"], one["schema"]) for one in QUERIES[path])


def refused(answer):
    assert answer.status_code == 400, answer.content[:300]
    (error,) = answer.json()["errors"]
    return error["field"], error["rule"]


@pytest.fixture
def api(made):
    return client_of(made.owner)


def rows(api, path, query=""):
    answer = api.get(f"{every.API}{path}?page_size=200&{query}")
    assert answer.status_code == 200, (path, query, answer.content[:300])
    assert answer.json()["count"] == len(answer.json()["results"])
    return list(answer.json()["results"])


def fill(api, made):
    """One more row of whatever can be made by a request, and that it has an address and is listed."""
    for path, described in MADE:
        before = len(rows(api, path))
        if path in ("account-exports/", "area-maps/"):  # one at a time, one of a dataset
            continue
        sent = api.post(f"{every.API}{path}", every.body_of(f"POST {path}", made.rows), **form(described))
        assert sent.status_code == 201, (path, sent.content[:300])
        assert api.get(sent["Location"]).json()["id"] == sent.json()["id"], path
        listed = [one["id"] for one in rows(api, path)]
        assert len(listed) == before + 1, path
        assert sent.json()["id"] in listed, path


def form(described):
    return {"format": "multipart" if every.is_multipart(described) else "json"}


def test_the_lists_are_found():
    assert len(PAGED) >= 12
    assert len(MADE) >= 8
    assert len(list(parameters())) > 50


def test_pages_are_one_list(api, made):
    newcomer = client_of(get_user_model().objects.create_user("newcomer"))
    fill(api, made)
    for path in PAGED:
        assert rows(newcomer, path) == [], path
        listed, seen = [one["id"] for one in rows(api, path)], []
        url = f"{every.API}{path}?page_size=1"
        while url:
            page = api.get(url).json()
            assert (page["count"], len(page["results"])) == (len(listed), min(1, len(listed))), path
            seen += [one["id"] for one in page["results"]]
            url = page["next"]
        assert seen == listed, path
        for beyond in (str(len(listed) + 2), "0", "-1", "x"):
            assert api.get(f"{every.API}{path}?page_size=1&page={beyond}").status_code == 404, (path, beyond)
        for size in ("0", "201", "-1", "x", "1.5", ""):
            assert refused(api.get(f"{every.API}{path}?page_size={size}"))[0] == "page_size", (path, size)


def test_queries_of_the_database_do_not_grow_with_the_page(api, made):
    fill(api, made)
    for path in PAGED:
        counts = []
        for size in (1, 200):
            with CaptureQueriesContext(connection) as found:
                many = api.get(f"{every.API}{path}?page_size={size}").json()["count"]
            counts.append(len(found))
        assert counts[1] <= counts[0] or many < 2, (path, counts)


def test_orders_are_those_of_the_schema(api):
    for path, name, described in parameters(PAGED):
        if name != "ordering":
            continue
        assert refused(api.get(f"{every.API}{path}?ordering=nothing"))[0] == name
        for query in (",", "name,,state"):
            rule = "must have a column before and after each comma"
            assert refused(api.get(f"{every.API}{path}?ordering={query}")) == (name, rule), query
        for order in (one for one in described["items"]["enum"] if not one.startswith("-")):
            up, down = ([one[order] for one in rows(api, path, f"ordering={sign}{order}")] for sign in ("", "-"))
            assert up == down[::-1], (path, order)
            assert up == sorted(up) or isinstance(up[0], str), (path, order)  # texts as the database has them


def test_filters_leave_what_they_name(api):
    found_some = set()
    for path, name, described in parameters(PAGED):
        kind, everything = type_of(described), rows(api, path)
        if name in ("page", "page_size", "ordering"):
            continue
        if kind == "enum":
            parts = [rows(api, path, f"{name}={value}") for value in described["enum"]]
            assert sorted(one["id"] for part in parts for one in part) == sorted(one["id"] for one in everything)
            for value, part in zip(described["enum"], parts, strict=True):
                assert all(one.get(name, value) == value for one in part), (path, name, value)
        elif kind == "uuid":
            assert rows(api, path, f"{name}={uuid.uuid4()}") == [], (path, name)
        elif kind == "string":
            assert rows(api, path, f"{name}=such+a+text+is+nowhere") == [], (path, name)
        for row in everything[:1]:
            value = row.get(name)
            if isinstance(value, str) and value:
                assert row["id"] in [one["id"] for one in rows(api, path, f"{name}={value}")], (path, name)
                found_some.add((path, name))
    assert len(found_some) > 8


def test_values_that_a_parameter_does_not_have_are_refused_by_name(api):
    for path, name, described in parameters():
        kind = type_of(described)
        if kind in NONE and name != "page":
            assert refused(api.get(f"{every.API}{path}", {name: NONE[kind]}))[0] == name, (path, name)
        if name not in ("page", "page_size", "ordering"):
            assert api.get(f"{every.API}{path}?{name}=%00").status_code == 400, (path, name)


def test_repeated_and_empty_parameters_are_refused(api):
    for path, name, described in parameters():
        if described["type"] != "array" or name == "ordering":
            value = described.get("enum", ["1"])[0] or "1"
            twice = api.get(f"{every.API}{path}?{name}={value}&{name}={value}")
            assert refused(twice) == (name, "given once"), (path, name)
        empty = api.get(f"{every.API}{path}?{name}=")
        if type_of(described) == "string":  # empty text is text
            assert empty.status_code == 200, (path, name)
        elif name != "page_size":
            assert refused(empty) == (name, "a value or left out"), (path, name)


def test_unknown_parameters_are_refused_by_name(api, made):
    for method, path, described in OPERATIONS:
        headers, send = every.TUS | {"Upload-Length": "10"}, getattr(api, method.lower())
        url = every.address(path, made.rows)
        if method in ("GET", "HEAD"):
            answer = send(url, {"nonsense": "x"}, headers=headers)
        elif "requestBody" in described and path != "uploads/{id}/":
            answer = send(f"{url}?nonsense=x", every.body_of(f"{method} {path}", made.rows), **form(described))
        else:
            answer = send(f"{url}?nonsense=x", headers=headers)
        assert answer.status_code == 400, (method, path, answer.status_code)
        if method != "HEAD":
            (error,) = answer.json()["errors"]
            assert (error["code"], error["field"]) == ("parameter", "nonsense"), (method, path)


def test_responses_are_stored_by_no_cache_and_not_sent_twice(made):
    for path, described in GETS.items():
        if path == LIVE:
            continue
        api = client_of(made.lead if ACCESS[f"GET {path}"][0] == "manage" else made.owner)
        answer = every.request(api, "GET", path, made.rows)
        assert answer.status_code == 200, path
        public = path.rstrip("/") in every.FACTS
        kept = answer["Cache-Control"]
        assert "private" in kept, (path, kept)
        if answer["Content-Type"] == "application/json":
            assert kept == ("private, no-cache" if public else "private, no-store"), path
        stated = "ETag" in described["responses"]["200"].get("headers", {})
        assert ("ETag" in answer) >= stated, path
        assert stated or "Content-Disposition" in answer or answer["Content-Type"] != "application/json", path
        if "ETag" in answer:
            query = every.query_of(path, made.rows)
            again = api.get(every.address(path, made.rows), query, headers={"If-None-Match": answer["ETag"]})
            assert (again.status_code, again.getvalue()) == (304, b""), path
            assert (again["ETag"], again["Cache-Control"]) == (answer["ETag"], kept), path
            other = api.get(every.address(path, made.rows), query, headers={"If-None-Match": '"other"'})
            assert other.status_code == 200, path
