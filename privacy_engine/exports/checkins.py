"""Published models of check-ins as files: the model as JSON, and a CSV table of its cells."""

from collections.abc import Mapping
from typing import BinaryIO

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import CheckIns
from privacy_engine.errors import DataError
from privacy_engine.exports.base import (
    JSON_COLUMN,
    MODELS,
    TABLES,
    ExportFormat,
    Exports,
    Label,
    as_json,
    cell_text,
    sentence,
)
from privacy_engine.exports.checkins_notebook import CELLS
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.recommender import PopularityModel, Recommender

COLUMNS = ("cell", "west", "south", "east", "north", "count")
MASS = "mass"
"""The last column of a model that publishes more than counts: the mass of a cell need not be a whole number."""


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
    out.write((",".join([*columns, OUR_COLUMN, JSON_COLUMN]) + "\r\n").encode())
    values = [repr(value) for value in reported((mass if counts is None else counts).tolist(), ROWS)]
    first = f"{cell_text(sentence(label))},{cell_text(as_json(dict(label)))}"
    for cell, (box, value) in enumerate(reported(zip(model.grid.boxes().tolist(), values, strict=True), ROWS)):
        edges = ",".join(repr(edge) for edge in box)
        out.write(f"{cell},{edges},{value},{first or ','}\r\n".encode())
        first = ""


FORMATS: Mapping[str, ExportFormat] = {
    fmt.name: fmt
    for fmt in (
        ExportFormat(
            "json",
            "Model as JSON",
            "application/json",
            "json",
            _write_json,
            MODELS,
            "The whole model, to recommend with: Cairn's library, any language.",
            bundled=True,
        ),
        ExportFormat(
            "csv",
            "CSV table of cells",
            "text/csv; charset=utf-8",
            "csv",
            _write_csv,
            TABLES,
            "A row for each cell: spreadsheets, R, pandas.",
            bundled=True,
            require=mass_of_cells,
        ),
    )
}

ADAPTER = Exports(CheckIns.kind, FORMATS, CELLS)
