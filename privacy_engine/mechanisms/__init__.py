"""Every mechanism, one file each. Importing a family registers it."""

from privacy_engine.mechanisms import landmark

__all__ = ["landmark"]
