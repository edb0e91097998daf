"""What the level of a release of a count stream is about."""

from privacy_engine.core import plurals
from privacy_engine.mechanisms.base.stream import StreamMechanism


def unit(mechanism: StreamMechanism) -> str:
    """So many timestamps."""
    return "timestamp" if mechanism.window == 1 else plurals.quantity(mechanism.window, "timestamp")


ADAPTER = unit
