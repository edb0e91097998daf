"""Upload, mark landmarks, release, download and compare, by a client that was generated from the API's schema.

See api.md for how to generate ``cairn_client``. ``CAIRN_API`` is the server's address, ``CAIRN_TOKEN`` a token;
the argument is a file of positions.
"""

from __future__ import annotations

import io
import os
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cairn_client import AuthenticatedClient
from cairn_client.api.datasets import datasets_create, datasets_retrieve
from cairn_client.api.landmark_sets import landmark_sets_create, landmark_sets_events_retrieve
from cairn_client.api.releases import (
    releases_create,
    releases_data_retrieve,
    releases_errors_retrieve,
    releases_one_bundle,
    releases_retrieve,
)
from cairn_client.models import (
    MarkRequest,
    MarkRequestMethod,
    Problem,
    ReleaseRequest,
    ReleaseRequestMechanism,
    UploadRequest,
)
from cairn_client.types import File


def require(answer: Any) -> Any:
    """Return the answer of an operation, or raise what the server refused."""
    if isinstance(answer, Problem):
        refused = "; ".join(f"{error.field}: {error.rule}, got {error.value}" for error in answer.errors)
        raise SystemExit(f"{answer.status} {answer.title}: {answer.detail} ({refused})")
    return answer


def wait(read: Callable[[], Any]) -> Any:
    """Read a job until it has ended; a worker does it."""
    while (row := require(read())).state in ("queued", "running"):
        time.sleep(0.2)
    if row.error:
        raise SystemExit(f"{row.state}: {row.error.to_dict()}")
    return row


def main(path: Path) -> None:
    client = AuthenticatedClient(os.environ["CAIRN_API"], token=os.environ["CAIRN_TOKEN"], prefix="Token")

    upload = UploadRequest(file=File(path.open("rb"), path.name), name="Two hours")
    dataset = require(datasets_create.sync(client=client, body=upload))
    dataset = wait(lambda: datasets_retrieve.sync(dataset.id, client=client))
    print(f"{dataset.name}: {dataset.points} points, {dataset.state}")

    method = MarkRequestMethod.from_dict({"name": "stay-points", "distance_m": 200, "duration_s": 1800})
    marks = require(landmark_sets_create.sync(client=client, body=MarkRequest(dataset=dataset.id, method=method)))
    events = require(landmark_sets_events_retrieve.sync(marks.id, client=client))
    print(f"Landmarks: {events.count} events in runs {events.runs}")

    mechanism = ReleaseRequestMechanism.from_dict({"name": "landmark-uniform", "epsilon": 1, "radius_m": 200})
    described = ReleaseRequest(dataset=dataset.id, landmark_set=marks.id, mechanism=mechanism)
    release = require(releases_create.sync(client=client, body=described))
    release = wait(lambda: releases_retrieve.sync(release.id, client=client))
    print(f"{release.title}: {release.state}")

    lines = require(releases_data_retrieve.sync(release.id, client=client)).payload.read().decode().splitlines()
    print(f"Downloaded: {sum(not line.startswith('#') for line in lines) - 1} positions")
    archive = zipfile.ZipFile(io.BytesIO(require(releases_one_bundle.sync(release.id, client=client)).payload.read()))
    print(f"Archive: {', '.join(sorted(Path(name).name for name in archive.namelist()))}")

    curves = require(releases_errors_retrieve.sync(release.id, client=client))
    print(f"Mean error: {curves.all_.mean_m:.0f} m; at landmarks: {curves.landmarks.mean_m:.0f} m")

    described.mechanism["epsilon"] = -1
    refused = releases_create.sync(client=client, body=described)
    print(f"Refused: {refused.errors[0].field} {refused.errors[0].rule}, got {refused.errors[0].value}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
