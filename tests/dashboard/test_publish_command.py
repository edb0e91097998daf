"""``manage.py publish``: counts of a file or a pipe, each timestamp published once."""

import io

import pytest
from django.core.management import CommandError, call_command

from dashboard.streams import services
from dashboard.streams.models import LiveStream

HEADER = "time,north,south\n"
ROWS = ["2026-01-01,5,6\n", "2026-01-02,7,8\n", "2026-01-03,9,0\n"]
WHOLE = HEADER + "".join(ROWS)
NEW = ["--mechanism", "stream-uniform", "--set", "epsilon=10000", "--set", "window=2", "--set", "sensitivity=1"]


@pytest.fixture
def run(owner, tmp_path, monkeypatch):
    """``run(text, *arguments)``: what the command writes for a file of that text, and to stderr."""

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
def test_publishes_every_line(run, piped):
    """Without noise (ε = 10,000) what is published is what came in."""
    out, err = run(WHOLE, *NEW, *(["--name", "Visits"] if piped else []), piped=piped)
    assert out == WHOLE
    row = LiveStream.objects.get()
    assert err.strip() == f"stream {row.pk}"
    assert (row.published, row.last_label) == (3, "2026-01-03")
    requests = row.requests.values_list("key", "first", "last")  # each line has a key of its own
    assert len({key for key, *_ in requests}) == 3
    assert [tuple(rest) for _, *rest in requests] == [(0, 0), (1, 1), (2, 2)]


def test_continues_after_an_interruption_and_publishes_no_line_twice(run, tmp_path):
    out = tmp_path / "out.csv"
    run(HEADER + ROWS[0], *NEW, "--out", str(out))
    stream = str(LiveStream.objects.get().pk)
    run(WHOLE, "--stream", stream, "--out", str(out))
    assert out.read_text() == WHOLE
    assert LiveStream.objects.get().published == 3
    again, _ = run(WHOLE, "--stream", stream)
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
def test_bad_input_is_one_clear_error(run, text, arguments, message):
    with pytest.raises(CommandError) as caught:
        run(text, *arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize("piped", [False, True], ids=["file", "pipe"])
def test_the_same_command_again_continues_its_stream(run, piped):
    """Noise is drawn once: twice the same command would spend twice as much."""
    noisy = [one.replace("epsilon=10000", "epsilon=0.1") for one in NEW] + ["--name", "Visits"]
    first, _ = run(HEADER + "".join(ROWS[:2]), *noisy, piped=piped)
    again, err = run(WHOLE, *noisy, piped=piped)
    assert again.startswith(first)
    row = LiveStream.objects.get()
    assert (row.published, err.strip()) == (3, f"stream {row.pk}, continued after 2026-01-02")


@pytest.mark.parametrize("changed", [["--new"], ["--name", "Other"], ["--step", "86400"]], ids=lambda one: one[0])
def test_another_command_opens_another_stream(run, changed):
    run(HEADER + ROWS[0], *NEW)
    run(HEADER + ROWS[0], *NEW, *changed)
    run(HEADER + ROWS[0], *[one.replace("10000", "9000") for one in NEW])
    assert [one.published for one in LiveStream.objects.all()] == [1, 1, 1]


def test_a_pipe_needs_a_name_and_a_line_that_it_cut_off_is_not_published(run):
    with pytest.raises(CommandError, match="name must be given"):
        run(HEADER, *NEW, piped=True)
    assert not LiveStream.objects.exists()
    with pytest.raises(CommandError, match="may be cut off"):
        run(HEADER + ROWS[0] + "2026-01-02,7,8", *NEW, "--name", "Visits", piped=True)
    assert LiveStream.objects.get().last_label == "2026-01-01"
    out, _ = run(HEADER + ROWS[0] + "2026-01-02,7,8", *NEW)  # a file may end so
    assert out.endswith("2026-01-02,7,8\n")


def test_a_byte_order_mark_is_read_and_other_encodings_are_refused(run, tmp_path, owner):
    file, text = tmp_path / "visits.csv", "time,nörd,süd\n2026-01-01,5,6\n"
    given = ["publish", str(file), "--user", owner.username, *NEW]
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(CommandError, match="must be text in UTF-8"):
        call_command(*given)
    assert not LiveStream.objects.exists()
    file.write_bytes(text.encode("utf-8-sig"))
    call_command(*given, stdout=io.StringIO(), stderr=io.StringIO())
    assert LiveStream.objects.get().dimensions == ["nörd", "süd"]
    assert run("\ufeff" + HEADER, *NEW, "--name", "Visits", piped=True)[0] == HEADER


class TestOut:
    def test_what_an_interruption_cut_off_is_completed(self, run, tmp_path):
        out = tmp_path / "out.csv"
        for held in (len(HEADER) - 3, len(HEADER), len(HEADER) + 4, len(WHOLE) - 1, len(WHOLE)):
            out.write_text(WHOLE[:held])
            run(WHOLE, *NEW, "--out", str(out))
            assert out.read_text() == WHOLE

    def test_another_file_and_the_input_are_left_as_they_are(self, run, tmp_path):
        out = tmp_path / "out.csv"
        for held in ("precious\n", HEADER + "2026-01-01,6,6\n", WHOLE + "more"):
            out.write_text(held)
            with pytest.raises(CommandError, match="out must be a new file"):
                run(WHOLE, *NEW, "--out", str(out))
            assert out.read_text() == held
        with pytest.raises(CommandError, match="out must be a new file"):
            run(WHOLE, *NEW, "--out", str(tmp_path / "counts.csv"))
        assert (tmp_path / "counts.csv").read_text() == WHOLE
        assert not LiveStream.objects.exists()


def test_a_closed_stream_takes_no_more_lines(run):
    with pytest.raises(CommandError, match="Line 3"):
        run(HEADER + ROWS[0] + "2026-01-02,-1,0\n", *NEW)
    assert LiveStream.objects.get().published == 1, "what came before a bad line stays"
    LiveStream.objects.update(state="closed", publisher=None)
    assert run(HEADER + ROWS[0], *NEW)[0] == HEADER + ROWS[0]
    with pytest.raises(CommandError, match=r"Line 3: The stream is closed .* --new"):
        run(HEADER + ROWS[0] + ROWS[1], *NEW)


def test_a_line_changed_after_its_publication_is_not_noticed(run):
    run(HEADER + ROWS[0], *NEW)
    out, _ = run(HEADER + "2026-01-01,x\n" + ROWS[1], *NEW)
    assert out == HEADER + ROWS[0] + ROWS[1]


def test_what_the_api_published_is_no_line(run, owner):
    run(HEADER, *NEW)
    row = LiveStream.objects.get()
    services.publish_events(stream=row, user=owner, key="a", events=[{"time": "2026-01-01", "counts": [1, 1]}])
    with pytest.raises(CommandError, match="events must be after 2026-01-01"):
        run(HEADER + ROWS[0], *NEW)


def test_of_an_unknown_user_or_file(owner, tmp_path):
    with pytest.raises(CommandError, match="no-file"):
        call_command("publish", str(tmp_path / "no-file"), "--user", owner.username, *NEW)
    (tmp_path / "counts.csv").write_text(HEADER)
    with pytest.raises(CommandError, match="user must be"):
        call_command("publish", str(tmp_path / "counts.csv"), "--user", "unknown", *NEW)
