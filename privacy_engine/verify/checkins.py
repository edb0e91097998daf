"""Strict readers of exported models of check-ins, which know only what Cairn writes."""

import numpy as np

from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError
from privacy_engine.exports.base import JSON_COLUMN
from privacy_engine.exports.checkins import COLUMNS, MASS
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.recommender import PopularityModel, Recommender
from privacy_engine.verify.contents import Contents, ModelContents, Unreadable, whole_numbers
from privacy_engine.verify.files import ExportedFiles
from privacy_engine.verify.readers import from_json, labelled_rows, utf8


def read_model_json(data: bytes) -> Contents:
    """A model as JSON beside its label."""
    document = from_json(utf8(data))
    try:
        label = document["privacy"]
        text, described, off_grid = str(label["text"]), document["model"], list[str]()
        if "model" not in described:  # popularity, whose counts can be off the grid singly
            counts, off_grid = whole_numbers([str(count) for count in described["counts"]])
            described = described | {"counts": counts}
        return ModelContents(text, label, off_grid, Recommender.from_dict(described))
    except DataError as error:
        raise Unreadable(f"The document is not a model: {error}.") from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unreadable("The document is not a model with a label.") from error


def is_mass_table(data: bytes) -> bool:
    """Whether it is the mass of each cell: a part of a model, whose JSON is beside it."""
    header = ",".join([*COLUMNS[:-1], MASS, OUR_COLUMN, JSON_COLUMN])
    return data.partition(b"\n")[0].rstrip(b"\r") == header.encode()


def read_model_csv(data: bytes) -> Contents:
    """A CSV table of cells: the cell, its box and its count, and the label beside the first row."""
    header, rows, text, label = labelled_rows(data)
    if header == [*COLUMNS[:-1], MASS]:
        raise Unreadable("The table holds the mass of each cell, a part of the model: its JSON can be verified.")
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
    return ModelContents(text, label, off_grid, model)


def _format(data: bytes) -> str | None:
    beginnings = {b'{"model":': "model json", b"cell,west,": "model csv"}
    return next((name for begins, name in beginnings.items() if data.startswith(begins)), None)


ADAPTER = ExportedFiles(
    CheckIns.kind,
    rank=2,
    format_of=_format,
    readers={"model json": read_model_json, "model csv": read_model_csv},
    endings=("csv", "json"),
    is_part=is_mass_table,
)
