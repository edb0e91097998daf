"""The map of an area: fetched once after consent, served to who may read its dataset, gone with it."""

import pytest

from dashboard.area_maps import execution
from dashboard.area_maps.map_data import area_map_config
from dashboard.area_maps.models import AreaMap
from dashboard.datasets.models import Dataset
from dashboard.maintenance import objects
from dashboard.maintenance.cleanup import tidy
from dashboard.maps import remote_archive
from dashboard.maps.regions import Region
from dashboard.projects.models import Role
from dashboard.storage import removals
from dashboard.storage.stored_path import stored_files
from tests.dashboard.api_helpers import refused
from tests.dashboard.conftest import HOME, MAP_HOST, client_of
from tests.map_archive import serving, tiles_below, write_archive

URL = "/api/v1/area-maps/"


@pytest.fixture
def region(ready_dataset):
    return Region.around(ready_dataset.summary["bounds"])


@pytest.fixture
def tiles(region):
    return tiles_below(region.west, region.north, 10)


@pytest.fixture
def host(tiles, tmp_path, settings, monkeypatch):
    monkeypatch.setattr(remote_archive, "PAUSE_S", 0.0)
    with serving(write_archive(tmp_path / "planet.pmtiles", tiles).read_bytes()) as host:
        settings.CAIRN_MAP_ARCHIVE = host.url
        yield host


