"""Datasets through pages and REST: hostile uploads; read again, changed, listed, searched, drawn, deleted."""

import doctest
import json
import re
import struct
from collections import Counter, namedtuple
from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from dashboard.core import text
from dashboard.datasets import ledger, thumbnails
from dashboard.datasets.models import Budget, Dataset
from dashboard.datasets.people import people_of
from dashboard.datasets.serializers import dataset_urls
from dashboard.landmarks.generated_samples import load_samples
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases.models import Release
from dashboard.storage import removals
from privacy_engine.core import instants
from privacy_engine.data import Trajectory
from privacy_engine.datatypes import trajectory_facts as facts
from tests.cases import refreshed
from tests.conftest import SHARED
from tests.dashboard import kinds
from tests.dashboard.api_helpers import decode_track, refused, series_of
from tests.dashboard.conftest import CSV
from tests.dashboard.kinds import made

URL = "/api/v1/datasets/"


class TestReadAgain:
    @pytest.fixture
    def reported(self, owner_api):
        return made(owner_api, CSV)

    def test_changes_the_points(self, owner_api, reported):
        answer = owner_api.post(f"{reported['urls']['self']}read/", {"first_n": 2})
        assert (answer.status_code, answer.json()["points"]) == (200, 2)
        row = Dataset.objects.get()
        removals.finish()  # as once the transaction is committed
        assert sorted(path.name for path in row.folder.iterdir()) == ["original", row.points_file]

    def test_that_cannot_be_changes_nothing(self, owner, owner_api, reported):
        """It is refused once landmarks stand on the points, too."""
        read = f"{reported['urls']['self']}read/"
        assert owner_api.post(read, {"options": {"lon": "nowhere"}}).status_code == 400
        mark_landmarks(owner=owner, dataset=Dataset.objects.get(), method={"name": "manual", "events": [0]})
        answer = owner_api.post(read, {"first_n": 2})
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "conflict")
        assert owner_api.get(reported["urls"]["self"]).json() == reported


class TestChange:
    def test_name(self, owner_api, ready_dataset):
        url = f"{URL}{ready_dataset.pk}/"
        for name in ["", "\u202e", " \n", 7 * [1], {"a": 1}, None]:
            assert refused(owner_api.patch(url, {"name": name})) == (400, "name"), name
        assert owner_api.patch(url, {"name": "x", "budget": {"epsilon": -1, "radius_m": 1}}).status_code == 400
        assert refreshed(ready_dataset).name == "A day in Paris"  # together or not at all
        answer = owner_api.patch(url, {"name": " New\u202e \n"})
        assert (answer.status_code, answer.json()["name"]) == (200, "New")

    def test_budget(self, owner_api, ready_dataset):
        url = f"{URL}{ready_dataset.pk}/"
        reported = owner_api.patch(url, {"budget": {"epsilon": 2, "radius_m": 200.5}}).json()
        assert reported["budget"] == {"epsilon": 2.0, "radius_m": 200.5}
        assert owner_api.patch(url, {"budget": None}).json()["budget"] is None
        for value in [0, -1, 1e-300, 1e308, float("nan"), float("inf"), True, "١", "abc", None, [], {}]:
            for field in ["epsilon", "radius_m"]:
                body = json.dumps({"budget": {"epsilon": 1.0, "radius_m": 200.0} | {field: value}})
                answer = owner_api.patch(url, body, content_type="application/json")
                assert answer.status_code == 400, (value, field)
                assert answer.json()["errors"][0]["field"] == f"budget.{field}", (value, field)
        assert not Budget.objects.exclude(total=None).exists()


@pytest.mark.django_db(transaction=True)
def test_deleting_removes_the_files_of_its_releases(owner_api, ready_dataset, done, files):
    assert done.data_path.exists()
    assert owner_api.delete(f"{URL}{ready_dataset.pk}/").status_code == 204
    assert not Release.objects.exists()
    assert files() == []


def test_list_filters_and_orders(owner, owner_api, make_dataset, paris_day):
    for name in ("Alpha", "beta", "Gamma alpha"):
        make_dataset(owner, paris_day, name=name)
    for query, names in [
        *(("", ["Gamma alpha", "beta", "Alpha"]), ("name=ALPHA&ordering=name", ["Alpha", "Gamma alpha"])),
        *(("state=failed", []), ("kind=trajectory&ordering=-name", ["beta", "Gamma alpha", "Alpha"])),
    ]:
        assert [one["name"] for one in owner_api.get(f"{URL}?{query}").json()["results"]] == names, query


