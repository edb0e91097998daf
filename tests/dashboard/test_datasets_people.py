"""The people of a dataset: on its page, in the API, and in the way it is read again."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

GPX = (
    '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="52.5" lon="13.4">'
    "<time>2024-06-{0}T10:00:00Z</time></trkpt></trkseg></trk></gpx>"
)
URL = "/api/v1/datasets/"


def folders(*names):
    """A ZIP of two days for each folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            for day in (15, 16):
                archive.writestr(f"{name}/day{day}.gpx", GPX.format(day))
    return out.getvalue()


@pytest.fixture
def dataset(owner_api):
    """``dataset(data, **options)``: what the API reports of an upload."""

    def made(data, name="all.zip", **options):
        answer = owner_api.post(URL, {"file": SimpleUploadedFile(name, data), **options}, format="multipart")
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return made


def test_the_api_reports_whose_each_series_is(dataset):
    reported = dataset(folders("person-1", "person-2"))
    assert reported["people"] == 2
    assert [one["person"] for one in reported["series"]] == ["person-1", "person-1", "person-2", "person-2"]
    assert reported["report"]["people"] == {
        "count": 2,
        "by": "folder",
        "column": "",
        "said": False,
        "message": "The names of the folders are those of people.",
    }


def test_the_page_counts_people_and_has_whose_their_series_are(dataset, owner_page):
    reported = dataset(folders("person-1", "person-2"))
    answer = owner_page.get(reported["urls"]["page"])
    page = answer.content.decode()
    assert "4 series of 2 people" in page
    assert "All 4 series" in page
    assert "The names of the folders are those of people." in page
    listed = [(one["index"], one["person"], one["points"]) for one in answer.context["page"]["series"]]
    assert listed == [(one["index"], one["person"], one["points"]) for one in reported["series"]]
    one = owner_page.get(dataset(folders("anna", "bob"))["urls"]["page"]).content.decode()
    assert "4 series of 1 person" in one


def test_a_guess_can_be_overridden(dataset, owner_api, owner_page):
    reported = dataset(folders("anna", "bob"))
    assert (reported["people"], [one["option"] for one in reported["report"]["guesses"]]) == (1, ["person"])
    assert 'id="reread-person"' in owner_page.get(reported["urls"]["page"]).content.decode()
    again = owner_api.post(f"{reported['urls']['self']}read/", {"person": "folder"}, format="json").json()
    assert (again["people"], again["options"]) == (2, {"person": "folder"})
    assert {one["person"] for one in again["series"]} == {"anna", "bob"}
    assert again["report"]["guesses"] == []


def test_the_preview_takes_the_option_and_refuses_what_cannot_be(dataset, owner_api):
    table = b"trip_id,who,time,lat,lon\n1,a,2024-06-15T10:00:00Z,1,1\n2,b,2024-06-15T11:00:00Z,1,1\n"
    reported = dataset(table, "t.csv")
    assert reported["people"] == 1
    seen = owner_api.get(reported["urls"]["preview"], {"person": "column:who"}).json()
    assert [column["role"] for column in seen["columns"]] == ["id", "person", "time", "lat", "lon"]
    for stated in ("folder", "unknown"):
        answer = owner_api.get(reported["urls"]["preview"], {"person": stated})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "person"
    seen = owner_api.get(reported["urls"]["preview"], {"person": "column:nothing"})
    assert seen.status_code == 400 or seen.json()["problem"]["field"] == "person"


def test_an_option_that_the_format_cannot_use_is_refused(owner_api):
    for option, value in [("delimiter", ";"), ("id", "track"), ("landmark", "#1")]:
        file = SimpleUploadedFile("a.gpx", GPX.format(15).encode())
        answer = owner_api.post(URL, {"file": file, option: value}, format="multipart")
        assert answer.status_code == 400, (option, value)
        [error] = answer.json()["errors"]
        assert (error["field"], error["value"]) == (option, value), (option, value)
        assert "GPX" in error["rule"], (option, value)
        assert owner_api.get(URL).json()["results"] == [], (option, value)
