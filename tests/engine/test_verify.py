"""Verification: every export of every mechanism passes; a digit, a label or a point off the grid does not."""

import csv
import hashlib
import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import exports
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.people import most_landmarks
from privacy_engine.data.points_digest import plain_name, trajectories_digest
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.releases.label import Label, label_digest, privacy_label, release_context
from privacy_engine.releases.spec import ReleaseSpec
from privacy_engine.verify import verify
from tests.cases import each
from tests.engine.format_samples import zipped
from tests.engine.mechanism_examples import example
from tests.engine.test_exports import exported
from tests.examples import examples

FORMATS = sorted(exports.FORMATS)
AWKWARD = ["", "'", "''=1", "'=1+1", "=1+1", "\t=1", "\r=1", "two\nlines", "\x00nul\x01", "\ud800", " padded ", 'a "b"']


def labelled(series, spec=None, *, private=True):
    spec = spec or ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 1, "radius_m": 200}})
    context = release_context(landmarks=2, whole_trace=1.5, noise_p95_m=640.2)
    return privacy_label(spec, context, private=private, sha256=trajectories_digest(series), ledger_entry="7")


def failed(data):
    checks = verify(data, "release").checks
    if not data.startswith(b"PK\x03\x04"):
        names = [check.name for check in checks]
        assert names == (["readable", "label", "grid", "digest"] if checks[0].holds else ["readable"])
    return {check.name for check in checks if not check.holds}


def track(name="u", n=5, *, timed=True, shift=0.0):
    steps = np.arange(n)
    return Trajectory(
        (188.5 + shift + steps * 1e-4) % 360 - 180, 47.3 + steps * 1e-4, 1.2e9 + steps * 60.5 if timed else None, name
    )


@each("cls", list(mechanisms.of("trajectory")))
def test_every_export_of_every_mechanism_is_verified(cls):
    spec = ReleaseSpec.parse({"mechanism": example(cls, epsilon=0.5, radius_m=200.0).model_dump()})
    series = [track("a", 40), track("b", 30, timed=False, shift=171.49)]
    marks = [LandmarkSet(np.arange(len(one)) % 4 == 0) for one in series]
    for seed in (None, 3):
        drawn = spec.model_copy(update={"seed": seed}).release(series, marks)
        released = [one.series for one in drawn]
        assert all(one.private == (seed is None) for one in drawn)
        context = release_context(landmarks=most_landmarks([one.mask for one in marks]))
        digest = trajectories_digest(released)
        label = privacy_label(spec.model_copy(update={"seed": seed}), context, private=seed is None, sha256=digest)
        for fmt in FORMATS:
            assert failed(exported(released, fmt, label)) == set(), fmt


@st.composite
def series_lists(draw):
    timed, found = draw(st.booleans()), []
    for name in draw(st.lists(st.sampled_from(AWKWARD) | st.text(max_size=8), min_size=1, max_size=4)):
        n = draw(st.integers(0 if found else 1, 5))
        lon = draw(st.lists(st.floats(-180, 180), min_size=n, max_size=n))
        lat = draw(st.lists(st.floats(-90, 90), min_size=n, max_size=n))
        millis = draw(st.lists(st.integers(-(10**13), 4 * 10**12), min_size=n, max_size=n))
        time_s = np.sort(np.array(millis, dtype=float)) / 1e3 if timed else None
        found.append(Trajectory(lon, lat, time_s, name, person=draw(st.sampled_from(["", "ann", "'=bob", "\x07c"]))))
    return found


@pytest.mark.parametrize("fmt", FORMATS)
@settings(max_examples=examples(80))
@given(series=series_lists())
def test_whatever_names_positions_and_times_every_format_has_the_same_digest(fmt, series):
    assert failed(exported(series, fmt, labelled(series))) == set()


@pytest.mark.parametrize("fmt", ["csv", "geojson", "gpx"])
@settings(max_examples=examples(150))
@given(data=st.data())
def test_a_digit_changed_anywhere_is_found(fmt, data):
    series = [track("u1"), track("v2", shift=171.4998)]  # across 180 degrees
    file = exported(series, fmt, labelled(series))
    version = file.find(b"<gpx")  # the XML declaration and the document's own version number belong to no check
    digits = [m.start() for m in re.finditer(rb"[0-9]", file) if fmt != "gpx" or m.start() > version + 140]
    at = data.draw(st.sampled_from(digits))
    other = data.draw(st.sampled_from([d for d in b"0123456789" if d != file[at]]))
    assert failed(file[:at] + bytes([other]) + file[at + 1 :])


def test_a_value_changed_in_parquet_is_found():
    series = [track()]
    label = labelled(series)
    table = pq.read_table(io.BytesIO(exported(series, "parquet", label)))
    for column, values in (("lon", [8.5000001]), ("lat", [47.3000001]), ("time", [1]), ("series", ["w"])):
        old = table.column(column).to_pylist()
        changed = pa.array([*(pa.array(values).cast(table.schema.field(column).type).to_pylist()), *old[1:]])
        index = table.schema.get_field_index(column)
        other = table.set_column(index, column, changed.cast(table.schema.field(column).type))
        out = io.BytesIO()
        pq.write_table(other.replace_schema_metadata(table.schema.metadata), out)
        assert failed(out.getvalue()) == {"digest"}, column


