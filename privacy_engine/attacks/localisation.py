"""Where was a person at every event? All draws of a release together, and how people move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.attacks.area import Area, Grid
from privacy_engine.attacks.base import Headline, Result, SeriesAttack, Watch, attacks, must_match
from privacy_engine.attacks.hidden_markov import BestGuess, Movement, posteriors, sweeps
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.on_demand import scipy
from privacy_engine.core.params import Param, StepVarianceM2
from privacy_engine.data import Release, Trajectory
from privacy_engine.errors import DataError, ParameterError

MOST_STATES = 10**8
"""Events times cells, at most: 20 seconds to a minute, less for fewer cells."""

CELLS = Param(
    label="Cells",
    help="How many cells lie along the longer side of the area. What is guessed is a cell, so finer is nearer.",
    lowest=2,
    highest=128,
    example=64,
)
TILE = Param(
    label="Tile of the area",
    unit="m",
    help="The adversary knows beforehand in which tiles, so wide, of a fixed raster the series lies, and no more.",
    lowest=1.0,
    highest=1e6,
    example=5000.0,
)


@dataclass(frozen=True, eq=False)
class LocalisationResult(Result):
    """Guesses for every event, (n,) each, and how far they are off; degrees and metres.

    ``lon, lat`` is the cell with the least expected distance, ``likeliest_lon, likeliest_lat`` the likeliest one.
    ``error_m`` and ``likeliest_error_m`` are their distances to the truth, ``expected_m`` what the adversary expects of
    the former, ``correctness_m`` the expected distance of the posterior to the truth (Shokri et al.). ``chance_m`` is
    the error of the best guess without the release. ``hidden`` marks events without a draw of their own. ``cell_m`` is
    the side of a cell.
    """

    lon: Floats
    lat: Floats
    likeliest_lon: Floats
    likeliest_lat: Floats
    error_m: Floats
    likeliest_error_m: Floats
    expected_m: Floats
    correctness_m: Floats
    chance_m: Floats
    hidden: Mask
    cell_m: float

    @property
    def targets(self) -> Mask:
        """The events without a draw of their own, or all where there is none, (n,): what an adversary is after."""
        return self.hidden if self.hidden.any() else ~self.hidden

    def gain(self, where: Mask) -> float:
        """Mean error by chance over mean error of the attack, at the events ``where``: above 1, the release helped."""
        return float(self.chance_m[where].mean() / self.error_m[where].mean()) if where.any() else float(np.nan)

    @property
    def path(self) -> tuple[Floats, Floats]:
        return self.lon, self.lat

    @property
    def sentence(self) -> str:
        which = self.targets
        what = "an event that was not drawn" if self.hidden.any() else "an event"
        return (
            f"Who knows the area, how people move and the noise places {what} {self.error_m[which].mean():,.0f} m from "
            f"the truth on average; without the release it would be {self.chance_m[which].mean():,.0f} m."
        )


@attacks.register
class Localisation(SeriesAttack):
    r"""The posterior of every position given the whole release, and the best guess under it [1]_.

    The adversary knows beforehand an area (every cell of it alike), that people take a random walk of variance q per
    axis and event in it, and the law of the noise: a draw at distance d has density proportional to
    :math:`e^{-\epsilon d/r}`, d along great circles. A position that repeats another has no information about its
    event. Forward-backward [2]_ then gives the exact posterior of this model on a grid; of all cells the one with the
    least expected distance is guessed, the optimal attack for that loss. With probability 1e-6 a step leads anywhere,
    so that no release is impossible.

    Draws of which several share one noise (the mechanism Joint) are each read at their marginal law and multiplied as
    if independent: a weaker adversary than the best, and then no exact posterior. The release must be as it was drawn;
    a smoothed one holds no more than that.
    O(n · cells · side) time; beyond 100 million events times cells it is refused.

    References
    ----------
    .. [1] Shokri, Theodorakopoulos, Le Boudec, Hubaux. "Quantifying Location Privacy". IEEE S&P 2011.
    .. [2] Rabiner. "A tutorial on hidden Markov models and selected applications in speech recognition". Proceedings of
       the IEEE 1989.
    """

    title: ClassVar[str] = "Localisation"
    summary: ClassVar[str] = "The position at each event, from all sampled noise and a movement model."
    assumes: ClassVar[tuple[str, ...]] = (
        "The adversary knows beforehand which tiles of a raster hold the series; every place in them is alike.",
        "People move as a random walk whose step is public knowledge.",
        "The mechanism, its noise and which events repeat others are public.",
    )
    headlines: ClassVar[tuple[Headline, ...]] = (
        Headline(
            "localisation-error",
            "Localisation error",
            "m",
            "How far the best guess lies from the truth at events that were not drawn, or at all where all were.",
            lambda result: result.error_m[result.targets].mean(),
        ),
        Headline(
            "localisation-factor",
            "Localisation, factor over chance",
            "",
            "How many times nearer to the truth the release brings the best guess than chance would.",
            lambda result: result.gain(result.targets),
        ),
    )
    reads_draws: ClassVar[bool] = True

    name: Literal["localisation"] = "localisation"
    step_variance_m2: StepVarianceM2
    cells: Annotated[int, CELLS] = 64
    tile_m: Annotated[float, TILE] = 5000.0

    def seconds_once(self, lengths: Sequence[int]) -> float:
        return sum(lengths) * (1e-5 + 1.5e-7 * self.cells**2)

    def run(
        self,
        truth: Trajectory,
        release: Release,
        *,
        shared: Mask | None = None,
        watch: Watch | None = None,
        area: Area | None = None,
    ) -> LocalisationResult:
        """Guesses for all n events.

        Parameters
        ----------
        shared : (n,) bool, optional
            The draws that share a joint draw of noise (the landmarks drawn by the mechanism Joint).
        watch : callable, optional
            Called with the share of the work that is done, and may raise to stop it.
        area : Area, optional
            What the adversary knows beforehand; by default the tiles that hold ``truth``.

        Raises
        ------
        DataError
            The release does not belong to ``truth``, has no event, or the area is wider than 2,000 km.
        ParameterError
            Events times cells pass 100 million.
        """
        must_match(truth, release)
        n = len(truth)
        if not n:
            raise DataError("the series must have at least 1 event", field="series", rule=">= 1", value=0)
        grid = (area or Area.around(truth, self.tile_m)).grid(self.cells)
        if n * len(grid) > MOST_STATES:
            rule = f"such that events times cells are at most {MOST_STATES:,}"
            raise ParameterError.must_be("cells", rule, self.cells, got=f"{self.cells} ({n * len(grid):,})")
        draws = _Draws(release, np.zeros(n, np.bool_) if shared is None else shared)
        best = BestGuess(grid)
        cell, likeliest, expected_m, correctness_m = (np.empty(n, np.int64), np.empty(n, np.int64), *np.empty((2, n)))
        movement = Movement.over(grid, self.step_variance_m2)
        steps, most = 0, sweeps(n, len(grid))

        def seen(block: slice) -> Floats:
            nonlocal steps
            if watch is not None:
                watch(steps / most)
            steps += 1
            return draws.log_likelihood(block, grid)

        for block, posterior in posteriors(movement, n, seen):
            flat = posterior.reshape(len(posterior), -1)
            cell[block], expected_m[block] = best.of(posterior)
            likeliest[block] = flat.argmax(axis=1)
            apart = grid.distances_m(truth.lon[block], truth.lat[block])
            correctness_m[block] = (flat * apart).sum(axis=1)
        by_chance = np.repeat(best.of(np.full((1, grid.columns, grid.rows), 1 / len(grid)))[0], n)
        positions = [(grid.lon[at], grid.lat[at]) for at in (cell, likeliest, by_chance)]
        errors = [geo.distance_m(truth.lon, truth.lat, *position) for position in positions]
        return LocalisationResult(
            *positions[0],
            *positions[1],
            errors[0],
            errors[1],
            expected_m,
            correctness_m,
            errors[2],
            ~release.fresh,
            grid.cell_m,
        )


class _Draws:
    """The draws of a release, each with the event it was made for and the rate of its noise."""

    def __init__(self, release: Release, shared: Mask) -> None:
        n = len(release.budgets)
        if shared.shape != (n,):
            raise DataError(f"shared must mark {n} events", field="shared", rule="same length", value=shared.shape)
        shown: Ints = np.full(n, -1, dtype=np.int64)
        shown[release.event] = np.arange(len(release.event))
        self._drawn = release.fresh & (shown >= 0)
        self._lon, self._lat = release.series.lon, release.series.lat
        self._shown, self._shared = shown, shared & self._drawn
        together = int(np.count_nonzero(self._shared))
        per_sd = np.where(self._shared, np.sqrt((2 * together + 1) * (2 * together + 2)) / 2, np.sqrt(3))
        self._rate = per_sd / np.where(self._drawn, release.sd_m, 1.0)
        self._order = 2 * together - 1

    def log_likelihood(self, block: slice, grid: Grid) -> Floats:
        """Of the draw at each event given each cell, (b, cells), up to a constant an event; 0 where there is none."""
        logs = np.zeros((block.stop - block.start, len(grid)))
        at = np.flatnonzero(self._drawn[block])
        events = at + block.start
        scaled = grid.distances_m(self._lon[self._shown[events]], self._lat[self._shown[events]])
        scaled *= self._rate[events, None]
        joint = self._shared[events]
        logs[at[~joint]] = -scaled[~joint]
        if joint.any():
            logs[at[joint]] = _log_upper_gamma(self._order, scaled[joint])
        return logs


def _log_upper_gamma(order: int, x: Floats) -> Floats:
    """ln Q(order, x): the density of any of p jointly drawn positions falls as Q(2p - 1, ε d)."""
    q = scipy.special.gammaincc(order, x)
    far = np.maximum(x, 2.0 * order)  # Q is 0 to rounding only far beyond its order: the leading terms are enough
    tail = -far + (order - 1) * np.log(far) - scipy.special.gammaln(order) - np.log1p(-(order - 1) / far)
    return np.where(q > 0, np.log(np.maximum(q, np.finfo(float).tiny)), tail)
