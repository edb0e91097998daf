"""Partition of experiments: estimated work, stored blocks, parts for workers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.experiments import (
    Block,
    FolderStore,
    TrajectoryCell,
    blocks,
    cell_seconds,
    in_order,
    may_run_at_once,
    partition,
    parts,
    predicted_seconds,
    run,
)
from tests.engine.test_experiments import RANDOM, UNIFORM, small, walk

SIZES = {"landmark-uniform": 5, "landmark-adaptive": 7, "landmark-planned": 2}


@pytest.fixture(scope="module")
def series():
    return [walk(40), walk(25, seed=2)]


@pytest.fixture
def uneven(monkeypatch):
    """Cells that draw the same landmarks and are cut at other repetitions each."""
    monkeypatch.setattr(partition, "_usual_size", lambda cell, lengths: SIZES[cell.release.mechanism.name])
    return small(repetitions=17)


def firsts(of):
    """The first repetition of each cell's blocks, in their order."""
    found = {}
    for block in of:
        found.setdefault(block.cell.digest, []).append(block.first)
    return found


class TestWork:
    def test_grows_with_cells_repetitions_and_events(self, series):
        lengths = list(map(len, series))
        seconds = predicted_seconds(small(), lengths)
        assert seconds == pytest.approx(sum(cell_seconds(cell, lengths, 9) for cell in small().cells()))
        assert predicted_seconds(small(repetitions=90), lengths) > 5 * seconds
        assert predicted_seconds(small(), [4000]) > 5 * predicted_seconds(small(), [40])

    def test_decides_what_may_run_at_once(self):
        figure = {"base": {"release": UNIFORM, "landmarks": RANDOM}, "metrics": ["error"], "repetitions": 100}
        figure["grid"] = {"landmarks.share": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]}
        assert may_run_at_once(small(**figure), [1000])
        assert not may_run_at_once(small(**figure), [100_000])
        assert not may_run_at_once(small(**figure | {"repetitions": 1_000_000}), [1000])

    def test_sizes_blocks_by_the_cell_alone(self, series):
        few, many = (list(blocks(small(grid={}, repetitions=n), [20_000])) for n in (10_000, 20_000))
        assert [block.key("") for block in few[:-1]] == [block.key("") for block in many[: len(few) - 1]]
        assert sum(block.count for block in many) == 20_000


class TestBlocks:
    def test_that_draw_the_same_landmarks_follow_one_another(self, uneven, series):
        cut = list(blocks(uneven, [len(one) for one in series]))
        ordered = in_order(cut)
        assert sorted(map(id, ordered)) == sorted(map(id, cut))
        draws = [block.cell.draws for block in ordered]
        assert sum(a != b for a, b in pairwise(draws)) == len(set(draws)) - 1
        assert all(given == sorted(given) for given in firsts(ordered).values())

    @pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
    def test_of_any_sizes_give_the_same_table(self, uneven, series, workers):
        assert run(uneven, series, workers=workers).equals(run(uneven, series, size=17))

    def test_are_of_other_landmarks_where_each_cell_draws_its_own(self):
        grid = {"release": [UNIFORM, UNIFORM | {"postprocess": [{"name": "ou-smoother"}]}]}
        for common, draws in ((True, 1), (False, 2)):
            assert len({cell.draws for cell in small(common=common, grid=grid).cells()}) == draws


@pytest.mark.slow
class TestParts:
    @given(
        counts=st.lists(st.tuples(st.integers(1, 4000), st.integers(0, 3)), min_size=1, max_size=30),
        kept=st.sets(st.integers(0, 29)),
    )
    def test_hold_every_block_that_is_to_do_once(self, counts, kept):
        described = {"release": UNIFORM, "metrics": ["error"], "seed": 1}
        cells = [
            TrajectoryCell.parse(described | {"landmarks": RANDOM | {"seed": seed}, "redraw": True})
            for seed in range(4)
        ]
        found = in_order(Block(cells[which], 0, count) for count, which in counts)
        todo = [i for i in range(len(found)) if i not in kept]
        cut = list(parts(found, [300], todo))
        inside = [i for part in cut for i in range(part.start, part.stop) if i not in kept]
        assert inside == todo
        assert all(part.stop > part.start for part in cut)
        total = sum(cell_seconds(found[i].cell, [300], found[i].count) for i in todo)
        assert sum(part.seconds for part in cut) == pytest.approx(total)
        assert len(cut) <= partition.MOST_PARTS + 1
        for part in cut[:-1]:
            assert part.seconds >= partition.SHORTEST_PART_S
            split = found[part.stop - 1].draws == found[part.stop].draws if part.stop < len(found) else False
            assert not split or part.seconds >= partition.TOGETHER_S

    def test_are_what_processes_take(self, uneven, series, tmp_path):
        """The progress callback is called with every block, and each is stored."""
        store, received, again = FolderStore(tmp_path), [], []
        table = run(uneven, series, store, workers=2, watch=lambda *reported: received.append(reported))
        count = len(list(blocks(uneven, [len(one) for one in series])))
        assert received == [(i + 1, count) for i in range(count)]
        assert run(uneven, series, store, watch=lambda *reported: again.append(reported)).equals(table)
        assert again == []
