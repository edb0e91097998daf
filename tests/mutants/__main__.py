"""Run mutants, each in a copy of the tree, by its tests until one fails that passes without it.

``python -m tests.mutants [PART OF A FILE'S NAME ...]``, as ``make mutants`` does for all, runs those listed;
``--changed 30`` those of the files that the last 30 commits changed; ``--random 60`` draws some. The exit code is 1
where fewer than 95 % (drawn: 90 %) are killed, and 2 where the time that ``--minutes`` gives did not reach them all.
"""

import argparse
import itertools
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from random import Random

from tests.mutants import ROOT, Mutant, git, listed
from tests.mutants.copies import LIMIT_S, NONE_FOUND, Copy, Report, by
from tests.mutants.places import places
from tests.mutants.relevant import measure, relevant

KILLED, DRAWN_KILLED = 0.95, 0.9
"""The least share of the mutants that some test must notice: of those listed, of those drawn."""
BELOW, NOT_REACHED = 1, 2
DRAWING = (
    r"\b(ctx|canvas|getContext|lineTo|createElement|el|host|HTML\w*|addEventListener|replaceChildren|textContent)\b|\$\("
    r"|\b(document|window|location|L)\.\w|\.(style|hidden|dataset|classList|attributes|scroll\w+)\b"
    r"|getComputedStyle|requestAnimationFrame|querySelector|closest|\bfocus\(|Video(Encoder|Frame)|Observer\b"
)
"""What a function of JavaScript has that draws or uses the page."""
SERVING = r"(?m)^\s*(from|import) (django|rest_framework|drf_spectacular|celery|redis|subprocess|socket|signal)\b"
"""What a module of Python has that serves requests or uses the database or other processes."""


def arguments():
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="PART", help="of the name of a file: only its mutants")
    parser.add_argument("--changed", type=int, metavar="N", help="of the files that the last N commits changed")
    parser.add_argument("--minutes", type=float, help="start no mutant after this time")
    parser.add_argument("--random", type=int, metavar="N", help="draw N mutants in place of those listed")
    parser.add_argument("--seed", type=int, help="of --random, to repeat a draw")
    parser.add_argument("--share-js", type=float, default=0.5, metavar="S", help="of --random in JavaScript: 0.5")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds for the tests of one mutant")
    parser.add_argument("--processes", type=int, default=min(os.cpu_count() or 1, 4), metavar="P")
    parser.add_argument("--list", action="store_true", help="print the mutants and run none")
    return parser.parse_args()


def changed(commits):
    """Files that the last commits changed, and those not committed yet."""
    return git("log", f"-{commits}", "--no-merges", "--format=", "--name-only") | git("diff", "HEAD", "--name-only")


def one_of_each_file_first(mutants):
    """Order mutants so that the first of every file come before the second of any."""
    of_file: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        of_file[mutant.file].append(mutant)
    return [one for row in itertools.zip_longest(*of_file.values()) for one in row if one is not None]


def without_mutants(files):
    """Those of ``files`` that compute and of which no mutant is listed."""
    have = {mutant.file for mutant in listed()}
    return sorted(places(sorted(files - have)))


def drawn(number, seed, share_js, names):
    """Draw mutants: each place is as likely as another, but no file is drawn twice while others are left.

    Of JavaScript not in functions that draw, or use what draws: those a browser notices, in minutes for each. Of Python
    not in modules that serve: those are watched by suites over all pages, jobs and owners, and by what is listed.
    """
    random = Random(seed)
    named = sorted(file for file in git("ls-files") if not names or any(name in file for name in names))
    computing = [file for file in named if file.endswith(".js") or not _serves(file)]
    found = places(computing, DRAWING)
    scripts = round(number * share_js)
    mutants: dict[Mutant, None] = {}
    for ending, wanted in ((".py", number - scripts), (".js", scripts)):
        rows = [row for file in sorted(found) if file.endswith(ending) for row in found[file]]
        random.shuffle(rows)
        mutants |= dict.fromkeys(one_of_each_file_first(rows)[:wanted])
    return list(mutants)


def _serves(file):
    return file.endswith(".py") and re.search(SERVING, (ROOT / file).read_text()) is not None


def judge_listed(limit_s):
    """Judge a mutant by the tests that its list names; none to run is an error of the list."""

    def judge(copy, mutant):
        report = copy.noticed(mutant, mutant.tests, limit_s)
        return report | {"verdict": "error"} if report["code"] == NONE_FOUND else report

    return judge


