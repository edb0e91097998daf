r"""PrivTree: which nodes are split without a bound on the height, and the budget of all decisions together.

A node of depth d with n points has the biased count :math:`b = \max(n - d \delta, \theta - \delta)` and is split if
:math:`b + K > \theta`, with K discrete Laplace noise of rate ρ. Here n, θ and δ are whole and :math:`\delta \ge 1`.

**All decisions together are** :math:`\rho (2F - 1)/(F - 1)`-**differentially private for a point more or less**, if
every point lies in at most one child of each node and :math:`\delta \ge \ln(F)/\rho`. [1]_ proves it for real noise;
for whole numbers: with :math:`q = e^{-\rho}`, :math:`t = b - \theta`, a node is split with probability

.. math:: p(t) = q^{1 - t}/(1 + q) \text{ for } t \le 1, \qquad p(t) = 1 - q^t/(1 + q) \text{ for } t \ge 0.

Let :math:`\ell(t) = \ln p(t) - \ln p(t - 1)`. (1) :math:`\ell(t) \le \rho` for every t. (2) For :math:`t \ge 2`,
:math:`\ell(t) \le (p(t) - p(t - 1))/p(t - 1) = q^{t - 1}(1 - q)/(1 + q - q^{t - 1}) \le \rho q^{t - 1}`, as :math:`q +
q^{t - 1}` is at most :math:`2q` and the denominator at least 1.

With the point, nodes on its path whose biased count is :math:`\theta - \delta` have it without the point too. Since all
is whole, every other node has :math:`t \ge 1 - \delta`, its parent :math:`t \ge 1`, the next :math:`t \ge 1 + \delta`,
then :math:`t \ge 1 + 2\delta`, … By (1) the deepest two change the odds by at most ρ each, by (2) the others by
:math:`\rho \sum_{i \ge 1} q^{i \delta} \le \rho \sum_{i \ge 1} F^{-i} = \rho/(F - 1)`: in sum :math:`\rho (2F - 1)/(F -
1)`. The node of the path that is not split is likelier not to be without the point, by at most :math:`e^\rho` (1).
c points, each more or less, change the odds by c times that: successively.

References
----------
.. [1] Zhang, Xiao, Xie. "PrivTree: A Differentially Private Algorithm for Hierarchical Decompositions". SIGMOD 2016.
"""

import math

import numpy as np

from privacy_engine.core.arrays import Floats, Ints


def privtree_scale(epsilon: float, fanout: int, contributions: int) -> float:
    r"""The scale λ of the noise of decisions, :math:`\frac{2F - 1}{F - 1} \cdot \frac{c}{\epsilon}`; its rate is 1/λ.

    >>> round(privtree_scale(0.5, 4, 1), 6)
    4.666667
    """
    return (2 * fanout - 1) / (fanout - 1) * contributions / epsilon


def privtree_decay(scale: float, fanout: int) -> float:
    r"""The least decay δ of biased counts by level, :math:`\lambda \ln F`.

    >>> round(privtree_decay(14 / 3, 4), 4)
    6.4694
    """
    return scale * math.log(fanout)


def whole_decay(rate: float, fanout: int) -> int:
    """The least whole decay for noise of a ``rate``, at least 1, rounded up beyond the logarithm's error."""
    return max(1, math.ceil(privtree_decay(1 / rate, fanout) * (1 + 1e-12)))


def biased(counts: Ints, depth: int | Ints, decay: int, threshold: int) -> Ints:
    """The biased counts of nodes at ``depth``, (n,): at least the threshold less a decay."""
    return np.asarray(np.maximum(counts - depth * decay, threshold - decay))


def decision_logs(excess: Ints, rate: float) -> tuple[Floats, Floats]:
    """Logarithms of the probabilities that nodes are split, and that they are not, (n,) each.

    ``excess`` (n,) is the biased count less the threshold, ``rate`` that of the noise.
    """
    upper = excess > 0
    steps = np.where(upper, excess, 1 - excess)  # the less likely of the two has q to this power
    rare = -rate * steps - np.log1p(np.exp(-rate))
    likely = np.log1p(-np.exp(rare))
    return np.where(upper, likely, rare), np.where(upper, rare, likely)
