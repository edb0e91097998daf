"""Ten mechanisms that each break one law; none of them is registered.

``breaks`` is the law, ``example`` a part of the sentence that is to show it, ``keeps`` laws that it does not break.
"""

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.mechanisms.base.simulation_plan import FixedPlan
from privacy_engine.mechanisms.base.trajectory import same_law_as
from privacy_engine.mechanisms.landmark import Uniform


class Faulty(Uniform):
    """A mechanism with a fault, otherwise as Uniform."""

    breaks: ClassVar[str]
    example: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]] = ("shape", "seed", "budget")


class Overspending(Faulty):
    """Each landmark has half of ε, past the ledger."""

    breaks, example, keeps = "budget", "is spent of 0.3", ("shape", "seed")
    name: Literal["overspending"] = "overspending"

    def _spent(self, is_landmark, starts):
        return np.full(len(is_landmark), self.epsilon / 2)


class Undercharging(Faulty):
    """The ledger is charged half."""

    breaks, example = "charge", "the ledger is charged 0.35, claimed is 0.7"
    name: Literal["undercharging"] = "undercharging"

    def charged_epsilon(self, context):
        return self.epsilon / 2


class Unseeded(Faulty):
    """Its noise is not that of the seed."""

    breaks, example, keeps = "seed", "two releases with seed 7 differ", ("budget", "grid")
    name: Literal["unseeded"] = "unseeded"

    def perturb(self, lon, lat, budgets, *, rng):
        other = noise.publishable() if rng.private else noise.seeded(int(np.random.default_rng().integers(2**32)))
        return super().perturb(lon, lat, budgets, rng=other)


class Sorting(Faulty):
    """It sorts what it was given, in place."""

    breaks, example, keeps = "shape", "the input was changed", ("budget",)
    name: Literal["sorting"] = "sorting"

    def draw_each(self, people, is_landmark, *, rng):
        people.lon.setflags(write=True)
        people.lon.sort()
        return super().draw_each(people, is_landmark, rng=rng)

    def draw(self, series, is_landmark, *, rng):
        series.lon.setflags(write=True)
        series.lon.sort()
        return super().draw(series, is_landmark, rng=rng)


class OffGrid(Faulty):
    """Positions have more digits than the grid, which show the truth's."""

    breaks, example = "grid", "of a step off the grid"
    name: Literal["off-grid"] = "off-grid"

    def perturb(self, lon, lat, budgets, *, rng):
        noisy = super().perturb(lon, lat, budgets, rng=rng)
        return noisy[0] + 3e-8, noisy[1]


class Clamping(Faulty):
    """What is published lies in the box of the data: which outputs are possible depends on it."""

    breaks, example = "densities", "with the same draws and another truth the release is another one"
    keeps: ClassVar[tuple[str, ...]] = ("budget", "grid")
    name: Literal["clamping"] = "clamping"

    def perturb(self, lon, lat, budgets, *, rng):
        noisy = super().perturb(lon, lat, budgets, rng=rng)
        inside = [np.clip(*both) for both in ((noisy[0], lon.min(), lon.max()), (noisy[1], lat.min(), lat.max()))]
        return tuple(np.round(axis / noise.GRID_DEG) * noise.GRID_DEG for axis in inside)


class Understating(Faulty):
    """Draws have two thirds of the noise that their budgets need."""

    breaks, example = "audit", "log-odds of at least"
    name: Literal["understating"] = "understating"

    def rates(self, budgets):
        return super().rates(budgets) * 1.5


class Reading(Faulty):
    """The budget of an event follows from where it is, below its share."""

    breaks, example = "densities", "noise depends on positions other than by what was drawn"
    name: Literal["reading"] = "reading"

    def perturb(self, lon, lat, budgets, *, rng):
        return super().perturb(lon, lat, budgets * np.where(lon > 116.4, 1.0, 0.5), rng=rng)


class ManyWithLess(Faulty):
    """Many releases at once, by which it is audited and simulated, have twice the noise."""

    breaks, example = "many", "at once and 2,000 one by one differ"
    name: Literal["many-with-less"] = "many-with-less"

    @same_law_as(Uniform.draw_each)
    def draw_many(self, series, is_landmark, times, *, rng):
        weaker = Uniform(epsilon=self.epsilon / 2, radius_m=self.radius_m)
        return weaker.draw_many(series, is_landmark, times, rng=rng)


class Promising(Faulty):
    """Its forecast is of half the noise."""

    breaks, example = "forecast", "forecast is a mean error of"
    name: Literal["promising"] = "promising"

    def simulation_plan(self, is_landmark):
        plan = super().simulation_plan(is_landmark)
        return FixedPlan(plan.epsilon_per_m * 2, plan.shown)


class Declaring(Faulty):
    """A release declares half the noise of its draws."""

    breaks, example = "noise", "times the declared noise"
    name: Literal["declaring"] = "declaring"

    def release(self, series, landmarks, *, rng):
        release = super().release(series, landmarks, rng=rng)
        return replace(release, sd_m=release.sd_m / 2)


FAULTY = Faulty.__subclasses__()
