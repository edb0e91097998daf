"""What all that has an owner does: its files are whole and recorded, it is deleted whole, the account has it."""

import csv
import hashlib
import io
import json
import re
import shutil
import zipfile

import pyarrow.parquet as pq
import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db.models import ForeignKey

from privacy_engine.verify import verify
from tests.dashboard import every_operation as every
from tests.dashboard.access_table import ACCESS
from tests.dashboard.api_helpers import refused
from tests.dashboard.conftest import HOME, client_of

pytestmark = pytest.mark.django_db
OPERATIONS = list(every.operations(every.schema()))
ENTRY = apps.get_model("accounts", "AccessEntry")
DOWNLOADS = {
    path: one
    for method, path, one in OPERATIONS
    if method == "GET" and path.rstrip("/").rpartition("/")[2] in ("data", "table", "bundle")
}


def formats(path):
    described = [one["schema"] for one in DOWNLOADS[path].get("parameters", ()) if one["name"] == "format"]
    return [value for one in described for value in one.get("items", one)["enum"]]


FILES = {path: ["", *formats(path)] for path in DOWNLOADS if formats(path)} | {"releases/{id}/notebook/": [""]}


def rows_of_path(path, rows):
    of = path.split("/")[0]
    found = {name: pk for name, pk in rows.items() if name.split()[-1] == of and not name.startswith("spare")}
    return [pk for name, pk in found.items() if f"closed {name}" not in found]  # an open stream has no rows yet


def opened(content, name):
    match name.rpartition(".")[2]:
        case "csv":
            assert len(list(csv.reader(content.decode().splitlines()))) > 1
        case "json" | "geojson" | "ipynb":
            assert json.loads(content)
        case "parquet":
            assert pq.read_table(io.BytesIO(content)).num_rows
        case "zip":
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                assert packed.testzip() is None
                lines = [line.split("  ", 1) for line in packed.read("SHA256SUMS").decode().splitlines()]
                assert {inside for _, inside in lines} == set(packed.namelist()) - {"SHA256SUMS"}
                assert all(hashlib.sha256(packed.read(inside)).hexdigest() == digest for digest, inside in lines)
        case _:
            assert content


@pytest.mark.slow
def test_every_file_is_whole_in_every_format_and_its_download_is_recorded(made):
    api, tried = client_of(made.owner), set()
    for path, names in FILES.items():
        for pk in rows_of_path(path, made.rows):
            url = every.API + path.replace("{id}", pk)
            query = {"release": pk} if path == "releases/bundle/" else every.query_of(path, made.rows)
            for fmt in names:
                before = ENTRY.objects.count()
                answer = api.get(url, query | ({"format": fmt} if fmt else {}))
                if answer.status_code == 400:  # not of this kind of data
                    assert answer.json()["errors"][0]["field"] == "format"
                    continue
                assert answer.status_code == 200, (path, fmt)
                content = answer.getvalue()
                match = re.fullmatch(r'attachment; filename="([\w.-]+)"', answer["Content-Disposition"])
                assert match, (path, fmt, answer["Content-Disposition"])
                assert answer["X-Content-Type-Options"] == "nosniff", path
                assert "private" in answer["Cache-Control"], path
                opened(content, match[1])
                if path.startswith("releases/") and names != [""]:
                    part = fmt == "csv" or match[1].endswith(".csv")  # of a model, whose JSON can be verified
                    alone = part and pk == made.rows["checkins releases"]
                    assert verify(content, match[1]).holds != alone, (path, fmt, match[1])
                if "table" not in path:
                    assert api.get(url, query | ({"format": fmt} if fmt else {})).getvalue() == content, (path, fmt)
                if path in DOWNLOADS:
                    assert ENTRY.objects.count() > before, (path, fmt)
                    assert ENTRY.objects.latest("pk").access == "download"
                tried.add((path, fmt, pk))
            if names != [""]:
                for wrong in ("nothing", "", "CSV"):
                    assert refused(api.get(url, query | {"format": wrong})) == (400, "format"), (path, wrong)
    assert len(tried) > 40
    assert {path for path, *_ in tried} == set(FILES)


@pytest.fixture
def home(tmp_path):
    """The stored files, which are all there again after the test."""
    shutil.copytree(HOME, tmp_path / "home", dirs_exist_ok=True)
    yield HOME
    for one in HOME.iterdir():
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    shutil.copytree(tmp_path / "home", HOME, dirs_exist_ok=True)


def stored_of(*ids):
    return [str(path) for path in HOME.rglob("*") if path.is_file() and any(str(pk) in str(path) for pk in ids)]


def finish():
    """What the cleanup does after a while."""
    call_command("sweep", "--once", stdout=io.StringIO())
    shutil.rmtree(HOME / "trash", ignore_errors=True)


def test_what_is_deleted_is_gone_with_its_files(made, home, django_capture_on_commit_callbacks):
    owner, lead = client_of(made.owner), client_of(made.lead)
    order = ("publications", "attacks", "releases", "landmark-sets", "datasets")
    paths = [
        path for method, path, _ in OPERATIONS if method == "DELETE" and "{id}" in path and path != "members/{id}/"
    ]
    deleted = []
    for path in sorted(paths, key=lambda path: order.index(of) if (of := path.split("/")[0]) in order else -1):
        others = [] if path == "streams/{id}/" else rows_of_path(path, made.rows)  # one that published stays
        for pk in dict.fromkeys([made.rows[path.split("/")[0]], *others]):
            url = every.API + path.replace("{id}", pk)
            api = lead if ACCESS[f"DELETE {path}"][0] == "manage" else owner
            headers = {"Tus-Resumable": "1.0.0"}
            with django_capture_on_commit_callbacks(execute=True):
                answer = api.delete(url, headers=headers)
            assert answer.status_code == 204, (path, answer.content)
            assert api.get(url, headers=headers).status_code in (404, 405), path
            assert api.delete(url, headers=headers).status_code == 404, path
            deleted.append(pk)
    assert len(set(deleted)) > 12
    finish()
    assert stored_of(*deleted) == []


def test_the_export_of_the_account_has_all_of_it(made):
    answer = client_of(made.owner).get(every.address("account-exports/{id}/data/", made.rows))
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as packed:
        everything = b"".join(name.encode() + packed.read(name) for name in packed.namelist())
    kinds = {"datasets", "landmark-sets", "releases", "experiments", "attacks", "audits", "streams"}
    for name in sorted(kinds):
        for model_name, pk in made.rows.items():
            if model_name.split()[-1] == name and "data" not in model_name.split()[:-1]:
                assert pk.encode() in everything or pk[:8].encode() in everything, model_name


def test_nothing_of_an_account_stays_when_it_is_deleted(made, home, django_capture_on_commit_callbacks):
    user = get_user_model()
    owned = [
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.fields
        if isinstance(field, ForeignKey) and field.related_model is user
    ]
    had = [model._meta.label for model, name in owned if model._default_manager.filter(**{name: made.owner}).exists()]
    assert len(had) >= 10, had
    stranger = user.objects.get(username="stranger")
    kept = ENTRY.objects.create(owner=stranger, access="download", subject_id=stranger.pk)
    pk, files = made.owner.pk, stored_of(*made.rows.values())
    assert len(files) > 20
    with django_capture_on_commit_callbacks(execute=True):
        call_command("delete_account", "owner", "--yes", stdout=io.StringIO())
    finish()
    for model, name in owned:
        assert not model._default_manager.filter(**{name: pk}).exists(), (model._meta.label, name)
    assert stored_of(pk, *made.rows.values()) == []
    assert ENTRY.objects.get() == kept
