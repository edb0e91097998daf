"""Print digests of seeded releases of every mechanism, made through the API: python scripts/release_digests.py >a.txt

It works on the source tree of the working directory, which may be of an earlier version (then name this file by its
whole path); of two versions that are to release the same, ``diff`` compares what is printed. It prints for each
mechanism the SHA-256 of every field of the row (the label, figures), of every export and of the addresses that the row
has; and what digests, the spec's among them, its report has. Ids and times of the run are left out of these.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from typing import Any

import pyarrow.parquet as pq
from temporary_installation import API, SEED, Installation, check_ins, counts, installation, trajectories

REQUIRED = {
    "epsilon": 1.0, "radius_m": 200.0, "window": 7, "sensitivity": 1, "contributions": 10, "side": 16,
    "west": 2.25, "south": 48.80, "east": 2.45, "north": 48.95, "step_variance_m2": 100.0,
}  # fmt: skip
"""Of the parameters without a default."""
FORMATS = ("csv", "json", "geojson", "parquet", "gpx", "mfjson", "kml", "geoparquet", "geopackage", "shapefile")
UUID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?![0-9a-f])")
LABEL = re.compile(rb"(label_sha256(?:\W|quot)+)[0-9a-f]{64}")
DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
NOW = re.compile(rb"20(?!24)\d\d-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?")
"""A time of the run: those of the data are of 2024."""


def digest(body: bytes) -> str:
    """Return the SHA-256 of a body without ids, times of the run and the digest of the label that has them."""
    if body.startswith(b"PAR1"):  # it has the label in Base64 too
        table = pq.read_table(io.BytesIO(body))
        label = (table.schema.metadata or {}).get(b"cairn", b"")
        body = str(table.schema.remove_metadata()).encode() + label + repr(table.to_pydict()).encode()
    body = LABEL.sub(rb"\1DIGEST", NOW.sub(b"TIME", UUID.sub(b"ID", body)))
    return hashlib.sha256(body).hexdigest()


def printed(name: str, response: Any) -> None:
    """Print the digest of a response."""
    try:
        body = b"".join(response.streaming_content) if response.streaming else response.content
    except Exception as error:  # a fault of that version: what it shows is that both have it
        print(f"  {name}: {type(error).__name__}")
    else:
        if response.status_code == 200:
            print(f"  {name}: {digest(body)}")


def release(site: Installation, body: dict[str, Any]) -> None:
    """Print the digests of one release."""
    print(body["mechanism"]["name"], flush=True)
    response = site.post("releases/", body)
    if response.status_code >= 300:
        print("  refused:", response.json()["detail"])
        return
    row = site.get(f"releases/{site.made(response)}/").json()
    print(f"  state: {row['state']}")
    for name in sorted(row.keys() - {"urls", "state"}):
        print(f"  row {name}: {digest(json.dumps(row[name], sort_keys=True).encode())}")
    for name, address in sorted(row["urls"].items()):
        if str(address).startswith(API) and name not in ("self", "data", "bundle"):
            printed(name, site.get(address))
    page = site.get(row["urls"]["report"]).content.decode()
    print("  report:", *sorted(set(DIGEST.findall(page))))
    for name in FORMATS:
        printed(f"export {name}", site.get(f"releases/{row['id']}/data/", format=name))


def main() -> None:
    with installation() as site:
        datasets = {
            "trajectory": site.upload("walk.csv", trajectories()),
            "stream": site.upload("counts.csv", counts(), kind="stream"),
            "checkins": site.upload("checkins.zip", check_ins(), kind="checkins"),
        }
        method = {"name": "stay-points", "distance_m": 200, "duration_s": 1800}
        landmarks = {"dataset": datasets["trajectory"], "method": method}
        landmark_set = site.made(site.post("landmark-sets/", landmarks))
        for one in sorted(site.get("mechanisms/").json()["results"], key=lambda one: (one["kind"], one["name"])):
            given = {name: REQUIRED[name] for name in one["schema"].get("required", []) if name in REQUIRED}
            body = {"dataset": datasets[one["kind"]], "mechanism": {"name": one["name"], **given}, "seed": SEED}
            release(site, body | ({"landmark_set": landmark_set} if one["kind"] == "trajectory" else {}))


if __name__ == "__main__":
    main()
