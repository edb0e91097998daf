"""How a level ε is shared by the levels of a tree."""

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.errors import ParameterError


def geometric_budgets(epsilon: float, height: int, ratio: float) -> Floats:
    r"""The share of each level, root first, (height + 1,): :math:`\epsilon_i \propto r^i`, in sum ε but for rounding.

    A range query on a quadtree of D axes reads about :math:`2^{D-1}` times as many nodes of a level as of the level
    above; the variance of its answer is then smallest for :math:`r = 2^{(D-1)/3}`, in a plane :math:`2^{1/3}` [1]_.

    Parameters
    ----------
    epsilon, ratio : float
        Finite and greater than 0.
    height : int
        Levels below the root, at least 0.

    Raises
    ------
    ParameterError
        One of them is out of its domain.

    References
    ----------
    .. [1] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.

    Examples
    --------
    >>> geometric_budgets(1.0, 3, 2.0).round(6).tolist()
    [0.066667, 0.133333, 0.266667, 0.533333]
    """
    for field, value in (("epsilon", epsilon), ("ratio", ratio)):
        if not 0 < value < np.inf:
            raise ParameterError.must_be(field, "finite and greater than 0", value, got=value)
    if height < 0:
        raise ParameterError(f"height must be at least 0, got {height}", field="height", rule=">= 0", value=height)
    weights = np.power(float(ratio), np.arange(height + 1) - height)
    return np.asarray(epsilon * (weights / weights.sum()))
