"""Names of downloads: safe on every system, and the same by every client that reads the header."""

import re
from email.message import EmailMessage
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from dashboard.core.filenames import MOST_BYTES, content_disposition, file_name, parameter_parts, title_parts
from privacy_engine.mechanism import mechanisms

CASES = [
    (["geolife-000", "landmark-uniform", "eps1", "D1000m"], "geolife-000_landmark-uniform_eps1_D1000m.gpkg"),
    (["Geolife 000", "landmark-uniform"], "Geolife-000_landmark-uniform.gpkg"),
    (["../../etc/passwd", "eps0.1"], "etc-passwd_eps0.1.gpkg"),
    (["Übung: a/b\\c", "", "=1+2"], "Übung-a-b-c_1-2.gpkg"),
    (["москва 北京 हिन्दी", "ﬁn"], "москва-北京-हिन्दी_fin.gpkg"),
    (["photo\u202egpj.exe", "a\r\nb\0c"], "photo-gpj.exe_a-b-c.gpkg"),
    (["-.a.-.b..c - .", "."], "a.b.c.gpkg"),
    (["x" * 80, "🚶"], "x" * 60 + ".gpkg"),
    ([], "cairn.gpkg"),
]
"""Parts and their file name; tests/test_both_languages.py applies static/js/core/file_name.js to the same."""


def test_a_file_name_has_letters_digits_points_hyphens_and_underscores_alone():
    for parts, name in CASES:
        assert file_name(*parts, extension="gpkg") == name, (parts, name)
    assert title_parts("Skip · ε 0.1–2 / 200\u202fm · Taxi day") == ["Skip", "eps0.1–2 / 200\u202fm", "Taxi day"]


def test_a_name_has_the_parameters_that_are_no_default():
    for mechanism, parts in [
        ({"name": "landmark-uniform", "epsilon": 1e-6, "radius_m": 2e7}, ["eps0.000001", "D20000000m"]),
        ({"name": "landmark-skip", "epsilon": 1.5, "radius_m": 0.5, "leading": "gap"}, ["eps1.5", "D0.5m", "gap"]),
        ({"name": "w-event", "epsilon": 1, "radius_m": 200, "window": 52}, ["eps1", "D200m", "w52"]),
        ({"name": "stream-uniform", "epsilon": 1, "window": 3, "sensitivity": 2}, ["eps1", "w3", "sensitivity2"]),
        (
            {"name": "checkin-popularity", "epsilon": 2, "contributions": 5, "side": 8}
            | {"west": 2.2, "south": 48.8, "east": 2.5, "north": 48.9},
            ["eps2", "c5", "G8"],
        ),
    ]:
        assert parameter_parts(mechanisms.parse(mechanism)) == parts, (mechanism, parts)


@given(st.lists(st.text(max_size=90), max_size=6), st.sampled_from(["csv", "gpx", "tar.gz"]))
def test_every_client_reads_the_name_back_from_the_header(parts, extension):
    name = file_name(*parts, extension=extension)
    header = content_disposition(name)
    assert header.isascii()
    assert header.isprintable()
    message = EmailMessage()
    message["Content-Disposition"] = header
    params = _params(header)
    assert message.get_content_disposition() == "attachment"
    assert params.get("filename*", params["filename"]) == name
    for one in (name, params["filename"]):
        assert re.fullmatch(r"[^/\\:*?\"<>|\x00-\x1f]*", one)
        assert not one.startswith((".", "-"))
        assert len(one.encode()) <= MOST_BYTES + 8


def _params(header):
    found = {}
    for part in header.split("; ")[1:]:
        key, _, value = part.partition("=")
        found[key] = unquote(value.removeprefix("UTF-8''")) if key.endswith("*") else value.strip('"')
    return found
