"""Every hostile upload of the shared collection, through the API: its outcome, and nothing left behind."""

import json
import re
from collections import namedtuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from dashboard.datasets.models import Budget, Dataset
from tests.conftest import SHARED
from tests.dashboard.conftest import CSV

URL = "/api/v1/datasets/"
FOLDER = SHARED / "hostile"


Row = namedtuple("Row", "file outcome points dropped")
"""One line of EXPECTED.md."""


def expected():
    if not FOLDER.is_dir():
        return []
    cells = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in (FOLDER / "EXPECTED.md").read_text().splitlines()
        if re.match(r"\| *[0-9]+ \|", line)
    ]
    rows = [(cell[1], cell[4], cell[5], re.search(r"Dropped: (\{[^}]*\})", cell[6])) for cell in cells]
    return [
        Row(file, outcome, int(points) if points else None, json.loads(dropped[1]) if dropped else {})
        for file, outcome, points, dropped in rows
        if (FOLDER / file).is_file()
    ]


ROWS = expected()


def of(*outcomes):
    found = [pytest.param(row, id=row.file) for row in ROWS if row.outcome in outcomes]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason="../shared/hostile is not here"))]


def post(api, path, **fields):
    upload = SimpleUploadedFile(path.name, path.read_bytes())
    return api.post(URL, {"file": upload, **fields}, format="multipart")


def test_the_collection_is_read_whole(shared):
    assert len(ROWS) > 40
    assert {row.outcome for row in ROWS} == {"accept", "accept_warn", "ask", "reject"}


@pytest.mark.parametrize("row", of("accept", "accept_warn"))
def test_accepted_file_is_a_ready_dataset_of_its_points(owner_api, row):
    sent = post(owner_api, FOLDER / row.file)
    assert sent.status_code == 201, sent.content
    answer = sent.json()
    assert answer["state"] == "ready", answer["error"]
    assert answer["points"] == row.points == sum(one["points"] for one in answer["series"])
    assert {reason: drop["count"] for reason, drop in answer["report"]["dropped"].items()} == row.dropped
    assert answer["report"]["outcome"] == row.outcome
    assert "NaN" not in json.dumps(answer)


@pytest.mark.parametrize("row", of("ask"))
def test_requesting_file_names_the_parameter_that_decides_it(owner_api, files, row):
    answer, chosen = post(owner_api, FOLDER / row.file), {}
    while answer.status_code == 422 and len(chosen) < 5:
        [error] = answer.json()["errors"]
        assert error["code"] == "choice-needed"
        assert error["default"] in {choice["value"] for choice in error["choices"]}
        assert all(choice["label"] for choice in error["choices"])
        assert not Dataset.objects.exists()
        assert files() == []
        chosen[error["parameter"]] = error["default"]
        answer = post(owner_api, FOLDER / row.file, **chosen)
    assert chosen
    assert answer.status_code == 201, answer.content
    assert answer.json()["points"] == row.points or row.points is None
    assert answer.json()["options"] == chosen


@pytest.mark.parametrize("row", of("reject"))
def test_rejected_file_states_why_and_leaves_nothing(owner_api, files, row):
    answer = post(owner_api, FOLDER / row.file)
    [error] = answer.json()["errors"]
    assert answer.status_code in (400, 413)
    assert error["message"]
    assert error["code"] not in ("", "internal", "invalid")
    assert not Dataset.objects.exists()
    assert not Budget.objects.exists()
    assert files() == []


def names():
    path = FOLDER / "names.json"
    return json.loads(path.read_text()) if path.is_file() else ["=cmd()|x.csv", "\u202egpj.csv"]


@pytest.mark.parametrize("name", names())
def test_file_name_is_data(owner_api, files, name):
    upload = SimpleUploadedFile("plain.csv", CSV)
    upload._name = name  # the client's name as it is, not as Django's setter cleans it
    answer = owner_api.post(URL, {"file": upload}, format="multipart")
    assert answer.status_code == 201, answer.content
    reported = answer.json()
    assert reported["points"] == 3
    shown = reported["file_name"] + reported["name"]
    assert shown.isprintable()
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown)
    assert len(reported["file_name"].encode()) <= 255
    assert len(reported["name"]) <= 200
    row = Dataset.objects.get()
    folder = f"datasets/{row.pk}"
    assert files() == sorted([folder, f"{folder}/original", f"{folder}/{row.points_file}"])
