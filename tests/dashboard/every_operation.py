"""A request of every operation of the API that succeeds, about rows of every kind that hold canaries."""

import io
import tempfile
import zipfile
from collections import namedtuple
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from uuid import uuid4

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.utils.timezone import now

from dashboard.config.openapi import Generator
from dashboard.projects.models import Role
from dashboard.projects.services import add_member, create_project, invite, move_row
from tests.browser.jobs import run_jobs
from tests.dashboard import kinds
from tests.dashboard.conftest import MAP_HOST
from tests.dashboard.rows import HOME_WORK, SKIP, rows_of
from tests.pmtiles import streets, write_tiles

API = "/api/v1/"
HOUR = timedelta(hours=1)
TUS = {"Tus-Resumable": "1.0.0"}
CANARIES = (b"canary", b"731913", b"Osprey")
"""In names, in positions, in counts, and the project's name: no answer to others has one of them."""
AGGREGATION = {"cell_m": 2000.0, "step": "1h", "box": [2.3, 48.8, 2.4, 48.9], "unit": "event", "most": 1}
STAYS = {"distance_m": 200.0, "duration_s": 60.0}
LEVEL = {"epsilon": 1.0, "radius_m": 200.0}
UNIFORM = {"name": "landmark-uniform", **LEVEL}
WIDE = UNIFORM | {"radius_m": 1e6}  # no level has an error of a metre, so none is searched
STEP = {"name": "causal-filter", "step_variance_m2": 10_000.0}  # one without a fit, which would take most of the time
OTHER_DAY = b"time,lat,lon\n2024-06-15T10:30:00Z,52.5,13.4\n2024-06-15T10:31:00Z,52.6,13.4\n"
MANUAL = {"name": "manual", "events": [0]}
DUMMIES = {"name": "dummies-heuristic", "epsilon": 1.0}
LOCALISATION = {"name": "localisation", "step_variance_m2": 250_000.0}
PRESET = {"name": "temporal-distance", "repetitions": 2}
FACTS = (
    *("attack-methods", "cleaning-steps", "dummy-methods", "experiment-generators", "experiment-measures"),
    *("experiment-presets", "label-schema", "landmark-methods", "mechanisms", "postprocesses"),
)


def trajectories(minutes=30):
    rows = [
        f"canary-{who},2024-06-15T10:{i:02d}:00Z,48.8{i:02d}731913,2.3{i:02d}731913"
        for who in ("ann", "bob")
        for i in range(minutes)
    ]
    return "\n".join(["user,time,lat,lon", *rows, ""]).encode()


