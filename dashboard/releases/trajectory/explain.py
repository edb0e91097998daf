"""What the explanation of a release of trajectories holds: where its positions lie, and how far noise moves them."""

from typing import Any

import numpy as np

from dashboard.core.templatetags.display import metres, place
from dashboard.landmarks.inputs import TrajectoryInputs
from dashboard.maps.joined_tracks import thinned
from dashboard.maps.prepared import LARGE, facts
from dashboard.maps.series_cache import level
from dashboard.maps.server_image import Frame, density
from dashboard.releases.explanation import Explanation, Subject, certainty
from dashboard.releases.models import Release
from dashboard.releases.paper_figure import Plot
from dashboard.releases.report import number_below
from dashboard.storage.data_files import BATCH, StoredSeries, series_index
from privacy_engine.accounting.promise import Context, at_most
from privacy_engine.analysis.forecast import overall_noise
from privacy_engine.core.arrays import ceil_div
from privacy_engine.core.geo import LocalPlane
from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import blocks
from privacy_engine.data.points_digest import CELLS_PER_DEGREE
from privacy_engine.mechanisms.base.trajectory import REPEATS, TrajectoryMechanism
from privacy_engine.mechanisms.landmark.base import CLEAR_TIMES

WHO = {
    "event": "Each single position of {unit}, alone",
    "landmark": "Each single position of {unit}",
    "w-event": "Any {window} successive positions of {unit} together",
    "user": "All positions of {unit} together",
}
OF_A_RECORD = "The positions of {unit} that one uploaded record decides (at most {stability})"
WHICH = "Which events are landmarks"
SHARES = (0.25, 1, 2.5, 5)
"""Distances that the page states a guess for, in radii."""
VISITS = 10
SAMPLED = 20_000
"""Positions that the image counts, at most."""
POINTS = 2000
"""Points of a paper's figure, at most."""


def repeats_of(row: Release) -> int:
    """How many positions of a release repeat a position that it published before: none after steps."""
    summary = row.summary or {}
    return 0 if row.parsed_spec.postprocess else summary.get("published", 0) - summary.get("drawn", 0)


class ExplainedTrajectories(Explanation):
    """With a density of the published positions, and circles of what the noise does to a position."""

    known = "all other positions and all times"
    listed = (CLEAR_TIMES,)

    def subject(self, mechanism: TrajectoryMechanism, context: Context) -> Subject:
        several = context.stability > 1 and mechanism.sentence_of_records
        marks = (context.landmarks or 0) if mechanism.reads_landmarks else 0
        numbers = {"unit": context.unit, "stability": f"{context.stability:,}", **mechanism.numbers()}
        who = (OF_A_RECORD if several else WHO[mechanism.level]).format(**numbers)
        if marks:
            all_of = "the 1 landmark" if marks == 1 else f"all {quantity(marks, 'landmark')}"
            who += f", together with {all_of} (positions marked as sensitive)"
        alone = not marks and not several and mechanism.level in ("event", "landmark")
        places = "the true place and another one" if alone else "the true places and others, each"
        between = f"between {places} up to {metres(mechanism.radius_m)} away,"
        return Subject(who, between, _same(mechanism, context))

    def questions(
        self, mechanism: TrajectoryMechanism, context: Context, label: dict[str, Any], published: dict[str, Any]
    ) -> list[tuple[str, float]]:
        """The promise covers single positions, and so many of them in succession, or all by their sum.

        Landmarks are covered together, however many they are: averaged visits are others.
        """
        epsilon, radius_m, whole = label["epsilon"], label["radius_m"], label["whole_trace_epsilon"]
        most, what = VISITS * epsilon, "record" if context.stability > 1 else "position"
        if whole is not None and not context.choice.earlier_per_m:  # which is of this release alone
            most = min(most, whole)
        visits = [(f"one {what}, {metres(share * radius_m)}", share * epsilon) for share in SHARES]
        if label["landmarks"]:
            visits.append((f"all landmarks, {metres(radius_m)}", epsilon))
        return [*visits, (f"ten {'other ' if label['landmarks'] else ''}visits, {metres(radius_m)}", most)]

    def more_to_learn(self, mechanism: TrajectoryMechanism, context: Context, label: dict[str, Any]) -> list[str]:
        whole = label["whole_trace_epsilon"]
        if not _several(label):
            return []
        sure = f"{certainty(whole):g} % sure" if certainty(whole) < 100 else "certain"
        leak = f"together leak at most ε = {at_most(whole)} per {metres(mechanism.radius_m)} moved by each"
        under = f"with {_same(mechanism, context)}"
        return [f"The whole trace: all positions of {context.unit} {leak}, {under}; a guess may become {sure}."]

    def not_hidden(self, label: dict[str, Any], facts: dict[str, Any]) -> list[str]:
        """As of all kinds, without what is about landmarks where there are none; repeats are named once if any are."""
        marked = label.get("landmarks")
        visited = "Places visited many times" + (" by events that are no landmarks" if marked else "")
        texts = [f"{visited}: averaging their positions finds them."] if _several(label) else []
        signs = "the repeated positions and the noise" if facts["repeats"] else "the noise"
        listed = (fact for fact in super().not_hidden(label, facts) if not fact.startswith(f"{WHICH} is public"))
        for text in listed:
            if text.startswith(WHICH):
                how = text.removeprefix(WHICH).rstrip(".")
                texts.append(f"{WHICH}{how}: {signs} may show it." if marked else f"That no event is a landmark{how}.")
            elif not text.startswith(REPEATS) and (marked or "landmark" not in text.lower()):
                texts.append(text)
        if marked and not any(fact.startswith(WHICH) for fact in texts):
            texts.append(f"{WHICH}: {signs} may show it.")
        return texts

    def published(self, row: Release, series: str) -> dict[str, Any]:
        summary, shown = row.summary or {}, facts_of(row)
        lon, lat = np.array(shown.pop("lon")), np.array(shown.pop("lat"))
        noise = noise_m(row)
        image = _image(lon, lat, noise) if len(lon) else None
        return shown | {"noise_m": noise, "summary": summary, "repeats": repeats_of(row), "image": image}

    def plot(self, row: Release, series: str) -> Plot:
        count = row.dataset.series_count
        number = number_below(series or "0", count)
        line = thinned(level(row.data_path, number), POINTS)
        lon, lat = line.lon / CELLS_PER_DEGREE, line.lat / CELLS_PER_DEGREE
        plane = LocalPlane.around(lon, lat) if len(lon) else LocalPlane(0.0, 0.0)
        landmarks = (row.summary or {}).get("landmarks") or 0
        details = [quantity((row.summary or {}).get("points", len(lon)), "event")]
        details += [quantity(landmarks, "landmark")] if landmarks else []
        details += [f"thinned to {len(lon):,} points"] if len(lon) < series_index(row.data_path).sizes[number] else []
        return Plot(
            xy=plane.project(lon, lat) / 1000,
            titles=(f"km east of {place(plane.lon, plane.lat)}", "km north"),
            what="Published positions" + (f" of series {number + 1} of {count:,}" if count > 1 else ""),
            details=details,
            is_map=True,
        )


