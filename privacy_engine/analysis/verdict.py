"""The verdict on a release: what it promises, how its errors compare with the scale of the data, and by which rule."""

from typing import Literal

from privacy_engine.analysis.data_scale import DataScale
from privacy_engine.analysis.results import Result

GPS_ACCURACY_M = 10.0
"""Noise of which half is below this hides nothing: the position was not known better in the first place."""
USABLE_SHARE = 0.2
"""Errors are usable if 95 % of them are at most this share of the extent."""

EXPOSING = ("event", "w-event")
"""Levels at which landmarks are not protected together."""


def exposes(level: str, landmarks: int) -> bool:
    """Whether releases at a mechanism's ``level`` leave so many landmarks without protection together."""
    return landmarks > 0 and level in EXPOSING


VerdictName = Literal["no-guarantee", "hides-nothing", "landmarks-exposed", "usable", "coarse", "too-large"]
TITLES: dict[VerdictName, str] = {
    "no-guarantee": "no guarantee",
    "hides-nothing": "hides nothing",
    "landmarks-exposed": "landmarks exposed",
    "usable": "usable",
    "coarse": "coarse: district level",
    "too-large": "larger than your data",
}
RULES: dict[VerdictName, str] = {
    "no-guarantee": "the mechanism has no guarantee with these parameters",
    "hides-nothing": f"half of the noise or of the errors is below {GPS_ACCURACY_M:g} m, the accuracy of GPS",
    "landmarks-exposed": "the landmarks are not protected together",
    "usable": "95 % of the errors are at most a fifth of the extent",
    "coarse": "95 % of the errors are at most the extent",
    "too-large": "more than 5 % of the errors are larger than the extent",
}


class Verdict(Result):
    """What a release is good for, by the first rule that applies, in the order of :data:`TITLES`."""

    name: VerdictName
    title: str
    rule: str
    """The rule, without numbers of the data."""


class Rule(Result):
    """A verdict and its rule; ``at_most_m`` is the 95 % error up to which it applies to the data, if there is one."""

    name: VerdictName
    title: str
    rule: str
    at_most_m: float | None


def verdict(
    typical_m: float,
    p95_m: float,
    scale: DataScale,
    *,
    noise_m: float | None = None,
    exposed: bool = False,
    unsound: bool = False,
) -> Verdict | None:
    """Return the verdict on errors of which half are at most ``typical_m`` and 95 % at most ``p95_m`` metres.

    ``noise_m`` is what half of the noise is at most, where it is known: repeated positions add to errors, not to what
    noise hides. ``exposed`` is whether there are landmarks and the level is in :data:`EXPOSING`, ``unsound`` if the
    mechanism has no guarantee. None where the data have no extent, because they have no events or no two places.

    >>> verdict(210, 1500, DataScale(median_step_m=216, extent_m=8500, stay_radius_m=60)).title
    'usable'
    """
    if not scale.extent_m:
        return None
    least_m = typical_m if noise_m is None else min(typical_m, noise_m)
    name: VerdictName = "no-guarantee" if unsound else _name(least_m, p95_m, scale.extent_m, exposed)
    return Verdict(name=name, title=TITLES[name], rule=RULES[name])


def _name(least_m: float, p95_m: float, extent_m: float, exposed: bool) -> VerdictName:
    if least_m < GPS_ACCURACY_M:
        return "hides-nothing"
    if exposed:
        return "landmarks-exposed"
    if p95_m <= USABLE_SHARE * extent_m:
        return "usable"
    return "coarse" if p95_m <= extent_m else "too-large"


def rules(scale: DataScale) -> list[Rule]:
    """Return every verdict with its rule and its bound for data of this ``scale``."""
    extent = scale.extent_m
    bounds = {"usable": extent and USABLE_SHARE * extent, "coarse": extent}
    return [Rule(name=name, title=TITLES[name], rule=RULES[name], at_most_m=bounds.get(name)) for name in TITLES]
