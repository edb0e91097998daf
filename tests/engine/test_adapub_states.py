"""States of AdaPub: clusters of many timestamps have rows of their own, which states stored before do not have."""

import numpy as np

from privacy_engine import noise
from privacy_engine.kernels.adapub import LONGEST
from privacy_engine.mechanisms.base.publisher_state import from_bytes, to_bytes
from privacy_engine.mechanisms.stream import StreamAdaPub
from privacy_engine.mechanisms.stream.adapub_run import NEAR
from tests.cases import each

DIMENSIONS = 70


def with_long_rows(run):
    """The state of ``run`` as it was stored when every cluster had as much memory as the longest."""
    found = {}
    for name in ("raw", "noisy"):
        values = np.pad(getattr(run.state, name), ((0, 0), (0, LONGEST - NEAR)))
        for c in np.flatnonzero(run.state.size > NEAR):
            values[c] = getattr(run.long, name)[run.long.place[c]]
        found[name] = values
    return list(run.state._replace(**found))


@each("mode", ["svt", "post"])
def test_a_state_stored_before_continues_the_same(mode):
    rows = np.random.default_rng(1).integers(90, 110, (400, DIMENSIONS))
    one = StreamAdaPub(epsilon=0.1, window=100, sensitivity=1, mode=mode, partition="none")
    before = one.start(DIMENSIONS, noise.seeded(1))
    before.publish_all(rows[:200])
    assert np.count_nonzero(before.run.state.size > NEAR) > 1
    stored = from_bytes(before.state())
    own = stored["own"]["run"]
    del own["long"]
    own |= {"state": with_long_rows(before.run), "_largest": int(before.run.state.size.max())}
    found = []
    for state in (before.state(), to_bytes(stored)):
        after = one.start(DIMENSIONS, noise.seeded(2))
        after.restore(state)
        found.append(after.publish_all(rows[200:]))
    assert np.array_equal(*found)
