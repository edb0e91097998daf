"""Published estimates through every table, file and digest, and mechanisms without a guarantee."""

import csv
import hashlib
import io
import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privacy_engine.data.stream_release import StreamRelease, counts_digest, on_lattice
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import DataError
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.stream_layout import Long, long_places
from privacy_engine.mechanisms.base.mechanism import NO_CONTEXT
from privacy_engine.releases.label import privacy_label
from privacy_engine.releases.spec import ReleaseSpec
from privacy_engine.verify import verify
from tests.cases import each

STREAM = datatypes["stream"]


def estimates(values):
    values = np.asarray(values, dtype=np.float64)
    names, labels = [f"n{k}" for k in range(values.shape[1])], [str(t) for t in range(len(values))]
    return StreamRelease(values, names, labels, None, np.zeros(len(values)))


def labelled(release):
    spec = ReleaseSpec.parse({"mechanism": {"name": "stream-uniform", "epsilon": 1.0, "window": 3, "sensitivity": 1}})
    return privacy_label(spec, NO_CONTEXT, private=True, sha256=STREAM.digest(release))


def written(release, fmt):
    out = io.BytesIO()
    STREAM.write(release, fmt, out, label=labelled(release))
    return out.getvalue()


def wrong_of(data, fmt):
    return {one.name for one in verify(data, f"x.{fmt}").checks if not one.holds}


VALUES = st.one_of(st.floats(-1e6, 1e6), st.floats(-1e17, 1e17), st.sampled_from([0.0, -0.0, 0.0005, 2.0**40, 1e16]))


@given(st.lists(VALUES, min_size=1, max_size=12))
@example([100_000.0005])
def test_rounding_is_idempotent_and_near(values):
    values = np.array(values)
    found = on_lattice(values)
    assert np.array_equal(on_lattice(found), found)
    assert not np.signbit(found[found == 0]).any()
    fine = np.abs(values) < 2.0**40
    assert (np.abs(found - values)[fine] <= 0.0005 + 2 * np.spacing(np.abs(values[fine]))).all()
    assert (np.abs(found - values) <= 0.5).all()


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@given(rows=st.lists(st.lists(VALUES, min_size=2, max_size=2), min_size=1, max_size=6))
def test_every_file_holds_exactly_what_is_published(fmt, rows):
    release = estimates(on_lattice(np.array(rows)))
    assert wrong_of(written(release, fmt), fmt) == set()


@each("whole", [True, False])
def test_a_stored_release_comes_back_bit_for_bit(whole):
    counts = np.array([[1, -2], [3, 4]]) if whole else np.array([[0.001, -2.0], [1e9 + 0.125, 4.5]])
    release = StreamRelease(counts, ["a", "b"], ["1", "2"], np.array([0.0, 1.0]), np.array([0.5, 0.0]))
    back = STREAM.release_from_table(STREAM.release_to_table(release))
    assert back.whole is whole
    assert back.counts.dtype == counts.dtype
    assert back.counts.tobytes() == counts.tobytes()
    assert STREAM.digest(back) == STREAM.digest(release)


def test_whole_numbers_and_estimates_of_the_same_values_have_different_digests():
    """That of whole numbers is what it was before there were estimates."""
    counts = np.array([[1, 2]])
    known = hashlib.sha256(b'cairn counts 1\n[["a", "b"], ["1"]]\n' + counts.astype("<i8").tobytes()).hexdigest()
    assert counts_digest(["a", "b"], ["1"], counts) == known
    assert counts_digest(["a", "b"], ["1"], counts.astype(np.float64)) != known


def test_a_changed_digit_or_a_finer_number_is_found():
    text = written(estimates([[1.5, 2.0]]), "csv")
    assert b",1.5,2.0," in text
    assert wrong_of(text.replace(b",1.5,", b",1.6,"), "csv") == {"digest"}
    assert wrong_of(text.replace(b",1.5,", b",1.5001,"), "csv") == {"grid", "digest"}
    assert wrong_of(text.replace(b",1.5,", b",1,"), "csv") == {"digest"}  # one whole number among estimates
    assert "readable" in wrong_of(text.replace(b",1.5,", b",nan,"), "csv")


@each("value", [1.5001, math.nan, math.inf])
def test_parquet_off_the_lattice_is_found(value):
    table = pq.read_table(io.BytesIO(written(estimates([[1.5, 2.0]]), "parquet")))
    changed = io.BytesIO()
    pq.write_table(table.set_column(1, "n0", pa.array([value])), changed)
    assert wrong_of(changed.getvalue(), "parquet") == {"grid", "digest"}


@each("value", [0.0004, math.nan, -math.inf])
def test_a_release_off_the_lattice_is_refused(value):
    with pytest.raises(DataError, match=r"finite multiples of 0\.001"):
        estimates([[value]])


def test_every_row_of_counts_has_all_columns_and_the_first_alone_the_label():
    counts, labels = np.array([[1, 2], [3, 4]]), ["=1+1", 'day "2"']
    release = StreamRelease(counts, ("a", "=b"), labels, None, np.ones(2), private=True)
    out = io.BytesIO()
    datatypes["stream"].write(release, "csv", out, label={"epsilon": 1.0})
    header, first, second = csv.reader(io.StringIO(out.getvalue().decode()))
    assert len(header) == len(first) == len(second) == 5
    assert not first[0].startswith("=")
    assert (first[1:3], second[:3]) == (["1", "2"], ['day "2"', "3", "4"])
    assert json.loads(first[4]) == {"epsilon": 1.0}
    assert second[3:] == ["", ""]


def test_a_long_table_is_one_that_can_be_nothing_else():
    for header, first, second, expected in (
        ("date,till_no,count", "2026-01-01,1,5", "2026-01-01,2,6", Long(0, (1,), 2)),
        ("date,shop,count", "2026-01-01,1,5", "2026-01-01,2,6", Long(0, (1,), 2)),
        ("date,shop,sales", "2026-01-01,1,5", "2026-01-01,2,6", None),  # two columns of numbers
        ("date,shop,till_no,count", "2026-01-01,1,1,5", "2026-01-01,1,2,6", None),  # three of them
        ("date,region,sales", "2026-01-01,North,5", "2026-01-01,South,6", Long(0, (1,), 2)),
        ("date,open,region,sales", "2026-01-01,true,North,5", "2026-01-01,false,South,6", None),  # what is "open"?
    ):
        found = long_places(header.split(","), [first.split(","), second.split(",")], ReadOptions())
        assert found == expected, header
