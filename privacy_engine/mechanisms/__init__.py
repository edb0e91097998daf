"""Every mechanism, each in a file. Importing a family registers it; families that are not listed come last."""

# ruff: noqa: I001  (the order of registration is the order of forms and legends)

from privacy_engine.mechanisms import landmark
from privacy_engine.mechanisms import stream
from privacy_engine.mechanisms import checkins
from privacy_engine.registry import import_all

import_all(__name__)