def _several(label: dict[str, Any]) -> bool:
    """Whether all positions together leak more than the level."""
    whole = label["whole_trace_epsilon"]
    return whole is not None and whole > label["epsilon"] * (1 + 1e-9)  # a sum is rounded


def _same(mechanism: TrajectoryMechanism, context: Context) -> str:
    """What two traces have in common between which a stranger hesitates.

    Of a one-sided selection that are the same landmarks: from fewer to more of them it promises nothing.
    """
    free = not mechanism.reads_landmarks or context.choice.from_times or context.choice.from_release
    return "the same times" if free else "the same landmarks and times"


def noise_m(row: Release) -> dict[str, float] | None:
    """Metres that noise moves half and 19 of 20 of the positions by at most, by the description alone.

    None after post-processing, and where budgets depend on the run.
    """
    if row.parsed_spec.postprocess:
        return None
    half, most = (row.owner_view or {}).get("noise_m"), (row.summary or {}).get("noise_p95_m")
    if half and most:  # of many positions it is not computed again
        return {"half": half, "most": most}
    noise = overall_noise(row.parsed_spec.mechanism, TrajectoryInputs(row.dataset, row.set_read))
    if noise is None or noise.median_m is None or noise.p95_m is None:
        return None
    return {"half": noise.median_m, "most": noise.p95_m}


def prepare(row: Release) -> None:
    """Make ahead what the page shows of many positions."""
    if row.dataset.points > LARGE:
        facts_of(row)


def facts_of(row: Release) -> dict[str, Any]:
    """What the page shows of the published positions, JSON-ready; that of many is made ahead."""
    many = row.dataset.points > LARGE
    return facts(row.beside("explained"), lambda: _facts(row)) if many else _facts(row)


def _facts(row: Release) -> dict[str, Any]:
    """Every so-manieth published position in degrees, and when the first and the last is."""
    held: StoredSeries[Any] = StoredSeries(row.data_path, lambda *of: of)
    total = int(held.sizes.sum())
    every, sampled, times = max(ceil_div(total, SAMPLED), 1), [], []
    for some in blocks(total, BATCH):
        columns = held.columns(some.start, some.stop)
        index = np.arange(-some.start % every, some.stop - some.start, every)
        sampled.append(np.stack([columns[name][index] / CELLS_PER_DEGREE for name in ("lon", "lat")]))
        times += [float(end(columns["time_ms"])) / 1000 for end in (np.min, np.max) if "time_ms" in columns]
    lon, lat = np.concatenate([np.empty((2, 0)), *sampled], axis=1)
    start, end = (min(times), max(times)) if times else (None, None)
    return {"lon": lon.tolist(), "lat": lat.tolist(), "start": start, "end": end}


def _image(lon: Any, lat: Any, noise: dict[str, float] | None) -> dict[str, Any]:
    """Noise is drawn as circles at the scale of the map."""
    frame = Frame.around(lon, lat, coarsest_m=noise["most"] if noise else 0.0)
    circles = {name: value / frame.m_per_px for name, value in (noise or {}).items()}
    return frame.drawn() | density(frame.places(lon, lat)) | {"circles": circles}


ADAPTER = ExplainedTrajectories()