def fetch(api, dataset, host, status=201):
    answer = api.post(URL, {"dataset": str(dataset.pk), "host": getattr(host, "host", host)}, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def fetched(api, dataset, host):
    found = fetch(api, dataset, host)
    assert execution.run(found["id"])
    return api.get(f"{URL}{found['id']}/").json()


def files():
    return sorted(one.name for one in stored_files().listed("area-maps/"))


def test_nothing_is_requested_before_the_host_is_agreed_to(host, owner_api, owner, ready_dataset, stranger_api):
    config = area_map_config(owner, ready_dataset)
    assert (config["row"], config["offer"]["host"], config["offer"]["most_mb"]) == (None, host.host, 100)
    assert config["offer"]["box"] == ready_dataset.summary["bounds"]
    assert config["offer"]["region"] == Region.around(ready_dataset.summary["bounds"]).bounds
    for other in ("", "elsewhere.example.org", None):
        body = {"dataset": str(ready_dataset.pk), "host": other}
        assert owner_api.post(URL, body, format="json").status_code == 400
    assert host.requests == []
    assert not AreaMap.objects.exists()
    fetch(owner_api, ready_dataset, host)
    assert host.requests == [], "the job requests it, and no request of a user"
    fetch(stranger_api, ready_dataset, host, 404)


def test_it_is_fetched_once_and_served_from_here(host, tiles, region, owner_api, owner_page, owner, ready_dataset):
    found = fetched(owner_api, ready_dataset, host)
    assert (found["state"], found["zooms"], found["vector"]) == ("done", [0, 10], True)
    assert found["requested_bounds"] == list(region.bounds)
    before = len(host.requests)
    for z, x, y in tiles:
        answer = owner_page.get(found["tiles"].format(z=z, x=x, y=y))
        assert (answer.content, answer["Content-Encoding"]) == (tiles[z, x, y], "gzip")
    assert owner_page.get(found["tiles"].format(z=10, x=0, y=0)).status_code == 404
    assert len(host.requests) == before
    assert fetch(owner_api, ready_dataset, host, 200)["id"] == found["id"]
    assert execution.run(found["id"]) is False
    assert len(files()) == 1
    assert owner_api.get("/api/v1/base-map/").json()["choice"] == "area"
    assert area_map_config(owner, ready_dataset)["shown"]


def test_members_see_it_and_strangers_do_not(host, owner_api, shared_dataset, member, stranger, client):
    shared_dataset.refresh_from_db()
    owner = client_of(shared_dataset.owner)
    viewer = member(Role.VIEWER)
    fetch(client_of(viewer), shared_dataset, host, 403)
    found = fetched(owner, shared_dataset, host)
    address = found["tiles"].format(z=0, x=0, y=0)
    client.force_login(viewer)
    assert client.get(address).status_code == 200
    config = area_map_config(viewer, shared_dataset)
    assert (config["offer"], config["row"]["state"], config["shown"]) == (None, "done", True)
    client.force_login(stranger)
    assert client.get(address).status_code == 404
    client.logout()
    assert client.get(address).status_code == 302


def test_without_an_archive_is_no_choice_and_what_was_fetched_stays(host, owner_api, owner, ready_dataset, settings):
    settings.CAIRN_MAP_ARCHIVE = ""
    assert area_map_config(owner, ready_dataset) is None
    assert refused(owner_api.post(URL, {"dataset": str(ready_dataset.pk), "host": host.host})) == (409, "host")
    settings.CAIRN_MAP_ARCHIVE = host.url
    found = fetched(owner_api, ready_dataset, host)
    settings.CAIRN_MAP_ARCHIVE = ""
    config = area_map_config(owner, ready_dataset)
    assert (config["offer"], config["row"]["tiles"]) == (None, found["tiles"])


def test_the_job_requests_it_only_from_the_host_that_was_agreed_to(host, owner_api, ready_dataset, settings):
    found = fetch(owner_api, ready_dataset, host)
    settings.CAIRN_MAP_ARCHIVE = f"https://{MAP_HOST}/planet.pmtiles"
    execution.run(found["id"])
    row = owner_api.get(f"{URL}{found['id']}/").json()
    assert (row["state"], row["error"]["code"]) == ("failed", "map-changed")
    again = fetch(owner_api, ready_dataset, MAP_HOST)  # another host is another consent
    assert again["id"] != found["id"]
    assert host.requests == []


FAULTS = {
    "cut": ("map-unreached", lambda handler, *span: handler.cut(*span) or True),
    "whole file": ("map-answer", lambda handler, *span: handler.part(*span, status=200) or True),
    "redirect": ("map-answer", lambda handler, *span: handler.part(*span, status=301, Location="/x") or True),
    "replaced": ("map-changed", lambda handler, first, last: handler.part(first, last, ETag=f'"{first}"') or True),
    "no map": ("not-pmtiles", lambda handler, f, last: handler.part(f, last, body=bytes(last - f + 1)) or True),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_attempt_that_fails_leaves_nothing_and_can_be_repeated(host, owner_api, ready_dataset, name):
    code, host.fault = FAULTS[name]
    row = fetched(owner_api, ready_dataset, host)
    assert (row["state"], row["error"]["code"], row["tiles"]) == ("failed", code, None)
    assert row["error"]["action"]
    assert files() == []
    assert list((HOME / "tmp").glob("*")) == []
    host.fault = None
    again = fetched(owner_api, ready_dataset, host)
    assert (again["state"], len(files())) == ("done", 1)


@pytest.mark.parametrize("how", ["cancelled", "deleted"])
def test_stopped_in_the_middle_it_leaves_nothing(host, owner_api, ready_dataset, monkeypatch, how):
    found = fetch(owner_api, ready_dataset, host)

    def report(lease, *_):
        if len(host.requests) > 1:  # the first read the directory
            if how == "deleted":
                owner_api.delete(f"/api/v1/datasets/{ready_dataset.pk}/")
            AreaMap.objects.update(cancel_requested=True)
        lease.confirm()

    monkeypatch.setattr("dashboard.jobs.leases.Lease.report", report)
    execution.run(found["id"])
    if how == "cancelled":
        assert owner_api.get(f"{URL}{found['id']}/").json()["state"] == "cancelled"
    assert len(host.requests) == 2
    assert (files(), list((HOME / "tmp").glob("*"))) == ([], [])


def test_data_that_lie_far_apart_are_refused_before_any_request(host, owner_api, owner, ready_dataset):
    Dataset.objects.update(summary=ready_dataset.summary | {"bounds": [-120.0, -40.0, 120.0, 60.0]})
    ready_dataset.refresh_from_db()
    answer = owner_api.post(URL, {"dataset": str(ready_dataset.pk), "host": host.host}, format="json")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "map-too-large"
    assert "tiles of zoom 8" in area_map_config(owner, ready_dataset)["offer"]["refused"]
    assert host.requests == []


def test_the_sweep_keeps_it_and_it_goes_with_its_dataset(host, owner_api, ready_dataset, monkeypatch):
    fetched(owner_api, ready_dataset, host)
    (kept,) = files()
    monkeypatch.setattr("dashboard.maintenance.cleanup.STALE_S", -1)
    monkeypatch.setattr("dashboard.maintenance.cleanup.ABANDONED_S", -1)
    tidy()
    assert files() == [kept]
    assert objects.named([kept, "area-maps/other/x.pmtiles"]) == {kept}
    assert kept not in objects.missing()
    assert owner_api.delete(f"/api/v1/datasets/{ready_dataset.pk}/").status_code == 204
    removals.finish()
    assert (files(), AreaMap.objects.count()) == ([], 0)


def test_it_can_be_removed_and_fetched_again(host, owner_api, ready_dataset):
    found = fetched(owner_api, ready_dataset, host)
    assert owner_api.delete(f"{URL}{found['id']}/").status_code == 204
    removals.finish()
    assert files() == []
    assert fetched(owner_api, ready_dataset, host)["tiles"] != found["tiles"]


def test_a_map_that_holds_the_area_is_used_without_a_request_and_stays_as_the_other_goes(
    host, tiles, owner_api, owner_page, owner, make_dataset, paris_day, ready_dataset, stranger, stranger_api
):
    near = make_dataset(owner, paris_day)
    assert area_map_config(owner, near)["offer"]["kept"] is False
    none = owner_api.post(URL, {"dataset": str(near.pk), "host": ""}, format="json")
    assert refused(none) == (400, "host")
    first, before = fetched(owner_api, ready_dataset, host), len(host.requests)
    assert area_map_config(owner, near)["offer"]["kept"] is True
    found = fetched(owner_api, near, "")
    assert (found["state"], found["host"], found["zooms"]) == ("done", host.host, [0, 10])
    assert (found["bounds"], found["attribution"]) == (pytest.approx(first["bounds"]), first["attribution"])
    assert (len(host.requests), len(files())) == (before, 2)
    assert fetch(owner_api, near, "", 200)["id"] == found["id"]

    assert owner_api.delete(f"/api/v1/datasets/{ready_dataset.pk}/").status_code == 204
    removals.finish()
    assert len(files()) == 1
    for z, x, y in tiles:
        assert owner_page.get(found["tiles"].format(z=z, x=x, y=y)).content == tiles[z, x, y]

    others = make_dataset(stranger, paris_day)  # of one owner alone
    assert area_map_config(stranger, others)["offer"]["kept"] is False
    assert refused(stranger_api.post(URL, {"dataset": str(others.pk), "host": ""}, format="json")) == (400, "host")


def test_a_map_that_is_gone_before_it_is_used_is_not_fetched_instead(
    host, owner_api, owner, make_dataset, paris_day, ready_dataset
):
    near, first = make_dataset(owner, paris_day), fetched(owner_api, ready_dataset, host)
    row, before = fetch(owner_api, near, ""), len(host.requests)
    assert owner_api.delete(f"{URL}{first['id']}/").status_code == 204
    execution.run(row["id"])
    ended = owner_api.get(f"{URL}{row['id']}/").json()
    assert (ended["state"], ended["error"]["code"], len(host.requests)) == ("failed", "map-changed", before)


def test_regions_hold_each_other_across_the_antimeridian_too():
    fiji, part, far = (
        Region.around(box) for box in ([177, -19, -178, -16], [-179.9, -17, -179, -16.5], [0, -17, 1, -16])
    )
    assert fiji.covers(part)
    assert fiji.covers(fiji)
    assert Region.around([-180, -20, 180, 0]).covers(fiji)
    assert not any(
        fiji.covers(one) for one in (far, Region.around([177, -22, -178, -16]), Region.around([170, -19, -178, -16]))
    )
    assert not part.covers(fiji)
