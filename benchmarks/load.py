"""Two hundred people at once on a whole deployment: errors, reset connections, and times beside an empty view.

    python -m benchmarks.load [USERS] [MINUTES]

The deployment is that of docker-compose.yml without containers (benchmarks/deployments.py). Every user has connections
of its own, kept open between requests, and pauses for 2 to 14 seconds: browsers of people who are logged in, who read
the list, a dataset, the comparison and the jobs; clients with tokens, which list, submit and download; readers of a
public link. Ten users request a view that does nothing: times are given as ratios to its. Users of one account share
its data.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from typing import Any

import httpx
import numpy as np

from benchmarks.deployments import Deployment, as_json, deployment, load_average

ACCOUNTS, POINTS = 20, 2000
PAUSE_S = (2.0, 14.0)
WARM_S = 20.0
"""Requests of this time at the beginning are not counted: every process imports what it needs."""
PREPARE = """
import json, django; django.setup()
import numpy as np
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from dashboard.accounts.models import User
from dashboard.accounts.services import make_token
from dashboard.datasets.services import import_dataset
from dashboard.landmarks.services import mark_landmarks
from dashboard.publications.services import publish_release
from dashboard.releases import execution
from dashboard.releases.services import submit_release
from privacy_engine.releases.spec import ReleaseSpec
rng, found = np.random.default_rng(7), []
for i in range(ACCOUNTS):
    owner = User.objects.create_user(f"user{i}")
    lat, lon = (c + np.cumsum(rng.normal(0, 2e-4, POINTS)) for c in (48.8566, 2.3522))
    rows = "".join(f"{1714550400 + 60 * j},{y:.6f},{x:.6f}\\n" for j, (y, x) in enumerate(zip(lat, lon)))
    upload = SimpleUploadedFile("walk.csv", ("time,lat,lon\\n" + rows).encode())
    dataset = import_dataset(owner=owner, upload=upload, name="Steps", options={})
    method = {"name": "synthetic", "share": 0.01, "distribution": "uniform", "seed": 1}
    marks = mark_landmarks(owner=owner, dataset=dataset, method=method)
    releases = []
    for name in ("landmark-uniform", "landmark-skip"):
        spec = ReleaseSpec.parse({"mechanism": {"name": name, "epsilon": 1.0, "radius_m": 200.0}})
        row = submit_release(owner=owner, dataset=dataset, landmark_set=marks, spec=spec)
        execution.run(row.pk)
        row.refresh_from_db()
        releases.append(row)
    client = Client()
    client.force_login(owner)
    found.append({
        "cookie": [settings.SESSION_COOKIE_NAME, client.cookies[settings.SESSION_COOKIE_NAME].value],
        "token": make_token(user=owner)[1], "dataset": str(dataset.pk), "landmark_set": str(marks.pk),
        "release": str(releases[0].pk), "public": publish_release(release=releases[0]).path,
    })
print(json.dumps(found))
"""


class Measured:
    """Times by what was requested, and what went wrong."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.wrong: Counter[str] = Counter()
        self.requests = 0
        self.counted_from = time.monotonic() + WARM_S

    async def request(self, client: httpx.AsyncClient, name: str, method: str, path: str, **more: Any) -> Any:
        """One request, timed to its last byte; the response, or None if there was none."""
        began = time.monotonic()
        self.requests += 1
        try:
            response = await client.request(method, path, **more)
        except httpx.HTTPError as error:
            self.wrong[f"{name}: {type(error).__name__} {error}"] += 1
            return None
        if response.status_code >= 400:
            self.wrong[f"{name}: {response.status_code}"] += 1
        elif began > self.counted_from:
            self.seconds[name].append(time.monotonic() - began)
        return response

    def lines(self) -> list[str]:
        """The table: number, median and p95 in ms, and the ratios to the empty view's."""
        empty = {q: float(np.quantile(self.seconds["empty view"], q)) for q in (0.5, 0.95)}
        found = [
            "| request | number | median, ms | p95, ms | median / empty | p95 / empty |",
            "|---|---|---|---|---|---|",
        ]
        for name, seconds in sorted(self.seconds.items()):
            median, high = (float(np.quantile(seconds, q)) for q in (0.5, 0.95))
            ratios = f"{median / empty[0.5]:.1f} | {high / empty[0.95]:.1f}"
            found.append(f"| {name} | {len(seconds)} | {1e3 * median:.0f} | {1e3 * high:.0f} | {ratios} |")
        return found


