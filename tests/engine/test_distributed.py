"""Releases by processes of a Dask scheduler: equal to the single run, complete after a kill, refused cleanly."""

import json
import os
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from threading import Thread, Timer
from time import sleep

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privacy_engine import distributed as engine
from privacy_engine.commands.main import main
from privacy_engine.core.optional import MissingPackage
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.data.units import units_of
from privacy_engine.datatypes.labelled_release import Marks, release_trajectories
from privacy_engine.errors import DataError, FormatError, ParameterError
from privacy_engine.landmarks import parse_short
from privacy_engine.releases import spec as specs
from privacy_engine.releases.spec import ReleaseSpec
from privacy_engine.verify import verify
from tests.patience import until
from tests.s3_server import BUCKET, KEYS, running_s3

dask = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")

SPEC = {"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 100.0}}
SEEDED = ReleaseSpec.parse({**SPEC, "seed": 5})
STAYS = "stay-points:200m:10min"


@pytest.fixture
def client():
    """Tasks in this process, so that a smaller unit can be set."""
    with (
        dask.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        dask.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def small_units(monkeypatch):
    for module in (specs, engine):
        monkeypatch.setattr(module, "units_of", lambda *of: units_of(*of, events=100))


@pytest.fixture
def source(tmp_path):
    """Two files with people in both, out of order; returns the folder."""
    rng, folder, n = np.random.default_rng(4), tmp_path / "source", 700
    folder.mkdir()
    who = rng.integers(0, 12, n)
    seconds = rng.permutation(n) // 2 * 60  # pairs at the same time
    table = {
        "user": who,
        "time": pa.array((1_700_000_000 + seconds) * 1000, pa.timestamp("ms", "UTC")),
        "lat": (48.8 + rng.uniform(0, 0.1, n)).round(7),
        "lon": (2.3 + rng.uniform(0, 0.1, n)).round(7),
    }
    whole = pa.table(table)
    pq.write_table(whole.slice(0, 300), folder / "a.parquet", row_group_size=70)
    pq.write_table(whole.slice(300), folder / "b.parquet")
    return folder


@pytest.fixture
def impatient():
    from dask import config

    with config.set({"distributed.comm.timeouts.connect": "1s", "distributed.scheduler.allowed-failures": 1}):
        yield


def command(source, out, *more, person="column:user"):
    """The exit code of ``cairn release`` with the options of SEEDED."""
    given = ["--mechanism", "event-level", "--set", "epsilon=1", "--set", "radius_m=100", "--seed", "5"]
    target = ["--out", str(out)] if out else []
    return main(["release", str(source), *given, "--person", person, *target, *more])


def single(source, spec, landmarks=None):
    table = pa.concat_tables([pq.read_table(source / name) for name in ("a.parquet", "b.parquet")])
    who = np.array([str(user) for user in table["user"].to_pylist()])
    time_s = table["time"].cast(pa.int64()).to_numpy() / 1e3
    order = np.lexsort((time_s, who))
    names, sizes = np.unique(who, return_counts=True)
    lon, lat = table["lon"].to_numpy()[order], table["lat"].to_numpy()[order]
    tracks = Trajectories(lon, lat, np.append(0, np.cumsum(sizes)), list(names), list(names), time_s[order])
    marks = Marks.of(tracks, parse_short(landmarks)) if landmarks else Marks.none(tracks)
    return release_trajectories(spec, tracks, marks).published


def published(out):
    return pa.concat_tables([pq.read_table(file) for file in sorted(out.glob("*.parquet"))])


def assert_equal(out, releases):
    got = published(out)
    for axis in ("lon", "lat"):
        expected = np.concatenate([getattr(release.series, axis) for release in releases]).round(7)
        np.testing.assert_array_equal(got[axis].to_numpy(), expected)
    assert got["series"].to_pylist() == [r.series.name for r in releases for _ in r.series.lon]


@pytest.mark.parametrize("partitions", [None, 1, 2, 3, 50])
@pytest.mark.parametrize("landmarks", [None, STAYS])
@pytest.mark.usefixtures("small_units")
def test_it_equals_the_single_seeded_run_for_every_number_of_partitions(
    source, tmp_path, client, partitions, landmarks
):
    labels = engine.release_partitions(
        source,
        SEEDED,
        person="user",
        out=tmp_path / "out",
        landmarks=landmarks,
        partitions=partitions,
        scheduler=client,
    )
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name for file in files] == [f"part-{i:05d}.parquet" for i in range(len(labels))]
    assert partitions is None or len(labels) <= partitions
    assert partitions == 1 or len(labels) > 1
    assert_equal(tmp_path / "out", single(source, SEEDED, landmarks))
    assert not any(label["private"] for label in labels)


@pytest.mark.usefixtures("small_units")
def test_without_a_seed_every_part_is_private_and_verifies(source, tmp_path, client):
    spec = ReleaseSpec.parse(SPEC)
    pattern = f"{source}/*.parquet"
    labels = engine.release_partitions(pattern, spec, person="user", out=tmp_path / "out", scheduler=client)
    assert all(label["private"] and label["guarantee"] for label in labels)
    for file, label in zip(sorted((tmp_path / "out").iterdir()), labels, strict=True):
        verified = verify(file.read_bytes())
        assert verified.holds, verified
        assert label["sha256"] in pq.read_schema(file).metadata[b"cairn"].decode()


def test_what_is_wrong_is_refused_by_name(source, tmp_path, client):
    out = tmp_path / "out"
    with pytest.raises(FormatError, match="person must be a column of .*a.parquet.*got 'whose'"):
        engine.release_partitions(source, SEEDED, person="whose", out=out, scheduler=client)
    for missing in (tmp_path / "none", tmp_path / "none" / "*.parquet"):
        with pytest.raises(ParameterError, match="source must be a file or folder that exists, got '/"):
            engine.release_partitions(missing, SEEDED, person="user", out=out, scheduler=client)
    with pytest.raises(ParameterError, match="source must be Parquet files with rows, got '/"):
        engine.release_partitions(source / "*.csv", SEEDED, person="user", out=out, scheduler=client)
    with pytest.raises(ParameterError, match=r"reads \(Unrecognized filesystem type in URI: s4://a\), got 's4://a'"):
        engine.release_partitions("s4://a", SEEDED, person="user", out=out, scheduler=client)
    spec = ReleaseSpec.parse({"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 100.0}})
    with pytest.raises(ParameterError, match="landmarks must be given"):
        engine.release_partitions(source, spec, person="user", out=out, scheduler=client)
    assert not out.exists()
    out.mkdir()
    (out / "mine").touch()
    with pytest.raises(ParameterError, match="out must be an empty or new folder"):
        engine.release_partitions(source, SEEDED, person="user", out=out, scheduler=client)


def test_positions_out_of_range_are_refused_or_dropped(source, tmp_path, client):
    table, out = pq.read_table(source / "b.parquet"), tmp_path / "out"
    lat = pa.array([400.0, *table["lat"].to_pylist()[1:]])
    pq.write_table(table.set_column(table.schema.get_field_index("lat"), "lat", lat), source / "b.parquet")
    with pytest.raises(FormatError, match="lat of .*b.parquet must be finite and within -90 to 90"):
        engine.release_partitions(source, SEEDED, person="user", out=out, scheduler=client)
    engine.release_partitions(source, SEEDED, person="user", out=out, invalid="drop", scheduler=client)
    assert len(published(out)) == 699


def test_a_failed_task_leaves_nothing(source, tmp_path, client):
    table = pq.read_table(source / "b.parquet")
    lat = pa.array([None, *table["lat"].to_pylist()[1:]], pa.float64())
    pq.write_table(table.set_column(table.schema.get_field_index("lat"), "lat", lat), source / "b.parquet")
    with pytest.raises(FormatError, match="lat of .*b.parquet must be without missing values"):
        engine.release_partitions(source, SEEDED, person="user", out=tmp_path / "out", scheduler=client)
    assert not list((tmp_path / "out").iterdir())


def test_a_person_in_two_partitions_is_refused(source, tmp_path):
    columns = engine.Columns("user", "lon", "lat", "time")
    pieces = engine._pieces(str(source), columns)
    counts = sum((engine._counted(piece, columns=columns) for piece in pieces), engine.Counter())
    names = sorted(counts)
    sizes = np.array([counts[name] for name in names])
    cuts = [np.array([0, 6, 12]), np.array([0, 5, 12])]  # the second file is cut before another person
    folders = [
        engine._split(piece, number, columns=columns, names=names, borders=cut, work=tmp_path)
        for number, (piece, cut) in enumerate(zip(pieces, cuts, strict=True))
    ]
    for number, people in enumerate([slice(0, 6), slice(6, 12)]):
        part = engine.Part(number, 0, people.start, tuple(names[people]), sizes[people], tuple(folders))
        with pytest.raises(DataError, match="person must be in one partition"):
            part.series()


@pytest.mark.slow
def test_it_is_complete_where_a_process_is_killed(source, tmp_path):
    with (
        dask.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None) as cluster,
        dask.Client(cluster, set_as_default=False) as client,
    ):
        timer = Timer(0.3, lambda: os.kill(cluster.workers[0].pid, signal.SIGKILL))
        timer.start()
        engine.release_partitions(source, SEEDED, person="user", out=tmp_path / "out", scheduler=client)
        timer.join()
    assert_equal(tmp_path / "out", single(source, SEEDED))


def test_two_processes_that_release_the_same_part_write_a_file_each_with_its_own_label(source, tmp_path):
    columns = engine.Columns("user", "lon", "lat", "time")
    [piece, *_] = engine._pieces(str(source), columns)
    counts = engine._counted(piece, columns=columns)
    names = sorted(counts)
    given = {"columns": columns, "names": names, "borders": np.array([0, len(names)]), "work": tmp_path}
    part = engine.Part(
        0, 0, 0, tuple(names), np.array([counts[name] for name in names]), (engine._split(piece, 0, **given),)
    )
    twice = [engine._release_part(part, spec=ReleaseSpec.parse(SPEC), method=None, work=tmp_path) for _ in range(2)]
    (label, file), (other_label, other_file) = twice
    assert label["sha256"] != other_label["sha256"]
    assert file != other_file
    for made, written in twice:
        assert made["sha256"] in pq.read_schema(written).metadata[b"cairn"].decode()
        assert verify(Path(written).read_bytes()).holds


def test_what_a_task_writes_while_the_folder_goes_goes_too(tmp_path):
    def write(work):
        for number in count():
            try:
                (work / str(number)).touch()
            except FileNotFoundError:
                return

    with engine._working_folder(tmp_path) as work:
        task = Thread(target=write, args=[work], daemon=True)
        task.start()
        sleep(0.1)
    task.join(10)
    assert not task.is_alive()
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_files_of_an_s3_storage_with_an_address_of_its_own(source, tmp_path, client, monkeypatch, capsys):
    from pyarrow import fs

    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    outs = [tmp_path / name for name in ("folder", "pattern", "refused")]
    with running_s3(tmp_path) as server:
        options = f"?scheme=http&endpoint_override=127.0.0.1:{server.port}"
        storage, folder = fs.FileSystem.from_uri(f"s3://{BUCKET}/tracks{options}")
        for file in source.iterdir():
            with storage.open_output_stream(f"{folder}/{file.name}") as copy:
                copy.write(file.read_bytes())
        engine.release_partitions(
            f"s3://{BUCKET}/tracks{options}", SEEDED, person="user", out=outs[0], scheduler=client
        )
        by_processes = ("--distributed", "local:1")
        assert command(f"s3://{BUCKET}/tracks/*.parquet{options}", outs[1], *by_processes) == 0
        capsys.readouterr()
        for place, rule in (
            ("none/tracks", "in a bucket that exists"),
            (f"{BUCKET}/none", "a file or folder that exists"),
            (f"{BUCKET}/tracks/*.csv", "Parquet files with rows"),
        ):
            assert command(f"s3://{place}{options}", outs[2], *by_processes) == 1
            assert capsys.readouterr().err.startswith(f"release: source must be {rule}, got 's3://{place}?scheme")
    assert command(f"s3://{BUCKET}/tracks{options}", outs[2], *by_processes) == 1  # nothing listens there now
    assert capsys.readouterr().err.startswith(f"release: s3://{BUCKET}/tracks{options} cannot be read: ")
    for out in outs[:2]:
        assert_equal(out, single(source, SEEDED))
    assert not outs[2].exists()


@pytest.mark.parametrize("processes", [None, pytest.param("local:2", marks=pytest.mark.slow)])
def test_the_command_equals_the_one_of_a_single_process(source, tmp_path, client, capsys, processes):
    tables = pa.concat_tables([pq.read_table(source / name) for name in ("a.parquet", "b.parquet")])
    tables = tables.set_column(0, "user", tables["user"].cast(pa.string()))
    order = np.lexsort((tables["time"].to_numpy(), tables["user"].to_numpy().astype(str)))
    pq.write_table(tables.take(order), tmp_path / "whole.parquet")
    one, many = tmp_path / "one.parquet", tmp_path / "many"
    assert command(tmp_path / "whole.parquet", one) == 0
    capsys.readouterr()
    assert command(source, many, "--distributed", processes or client.scheduler.address) == 0
    assert capsys.readouterr().out.startswith("1 file, each with its label. NOT PRIVATE")
    assert [file.name for file in many.iterdir()] == ["part-00000.parquet"]
    tables = [pq.read_table(file) for file in (one, many / "part-00000.parquet")]
    assert tables[0].equals(tables[1])
    digests = [json.loads(table.schema.metadata[b"cairn"])["sha256"] for table in tables]
    assert digests[0] == digests[1]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--clean", "drop-jumps:200"], "--clean must be left out with --distributed"),
        (["--dummies", "one-sided:2"], "--dummies must be left out with --distributed"),
        (["--kind", "trajectory"], "--kind must be left out with --distributed"),
        (["--box-from-data"], "box_from_data must be false: this mechanism has no box"),
        (["--read", "person=user"], "--read must be lon, lat, time or invalid with --distributed, got 'person'"),
        (["--read", "invalid=perhaps"], "invalid must be refuse or drop, got 'perhaps'"),
        (["--person", "folder"], "--person must be column:NAME with --distributed, got 'folder'"),
        (
            ["--distributed", "local:none"],
            "scheduler must be local:N, or a Dask scheduler that answers, got 'local:none'",
        ),
        (["--distributed", "nowhere"], "scheduler must be local:N, or a Dask scheduler that answers, got 'nowhere'"),
        (
            ["--distributed", "tcp://127.0.0.1:1"],
            "scheduler must be local:N, or a Dask scheduler that answers, got 'tcp",
        ),
    ],
)
def test_a_refusal_of_the_command_is_a_line(source, tmp_path, capsys, more, line):
    out = tmp_path / "out"
    assert command(source, out, "--distributed", "local:1", *more) == 1
    wrong = capsys.readouterr().err
    assert wrong.startswith(f"release: {line}")
    assert wrong.count("\n") == 1
    assert not list(out.glob("*"))


