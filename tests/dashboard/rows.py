"""One row of each kind that an owner can have, made by requests."""

from datetime import timedelta

from django.apps import apps
from django.contrib.auth import get_user_model
from django.test import override_settings
from django.utils.timezone import now

from tests.browser.jobs import run_jobs
from tests.dashboard import kinds
from tests.dashboard.conftest import client_of
from tests.map_archive import serving, world_archive

HOME_WORK = {"name": "home-work", "distance_m": 200.0, "duration_s": 1800.0, "within_m": 500.0}
SKIP = {"name": "landmark-skip", "epsilon": 1.0, "radius_m": 200.0}


def rows_of(owner, dataset):
    """Ids of new rows by the first part of their addresses; the dataset must be ready and of a trajectory."""
    api, tomorrow = client_of(owner), now() + timedelta(days=1)

    def made(path, status=201, **body):
        answer = api.post(f"/api/v1/{path}", body, format="json")
        assert answer.status_code == status, (path, answer.content)
        return str(answer.json().get("id"))

    rows = {"datasets": str(dataset.pk)}
    method = {"name": "manual", "events": [0]}
    rows["landmark-sets"] = made("landmark-sets/", dataset=rows["datasets"], method=method)
    of = {"dataset": rows["datasets"], "landmark_set": rows["landmark-sets"]}
    rows["releases"] = rows["jobs"] = made("releases/", **of, mechanism=SKIP)
    run_jobs()
    with serving(world_archive()) as host, override_settings(CAIRN_MAP_ARCHIVE=host.url):
        rows["area-maps"] = made("area-maps/", dataset=rows["datasets"], host=host.host)
        run_jobs()
    begun = api.post("/api/v1/uploads/", headers={"Tus-Resumable": "1.0.0", "Upload-Length": "1000"})
    rows["uploads"] = begun["Location"].split("/")[-2]
    rows["streams"] = stream = made("streams/", name="Counts", dimensions=["a", "b"], mechanism=kinds.STREAM)
    made(f"streams/{stream}/events/", events=[{"time": 1, "counts": [2, 3]}])
    made(f"streams/{stream}/close/", 200)  # or its live connection would stay open
    rows["publications"] = rows["published"] = made(f"releases/{rows['releases']}/publications/")
    session = {"user": owner, "session_key": "of-the-owner", "expire_date": tomorrow}
    rows["sessions"] = str(apps.get_model("accounts.UserSession").objects.create(**session).id)
    invitation = {"digest": "x", "invited_by": owner, "expires_at": tomorrow}
    rows["invitations"] = str(apps.get_model("accounts.Invitation").objects.create(**invitation).pk)
    rows["experiments"] = made("experiments/", preset={"name": "temporal-distance", "repetitions": 2})
    rows["projects"] = made("projects/", name="Study")
    get_user_model().objects.create_user("colleague")
    rows["members"] = made(f"projects/{rows['projects']}/members/", user="colleague", role="editor")
    for kind in ("datasets", "experiments", "streams"):
        moved = api.patch(f"/api/v1/{kind}/{rows[kind]}/", {"project": rows["projects"]}, format="json")
        assert moved.status_code == 200, moved.content
    rows["project-invitations"] = made(f"projects/{rows['projects']}/invitations/", role="viewer")
    rows["attacks"] = made("attacks/", release=rows["releases"], attack=HOME_WORK)
    rows["account-exports"] = made("account-exports/")
    rows["audits"] = made("audits/", mechanism=SKIP, trials=1000)
    return rows
