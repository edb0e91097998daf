"""Every mechanism, one file each. Importing a family registers it."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms import landmark
from privacy_engine.mechanisms import stream
from privacy_engine.mechanisms import recommendation

__all__ = ["landmark", "recommendation", "stream"]