def checkins():
    visits = [f"canary-{i % 5},2024-06-01T00:{i:02d}:00Z,canary-v{i % 3}" for i in range(30)]
    venues = [f"canary-v{i},48.8{i + 1}731913,2.2{i + 1}731913,canary place {i}" for i in range(3)]
    files = {
        "checkins.csv": ["user_id,time,place_id", *visits, ""],
        "venues.csv": ["place_id,lat,lon,name", *venues, ""],
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, lines in files.items():
            archive.writestr(name, "\n".join(lines))
    return out.getvalue()


World = namedtuple("World", "owner lead project rows")
"""Rows of ``owner``, an editor of the project of ``lead``, by the names of :func:`row_of`."""


def world(owner, api):
    """Make one row of each kind, all of whose work is done."""
    day = kinds.made(api, trajectories(), "canary.csv")
    table = kinds.counts() // 10 * 1_000_000 + 731_913
    stream = kinds.made(api, kinds.wide(table, ("canary a", "canary b", "canary c")), "canary counts.csv")
    visits = kinds.made(api, checkins(), "canary.zip", kind="checkins")
    rows = rows_of(owner, model_of("datasets").objects.get(pk=day["id"]))
    cells = kinds.derived(api, day, "aggregate", AGGREGATION)
    counts = kinds.released(api, stream, kinds.STREAM | {"sensitivity": 1}, name="canary counts")
    model = kinds.released(api, visits, kinds.POPULARITY | {"name": "checkin-venues", "side": 2}, name="canary model")
    spare = kinds.made(api, trajectories(20), "canary part.csv")  # shares the budget, and nothing uses it
    marks = {"dataset": day["id"], "method": MANUAL, "name": "canary spare"}
    opened = {"name": "canary", "dimensions": ["canary a", "canary b"], "mechanism": kinds.STREAM}
    path = {"release": rows["releases"], "attack": LOCALISATION}
    rows |= {"spare datasets": spare["id"], "spare landmark-sets": api.post(f"{API}landmark-sets/", marks).json()["id"]}
    rows |= {"streams": api.post(f"{API}streams/", opened).json()["id"], "closed streams": rows["streams"]}
    rows |= {"path attacks": api.post(f"{API}attacks/", path).json()["id"]}
    run_jobs()
    model_of("experiments").objects.update(name="canary experiment", stored_tags="canary")
    project = _project(owner, [day["id"], stream["id"], visits["id"], cells["id"], spare["id"]])
    rows |= {"project-invitations": str(invite(project=project, role=Role.VIEWER)[0].pk)}
    rows |= {"projects": str(project.pk), "members": str(MEMBERSHIP.objects.get(user__username="viewer").pk)}
    rows |= {"stream datasets": stream["id"], "checkins datasets": visits["id"], "counted datasets": cells["id"]}
    rows |= {"stream releases": counts["id"], "checkins releases": model["id"]}
    return World(owner=owner, lead=project.owner, project=project, rows=rows)


def _project(owner, datasets):
    users = get_user_model().objects
    project = create_project(owner=users.create_user("lead"), name="Osprey")
    add_member(project=project, username=owner.username, role=Role.EDITOR)
    for name, role in (("editor", Role.EDITOR), ("viewer", Role.VIEWER), ("former", Role.EDITOR)):
        users.create_user(name)
        add_member(project=project, username=name, role=role)
    MEMBERSHIP.objects.get(project=project, user__username="former").delete()
    rest = (*model_of("experiments").objects.all(), *model_of("streams").objects.all())
    for row in (*model_of("datasets").objects.filter(pk__in=datasets), *rest):
        move_row(user=owner, row=row, project=project.pk)
    type(project).objects.exclude(pk=project.pk).delete()
    return project


OF_STREAMS = {f"releases/{{id}}/{name}/" for name in ("comparison", "counts", "detection", "grouping", "heat-map")}
OF_CHECKINS = {
    f"releases/{{id}}/{name}/"
    for name in ("cells", "histories", "model-map", "recommend", "recommend/reference", "true-densities", "venues")
}
OF_OTHERS = {
    **dict.fromkeys(OF_STREAMS, "stream releases"),
    **dict.fromkeys(OF_CHECKINS, "checkins releases"),
    **dict.fromkeys(("datasets/{id}/counts/", "datasets/{id}/heat-map/"), "stream datasets"),
    "datasets/{id}/geometry/": "counted datasets",
    "datasets/{id}/cells/": "checkins datasets",
    "datasets/{id}/places/": "checkins datasets",
    "datasets/{id}/read/": "spare datasets",
    "datasets/{id}/lineage/": "spare datasets",
    "landmark-sets/{id}/": "spare landmark-sets",
    "attacks/{id}/track/": "path attacks",
    "streams/{id}/live/": "closed streams",  # an open one keeps the connection
}


def row_of(path):
    return OF_OTHERS.get(path, path.split("/")[0])


def address(path, rows):
    return API + path.replace("{id}", rows.get(row_of(path), "")).replace("{session_key}", rows["sessions"])


OVER = ("failed", "cancelled")
JOB_STATES = ("queued", "running", "done", *OVER)
STATES = {
    "account-exports": ("account_data.AccountExport", JOB_STATES),
    "area-maps": ("area_maps.AreaMap", JOB_STATES),
    "attacks": ("attacks.Attack", JOB_STATES),
    "audits": ("audits.Audit", JOB_STATES),
    "datasets": ("datasets.Dataset", ("queued", "running", "ready", *OVER)),
    "experiments": ("experiments.Experiment", JOB_STATES),
    "publications": ("publications.Publication", ("open", "expired")),
    "releases": ("releases.Release", JOB_STATES),
    "streams": ("streams.LiveStream", ("open", "paused", "closed")),
    "uploads": ("datasets.Upload", ("begun", "whole")),
}


MEMBERSHIP = apps.get_model("projects.Membership")


def model_of(path):
    return apps.get_model(STATES[path.split("/")[0]][0])


def states_of(path):
    has_some = "{id}" in path and path.split("/")[0] in STATES and row_of(path) != "closed streams"
    return STATES[path.split("/")[0]][1] if has_some else ("",)


def put_in_state(path, rows, state):
    of, fields = path.split("/")[0], {"state": state}
    if of == "publications":
        fields = {"expires_on": date(2020, 1, 1) if state == "expired" else None}
    elif of == "uploads":
        fields = {"received": 1000 if state == "whole" else 0}
    elif of != "streams":
        fields["finished_at"] = None if state in ("queued", "running") else now()
        held = state == "running"
        fields |= {"token": uuid4() if held else None, "lease_until": now() + HOUR if held else None}
    model_of(path).objects.filter(pk=rows[row_of(path)]).update(**fields)


QUERIES = {
    "releases/{id}/detection/": {"event": "jump", "threshold": 1},
    "releases/{id}/venues/": {"cell": 0},
    "releases/{id}/grouping/": {"dimension": 0},
    "landmark-sets/{id}/loss/": {"diameter_m": 100},
}


def query_of(path, rows):
    return {"release": rows["releases"]} if path == "releases/bundle/" else QUERIES.get(path, {})


def body_of(operation, rows):
    """A valid body of an operation that takes one, such as "POST releases/"; files are new."""
    marks = {"landmark_set": rows["landmark-sets"]}
    some = marks | {"mechanisms": [UNIFORM]}
    steps = some | {"postprocess": [STEP]}
    loss = {"correlation": {"n": 2, "s": 0.1, "diameter_m": 100.0}}
    counts = {"dataset": rows["stream datasets"], "mechanisms": [kinds.STREAM]}
    models = {"dataset": rows["checkins datasets"], "mechanisms": [kinds.POPULARITY]}
    bodies = {
        "POST area-maps/": {"dataset": rows["datasets"], "host": MAP_HOST},
        "POST attacks/": {"release": rows["releases"], "attack": HOME_WORK | {"within_m": 400.0}},
        "POST audits/": {"mechanism": SKIP, "trials": 1000},
        "PATCH base-map/": {"choice": "none"},
        "POST base-map/file/": {"file": SimpleUploadedFile("map.pmtiles", tiles())},
        "POST budget-plans/": marks | loss | {"alpha": 1.0, "radius_m": 200.0},
        "POST datasets/": {"file": SimpleUploadedFile("day.csv", OTHER_DAY), "name": "other"},
        "PATCH datasets/{id}/": {"name": "canary day", "tags": ["canary"]},
        "POST datasets/{id}/aggregate/": AGGREGATION,
        "POST datasets/{id}/aggregate/preview/": AGGREGATION,
        "POST datasets/{id}/lineage/": {"decision": "other-people"},
        "POST datasets/{id}/read/": {"options": {"first_n": 20}, "cleaning": [{"name": "drop-repeats"}]},
        "POST datasets/{id}/stays/": STAYS,
        "POST experiments/": {"preset": PRESET},
        "PATCH experiments/{id}/": {"name": "canary experiment", "tags": ["canary"]},
        "POST experiments/plan/": {"preset": PRESET},
        "POST landmark-sets/": {"dataset": rows["datasets"], "method": MANUAL},
        "PATCH landmark-sets/{id}/": {"name": "canary set"},
        "POST landmark-sets/{id}/dummies/": {"method": DUMMIES},
        "POST landmark-sets/{id}/dummies/preview/": {"method": DUMMIES},
        "POST landmark-sets/{id}/duplicate/": {"name": "canary copy"},
        "POST landmark-sets/preview/": {"dataset": rows["datasets"], "method": MANUAL},
        "PATCH members/{id}/": {"role": "viewer"},
        "POST projects/": {"name": "other"},
        "PATCH projects/{id}/": {"name": "Osprey"},
        "POST projects/{id}/invitations/": {"role": "viewer", "days": 1},
        "POST projects/{id}/members/": {"user": "stranger", "role": "viewer"},
        "POST releases/": marks | {"dataset": rows["datasets"], "mechanism": SKIP, "postprocess": [STEP]},
        "POST releases/{id}/postprocess/": {"postprocess": [STEP]},
        "POST releases/{id}/publications/": {"title": "public"},
        "POST releases/{id}/recommend/": {"history": [0, {"lon": 2.3, "lat": 48.85}]},
        "POST releases/{id}/recommend/reference/": {"history": [0, {"lon": 2.3, "lat": 48.85}]},
        "POST releases/count-preview/": counts,
        "POST releases/curve/": some,
        "POST releases/expected-counts/": counts,
        "POST releases/expected-errors/": steps,
        "POST releases/expected-hits/": models,
        "POST releases/forecast/": steps | loss,
        "POST releases/least-count-levels/": counts | {"accepted": 1e6},
        "POST releases/least-hit-levels/": models | {"accepted": 1},
        "POST releases/least-levels/": steps | {"mechanisms": [WIDE], "accepted_m": 1.0},
        "POST releases/outlook/": steps | loss,
        "POST releases/protection-costs/": steps | {"epsilon": 1.0},
        "POST releases/quote/": counts,
        "POST streams/": {"name": "other", "dimensions": ["a", "b"], "mechanism": kinds.STREAM},
        "PATCH streams/{id}/": {"project": rows["projects"]},
        "POST streams/{id}/events/": {"events": [{"time": 2, "counts": [2, 3]}]},
    }
    return bodies[operation]


@cache
def tiles():
    with tempfile.TemporaryDirectory() as folder:
        return write_tiles(Path(folder) / "map.pmtiles", {(0, 0, 0): streets(0, 0, 0)}).read_bytes()


@cache
def schema():
    return Generator().get_schema(request=None, public=True)


def operations(of):
    for path, item in of["paths"].items():
        yield from ((verb.upper(), path.removeprefix(API), one) for verb, one in item.items())


def is_multipart(described):
    return "multipart/form-data" in described.get("requestBody", {}).get("content", {})


def request(api, method, path, rows, *, data=None, multipart=False):
    """The answer, read whole, with what it changed undone."""
    url, send = address(path, rows), getattr(api, method.lower())
    headers = TUS | ({"Upload-Length": "10"} if path == "uploads/" else {})
    with transaction.atomic():
        if path == "uploads/{id}/" and method == "PATCH":
            more = {"Upload-Offset": "0"}
            answer = send(url, b"x" * 10, content_type="application/offset+octet-stream", headers=headers | more)
        elif method in ("GET", "HEAD"):
            answer = send(url, query_of(path, rows), headers=headers)
        else:
            answer = send(url, data, format="multipart" if multipart else "json", headers=headers)
        answer.whole = answer.getvalue()
        transaction.set_rollback(True)
    return answer