class TestTrack:
    def test_is_the_series_as_whole_numbers(self, owner_api, owner, make_dataset):
        second = Trajectory([1.5, -2.5, 3.5], [4, 5, -6], [7, 8.25, 9], name="b")
        row = make_dataset(owner, Trajectory([0], [0], [0]), second)
        answer = owner_api.get(f"{URL}{row.pk}/track/?series=1")
        assert answer["Content-Type"] == "application/octet-stream"
        degrees = {"lon": [15_000_000, -25_000_000, 35_000_000], "lat": [40_000_000, 50_000_000, -60_000_000]}
        assert decode_track(answer.content) == degrees | {"time_ms": [7000, 8250, 9000], "event": [], "ends": []}
        body = owner_api.get(f"{URL}{make_dataset(owner, Trajectory([0, 1], [0, 1])).pk}/track/").content
        assert struct.unpack_from("<10I", body)[2:] == (2, 0, 1, 5, 5, 0, 0, 0), "without times"
        lon = np.round(np.random.default_rng(1).uniform(0, 1, 5000), 7)
        url = f"{URL}{make_dataset(owner, Trajectory(lon, lon)).pk}/track/"
        plain, pressed = (owner_api.get(url, headers={"Accept-Encoding": how}) for how in ("identity", "gzip, zstd"))
        assert plain.get("Content-Encoding") is None
        assert pressed["Content-Encoding"] == "zstd"
        assert "Accept-Encoding" in pressed["Vary"]
        assert pa.decompress(pressed.content, len(plain.content), codec="zstd", asbytes=True) == plain.content
        assert decode_track(plain.content)["lon"] == np.round(lon * 1e7).astype(int).tolist()

    def test_a_view_has_the_visible_points_with_their_events(self, owner_api, owner, make_dataset):
        lon = [0.5, 0.5001, 1.0, 50.0, 1.0, 0.9]
        row = make_dataset(owner, Trajectory(lon, [0.5, 0.5, 0.9, 0.5, 0.5, 0.6], range(6)))
        view = {"west": 0, "north": 1, "width": 256, "height": 256, "zoom": 8, "middle": 0}
        whole = owner_api.get(f"{URL}{row.pk}/track/", view | {"width": 8000, "zoom": 3})
        assert decode_track(whole.content)["ends"] == [len(decode_track(whole.content)["lon"])]
        found = decode_track(owner_api.get(f"{URL}{row.pk}/track/", view).content)
        assert found["event"] == [0, 2, 3, 4, 5], "the second is not a pixel away"
        quarter = 360e7 / (256 * 2**8) / 4  # of a pixel
        expected = [5_000_000, 10_000_000, 500_000_000, 10_000_000, 9_000_000]
        assert np.abs(np.subtract(found["lon"], expected)).max() <= quarter / 2
        assert (found["time_ms"], found["ends"]) == ([], [5])
        away = decode_track(owner_api.get(f"{URL}{row.pk}/track/", view | {"west": 100}).content)
        assert (away["event"], away["ends"]) == ([], [])

    def test_fail_names_the_wrong_or_missing_parameter(self, owner_api, ready_dataset):
        url, view = f"{URL}{ready_dataset.pk}/track/", {"west": 0, "north": 1, "width": 9, "height": 9, "zoom": 1}
        for field, value in [
            *[("west", "-541"), ("north", "91"), ("width", "0"), ("height", "1e9"), ("zoom", "99"), ("middle", "nan")],
            *[("zoom", ""), ("zoom", "١"), ("west", "1" * 400), ("middle", "0x1")],
            *[("series", value) for value in ("1", "-1", "x", "1e9", "9" * 30)],
        ]:
            assert refused(owner_api.get(url, view | {"middle": 0, field: value})) == (400, field), (field, value)
        error = owner_api.get(url, {"west": 0, "north": 1, "zoom": 1, "middle": 0}).json()["errors"][0]
        assert (error["field"], error["message"]) == ("width", "width must be given with west, north, zoom, middle")
        url = f"{URL}{ready_dataset.pk}/track/"
        assert owner_api.get(url).status_code == 200
        ready_dataset.points_path.unlink()
        assert owner_api.get(url).status_code == 404


