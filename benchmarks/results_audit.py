"""What the audit finds of mutants with half the noise and of numpy's Laplace noise: the controls of trust.md.

    python -m benchmarks.results_audit [--trials 10000] [--workers 1]

Without seeds: the noise is the operating system's, so another run finds other bounds. ``manage.py audit --all`` audits
what is publishable.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.written import ROOT, commit, write
from privacy_engine.audit import NUMPY_LAPLACE, PREFIX, VIOLATED, AuditResult, AuditSpec, audit, completed
from privacy_engine.mechanisms.base.mechanism import mechanisms

LAPLACE_TRIALS = 100_000
MUTANTS = [
    {"epsilon": epsilon, "radius_m": radius_m}
    for epsilon, radius_m in itertools.product((0.1, 0.5, 1.0, 2.0, 4.0), (1.0, 50.0, 200.0, 5000.0))
]


def audited(name: str, trials: int, claim: dict[str, float]) -> AuditResult:
    """Audit what ``name`` and ``claim`` describe."""
    described, _ = completed({"name": name, **claim})
    return audit(AuditSpec.parse({"mechanism": described, "trials": trials}))


def mutants(found: dict[str, list[AuditResult]]) -> str:
    """One row a mechanism: how many mutants were found, and the least and largest bound in parts of the claim."""
    lines = ["| half the noise of | violated | at least, in parts of the claim: least, largest |", "|---" * 3 + "|"]
    for name, results in found.items():
        caught = sum(one.verdict == VIOLATED for one in results)
        shares = [one.lower_bound / one.claimed for one in results]
        lines.append(f"| {name} | {caught} of {len(results)} | {min(shares):.2f}, {max(shares):.2f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "results" / "audit.md")
    options = parser.parse_args()
    names = [cls.registered_name() for cls in mechanisms.of("trajectory")]
    measured, found = commit(), {}  # before hours pass
    with ProcessPoolExecutor(options.workers) as pool:
        laplace = pool.submit(audited, PREFIX + NUMPY_LAPLACE, LAPLACE_TRIALS, MUTANTS[0] | {"epsilon": 1.0})
        halved: Any = {
            name: [pool.submit(audited, f"{PREFIX}half-noise:{name}", options.trials, one) for one in MUTANTS]
            for name in names
        }
        numpys = laplace.result()
        for name, futures in halved.items():
            found[name] = [one.result() for one in futures]
            print(mutants({name: found[name]}).splitlines()[-1], flush=True)
    text = [
        f"Measured on {datetime.datetime.now(datetime.UTC):%Y-%m-%d} at commit {measured}, without seeds.",
        f"numpy’s Laplace noise, {LAPLACE_TRIALS:,} draws, claimed ε {numpys.claimed:g}: at least "
        f"{numpys.lower_bound:.3f}, {numpys.verdict}, by *{numpys.pairs[0].best_event}*: its float’s low bits.",
        f"**Mutants**, {options.trials:,} draws of each input: every scale of noise halved, at ε of 0.1, 0.5, "
        "1, 2 and 4 times radii of 1, 50, 200 and 5,000 m.",
        mutants(found),
    ]
    write(options.out, "\n\n".join(text), "controls")


if __name__ == "__main__":
    main()
