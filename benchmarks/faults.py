"""The fault matrix: every row a fault, what must follow, and the tests that prove it, repeated on both set-ups.

    python -m benchmarks.faults [REPEATS] [launcher|production]

``launcher`` is SQLite with the broker of `make run`, ``production`` PostgreSQL with Redis on a TCP port. The table that
is printed has, for each row, how many of all runs of its tests passed, and the seconds of the slowest test.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
FILES = ("worker", "faults", "datasets_jobs", "hanging_jobs")
WORKER, FAULTS, JOBS, HANGING = (f"tests/dashboard/test_{name}.py" for name in FILES)
SETUPS = ("launcher", "production")


class Row(NamedTuple):
    """A fault, what is expected, and the tests."""

    fault: str
    expected: str
    tests: tuple[str, ...]


ROWS = (
    Row(
        "`kill -9` of a child or a worker in a job",
        "one release, within two leases",
        (f"{WORKER}::test_kill_9_of_a_whole_worker_and_of_a_pool_child",),
    ),
    Row(
        "ten copies of one message, four processes",
        "one run",
        (f"{WORKER}::test_ten_copies_of_a_message_and_two_workers_make_one_run",),
    ),
    Row(
        "broker away at the request; broker wiped",
        "201 in less than 1 s, it runs later",
        (f"{WORKER}::test_a_broker_that_is_away_or_loses_messages_costs_only_time",),
    ),
    Row(
        "database restarted, or locked for longer than it waits, in a job",
        "all finish once",
        (
            f"{FAULTS}::test_a_database_that_is_away_while_a_job_runs_ends_no_job",
            "tests/dashboard/test_transient_errors.py::test_a_failure_at_any_write_ends_no_job",
        ),
    ),
    Row(
        "soft limit, hard limit, too much memory",
        "failed with a code; the worker goes on",
        (
            f"{FAULTS}::test_a_job_over_its_soft_limit_fails_with_its_code",
            f"{FAULTS}::test_a_job_over_its_hard_limit_is_given_up",
            f"{FAULTS}::test_a_job_that_needs_too_much_memory_fails_with_its_code",
        ),
    ),
    Row(
        "cancelled while it waits, while it runs",
        "never runs; stops within a lease",
        (f"{WORKER}::test_cancelled_while_it_waits_it_never_runs_and_while_it_runs_it_stops",),
    ),
    Row(
        "SIGTERM of a worker",
        "the current job finishes, the rest runs later",
        (f"{WORKER}::test_sigterm_lets_the_current_release_finish_and_leaves_the_rest",),
    ),
    Row(
        "a job that ends its worker",
        "failed after three attempts, others are served",
        (f"{WORKER}::test_a_job_that_ends_its_worker_is_given_up_after_three_attempts_while_others_are_served",),
    ),
    Row(
        "a job that hangs: in Python, in C that holds the interpreter's lock; its process stopped",
        "replaced within 15 s, failed after three attempts with its stage, others are served",
        (
            f"{HANGING}::test_what_hangs_is_replaced_and_given_up_after_three_attempts_while_others_are_served",
            f"{HANGING}::test_a_process_that_is_stopped_is_replaced",
        ),
    ),
    Row(
        "cancelled, or SIGTERM of its worker, while a job hangs",
        "ends within a lease",
        (
            f"{HANGING}::test_what_hangs_is_cancelled_within_a_lease",
            f"{HANGING}::test_sigterm_ends_a_worker_whose_process_hangs",
        ),
    ),
    Row(
        "SIGSTOP, replaced, SIGCONT",
        "the first worker publishes nothing",
        (f"{WORKER}::test_a_stopped_worker_that_continues_publishes_nothing",),
    ),
    Row("four sweeps at once", "requeued once", (f"{JOBS}::TestSweep::test_four_at_once_bring_a_row_back_once",)),
    Row(
        "dataset deleted in a job",
        "nothing is published, no file is left",
        (
            "tests/dashboard/test_releases_draw.py::TestAttemptsThatPublishNothing"
            "::test_a_dataset_deleted_while_its_release_runs_leaves_nothing",
        ),
    ),
    Row("rollback after the row was made", "no message", (f"{JOBS}::test_a_row_that_is_rolled_back_is_not_enqueued",)),
    Row("broker full", "201, it runs later", (f"{FAULTS}::test_a_broker_that_is_full_costs_only_time",)),
    Row(
        "bytes in the queue that are no message; an unknown task",
        "a worker that ends is started again; discarded",
        (
            f"{FAULTS}::test_what_is_no_message_stops_no_queue",
            f"{FAULTS}::test_an_unknown_task_is_discarded",
        ),
    ),
    Row(
        "a worker whose clock is an hour ahead, killed",
        "one release, within two leases",
        (f"{FAULTS}::test_a_worker_with_a_wrong_clock_is_replaced_like_any_other",),
    ),
    Row("disk full", "507 or a code; old rows and files are intact", ("tests/dashboard/test_machine_errors.py",)),
)


class Outcome(NamedTuple):
    """One run of one test."""

    test: str
    passed: bool
    seconds: float


def outcomes(setup: str) -> Iterator[Outcome]:
    """Run the tests of every row once."""
    tests = [test for row in ROWS for test in row.tests]
    own = [test for test in tests if test.startswith((WORKER, FAULTS))]  # with processes of their own
    yield from _run([sys.executable, "-m", "pytest"], own, setup)
    database = ["-m", "tests.postgres", sys.executable] if setup == "production" else []
    yield from _run([sys.executable, *database, "-m", "pytest"], [one for one in tests if one not in own], setup)


def _run(command: list[str], tests: list[str], setup: str) -> Iterator[Outcome]:
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--tb", "short", f"--junit-xml={report.name}"]
        environment = os.environ | {"CAIRN_TEST_SETUP": setup}
        subprocess.run([*command, *options, *tests], cwd=ROOT, env=environment, stdout=sys.stderr, check=False)
        for case in ElementTree.parse(report.name).iter("testcase"):
            failed = any(case.find(name) is not None for name in ("failure", "error"))
            file, _, rest = case.attrib["classname"].partition(".test_")
            module, *classes = rest.split(".")
            name = "::".join([f"{file.replace('.', '/')}/test_{module}.py", *classes, case.attrib["name"]])
            if case.find("skipped") is None:
                yield Outcome(name, not failed, float(case.attrib["time"]))


def table(found: dict[str, list[Outcome]]) -> Iterator[str]:
    """The lines of the table, with a column for each set-up."""
    yield f"| fault | expected | {' | '.join(found)} |"
    yield "|---|---|" + "---|" * len(found)
    for row in ROWS:
        yield f"| {row.fault} | {row.expected} | {' | '.join(_cell(row, some) for some in found.values())} |"


def _cell(row: Row, found: Iterable[Outcome]) -> str:
    own = [one for one in found if one.test.split("[")[0].startswith(row.tests)]
    if not own:
        return "not run"
    return f"{sum(one.passed for one in own)} of {len(own)}, {max(one.seconds for one in own):.1f} s"


def main(repeats: int = 5, *setups: str) -> int:
    """Run all rows so many times, printing the table after each time; 1 if any run of a test failed."""
    found: dict[str, list[Outcome]] = defaultdict(list)
    for number in range(1, repeats + 1):
        for setup in setups or SETUPS:
            found[setup] += outcomes(setup)
        print(
            f"after {number} of {repeats} repeats, load {os.getloadavg()[1]:.1f}:", *table(found), sep="\n", flush=True
        )
    failed = sorted({f"{setup}: {one.test}" for setup, some in found.items() for one in some if not one.passed})
    print(*failed, sep="\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:]))
