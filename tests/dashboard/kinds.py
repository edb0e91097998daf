"""Generated count streams and check-ins as files, and how the tests send them."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.datasets import execution
from dashboard.releases.models import Release
from dashboard.streams.services import open_stream
from privacy_engine.experiments.generated import CITY, CityCheckIns
from privacy_engine.releases.spec import ReleaseSpec
from tests.dashboard.api_helpers import RELEASES
from tests.dashboard.conftest import upload
from tests.dashboard.release_runs import executed

DATASETS = "/api/v1/datasets/"
STREAM = {"name": "stream-uniform", "epsilon": 1.0, "window": 4, "sensitivity": 1}
SAMPLE = STREAM | {"name": "stream-sample"}
POPULARITY = {"name": "checkin-popularity", "epsilon": 1.0, "contributions": 5, "side": 8}
POPULARITY |= {"west": 2.2, "south": 48.8, "east": 2.4, "north": 48.9}
RECORDS = POPULARITY | {"privacy_unit": "record"}
CITY_BOX = dict(zip(("west", "south", "east", "north"), CITY, strict=True)) | {"contributions": 10, "side": 16}
"""Parameters of models of :func:`city`."""
NAMES = ("north", "south", "east")
DAYS = 40


def counts(days=DAYS, seed=1):
    """Counts of three streams, (days, 3), none of them zero."""
    return np.random.default_rng(seed).integers(10, 100_000, (days, len(NAMES)))


def day(i):
    return str(np.datetime64("2024-01-01") + i)


def wide(table, names=NAMES, first=0):
    rows = [",".join([day(i), *map(str, row)]) for i, row in enumerate(table.tolist(), first)]
    return "\n".join([",".join(["date", *names]), *rows, ""]).encode()


def clinic_visits(weeks=156, clinics=24):
    """Weekly visits of generated clinics, larger in winter and in some than in others, as a wide table."""
    rng = np.random.default_rng(7)
    week = np.arange(weeks)[:, None]
    season = 1.1 + np.cos(2 * np.pi * (week - rng.normal(3, 2, clinics)) / 52)
    visits = rng.poisson(900 * np.arange(1, clinics + 1) ** -1.1 * season**2)
    labels = np.datetime64("2022-01-03") + 7 * np.arange(weeks)
    head = ",".join(["week", *(f"Clinic {i:02}" for i in rng.permutation(clinics) + 1)])
    return "\n".join(
        [head, *(f"{day},{','.join(map(str, row))}" for day, row in zip(labels, visits, strict=True)), ""]
    ).encode()


def long(table):
    rows = [
        f"{day(i)},{name},{count}"
        for i, row in enumerate(table.tolist())
        for name, count in zip(NAMES, row, strict=True)
    ]
    return "\n".join(["date,region,count", *rows, ""]).encode()


def parquet(table):
    out = io.BytesIO()
    columns = {"date": [day(i) for i in range(len(table))], **dict(zip(NAMES, table.T, strict=True))}
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def checkin_rows(n=200, users=20, seed=1):
    """Check-ins of several users in the box of :data:`POPULARITY`, a minute apart."""
    rng = np.random.default_rng(seed)
    lon, lat = 2.2 + rng.random(n) / 5, 48.8 + rng.random(n) / 10
    place, user = rng.integers(0, 10_000, n), rng.integers(0, users, n)
    time = np.datetime64("2024-06-01T00:00:00") + np.arange(n) * np.timedelta64(60, "s")
    return [f"u{user[i]},{time[i]}Z,v{place[i]},{lat[i]:.6f},{lon[i]:.6f}" for i in range(n)]


def checkins(rows, header="user_id,time,venue_id,lat,lon"):
    return "\n".join([header, *rows, ""]).encode()


def city(users=400, per_user=20):
    """Check-ins of users of a generated city, of which some places are popular."""
    found = CityCheckIns(users=users, per_user=per_user).data()
    columns = (column.tolist() for column in (found.user, found.time_s, found.place, found.lat, found.lon))
    rows = [
        f"u{user},{np.datetime64(round(time), 's')}Z,v{place},{lat:.6f},{lon:.6f}"
        for user, time, place, lat, lon in zip(*columns, strict=True)
    ]
    return checkins(rows)


def sent(api, body, name="data.csv", **fields):
    return api.post(DATASETS, {"file": upload(body, name), **fields}, format="multipart")


def made(api, body, name="data.csv", **fields):
    answer = sent(api, body, name, **fields)
    assert answer.status_code == 201, answer.json()
    found = answer.json()
    assert found["state"] == "ready", found
    return found


def requested(api, dataset, mechanism, **more):
    return api.post(RELEASES, {"dataset": dataset["id"], "mechanism": mechanism, **more})


def released(api, dataset, mechanism, **more):
    answer = requested(api, dataset, mechanism, **more)
    assert answer.status_code == 201, answer.json()
    executed(Release.objects.get(pk=answer.json()["id"]))
    found = api.get(answer.json()["urls"]["self"]).json()
    assert found["state"] == "done", found
    return found


def requested_as_trajectory(api, dataset, release):
    """The answers, by path, to requests for what only trajectories have."""
    of, method = {"dataset": dataset["id"]}, {"name": "manual", "events": [0]}
    requests = {
        "landmark-sets/": of | {"method": method},
        "landmark-sets/preview/": of | {"method": method},
        "attacks/": {"release": release["id"], "attack": {"name": "filtering"}},
        "experiments/": of | {"preset": {"name": "correlated-loss"}},
    }
    return {path: api.post(f"/api/v1/{path}", body) for path, body in requests.items()}


def live_stream(owner, dimensions=("a",), name="Counts", **changes):
    """An open live stream of this user."""
    spec = ReleaseSpec.parse({"mechanism": STREAM | changes})
    return open_stream(owner=owner, name=name, dimensions=list(dimensions), spec=spec)[0]


def derived(api, source, action, spec):
    answer = api.post(f"{source['urls']['self']}{action}/", spec, format="json")
    assert answer.status_code == 201, answer.json()
    execution.run(answer.json()["id"])
    found = api.get(answer.json()["urls"]["self"]).json()
    assert found["state"] == "ready", found["error"]
    return found