@pytest.fixture
def three(owner_api, ready_dataset):
    """The names of a trajectory, a stream and check-ins, each with a tag of its own."""
    made(owner_api, kinds.wide(kinds.counts(20)), name="counts.csv")
    made(owner_api, kinds.checkins(kinds.checkin_rows()), name="visits.csv")
    rows = list(Dataset.objects.order_by("created_at"))
    for row in rows:
        Dataset.objects.filter(pk=row.pk).update(stored_tags=f",{row.kind},all,")
    return [row.name for row in rows]


def shown(page, **query):
    html = page.get(reverse("datasets:list"), query).content.decode()
    return re.findall(r'class="datasets__name" href="[^"]*">([^<]*)<', html)


class TestFilter:
    def test_page_and_api_show_the_same(self, owner_page, owner_api, three):
        for query, found in [
            *(({}, [2, 1, 0]), ({"kind": "stream"}, [1]), ({"tag": "checkins"}, [2]), ({"tag": "check"}, [])),
            *(({"search": "COUNTS .csv"}, [1]), ({"search": "csv nothing"}, []), ({"search": "trajectory"}, [0])),
            *(({"ordering": "created_at"}, [0, 1, 2]), ({"ordering": "-points", "kind": "checkins"}, [2])),
        ]:
            names = [three[i] for i in found]
            assert shown(owner_page, **query) == names, (query, found)
            assert [row["name"] for row in owner_api.get(URL, query).json()["results"]] == names, (query, found)

    def test_what_is_no_filter_shows_all_and_nothing_found_offers_them(self, owner_page, three, monkeypatch):
        assert shown(owner_page, kind="nothing", ordering="secret") == three[::-1]
        assert shown(owner_page, ordering=",") == three[::-1]  # the newest first, not in no order
        html = owner_page.get(reverse("datasets:list"), {"search": "zzz"}).content.decode()
        assert "No dataset matches" in html
        assert "None of your 3 datasets" in html
        monkeypatch.setattr("dashboard.datasets.views.SHOWN_DATASETS", 1)
        html = owner_page.get(reverse("datasets:list"), {"search": "csv"}).content.decode()
        assert 'href="?search=csv&amp;page=2"' in html


def test_tags_are_set_and_listed(owner_api, ready_dataset):
    url = f"{URL}{ready_dataset.pk}/"
    for tags in [["a,b"], ["x" * 31], [str(i) for i in range(11)]]:
        assert refused(owner_api.patch(url, {"name": "other", "tags": tags})) == (400, "tags"), tags
    assert (refreshed(ready_dataset).stored_tags, ready_dataset.name) == ("", "A day in Paris")
    longest = [f"{i}".zfill(30) for i in range(10)]
    for given, stored in ((["pilot", " 2024", "pilot"], ["pilot", "2024"]), (longest, longest), ([], [])):
        assert owner_api.patch(url, {"tags": given}).json()["tags"] == stored


class TestThumbnails:
    def test_of_earlier_datasets_are_made_when_they_are_listed(self, owner_page, three, monkeypatch):
        html = owner_page.get(reverse("datasets:list")).content.decode()
        assert len(re.findall(r'<path d="M[\dMLh ]+"/>', html)) == 3
        before = set(Dataset.objects.values_list("thumbnail", flat=True))
        Dataset.objects.update(thumbnail="")
        monkeypatch.setattr(thumbnails, "MADE", 2)
        for left in (1, 0, 0):
            shown(owner_page)
            assert Dataset.objects.filter(thumbnail="").count() == left
        assert set(Dataset.objects.values_list("thumbnail", flat=True)) == before

    def test_points_to_the_south_are_below(self):
        line = Trajectory(lon=[0.0, 0.0], lat=[1.0, 0.0])
        assert thumbnails.path_of("trajectory", [line]) == "M50 0L50 100"


