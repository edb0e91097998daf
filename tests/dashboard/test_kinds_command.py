"""``manage.py release`` and ``publish`` with counts and check-ins, of a file or a pipe."""

import csv
import io

import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError, call_command

from dashboard.releases.management.commands.release import Command
from dashboard.streams import services
from dashboard.streams.models import LiveStream
from privacy_engine import formats
from privacy_engine.analysis.checkin_forecast import checkin_forecast
from privacy_engine.analysis.stream_forecast import count_forecast
from privacy_engine.exports.reading import bare
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.command_runner import runner
from tests.dashboard.kinds import POPULARITY, SAMPLE, STREAM


def given(mechanism):
    rest = [part for name, value in mechanism.items() if name != "name" for part in ("--set", f"{name}={value}")]
    return ["--mechanism", str(mechanism["name"]), *rest]


@pytest.fixture
def run(capsys):
    return runner(Command, "release", capsys)


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_bytes(kinds.wide(kinds.counts()))
    return path


@pytest.fixture
def checkins(tmp_path):
    path = tmp_path / "checkins.csv"
    path.write_bytes(kinds.checkins(kinds.checkin_rows()))
    return path


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@pytest.mark.parametrize("mechanism", [STREAM, SAMPLE], ids=lambda one: one["name"])
def test_releases_counts(run, counts, tmp_path, mechanism, fmt):
    out = tmp_path / f"out.{fmt}"
    stated, wrong, code = run(counts, *given(mechanism), "--out", out)
    assert (wrong, code) == ("", 0)
    assert stated.startswith("40 timestamps. Whichever events of at most 4 successive timestamps")
    assert verify(out.read_bytes(), out.name).holds
    read, before = (formats.read(file, kinds=("stream",)).other for file in (out, counts))  # the label is no dimension
    assert (read.time_name, read.names, read.labels) == ("date", before.names, before.labels)
    if fmt == "csv":
        checks = verify(out.read_bytes().replace(b"date,", b"time,", 1)).checks
        assert [check.name for check in checks if not check.holds] == ["digest"]


def test_forecasts_counts_and_models_and_writes_nothing(run, counts, checkins, tmp_path):
    before = sorted(tmp_path.iterdir())
    stated, wrong, code = run(counts, *given(STREAM), "--forecast")
    assert (wrong, code) == ("", 0)
    found = count_forecast(mechanisms.parse(STREAM), formats.read(counts, kinds=("stream",)).other)
    assert f"typical_error {found.typical_error:.4g}, p95_error {found.p95_error:.4g}" in stated
    assert f"are {found.are:.4g}, within 0\n  of publishing zeros, " in stated
    stated, wrong, code = run(checkins, *given(POPULARITY), "--forecast")
    assert (wrong, code) == ("", 0)
    found = checkin_forecast(mechanisms.parse(POPULARITY), formats.read(checkins, kinds=("checkins",)).other)
    assert f"hit_rate {found.hit_rate:.4g}, gain {found.gain:.4g}" in stated
    assert f"of ten nearest cells, public, hit_rate {found.baseline:.4g}" in stated
    assert sorted(tmp_path.iterdir()) == before


def test_states_what_is_left_out_and_counts_positions_where_the_user_states_it(run, tmp_path):
    path, out = tmp_path / "counts.csv", tmp_path / "out.csv"
    path.write_text("time,a,b\n2026-01-01,1,2\n2026-01-02,,7\n2026-01-03,-1,7\n2026-01-04,x,7\n2026-01-05,3,\n")
    stated, _, code = run(path, *given(SAMPLE), "--out", out)
    assert (stated.startswith("1 timestamp. "), code) == (True, 0)
    assert "Left out: " in stated
    assert "2 lines (3, 6): A value is empty" in stated
    assert "1 line (4): A count is negative." in stated
    assert "1 line (5): The position or a count is not a number." in stated
    file, out = tmp_path / "positions.csv", tmp_path / "out.csv"
    file.write_bytes(kinds.wide(kinds.counts()[:, :2], ("lat", "lon")))
    assert run(file, "--kind", "stream", *given(STREAM), "--out", out)[1:] == ("", 0)
    assert verify(out.read_bytes(), out.name).holds


