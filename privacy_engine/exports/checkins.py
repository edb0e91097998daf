"""Published models of check-ins as files: the model as JSON, and a CSV table of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from privacy_engine.exports.base import JSON_COLUMN, ExportFormat, Label, as_json, cell_text, sentence
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.popularity import PopularityModel

COLUMNS = ("cell", "west", "south", "east", "north", "count")


def _write_json(model: PopularityModel, out: BinaryIO, label: Label) -> None:
    text = f'{{"model":{as_json(model.as_dict())},\n"privacy":{as_json(dict(label))}}}\n'
    out.write(text.encode("ascii"))


def _write_csv(model: PopularityModel, out: BinaryIO, label: Label) -> None:
    out.write((",".join([*COLUMNS, OUR_COLUMN, JSON_COLUMN]) + "\r\n").encode())
    first = f"{cell_text(sentence(label))},{cell_text(as_json(dict(label)))}"
    for cell, (box, count) in enumerate(zip(model.grid.boxes().tolist(), model.counts.tolist(), strict=True)):
        edges = ",".join(repr(edge) for edge in box)
        out.write(f"{cell},{edges},{count},{first or ','}\r\n".encode())
        first = ""


FORMATS: Mapping[str, ExportFormat] = {
    one.name: one
    for one in (
        ExportFormat("json", "Model as JSON", "application/json", "json", _write_json),
        ExportFormat("csv", "CSV table of cells", "text/csv; charset=utf-8", "csv", _write_csv),
    )
}
