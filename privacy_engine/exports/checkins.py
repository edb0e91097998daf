"""Published models of check-ins as files: the model as JSON, and a CSV table of its cells."""

from dataclasses import dataclass
from typing import BinaryIO, ClassVar

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError
from privacy_engine.exports.base import (
    MODELS,
    TABLES,
    ExportFormat,
    Label,
    as_json,
    write_rows,
)
from privacy_engine.exports.contents import Contents, PartOfRelease, Unreadable, whole_numbers
from privacy_engine.exports.reading import from_json, labelled_rows, utf8
from privacy_engine.recommender import PopularityModel, Recommender, model_digest

COLUMNS = ("cell", "west", "south", "east", "north", "count")
MASS = "mass"
"""The last column of a model that publishes more than counts: the mass of a cell need not be a whole number."""
CELL_HEADERS = (f"{','.join(COLUMNS)},".encode(), f"{','.join([*COLUMNS[:-1], MASS])},".encode())


def _write_json(model: Recommender, out: BinaryIO, label: Label) -> None:
    text = f'{{"model":{as_json(model.as_dict())},\n"privacy":{as_json(dict(label))}}}\n'
    out.write(text.encode("ascii"))


def mass_of_cells(model: Recommender) -> Floats:
    """The published mass of each cell, (cells,); DataError where a model has none, which CSV cannot represent."""
    mass = model.densities()
    if mass is None:
        raise DataError.must_be("format", "json where a model has no mass of cells", "csv", got="csv")
    return mass


def _write_csv(model: Recommender, out: BinaryIO, label: Label) -> None:
    mass = mass_of_cells(model)
    counts = model.counts if isinstance(model, PopularityModel) else None
    columns = (*COLUMNS[:-1], MASS) if counts is None else COLUMNS
    values = map(repr, reported((mass if counts is None else counts).tolist(), ROWS))
    cells = enumerate(reported(zip(model.grid.boxes().tolist(), values, strict=True), ROWS))
    rows = (f"{cell},{','.join(map(repr, box))},{value}" for cell, (box, value) in cells)
    write_rows(out, columns, rows, label)


@dataclass(frozen=True, eq=False)
class ModelContents(Contents):
    """The model of a file of check-ins."""

    model: Recommender | None = None

    kind: ClassVar[str] = CheckIns.kind

    @property
    def size(self) -> str:
        return f"{0 if self.model is None else len(self.model):,} cells"

    def digest(self) -> str:
        return "" if self.model is None else model_digest(self.model)


def _read_json(data: bytes) -> Contents:
    """A model as JSON beside its label."""
    document = from_json(utf8(data))
    try:
        label, described, off_grid = document["privacy"], document["model"], list[str]()
        if "model" not in described:  # popularity, whose counts can be off the grid singly
            counts, off_grid = whole_numbers([str(count) for count in described["counts"]])
            described = described | {"counts": counts}
        return ModelContents(label, off_grid, model=Recommender.from_dict(described))
    except DataError as error:
        raise Unreadable(f"The document is not a model: {error}.") from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unreadable("The document is not a model with a label.") from error


def _read_csv(data: bytes) -> Contents:
    """A CSV table of cells: the cell, its box and its count, and the label beside the first row."""
    header, rows, text, label = labelled_rows(data)
    if header == [*COLUMNS[:-1], MASS]:
        raise PartOfRelease("The table holds the mass of each cell, a part of the model: its JSON can be verified.")
    if header != list(COLUMNS):
        raise Unreadable(f"The table must have the columns {', '.join(COLUMNS)}.")
    counts, off_grid = whole_numbers([row[5] for row in rows])
    try:
        side = round(len(rows) ** 0.5)
        first, last = rows[0], rows[-1]
        grid = Grid.square(float(first[1]), float(first[2]), float(last[3]), float(last[4]), side)
        model = PopularityModel(grid, counts)
        boxes = np.array([row[1:5] for row in rows], dtype=np.float64)
    except (DataError, ValueError, OverflowError) as error:
        raise Unreadable("The cells of the table are no grid.") from error
    if [row[0] for row in rows] != [str(i) for i in range(len(rows))] or not np.array_equal(boxes, grid.boxes()):
        raise Unreadable("The cells of the table are not those of a grid, in order.")
    return ModelContents(label, off_grid, text, model)


FORMATS = (
    ExportFormat(
        CheckIns.kind,
        "json",
        "Model as JSON",
        "application/json",
        "json",
        _write_json,
        _read_json,
        lambda data: data.startswith(b'{"model":'),
        MODELS,
        "The whole model, to recommend with: Cairn's library, any language.",
        bundled=True,
    ),
    ExportFormat(
        CheckIns.kind,
        "csv",
        "CSV table of cells",
        "text/csv; charset=utf-8",
        "csv",
        _write_csv,
        _read_csv,
        lambda data: data.startswith(CELL_HEADERS),
        TABLES,
        "A row for each cell: spreadsheets, R, pandas.",
        bundled=True,
        require=mass_of_cells,
    ),
)
