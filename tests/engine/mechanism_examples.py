"""Every registered mechanism with parameters of its own, and the series and landmarks that try it."""

import numpy as np
import pytest
from hypothesis import strategies as st

from privacy_engine import mechanisms as _families  # noqa: F401  (registers them)
from privacy_engine.data import Trajectory
from privacy_engine.laws import trajectory as laws
from privacy_engine.laws.base import example as plain_example
from privacy_engine.laws.base import needed  # noqa: F401
from privacy_engine.laws.base import variants as plain_variants
from privacy_engine.laws.densities import protected_sets  # noqa: F401
from privacy_engine.laws.trajectory import adversarial_masks, same_release, walk  # noqa: F401
from privacy_engine.mechanisms.base.mechanism import mechanisms
from tests.cases import each

EXAMPLE = laws.GIVEN
CLASSES = list(mechanisms.of(Trajectory.kind))

every_mechanism = each("cls", CLASSES)


def every(registry):
    """A test of its own for each class of a registry."""
    return pytest.mark.parametrize("cls", list(registry), ids=lambda cls: cls.registered_name())


def every_mechanism_but(*exceptions):
    return each("cls", [cls for cls in CLASSES if cls not in exceptions])


masks = st.lists(st.booleans(), min_size=1, max_size=60).map(np.array)


def example(cls, **given):
    return plain_example(cls, **EXAMPLE | given)


def variants(cls, **given):
    return plain_variants(cls, laws.OTHER_NUMBERS, **EXAMPLE | given)


def assert_same_release(one, two):
    assert same_release(one, two)
