"""What an experiment is computed from and into: its data, its blocks, the store that keeps them."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dashboard.experiments.common.inputs import inputs
from dashboard.experiments.models import Experiment
from dashboard.experiments.stored_blocks import BlockStore, block_store
from dashboard.storage.data_files import read_data
from privacy_engine import experiments
from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import reported
from privacy_engine.experiments import Block, ExperimentSpec
from privacy_engine.experiments.table import Results


def data_of(row: Experiment) -> Any:
    """What it is run on: a list of series, or an object of another kind, or None where its cells generate theirs."""
    given = None if row.dataset is None else read_data(row.dataset.kind, row.dataset.points_path)
    return experiments.data_of(inputs[row.kind].stated(row.parsed_spec, row.parsed_preset), given)


@dataclass(frozen=True, eq=False)
class Material:
    """An experiment's spec and blocks, for as long as a worker is at it."""

    pk: uuid.UUID
    spec: ExperimentSpec
    lengths: Sequence[int]
    store: BlockStore

    @cached_property
    def blocks(self) -> list[Block]:
        """All of them, as parts count them."""
        return experiments.in_order(experiments.blocks(self.spec, self.lengths))

    @cached_property
    def by_cell(self) -> dict[str, list[Block]]:
        """The blocks of each cell."""
        by_digest: dict[str, list[Block]] = {}
        for block in self.blocks:
            by_digest.setdefault(block.cell.digest, []).append(block)
        return by_digest

    def kept(self, block: Block, dataset: str) -> Floats | None:
        """What is kept of a block."""
        values = self.store.get(block.key(dataset))
        return values if values is not None and values.shape == (1 + len(block.cell.metrics), block.count) else None

    def results(self, dataset: str) -> tuple[Results, int]:
        """By cell what is kept of it, its repetitions side by side; and how many blocks are missing."""
        stored = {digest: [self.kept(block, dataset) for block in of] for digest, of in reported(self.by_cell.items())}
        missing = sum(values is None for parts in stored.values() for values in parts)
        there = {digest: [values for values in parts if values is not None] for digest, parts in stored.items()}
        whole = {digest: parts for digest, parts in there.items() if len(parts) == len(stored[digest])}
        return {digest: np.concatenate(parts, axis=1) for digest, parts in whole.items()}, missing


def material_of(row: Experiment) -> Material:
    """Its material; the last used in this process is cached, since its parts and its readers come in a row."""
    held = _held.get(row.pk)
    if held is None or held.lengths != row.lengths:  # its dataset may have been read again before it was resumed
        held = Material(row.pk, row.parsed_spec, row.lengths, block_store(row.owner_id))
        _held.clear()
        _held[row.pk] = held
    return held


_held: dict[uuid.UUID, Material] = {}