HEADERS = {
    "wide": (kinds.wide(kinds.counts(4)), ["date", *kinds.NAMES]),
    "tab": (kinds.wide(kinds.counts(4)).replace(b",", b"\t"), ["date", *kinds.NAMES]),
    "long": (kinds.long(kinds.counts(4)), ["date", *kinds.NAMES]),
    "weeks": (b"epiweek,a,b\n201452,1,2\n201501,3,4\n", ["epiweek", "a", "b"]),
    "index without a name": (b",a,b\n2024-01-01,1,2\n2024-01-02,3,4\n", ["", "a", "b"]),
    "formula": (b"=day,a\n2024-01-01,1\n2024-01-02,2\n", ["=day", "a"]),
    "series": (b"series,time,a\n1,2,3\n4,5,6\n", ["time (2)", "series", "time", "a"]),
    "no header": (b"1,2,3\n4,5,6\n", ["time", "1", "2", "3"]),
}


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@pytest.mark.parametrize("given_as", HEADERS)
def test_the_export_has_the_header_and_timestamps_of_the_input(run, tmp_path, given_as, fmt):
    """None of these needs --kind: their columns are those of counts alone."""
    data, header = HEADERS[given_as]
    file, out = tmp_path / "counts.csv", tmp_path / f"out.{fmt}"
    file.write_bytes(data)
    _, wrong, code = run(file, *given(STREAM), "--out", out)
    assert (wrong, code) == ("", 0)
    assert verify(out.read_bytes(), out.name).holds
    if fmt == "csv":
        written = [bare(cell) for cell in next(csv.reader(out.read_text().splitlines()))][:-2]
    else:
        written = pq.read_schema(out).names
    assert written == header


