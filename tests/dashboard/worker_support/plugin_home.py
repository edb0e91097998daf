"""A home with packages in its folder of plugins: ``used`` runs what they are for, ``removed`` opens what was made.

python -m tests.dashboard.worker_support.plugin_home used|removed IDS.json
"""

import json
import logging
import re
import sys
from pathlib import Path

import django
from django.conf import settings

settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"  # not collected
django.setup()

from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from dashboard.attacks import execution as attacks  # noqa: E402
from dashboard.audits import execution as audits  # noqa: E402
from dashboard.experiments import execution as experiments  # noqa: E402
from dashboard.publications.services import publish_release  # noqa: E402
from dashboard.releases import execution as releases  # noqa: E402
from dashboard.releases.models import Release  # noqa: E402

MECHANISM = {"name": "landmark-halves", "epsilon": 1.0, "radius_m": 200.0}


def client():
    found = Client(raise_request_exception=False)
    user, _ = get_user_model().objects.get_or_create(username="researcher")
    found.force_login(user)
    return found


def used(ids):
    """A release, an attack on it, an experiment and an audit, each done; a publication of the release."""
    browser = client()
    call_command("loadsamples", "researcher", stdout=sys.stderr)

    def made(path, run, body):
        answer = browser.post(f"/api/v1/{path}/", body, content_type="application/json")
        assert answer.status_code in (201, 202), answer.content
        run(answer.json()["id"])
        row = browser.get(f"/api/v1/{path}/{answer.json()['id']}/").json()
        assert row["state"] == "done", row
        return row

    rows = browser.get("/api/v1/datasets/").json()["results"]
    dataset = next(row for row in rows if row["kind"] == "trajectory" and row["points"] == 3224)
    [marks] = browser.get("/api/v1/landmark-sets/", {"dataset": dataset["id"]}).json()["results"]
    of = {"dataset": dataset["id"], "landmark_set": marks["id"], "mechanism": MECHANISM}
    release = made("releases", releases.run, of)
    made("attacks", attacks.run, {"release": release["id"], "attack": {"name": "moving-average"}})
    made("audits", audits.run, {"mechanism": MECHANISM, "trials": 1000})
    spec = {
        "base": {"landmarks": {"name": "synthetic", "share": 0.2, "seed": 1}, "release": {"mechanism": MECHANISM}},
        "grid": {},
        "repetitions": 2,
        "seed": 1,
        "metrics": ["error", "turned-share", "average-distance"],
    }
    experiment = made("experiments", experiments.run, {"dataset": dataset["id"], "spec": spec})
    public = publish_release(release=Release.objects.get(pk=release["id"]))
    Path(ids).write_text(
        json.dumps(
            {
                "dataset": dataset["id"],
                "release": release["id"],
                "experiment": experiment["id"],
                "public": public.token,
                "of": of,
            }
        )
    )
    return opened(ids) | {name: release[name] for name in ("guarantee", "label")}


def opened(ids):
    """The status of each page and list, and whether it marks what is of the package."""
    found, browser = json.loads(Path(ids).read_text()), client()
    release, dataset = found["release"], found["dataset"]
    paths = {
        "comparison": f"/datasets/{dataset}/compare/?release={release}",
        "explanation": f"/releases/{release}/explain/",
        "report": f"/releases/{release}/report/",
        "dataset": f"/datasets/{dataset}/",
        "form": f"/datasets/{dataset}/releases/new/",
        "experiment": f"/experiments/{found['experiment']}/",
        "experiments": "/experiments/",
        "audits": "/audits/",
        "public": f"/p/{found['public']}/",
        "api release": f"/api/v1/releases/{release}/",
        "api data": f"/api/v1/releases/{release}/data/",
        "api releases": "/api/v1/releases/",
        "api attacks": "/api/v1/attacks/",
        "api experiments": "/api/v1/experiments/",
        "api jobs": "/api/v1/jobs/",
        "api mechanisms": "/api/v1/mechanisms/",
        "api measures": "/api/v1/experiment-measures/",
        "api attack methods": "/api/v1/attack-methods/",
    }
    statuses, marked = {}, []
    for name, path in paths.items():
        answer = browser.get(path)
        statuses[name] = answer.status_code
        if re.search(r"own-mechanism 0\.1\.0", answer.getvalue().decode(errors="replace")):
            marked.append(name)
    return {"statuses": statuses, "marked": marked}


def removed(ids):
    """What opens, and what a request for a new release is answered."""
    of = json.loads(Path(ids).read_text())["of"]
    answer = client().post("/api/v1/releases/", of, content_type="application/json")
    return opened(ids) | {"refused": [answer.status_code, answer.json()["detail"]]}


if __name__ == "__main__":
    logging.disable(logging.ERROR)
    print(json.dumps({"used": used, "removed": removed}[sys.argv[1]](sys.argv[2])))
