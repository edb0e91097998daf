r"""How well it can be guessed that a person is among the data of a release, by the best test there is.

The adversary has the data of all others and everything the person did, and is left with noise: by the lemma of Neyman
and Pearson no test of the same false positives finds more than the one on the likelihood ratio of the noisy numbers
[1]_. What a release computes of them can only be less. At the level of a person the accuracy is at most
:math:`e^\epsilon/(1 + e^\epsilon)`.

References
----------
.. [1] Neyman, Pearson. "On the Problem of the Most Efficient Tests of Statistical Hypotheses". Philosophical
   Transactions A 1933.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from privacy_engine import noise
from privacy_engine.core.arrays import Floats

FALSE_POSITIVES = 0.01


@dataclass(frozen=True)
class Membership:
    """The area under the curve of true by false positives, the best accuracy where presence is as likely as absence,
    and the share of true positives at 1 % of false ones."""

    auc: float
    accuracy: float
    found: float


def membership(changes: Floats, scales: Floats, *, trials: int = 4000, seed: int = 0) -> Membership:
    """The test against numbers that the person changes by ``changes`` (m,), with Laplace noise of ``scales`` (m,).

    Estimated from as many simulated releases with the person as without, whatever the data of the others are.
    """
    changed = changes != 0
    changes, scales = changes[changed], scales[changed]
    drawn = noise.simulated_laplace(1 / scales, 1.0, seed=seed, repetition=np.arange(2 * trials))
    without, present = drawn[:trials], drawn[trials:] + changes
    absent, members = (((np.abs(x) - np.abs(x - changes)) / scales).sum(axis=1) for x in (without, present))
    ranks = rankdata(np.concatenate([absent, members]))
    auc = (ranks[trials:].sum() - trials * (trials + 1) / 2) / trials**2
    accuracy = (np.mean(absent <= 0) + np.mean(members > 0)) / 2  # the ratio at which both are equally likely
    found = np.mean(members > np.quantile(absent, 1 - FALSE_POSITIVES))
    return Membership(float(auc), float(accuracy), float(found))


def most_accurate(epsilon: float) -> float:
    """No test of a release at the level of a person is right more often.

    >>> round(most_accurate(1.0), 3)
    0.731
    """
    return 1 / (1 + math.exp(-epsilon))
