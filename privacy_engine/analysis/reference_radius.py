"""The reference radius of a dataset: the radius within which levels of ε are stated, compared and charged."""

from privacy_engine.analysis.data_scale import DataScale
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.verdict import USABLE_SHARE

P95 = 4.743864518
"""The quantile .95 of the displacement by planar Laplace noise of ε = 1 per metre, in metres, as
:func:`privacy_engine.noise.planar_quantile_m` gives it; a number, because every page of a dataset needs it and
importing scipy.special takes 14 MB."""


class NamedRadius(Result):
    """A radius in metres with the name that forms offer it under."""

    name: str
    title: str
    radius_m: float


PAPER = NamedRadius(name="paper", title="Paper", radius_m=1.0)
"""The paper's ε is per metre."""
RADII = (
    NamedRadius(name="doorway", title="Doorway", radius_m=20.0),
    NamedRadius(name="block", title="Block", radius_m=200.0),
    NamedRadius(name="district", title="District", radius_m=1000.0),
)


def reference_radius(scale: DataScale) -> NamedRadius:
    """Return the largest of :data:`RADII` at which noise of ε = 1 is usable for this ``scale``, or the smallest.

    It follows from the extent of the original: to publish it discloses roughly how large that is, which no guarantee
    covers.

    >>> reference_radius(DataScale(median_step_m=None, extent_m=8500, stay_radius_m=None)).title
    'Block'
    """
    most_m = USABLE_SHARE * (scale.extent_m or 0.0)
    usable = [radius for radius in RADII if P95 * radius.radius_m <= most_m]
    return usable[-1] if usable else RADII[0]


def within(epsilon: float, radius_m: float, reference_m: float) -> float:
    """Return the level within ``reference_m`` metres of a level ``epsilon`` within ``radius_m`` metres.

    >>> within(1.0, 2.0, 200.0)
    100.0
    """
    return epsilon * (reference_m / radius_m)
