"""What the level of a release of trajectories is about."""

from dashboard.core.templatetags.display import metres
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism


def unit(mechanism: TrajectoryMechanism) -> str:
    """A distance: 200 m."""
    return metres(mechanism.radius_m)


ADAPTER = unit
