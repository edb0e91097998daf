"""A split of check-ins by user: those a model is fitted to, and those it is measured on."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from privacy_engine.core.arrays import Mask
from privacy_engine.data import CheckIns
from privacy_engine.errors import ParameterError


class Split(NamedTuple):
    """Check-ins of two sets of users without a user in common; codes and names of users stay those of the whole."""

    fitted: CheckIns
    others: CheckIns


def split_by_user(
    checkins: CheckIns, test_share: float, rng: np.random.Generator, *, density: float = 1.0, fold: int = 0
) -> Split:
    """Hold out all check-ins of a random ``test_share`` of the users; fit to a share ``density`` of the others.

    Parameters
    ----------
    test_share : float
        At least 0 and below 1. The number of users is rounded; above 0 some user is held out where there are
        two, and some user is fitted.
    density : float
        Above 0 and at most 1; which users are held out does not depend on it, and those fitted with a smaller share are
        among those of a larger share.
    fold : int
        Of the same state of ``rng``, different folds hold out different users, up to 1 / ``test_share`` of them.

    Raises
    ------
    ParameterError
        A share is out of its domain.
    """
    if not 0 <= test_share < 1:
        raise ParameterError.must_be("test_share", "at least 0 and below 1", test_share, got=f"{test_share:g}")
    if not 0 < density <= 1:
        raise ParameterError.must_be("density", "greater than 0 and at most 1", density, got=f"{density:g}")
    present = np.flatnonzero(np.bincount(checkins.user, minlength=len(checkins.users)))
    order = rng.permutation(present)
    held = 0 if not test_share else min(max(round(test_share * len(order)), 1), len(order) - 1)
    held = max(held, 0)
    order = np.roll(order, -fold * held)
    fitted = order[held : held + max(round(density * (len(order) - held)), 1)]
    return Split(*(_of_users(checkins, users) for users in (fitted, order[:held])))


def _of_users(checkins: CheckIns, users: np.ndarray) -> CheckIns:
    chosen = np.zeros(len(checkins.users), dtype=np.bool_)
    chosen[users] = True
    which: Mask = chosen[checkins.user]
    if which.all():
        return checkins
    columns = ("user", "time_s", "place", "lon", "lat")
    given = {name: column for name in columns if (column := getattr(checkins, name)) is not None}
    return replace(checkins, **{name: column[which] for name, column in given.items()})