class TestSamples:
    def test_are_created_once_and_the_newest_is_shown(self, owner_page, owner):
        answer = owner_page.post(reverse("landmarks:samples"))
        first = Dataset.objects.filter(owner=owner, sample=True)
        kinds = Counter(first.values_list("kind", flat=True))
        assert kinds == {"trajectory": 3, "stream": 1, "checkins": 1}
        marked = first.filter(kind="trajectory")
        assert all(row.landmark_sets.exists() for row in marked)
        assert answer.url == reverse("datasets:detail", args=[marked.order_by("-created_at", "pk")[0].pk])
        owner_page.post(reverse("landmarks:samples"))
        assert load_samples(owner=owner) == []

    def test_are_not_created_by_a_get(self, owner_page, make_dataset):
        assert owner_page.get(reverse("landmarks:samples")).status_code == 405
        assert not Dataset.objects.exists()


def test_facts_of_the_points():
    for lon, west, east in [
        *(([179.5, -179.5], 179.5, -179.5), ([-179.5, 179.5, 178], 178, -179.5), ([-10, 10], -10, 10)),
        *(([180, -180], 180, -180), ([5], 5, 5), (list(range(-170, 171, 10)), -170, 170)),
    ]:
        assert facts.facts_of([Trajectory(lon, np.zeros(len(lon)))]).bounds == [west, 0, east, 0], (lon, west, east)
        assert facts.facts_of([Trajectory([one], [0]) for one in lon]).bounds == [west, 0, east, 0], (lon, west, east)
    single = [Trajectory([1], [1]), Trajectory([2], [2])]
    assert facts.facts_of([Trajectory([179.5, -179.5], [0, 0])]).length_m == pytest.approx(111_195, abs=1)
    assert facts.facts_of(single).length_m is None
    assert facts.facts_of([Trajectory([1, 1], [1, 1]), Trajectory([2], [2])]).length_m == 0, "series are not joined"
    assert instants.instant(1e12) is instants.instant(-1e12) is None, "a year that no calendar has"
    reported = facts.facts_of([Trajectory([1, 2], [1, 2]), Trajectory([2], [2])])
    assert (reported.series_count, reported.has_time, reported.start) == (2, False, None)
    assert [doctest.testmod(module).failed for module in (facts, instants, text, ledger)] == [0, 0, 0, 0]


def test_series_are_read_in_pages_from_the_points(owner_api, owner, make_dataset):
    first, second, third = times = [f"2024-06-15T10:00:0{i}.000Z" for i in range(3)]
    rows = [f"{name},{at},52.5,13.4" for at, name in zip(times, ("b\u202e", "a", "b\u202e"), strict=True)]
    table = "\n".join(["user,time,lat,lon", *rows]).encode()
    dataset = owner_api.post(URL, {"file": SimpleUploadedFile("a.csv", table)}, format="multipart").json()
    keys = ("index", "name", "person", "points", "first_event", "start", "end")
    expected = [(0, "b", "b", 2, 0, first, third), (1, "a", "a", 1, 2, second, second)]
    assert series_of(owner_api, dataset) == [dict(zip(keys, one, strict=True)) for one in expected]
    pages = [f"{dataset['urls']['series']}?page{query}" for query in ("=2", "_size=5001", "_size=5000")]
    assert [owner_api.get(url).status_code for url in pages] == [404, 400, 200]
    untimed = make_dataset(owner, Trajectory([1, 2], [3, 4]), Trajectory([], []), Trajectory([5], [6], name="n"))
    summary = dict(untimed.summary)
    found = series_of(owner_api, {"urls": dataset_urls(untimed)})
    assert [tuple(one.values())[3:] for one in found] == [(2, 0, None, None), (0, 2, None, None), (1, 2, None, None)]
    assert untimed.series_lengths == [2, 0, 1]
    untimed.summary["series"], untimed.report = [{}] * untimed.summary.pop("series_count"), {"series": [1], "a": 2}
    untimed.save()
    import_module("dashboard.datasets.migrations.0024_series_of_points").count_series(apps, None)
    assert (refreshed(untimed).summary, refreshed(untimed).report) == (summary, {"a": 2})
    both = [Trajectory([1, 2], [3, 4], [0, 2], person="p"), Trajectory([5], [6], [1], person="p")]
    assert people_of(make_dataset(owner, *both))[0].order.tolist() == [0, 2, 1]


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
    assert answer["points"] == row.points == sum(one["points"] for one in series_of(owner_api, answer))
    assert {reason: drop["count"] for reason, drop in answer["report"]["dropped"].items()} == row.dropped
    assert answer["report"]["outcome"] == row.outcome
    assert json.loads(json.dumps(answer), parse_constant=lambda text: pytest.fail(text)) == answer


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