def test_a_forecast_is_of_a_single_process(source, capsys):
    assert command(source, None, "--forecast", "--distributed", "local:1") == 1
    assert capsys.readouterr().err == "release: --forecast must be left out with --distributed\n"


def test_the_extra_is_named_where_it_is_missing(source, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingPackage) as raised:
        engine.release_partitions(source, SEEDED, person="user", out=tmp_path / "out")
    assert raised.value.field == "distributed"
    assert command(source, tmp_path / "out", "--distributed", "local:2") == 1
    wrong = capsys.readouterr().err
    assert wrong.startswith("release: distributed must be installed: pip install distributed, or the extra distributed")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_part_at_which_every_process_ends_is_named(source, tmp_path):
    class Deadly:
        def mark(self, series):
            os._exit(1)

    with pytest.raises(engine.ProcessesLost, match="outlive a task, got 2 that ended at part-00000.parquet") as raised:
        engine.release_partitions(
            source, SEEDED, person="user", out=tmp_path / "out", landmarks=Deadly(), scheduler="local:1"
        )
    assert (raised.value.field, raised.value.value) == ("scheduler", "part-00000.parquet")
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.slow
@pytest.mark.usefixtures("impatient")
def test_a_scheduler_that_ends_in_the_middle_is_named(source, tmp_path):
    place = tmp_path / "scheduler.json"
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard", "--scheduler-file", str(place)]
    with subprocess.Popen([*program, "--host", "127.0.0.1", "--port", "0"], stderr=subprocess.DEVNULL) as scheduler:
        until(lambda: place.exists() and place.read_text().endswith("}"), 60)
        Timer(1, scheduler.kill).start()  # it has no workers, so that the call waits
        address = json.loads(place.read_text())["address"]
        with pytest.raises(engine.ProcessesLost, match="scheduler must be one that answers until the end, got 'tcp"):
            engine.release_partitions(source, SEEDED, person="user", out=tmp_path / "out", scheduler=address)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_are_those_of_any_unit(source, tmp_path, client, unit):
    for file in source.iterdir():
        table = pq.read_table(file)
        time = table["time"].cast(pa.timestamp(unit, "UTC"))
        if unit == "ns":  # as pandas writes them, with more digits than a microsecond has
            time = pa.compute.add(time.cast(pa.int64()), 1).cast(pa.timestamp("ns", "UTC"))
        pq.write_table(table.set_column(table.schema.get_field_index("time"), "time", time), file)
    engine.release_partitions(source, SEEDED, person="user", out=tmp_path / "out", scheduler=client)
    assert len(published(tmp_path / "out")) == 700