async def _pauses(until: float, chance: random.Random) -> AsyncIterator[None]:
    await asyncio.sleep(chance.uniform(0, PAUSE_S[1]))
    while time.monotonic() < until:
        yield
        await asyncio.sleep(chance.uniform(*PAUSE_S))


def _client(url: str, **more: Any) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=2, max_keepalive_connections=2, keepalive_expiry=70)
    return httpx.AsyncClient(base_url=url, limits=limits, timeout=60, **more)


async def browser(url: str, account: dict[str, Any], found: Measured, until: float, chance: random.Random) -> None:
    """A person who reads pages; the jobs are polled, as every page does."""
    name, value = account["cookie"]
    page = f"/datasets/{account['dataset']}/"
    paths = {
        "page: datasets": "/",
        "page: one dataset": page,
        "page: comparison": f"{page}compare/",
        "page: new release": f"{page}releases/new/",
        "API: track": f"/api/v1/datasets/{account['dataset']}/track/",
    }
    async with _client(url, cookies={name: value}) as client:
        async for _ in _pauses(until, chance):
            what = chance.choice(list(paths))
            await found.request(client, what, "GET", paths[what])
            await found.request(client, "API: jobs", "GET", "/api/v1/jobs/")


async def program(url: str, account: dict[str, Any], found: Measured, until: float, chance: random.Random) -> None:
    """A client with a token: lists and reads, and submits a release now and then."""
    subject = {"dataset": account["dataset"], "landmark_set": account["landmark_set"]}
    mechanism = {"name": "landmark-uniform", "epsilon": 0.001, "radius_m": 200.0}
    async with _client(url, headers={"Authorization": f"Token {account['token']}"}) as client:
        async for _ in _pauses(until, chance):
            if chance.random() < 0.1:
                body = subject | {"mechanism": mechanism}
                await found.request(client, "API: submit a release", "POST", "/api/v1/releases/", json=body)
            elif chance.random() < 0.2:
                path = f"/api/v1/releases/{account['release']}/data/?format=csv"
                await found.request(client, "API: download CSV", "GET", path)
            else:
                path = f"/api/v1/releases/?dataset={account['dataset']}"
                await found.request(client, "API: list of releases", "GET", path)


async def reader(url: str, account: dict[str, Any], found: Measured, until: float, chance: random.Random) -> None:
    """Whoever has a public link."""
    async with _client(url) as client:
        async for _ in _pauses(until, chance):
            await found.request(client, "page: public link", "GET", account["public"])


async def nothing(url: str, account: dict[str, Any], found: Measured, until: float, chance: random.Random) -> None:
    """Who requests the view that does nothing."""
    async with _client(url) as client:
        async for _ in _pauses(until, chance):
            for _ in range(4):
                await found.request(client, "empty view", "GET", "/empty/")


async def run(made: Deployment, accounts: list[dict[str, Any]], users: int, minutes: float) -> Measured:
    """All users at once."""
    found, until = Measured(), time.monotonic() + 60 * minutes
    kinds = [browser] * 6 + [program] * 3 + [reader]
    people = [(kinds[i % len(kinds)], accounts[i % len(accounts)]) for i in range(users - 10)]
    people += [(nothing, accounts[0])] * 10
    running = [kind(made.url, own, found, until, random.Random(i)) for i, (kind, own) in enumerate(people)]
    await asyncio.gather(*running)
    return found


def main(users: int = 200, minutes: float = 5.0) -> int:
    """Run it and print the table; 1 where anything went wrong."""
    settings = {"DJANGO_SETTINGS_MODULE": "benchmarks.load_settings", "CAIRN_PUBLIC_THROTTLE": "100000/min"}
    with deployment("production", **settings) as made:
        accounts = as_json(made.python(PREPARE.replace("ACCOUNTS", str(ACCOUNTS)).replace("POINTS", str(POINTS))))
        before = load_average()
        found = asyncio.run(run(made, accounts, users, minutes))
        after = load_average()
    print(f"{users} users, {minutes:g} minutes, {found.requests} requests; load before {before}, after {after}")
    print(*found.lines(), sep="\n")
    print(f"errors and connections that were reset: {sum(found.wrong.values())} {dict(found.wrong)}")
    return int(bool(found.wrong))


if __name__ == "__main__":
    sys.exit(main(*(int(one) for one in sys.argv[1:2]), *(float(one) for one in sys.argv[2:3])))