@each("fmt", FORMATS)
def test_a_series_of_another_person_and_the_label_of_another_release_are_found(fmt):
    ann, bob = track("a"), track("b", shift=1.0)
    label = labelled([replace(ann, person="ann"), replace(bob, person="bob")])
    assert failed(exported([replace(ann, person="bob"), replace(bob, person="ann")], fmt, label)) == {"digest"}
    assert failed(exported([ann], fmt, labelled([bob]))) == {"digest"}


EDITS = {"epsilon": 0.1, "text": "", "not_covered": [], "unit": "one series", "surprise": 1, "grid_degrees": 1e-6}


@each("fmt", FORMATS)
def test_a_label_that_was_edited_is_found(fmt):
    series = [track()]
    label = labelled(series) | {"not_covered": ["x"]}
    label |= {"label_sha256": label_digest(label)}
    assert failed(exported(series, fmt, label)) == set()
    for name, value in EDITS.items():
        assert "label" in failed(exported(series, fmt, label | {name: value})), name


@each("fmt", ["csv", "geojson", "gpx"])
def test_a_point_off_the_grid_is_found(fmt):
    series = [track()]
    file = exported(series, fmt, labelled(series)).replace(b"8.5001000", b"8.50010005", 1)
    assert {"grid", "digest"} <= failed(file)


def test_a_point_off_the_grid_is_found_in_parquet():
    series = [track()]
    table = pq.read_table(io.BytesIO(exported(series, "parquet", labelled(series))))
    lon = table.column("lon").to_numpy().copy()
    lon[2] = np.nextafter(lon[2], 9)
    out = io.BytesIO()
    pq.write_table(table.set_column(2, "lon", pa.array(lon)).replace_schema_metadata(table.schema.metadata), out)
    assert failed(out.getvalue()) == {"grid", "digest"}


@pytest.mark.parametrize("fmt", FORMATS)
@settings(max_examples=examples(60))
@given(cut=st.floats(0, 1), junk=st.binary(max_size=30))
def test_damage_fails_a_check_and_never_raises(fmt, cut, junk):
    series = [track(n=20)]
    file = exported(series, fmt, labelled(series))
    at = int(cut * (len(file) - 1))
    if not failed(file[:at]):  # a trailing zero or comma is no value
        kept, whole = (exports.FORMATS[fmt].read(one) for one in (file[:at], file))
        assert kept.label == whole.label
        assert [one.lon.tolist() + one.lat.tolist() for one in kept.series] == [
            one.lon.tolist() + one.lat.tolist() for one in whole.series
        ]
    verify(file[:at] + junk + file[at:], "release")
    verify(junk, "release")


@each("data", [b"", b"{" * 100_000, b"[" * 100_000, b'{"features": 1}', b"<a/>", b"PK\x03\x04"])
def test_what_is_no_export_fails(data):
    assert failed(data) & {"readable", "label"}


def test_the_label_s_digest_is_about_every_field():
    label = labelled([track()])
    for name in label:
        changed = label_digest(label | {name: "changed"}) != label_digest(label)
        assert changed == (name != "label_sha256"), name


def test_a_document_type_is_refused():
    document = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><gpx>&b;</gpx>'
    assert failed(document) == {"readable"}


class TestBundles:
    def members(self, *, beside=None):
        series = [track()]
        label = labelled(series)
        found = {f"r/r.{fmt}": exported(series, fmt, label) for fmt in FORMATS}
        found["r/label.json"] = json.dumps(label if beside is None else beside).encode()
        sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in found.items())
        return found | {"SHA256SUMS": sums.encode()}

    def test_a_whole_one_is_verified(self):
        assert failed(zipped(**self.members())) == set()

    def test_another_label_beside_the_files_is_found_although_its_checksum_is_right(self):
        other = labelled([track("another")])
        assert failed(zipped(**self.members(beside=other))) == {"same label"}

    def test_a_member_changed_added_or_missing_is_found(self):
        members = self.members()
        assert "checksums" in failed(zipped(**members | {"r/label.json": b"{}"}))
        assert "checksums" in failed(zipped(**members | {"r/more.txt": b"x"}))
        assert "checksums" in failed(zipped(**{k: v for k, v in members.items() if k != "r/r.csv"}))
        assert failed(zipped(SHA256SUMS=b""))

    def test_a_member_twice_is_refused(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("a.csv", b"")
            with pytest.warns(UserWarning, match="Duplicate"):
                archive.writestr("a.csv", b"")
        assert failed(out.getvalue()) == {"readable"}


def test_a_label_has_everything_it_must():
    label = Label.model_validate(labelled([track()]))
    wanted = "unit neighbours epsilon radius_m not_covered whole_trace_epsilon noise_p95_m grid_degrees noise"
    for name in [*wanted.split(), "clear_fields", "cairn", "ledger_entry", "sha256"]:
        assert getattr(label, name) is not None, name
    assert "of one person" in label.text
    assert "noise moves 95 % of positions by at most 640.2 m" in label.text


def test_the_limit_of_a_cell_is_put_back():
    before = csv.field_size_limit()
    verify(exported([track()], "csv", labelled([track()])), "release")
    verify(b"series,time\n", "release")
    assert csv.field_size_limit() == before


@given(st.text())
def test_a_plain_name_is_plain(name):
    assert plain_name(plain_name(name)) == plain_name(name)
