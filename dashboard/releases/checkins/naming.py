"""What the level of a release of check-ins is about."""

from privacy_engine.mechanisms.base.checkins import CheckInMechanism


def unit(mechanism: CheckInMechanism) -> str:
    """A user or a check-in."""
    return "user" if mechanism.privacy_unit == "user" else "check-in"


ADAPTER = unit
