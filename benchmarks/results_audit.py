"""What the audit finds of every mechanism and of mutants with half the noise; writes the tables of docs/trust.md.

    python benchmarks/results_audit.py [--trials 100000] [--mutant-trials 10000] [--workers 1]

Without seeds: the noise is the operating system's, so another run finds other bounds. Some minutes a mechanism.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.written import write
from privacy_engine.audit import NUMPY_LAPLACE, PREFIX, VIOLATED, AuditResult, AuditSpec, audit, completed, target_of
from privacy_engine.mechanism import mechanisms

ROOT = Path(__file__).resolve().parents[1]
CLAIM = {"epsilon": 1.0, "radius_m": 200.0}
MUTANTS = [
    {"epsilon": epsilon, "radius_m": radius_m}
    for epsilon, radius_m in itertools.product((0.1, 0.5, 1.0, 2.0, 4.0), (1.0, 50.0, 200.0, 5000.0))
]


class Timed(NamedTuple):
    """A result and how long it took, in seconds of one processor."""

    result: AuditResult
    seconds: float


def audited(name: str, trials: int, claim: dict[str, float]) -> Timed:
    """Audit what ``name`` and ``claim`` describe."""
    started = time.process_time()
    described, _ = completed({"name": name, **claim})
    result = audit(AuditSpec.parse({"mechanism": described, "trials": trials}))
    return Timed(result, time.process_time() - started)


def claims(found: Iterable[Timed]) -> str:
    """One row a mechanism: the bound over all pairs, and those of its pairs."""
    lines = [
        "| mechanism | claimed ε | at least | by pair, in parts of its claim | verdict | CPU, s |",
        "|---" * 6 + "|",
    ]
    for result, seconds in found:
        pairs = ", ".join(f"{one.lower_bound / one.claimed:.2f}" for one in result.pairs)
        numbers = f"{result.claimed:g} | {result.lower_bound:.3f} | {pairs} | {result.verdict} | {seconds:.0f}"
        lines.append(f"| {result.mechanism} | {numbers} |")
    return "\n".join(lines)


def mutants(found: dict[str, list[Timed]]) -> str:
    """One row a mechanism: how many mutants were found, and the least and largest bound in parts of the claim."""
    lines = ["| half the noise of | violated | at least, in parts of the claim: least, largest |", "|---" * 3 + "|"]
    for name, results in found.items():
        caught = sum(one.result.verdict == VIOLATED for one in results)
        shares = [one.result.lower_bound / one.result.claimed for one in results]
        lines.append(f"| {name} | {caught} of {len(results)} | {min(shares):.2f}, {max(shares):.2f} |")
    return "\n".join(lines)


def commit() -> str:
    """The commit that is measured."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--mutant-trials", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "trust.md")
    options = parser.parse_args()
    names = [cls.registered_name() for cls in mechanisms.of("trajectory")]
    target_of({"name": names[0], **CLAIM})
    measured = commit()  # before hours pass
    with ProcessPoolExecutor(options.workers) as pool:
        plain: Any = {name: pool.submit(audited, name, options.trials, CLAIM) for name in names}
        laplace = pool.submit(audited, PREFIX + NUMPY_LAPLACE, options.trials, CLAIM)
        halved: Any = {
            name: [pool.submit(audited, f"{PREFIX}half-noise:{name}", options.mutant_trials, one) for one in MUTANTS]
            for name in names
        }
        first = [one.result() for one in plain.values()]
        print(claims([*first, laplace.result()]), flush=True)
        second = {}
        for name, futures in halved.items():
            second[name] = [one.result() for one in futures]
            print(mutants({name: second[name]}).splitlines()[-1], flush=True)
    alarms = sum(one.result.verdict == VIOLATED for one in first)
    numpys = laplace.result().result
    text = [
        f"Measured on {datetime.datetime.now(datetime.UTC):%Y-%m-%d} at commit {measured}, without seeds.",
        f"**Claims**, {options.trials:,} draws of each input: {alarms} of {len(first)} mechanisms accused.",
        claims([*first, laplace.result()]),
        f"numpy’s Laplace noise is found by *{numpys.pairs[0].best_event}*: its float’s low bits.",
        f"**Mutants**, {options.mutant_trials:,} draws of each input: every scale of noise halved, at ε of 0.1, 0.5, "
        "1, 2 and 4 times radii of 1, 50, 200 and 5,000 m.",
        mutants(second),
    ]
    write(options.out, "\n\n".join(text), "audit")


if __name__ == "__main__":
    main()
