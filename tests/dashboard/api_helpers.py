"""Requests to the API, and decoders of its binary responses."""

import json
import re
import struct
from itertools import accumulate, pairwise

from privacy_engine.mechanisms.base.mechanism import mechanisms

RELEASES = "/api/v1/releases/"
UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}


def release_url(release, *parts):
    return "/".join([f"{RELEASES}{release.pk}", *parts, ""])


def first_error(answer):
    return answer.json()["errors"][0]


def refused(answer):
    return answer.status_code, first_error(answer)["field"]


def page_data(text):
    return json.loads(re.search(r'<script id="page-data"[^>]*>(.*?)</script>', text, re.DOTALL)[1])


def series_of(api, dataset):
    """The series of a dataset as the API represented it, from pages of two."""
    found, url = [], f"{dataset['urls']['series']}?page_size=2"
    while url:
        answer = api.get(url).json()
        found, url = found + answer["results"], answer["next"]
    return found


def described(name, **given):
    """A mechanism with the examples of the parameters that it needs."""
    needed = {field["name"]: field["example"] for field in mechanisms[name].fields() if field["required"]}
    return needed | {"name": name} | given


def every_described():
    return [described(cls.registered_name()) for cls in mechanisms.of("trajectory")]


def decode_deltas(data):
    """Whole numbers from their packed differences, as defined in dashboard/maps/varint.py."""
    steps, left, shift = [], 0, 0
    for byte in data:
        left |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            steps.append(-(left + 1) // 2 if left % 2 else left // 2)
            left, shift = 0, 0
    return list(accumulate(steps))


def decode_track(content):
    """The streams of a track by name, as dashboard/maps/track_encoding.py defines them; missing ones are empty."""
    magic, version, n, flags, unit, *lengths = struct.unpack_from("<10I", content)
    assert (magic, version) == (0x4E524943, 2)
    assert len(content) == 40 + sum(lengths)
    at = list(accumulate(lengths, initial=40))
    streams = [decode_deltas(content[start:end]) for start, end in pairwise(at)]
    found = dict(zip(("lon", "lat", "time_ms", "event", "ends"), streams, strict=True))
    found |= {name: [value * unit for value in found[name]] for name in ("lon", "lat")}
    for bit, name in enumerate(("time_ms", "event", "ends")):
        assert bool(found[name]) <= bool(flags >> bit & 1)
    assert len(found["lon"]) == len(found["lat"]) == n
    return found
