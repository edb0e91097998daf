"""The two passes of least squares over a forest of nodes, of which inner ones are the sums of their children."""

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled_for, out


@compiled_for(out(f8[:, ::1]), i8[::1], f8[::1], f8[::1])
def consistent(values: Floats, parent: Ints, own: Floats, share: Floats) -> None:
    """Replace the ``values`` of nodes, (n, nodes), by those that are sums of their children's and nearest to them.

    Parents precede their children; ``parent`` is -1 for a root. ``own`` is the weight of a node's own value beside the
    sum of its children (1 for a leaf), ``share`` what part of the rest of its parent's sum a node takes.
    """
    nodes = len(parent)
    below = np.empty(nodes)
    for i in range(len(values)):
        below[:] = 0.0
        for v in range(nodes - 1, -1, -1):
            values[i, v] = own[v] * values[i, v] + (1.0 - own[v]) * below[v]
            if parent[v] >= 0:
                below[parent[v]] += values[i, v]
        for v in range(nodes):
            if parent[v] >= 0:
                values[i, v] += share[v] * (values[i, parent[v]] - below[parent[v]])