REFUSED = {
    "no guarantee": ("counts", given(SAMPLE | {"name": "stream-rescuedp"}), "seed is required: this mechanism has no"),
    "landmarks": ("counts", [*given(STREAM), "--landmarks", "manual:0"], "--landmarks must be left"),
    "dummies": ("counts", [*given(STREAM), "--dummies", "one-sided:1"], "--dummies must be left out"),
    "cleaning": ("counts", [*given(STREAM), "--clean", "first-events:3"], "--clean must be left out"),
    "steps": ("counts", [*given(STREAM), "--then", "ou-smoother"], "steps for the kind stream"),
    "format": ("counts", [*given(STREAM), "--out", "o.gpx"], "--out must be a file name that ends in .csv, .parquet"),
    "json of counts": ("counts", [*given(STREAM), "--out", "o.json"], "--out must be a file name"),
    "fractions": ("eighths", given(STREAM), "whole numbers from 0 to 2**52"),
    "check-ins as counts": ("checkins", given(STREAM), "CommandError"),
    "positions or counts": ("positions", given(STREAM), "--kind must be given for this file: "),
    "another kind": ("counts", ["--kind", "trajectory", *given(STREAM)], "must be a mechanism for the kind trajectory"),
    "counts as check-ins": ("counts", given(POPULARITY), "need a column of the user"),
    "no positions": ("bare", given(POPULARITY), "must have positions"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_fail_with_one_clear_line_and_no_file(run, counts, checkins, tmp_path, monkeypatch, why):
    file, rest, reported = REFUSED[why]
    bare = [row.rsplit(",", 2)[0] for row in kinds.checkin_rows()]
    (tmp_path / "bare.csv").write_bytes(kinds.checkins(bare, "user_id,time,venue_id"))
    (tmp_path / "positions.csv").write_bytes(kinds.wide(kinds.counts()[:, :2] % 90, ("lat", "lon")))
    (tmp_path / "eighths.csv").write_bytes(kinds.wide(kinds.counts() / 8))
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    stated, wrong, code = run(f"{file}.csv", "--out", "o.csv", *rest)
    assert (code != 0, stated, wrong.count("\n")) == (True, "", 1)
    assert reported in wrong
    assert sorted(tmp_path.iterdir()) == before


HEADER = "time,north,south\n"
ROWS = ["2026-01-01,5,6\n", "2026-01-02,7,8\n", "2026-01-03,9,0\n"]
WHOLE = HEADER + "".join(ROWS)
NEW = ["--mechanism", "stream-uniform", "--set", "epsilon=10000", "--set", "window=2", "--set", "sensitivity=1"]


@pytest.fixture
def publish(owner, tmp_path, monkeypatch):
    """``publish(text, *arguments)``: what the command writes for a file of that text, and to stderr."""

    def execute(text, *arguments, piped=False):
        file = tmp_path / "counts.csv"
        file.write_text(text)
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        out, err = io.StringIO(), io.StringIO()
        source = "-" if piped else str(file)
        call_command("publish", source, "--user", owner.username, *arguments, stdout=out, stderr=err)
        return out.getvalue(), err.getvalue()

    return execute


@pytest.mark.parametrize("piped", [False, True], ids=["file", "pipe"])
def test_publishes_every_line(publish, piped):
    """Without noise (ε = 10,000) what is published is what came in."""
    out, err = publish(WHOLE, *NEW, *(["--name", "Visits"] if piped else []), piped=piped)
    assert out == WHOLE
    row = LiveStream.objects.get()
    assert err.strip() == f"stream {row.pk}"
    assert (row.published, row.last_label) == (3, "2026-01-03")
    requests = row.requests.values_list("key", "first", "last")  # each line has a key of its own
    assert len({key for key, *_ in requests}) == 3
    assert [tuple(rest) for _, *rest in requests] == [(0, 0), (1, 1), (2, 2)]


def test_continues_after_an_interruption_and_publishes_no_line_twice(publish, tmp_path):
    out = tmp_path / "out.csv"
    publish(HEADER + ROWS[0], *NEW, "--out", str(out))
    stream = str(LiveStream.objects.get().pk)
    publish(WHOLE, "--stream", stream, "--out", str(out))
    assert out.read_text() == WHOLE
    assert LiveStream.objects.get().published == 3
    again, _ = publish(WHOLE, "--stream", stream)
    assert again == WHOLE
    assert LiveStream.objects.get().published == 3


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("", NEW, "The first line must be a header"),
        ("day,north\n", NEW, "The first line must be a header"),
        (HEADER + "2026-01-01,5\n", NEW, "Line 2: events.0.counts must be a list of 2 numbers"),
        (HEADER + ROWS[0] + "2026-01-02,1;5,2\n", NEW, "Line 3: events.0.counts.north must be a whole number"),
        (HEADER + ROWS[1] + ROWS[0], NEW, "Line 3: events must be after 2026-01-02"),
        (HEADER + "2026-01-01,5," + "9" * 400 + "\n", NEW, "Line 2: events.0.counts.south must be a whole number"),
        (HEADER + ROWS[0] + '"2026-01-02","7', NEW, "Line 3"),
        (HEADER + ROWS[0] + "x" * 200_000, NEW, "must be a CSV table"),
        (HEADER.replace("north", "n" * 201), NEW, "a name of 1 to 200 characters"),
        (HEADER, [], "mechanism must be given"),
        (HEADER, [*NEW, "--step", "-1"], "step must be above 0"),
        (HEADER, [*NEW, "--step", "nan"], "step must be above 0"),
        (HEADER, [*NEW, "--set", "colour=1"], "colour"),
        (HEADER, ["--mechanism", "stream-rescuedp", *NEW[2:]], "mechanism must be one with a guarantee"),
        (HEADER, ["--stream", "7"], "stream must be the id of a stream of this user"),
        ("time,north\n", [*NEW, "--name", " "], "name must not be empty"),
    ],
)
def test_bad_input_is_one_clear_error(publish, text, arguments, message):
    with pytest.raises(CommandError) as caught:
        publish(text, *arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize("piped", [False, True], ids=["file", "pipe"])
def test_the_same_command_again_continues_its_stream(publish, piped):
    """Noise is drawn once: twice the same command would spend twice as much."""
    noisy = [one.replace("epsilon=10000", "epsilon=0.1") for one in NEW] + ["--name", "Visits"]
    first, _ = publish(HEADER + "".join(ROWS[:2]), *noisy, piped=piped)
    again, err = publish(WHOLE, *noisy, piped=piped)
    assert again.startswith(first)
    row = LiveStream.objects.get()
    assert (row.published, err.strip()) == (3, f"stream {row.pk}, continued after 2026-01-02")


@pytest.mark.parametrize("changed", [["--new"], ["--name", "Other"], ["--step", "86400"]], ids=lambda one: one[0])
def test_another_command_opens_another_stream(publish, changed):
    publish(HEADER + ROWS[0], *NEW)
    publish(HEADER + ROWS[0], *NEW, *changed)
    publish(HEADER + ROWS[0], *[one.replace("10000", "9000") for one in NEW])
    assert [one.published for one in LiveStream.objects.all()] == [1, 1, 1]


def test_a_pipe_needs_a_name_and_a_line_that_it_cut_off_is_not_published(publish):
    with pytest.raises(CommandError, match="name must be given"):
        publish(HEADER, *NEW, piped=True)
    assert not LiveStream.objects.exists()
    with pytest.raises(CommandError, match="may be cut off"):
        publish(HEADER + ROWS[0] + "2026-01-02,7,8", *NEW, "--name", "Visits", piped=True)
    assert LiveStream.objects.get().last_label == "2026-01-01"
    out, _ = publish(HEADER + ROWS[0] + "2026-01-02,7,8", *NEW)  # a file may end so
    assert out.endswith("2026-01-02,7,8\n")


def test_a_byte_order_mark_is_read_and_other_encodings_are_refused(publish, tmp_path, owner):
    file, text = tmp_path / "visits.csv", "time,nörd,süd\n2026-01-01,5,6\n"
    given = ["publish", str(file), "--user", owner.username, *NEW]
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(CommandError, match="must be text in UTF-8"):
        call_command(*given)
    assert not LiveStream.objects.exists()
    file.write_bytes(text.encode("utf-8-sig"))
    call_command(*given, stdout=io.StringIO(), stderr=io.StringIO())
    assert LiveStream.objects.get().dimensions == ["nörd", "süd"]
    assert publish("\ufeff" + HEADER, *NEW, "--name", "Visits", piped=True)[0] == HEADER


class TestOut:
    def test_what_an_interruption_cut_off_is_completed(self, publish, tmp_path):
        out = tmp_path / "out.csv"
        for held in (len(HEADER) - 3, len(HEADER), len(HEADER) + 4, len(WHOLE) - 1, len(WHOLE)):
            out.write_text(WHOLE[:held])
            publish(WHOLE, *NEW, "--out", str(out))
            assert out.read_text() == WHOLE

    def test_another_file_and_the_input_are_left_as_they_are(self, publish, tmp_path):
        out = tmp_path / "out.csv"
        for held in ("precious\n", HEADER + "2026-01-01,6,6\n", WHOLE + "more"):
            out.write_text(held)
            with pytest.raises(CommandError, match="out must be a new file"):
                publish(WHOLE, *NEW, "--out", str(out))
            assert out.read_text() == held
        with pytest.raises(CommandError, match="out must be a new file"):
            publish(WHOLE, *NEW, "--out", str(tmp_path / "counts.csv"))
        assert (tmp_path / "counts.csv").read_text() == WHOLE
        assert not LiveStream.objects.exists()


def test_a_closed_stream_takes_no_more_lines(publish):
    with pytest.raises(CommandError, match="Line 3"):
        publish(HEADER + ROWS[0] + "2026-01-02,-1,0\n", *NEW)
    assert LiveStream.objects.get().published == 1, "what came before a bad line stays"
    LiveStream.objects.update(state="closed", publisher=None)
    assert publish(HEADER + ROWS[0], *NEW)[0] == HEADER + ROWS[0]
    with pytest.raises(CommandError, match=r"Line 3: The stream is closed .* --new"):
        publish(HEADER + ROWS[0] + ROWS[1], *NEW)


def test_a_line_changed_after_its_publication_is_not_noticed(publish):
    publish(HEADER + ROWS[0], *NEW)
    out, _ = publish(HEADER + "2026-01-01,x\n" + ROWS[1], *NEW)
    assert out == HEADER + ROWS[0] + ROWS[1]


def test_what_the_api_published_is_no_line(publish, owner):
    publish(HEADER, *NEW)
    row = LiveStream.objects.get()
    services.publish_events(stream=row, user=owner, key="a", events=[{"time": "2026-01-01", "counts": [1, 1]}])
    with pytest.raises(CommandError, match="events must be after 2026-01-01"):
        publish(HEADER + ROWS[0], *NEW)


def test_of_an_unknown_user_or_file(owner, tmp_path):
    with pytest.raises(CommandError, match="no-file"):
        call_command("publish", str(tmp_path / "no-file"), "--user", owner.username, *NEW)
    (tmp_path / "counts.csv").write_text(HEADER)
    with pytest.raises(CommandError, match="user must be"):
        call_command("publish", str(tmp_path / "counts.csv"), "--user", "unknown", *NEW)
