"""The presets of the papers' experiments, on real files and synthetic series: papers.md, a table and a figure.

    python benchmarks/results_experiments.py [repetitions] [--data ../shared/data]

Seeds are fixed, so another run prints the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.figure import Curve, svg
from benchmarks.series import READINGS, real
from benchmarks.written import RESULTS, ROOT, commit, metres, save, write
from dashboard.core.palette import palette
from privacy_engine.data import Trajectory
from privacy_engine.experiments import run
from privacy_engine.experiments.presets import CorrelatedLoss, GeolifeError, Preset, TDriveError, TemporalDistance
from privacy_engine.experiments.presets.base import DISTRIBUTIONS, SHARES

N = 1000
DRAWN = {
    "Skip": "landmark-skip",
    "Uniform": "landmark-uniform",
    "Adaptive, literal": "landmark-adaptive",
    "Planned + OU smoother": "landmark-planned",
    "Joint + OU smoother": "landmark-joint",
}
"""In the figure, with the mechanism whose line each has."""

MATCHING = ("Geolife, user 174", "T-Drive, taxi 2")
"""The traces on which the paper's settings give its shares."""
TABLES = ("Generated walk", MATCHING[0], "Generated taxis", MATCHING[1])
"""What is shown in full; the others are in the lines about the paper alone."""

COLUMNS = ("landmarks", "trace", "scheme", "share_percent", "mae_m")
PER_CENT = [f"{100 * share:.0f} %" for share in SHARES]
SKEWED = ("left-skewed", "right-skewed")

Row = dict[str, Any]
Found = dict[str, list[Row]]
"""By scheme, the row of each set of landmarks."""


def errors(preset: type[Preset], marks: str, reading: str, series: Sequence[Trajectory], repetitions: int) -> Found:
    """What the preset measures, on ``series`` or on what it generates."""
    one = preset.model_validate({"marks": marks, "reading": reading, "repetitions": repetitions})
    found: Found = {}
    for row in run(one.spec(), one.data(series)).to_pylist():
        literal = row.get("release.mechanism.reading") == "literal"
        found.setdefault(row["release.title"] + ", literal" * literal, []).append(row)
    return found


def table(landmarks: str, title: str, found: Found) -> Iterator[list[str]]:
    """Rows of :data:`COLUMNS`: mean absolute errors, with the shares that were measured."""
    for name, rows in found.items():
        for row in rows:
            yield [landmarks, title, name, f"{100 * row['marked_share']:.0f}", metres(row["mean"])]


