"""How often a published line turns otherwise than the original."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine.metrics import TrajectoryMetric


class TurnedShare(TrajectoryMetric):
    """The share of events at which the published line turns to the other side than the original, in per cent [1]_.

    References
    ----------
    .. [1] Own work, 2026: an example.
    """

    title: ClassVar[str] = "Wrong turns"
    unit: ClassVar[str] = "%"
    summary: ClassVar[str] = "How often the published line turns left where the original turns right, or the reverse."

    name: Literal["turned-share"] = "turned-share"

    def _over(self, truth, lon, lat, event):
        """For positions (..., m) that stand for the events (m,) of ``truth``."""
        if len(event) < 3:
            return np.zeros(lon.shape[:-1])
        wrong = _turns(lon, lat) * _turns(truth.lon[event], truth.lat[event]) < 0
        return 100 * wrong.mean(axis=-1)


def _turns(lon, lat):
    """Positive where the line turns left, (..., m - 2)."""
    east, north = np.diff((lon + 180) % 360) * np.cos(np.radians(lat[..., :1])), np.diff(lat)
    return east[..., :-1] * north[..., 1:] - north[..., :-1] * east[..., 1:]