def judge_drawn(limit_s):
    """Judge a mutant by the tests that are likely to notice it, until ``limit_s`` are over."""

    def judge(copy, mutant):
        end = time.monotonic() + limit_s
        report: Report = {"verdict": "survived", "seconds": 0.0, "failed": [], "code": 0, "end": []}
        groups = relevant(mutant)
        while groups and report["verdict"] == "survived" and (left := end - time.monotonic()) > 1:
            seconds = report["seconds"]
            report = copy.noticed(mutant, groups[0], left)
            report["seconds"] += seconds
            if report["verdict"] == "error" and (broken := by(report)).startswith("tests/"):
                copy.left_out.append(broken)  # it shows nothing here: once more without it
                report["verdict"] = "survived"
            elif report["verdict"] == "error" and (gone := _not_found(groups[0], report)):
                groups[0] = tuple(test for test in groups[0] if test not in gone)
                groups = groups if groups[0] else groups[1:]
                report["verdict"] = "survived"
            else:
                groups = groups[1:]
        return report

    return judge


def _not_found(tests, report):
    """Those of ``tests`` whose function pytest finds no such case of: they were others when they were measured."""
    lines = [line for line in report["end"] if line.startswith("ERROR: not found")]
    return [test for test in tests if any(line.endswith("/" + test.partition("[")[0]) for line in lines)]


def run_all(mutants, copies, judge, end):
    """Run each mutant in the next free copy, and report it as it is done; none where the time is up."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(mutant):
        copy = free.get()
        try:
            if time.monotonic() > end:
                return mutant, None
            report = judge(copy, mutant)
        finally:
            free.put(copy)
        print(f"{report['verdict']:8} {report['seconds']:6.1f} s  {mutant}  {by(report)}", flush=True)
        if report["verdict"] == "error":
            print(*report["end"], sep="\n", flush=True)
        return mutant, report

    with ThreadPoolExecutor(len(copies)) as pool:
        return list(pool.map(one, mutants))


def report(done, share_wanted, began):
    """Print what survived and what was not reached; return the exit code."""
    count = Counter("not reached" if found is None else found["verdict"] for _, found in done)
    for kind in ("survived", "error", "not reached"):
        if count[kind]:
            of_kind = [mutant for mutant, found in done if (found["verdict"] if found else "not reached") == kind]
            print(f"{kind}:", *of_kind, sep="\n  ")
    run = len(done) - count["not reached"]
    share = count["killed"] / max(run, 1)
    summary = ", ".join(f"{count[name]} {name}" for name in ("killed", "survived", "error", "not reached"))
    print(f"{len(done)} mutants: {summary}; {share:.1%} of {run} killed in {time.monotonic() - began:.0f} s")
    if share < share_wanted or count["error"]:
        return BELOW if run else NOT_REACHED
    return NOT_REACHED if count["not reached"] else 0


def main():
    """Run what the command line requires."""
    given = arguments()
    began = time.monotonic()
    if given.random:
        seed = secrets.randbelow(10**6) if given.seed is None else given.seed
        print(f"--random {given.random} --seed {seed} --share-js {given.share_js}", flush=True)
        mutants, judge, wanted = (
            drawn(given.random, seed, given.share_js, given.names),
            judge_drawn(given.limit),
            DRAWN_KILLED,
        )
    else:
        mutants = [one for one in listed() if not given.names or any(name in one.file for name in given.names)]
        judge, wanted = judge_listed(given.limit), KILLED
        if given.changed:
            files = changed(given.changed)
            mutants = one_of_each_file_first([one for one in mutants if one.file in files])
            bare = without_mutants(files)
            print(f"{len(bare)} changed files that compute have no mutants:", *bare, sep="\n  ", flush=True)
    reasons = {(one.file, one.source()): one.equivalent for one in listed() if one.equivalent}
    for one in mutants:
        if reason := reasons.get((one.file, one.source())):
            print(f"equivalent  {one}  {reason}")
    mutants = [one for one in mutants if (one.file, one.source()) not in reasons]
    if given.list:
        print(*mutants, f"{len(mutants)} mutants", sep="\n")
        return 0
    if not mutants:
        print("No mutants are listed of such files.")
        return 0 if given.changed else BELOW
    if given.random and given.share_js < 1:
        measure()
    folder = Path(tempfile.mkdtemp(prefix="cairn-mutants-"))
    copies = [Copy(folder / str(i)) for i in range(min(given.processes, len(mutants)))]
    try:
        end = began + 60 * given.minutes if given.minutes else float("inf")
        done = run_all(mutants, copies, judge, end)
    finally:
        for copy in copies:
            copy.end()
        shutil.rmtree(folder)
    return report(done, wanted, began)


if __name__ == "__main__":
    sys.exit(main())