def _line(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def claims(all_found: dict[str, Found]) -> str:
    """The paper's sentences as numbers, where some events are landmarks and some are not."""
    head = ["shares", "Adaptive, literal / Uniform", "Adaptive, literal / Skip", "least error of the three"]
    lines = [_line("", head), "|---" * 5 + "|"]
    for title, found in all_found.items():
        shares = [row["marked_share"] for row in found["Uniform"]]
        some = [i for i, share in enumerate(shares) if 0.005 < share < 0.995]
        means = {name: [found[name][i]["mean"] for i in some] for name in ("Uniform", "Skip", "Adaptive, literal")}
        ratios = (
            ", ".join(
                f"{a / b:.{0 if a > 10 * b else 2}f}"
                for a, b in zip(means["Adaptive, literal"], means[name], strict=True)
            )
            for name in ("Uniform", "Skip")
        )
        where = [f"{100 * shares[i]:.0f}" for i in some]
        best: dict[str, list[str]] = {}
        for k, share in enumerate(where):
            best.setdefault(min(means, key=lambda name: means[name][k]), []).append(share)
        best_at = (f"{name} at {', '.join(at)} %" if len(best) > 1 else name for name, at in best.items())
        lines.append(_line(title, [f"{', '.join(where)} %", *ratios, "; ".join(best_at)]))
    return "\n".join(lines)


def panel(found: Found) -> dict[str, Curve]:
    """The curves that are drawn, by share."""
    curves = {}
    for name, mechanism in DRAWN.items():
        style: Any = palette("trajectory")[mechanism]
        rows = sorted(found[name], key=lambda row: row["marked_share"])
        points = [(row["marked_share"], row["mean"], row["low"], row["high"]) for row in rows]
        curves[name] = Curve(points, style["colour"]["light"], style["dash"])
    return curves


def distances(repetitions: int) -> str:
    """Preset (b), and whether the order of distributions is the stated one."""
    preset = TemporalDistance(repetitions=repetitions)
    found = {
        (row["landmarks.distribution"], row["landmarks.share"]): row["mean"]
        for row in run(preset.spec(), preset.data()).to_pylist()
    }
    lines = [_line("mean distance, events", PER_CENT), "|---" * (len(SHARES) + 1) + "|"]
    lines += [_line(name, [f"{found[name, share]:.2f}" for share in SHARES]) for name in DISTRIBUTIONS]
    order = _where(
        lambda share: (
            min(found[name, share] for name in SKEWED)
            > found["symmetric", share]
            > found["bimodal", share]
            > found["uniform", share]
        )
    )
    return "\n".join(lines) + f"\n\nSkewed > symmetric > bimodal > uniform: {order}."


def losses(repetitions: int) -> str:
    """Preset (c): losses at 40 %, and where the orders hold."""
    preset = CorrelatedLoss(repetitions=repetitions)
    places = ("metric", "landmarks.distribution", "landmarks.share", "correlation.smoothing")
    rows = run(preset.spec(), preset.data()).to_pylist()
    found = {tuple(row.get(place) for place in places): row["mean"] for row in rows}
    strengths = (None, 1.0, 0.1, 0.01)
    head = ["without", "s = 1", "s = 0.1", "s = 0.01"]
    lines = [_line("loss at 40 % landmarks", [f"own, {one}" for one in head] + [f"summed, {one}" for one in head])]
    lines.append("|---" * 9 + "|")
    for name in DISTRIBUTIONS:
        values = (found[metric, name, 0.4, s] for metric in preset.metrics for s in strengths)
        lines.append(_line(name, [f"{value:.3g}" for value in values]))
    text = ["\n".join(lines), ""]
    for s in strengths[1:]:
        own = _where(lambda share, s=s: _apart({n: found["loss-own", n, share, s] for n in DISTRIBUTIONS}))
        summed = _where(lambda share, s=s: _apart({n: -found["loss-summed", n, share, s] for n in DISTRIBUTIONS}))
    text.append(f"- s = {s:g}: own loss largest for the skewed {own}; summed loss least for them {summed}.")
    return "\n".join(text)


def _apart(by: dict[str, float]) -> bool:
    """True if the skewed distributions lie above all others."""
    return min(by[name] for name in SKEWED) > max(by[name] for name in DISTRIBUTIONS if name not in SKEWED)


def _where(holds: Callable[[float], bool]) -> str:
    at = [f"{100 * share:.0f}" for share in SHARES[1:-1] if holds(share)]
    return f"at {', '.join(at)} %" if at else "nowhere"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repetitions", nargs="?", type=int, default=100)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options = parser.parse_args()
    files = real(options.data, N)
    sets: list[tuple[str, type[Preset], list[Trajectory]]] = [("Generated walk", GeolifeError, [])]
    sets += [(title, GeolifeError, [one]) for title, one in files.items() if title.startswith("Geolife")]
    sets += [("Generated taxis", TDriveError, [])]
    sets += [(title, TDriveError, [one]) for title, one in files.items() if title.startswith("T-Drive")]
    about = f"Measured at commit {commit()}: {options.repetitions} repetitions, seed 1."
    parts, panels, rows = [about], {}, []
    for marks, description in (("random", "random landmarks"), ("stay-points", "stay points")):
        found = {
            title: errors(preset, marks, READINGS.get(title, "seed"), series, options.repetitions)
            for title, preset, series in sets
        }
        if marks == "stay-points":  # a figure states how stays were read
            found = {f"{title} ({READINGS.get(title, 'seed')})": one for title, one in found.items()}
        for title in (title for title in found if title.startswith(TABLES)):
            rows += table(description, title, found[title])
        parts.append(f"### The three of the paper, {description}\n\n{claims(found)}")
        print(parts[-1], "\n", flush=True)
        chosen = [title for title in found if title.startswith(MATCHING)]
        panels |= {f"{title}, {description}": panel(found[title]) for title in chosen or list(found)}
    parts.append(f"### Temporal distance by distribution (n = 100)\n\n{distances(options.repetitions)}")
    parts.append(f"### Loss under correlation (n = 100, ε = 1)\n\n{losses(options.repetitions)}")
    print(*parts[-2:], sep="\n\n")
    (RESULTS / "error-by-landmarks.svg").write_text(svg(panels))
    save("experiments", COLUMNS, rows)
    write(RESULTS / "papers.md", "\n\n".join(parts), "experiments")


if __name__ == "__main__":
    main()
