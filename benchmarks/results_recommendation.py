"""What is measured of recommendations: tables in docs/results/data and the part in docs/results/papers.md.

    python benchmarks/results_recommendation.py [--runs 40] [--sets Manhattan,Brooklyn,City] [--store DIR] [--speed]

Seeds are fixed. Blocks are stored as they come, so that an interrupted run continues with the same --store. Speed is
measured with --speed, on a machine with nothing else to do; without it its table stays as it is. With an
empty --sets all others do.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import gettempdir

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.recommendation_rates import MODULE, hit_rates, module
from benchmarks.recommendation_runs import Runs, spec_of
from benchmarks.recommendation_sets import BOXES, DATA, check_ins
from benchmarks.recommendation_speed import HEAD, speed
from benchmarks.recommendation_tables import BETTER, COLUMNS, design, grids, losses
from benchmarks.written import RESULTS, save, write
from privacy_engine.experiments import FolderStore

SIDES = (8, 16, 32)


def measured(options: argparse.Namespace) -> Runs:
    """All sets on all grids, stored ones read."""
    found = Runs(FolderStore(options.store))
    for name in options.sets.split(","):
        data = check_ins(name, options.data)
        for side in SIDES:
            found.run(name, side, spec_of(BOXES[name], side, options.runs), data)
            print(name, side, flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--sets", default=",".join(BOXES))
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--store", type=Path, default=Path(gettempdir(), "results_recommendation"))
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    if options.sets:
        found = measured(options)
        text, better = losses(found)
        write(RESULTS / "papers.md", f"{text}\n\n{design(found)}", "recommendation")
        save("recommendation-better-than-blend", BETTER, better)
        save("recommendation", COLUMNS, grids(found))
        MODULE.write_text(module(hit_rates()))
    if options.speed:
        save("recommendation-speed", HEAD, speed())


if __name__ == "__main__":
    main()
