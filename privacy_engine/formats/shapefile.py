"""Shapefiles: a ZIP with .shp, .dbf and .shx beside each other, and .prj and .cpg where there are any.

The parts are packed again for GDAL, which so receives nothing else of the archive and no name of it.
"""

import io
import struct
import zipfile
from collections.abc import Sequence

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.archive import allowed, member_source, opened
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.geopackage import joined, own_decisions, own_options
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source, display_name
from privacy_engine.formats.vector_layers import layer

_SIGNATURE = b"\x00\x00\x27\x0a"
_NEEDED = (".shp", ".shx", ".dbf")
_PARTS = (*_NEEDED, ".prj", ".cpg")


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of the layers of a zipped shapefile; where some have times, of those alone."""
    report.unit = "row"
    data = source.read()
    if not data.startswith(b"PK"):
        message = "A shapefile is several files. Put its .shp, .shx, .dbf and .prj into one ZIP and upload that."
        raise FormatError(message, code="part_of_shapefile", rule="a ZIP with .shp, .shx and .dbf")
    layers = []
    with opened(io.BytesIO(data), source.meter) as archive:
        members = allowed(archive, report, source.meter)
        bases = _bases([info.filename for info in members])
        chosen = own_options([display_name(base) for base in bases], options)
        for base in bases:
            name = display_name(base)
            if name not in chosen:
                report.decided.setdefault("members", {})[name] = None
                continue
            parts = {info.filename.lower()[-4:]: info for info in members if info.filename.lower()[:-4] == base}
            missing = [part for part in _NEEDED if part not in parts]
            if missing:
                message = (
                    f"The shapefile {display_name(base)[:60]!r} lacks its {' and '.join(missing)}. Add it to the ZIP."
                )
                raise FormatError(message, code="part_of_shapefile", rule="a ZIP with .shp, .shx and .dbf")
            packed = _packed(archive, {part: parts[part] for part in _PARTS if part in parts}, source)
            with own_decisions(name, len(bases), report):
                layers.append(layer(packed, name, "shapefile", chosen[name], report))
    return joined(layers, options, report)


def _check(files: dict[str, bytes], base: str) -> None:
    """Refuse sizes that disagree: GDAL reads as many rows as a damaged header counts."""
    dbf, shx = files[".dbf"], files[".shx"]
    rows, header, row = struct.unpack_from("<IHH", dbf, 4) if len(dbf) >= 32 else (0, 0, 0)
    if not header or header + rows * row > len(dbf) + 1 or rows != (len(shx) - 100) // 8:
        message = f"The shapefile {base[:60]!r} is damaged: its .dbf and .shx do not hold the same number of rows."
        raise FormatError(message, code="bad_vector_file", rule="as many rows in .dbf as in .shx")


def _packed(archive: zipfile.ZipFile, parts: dict[str, zipfile.ZipInfo], source: Source) -> bytes:
    """The parts of a shapefile as an archive of their own, uncompressed."""
    files = {}
    for part, info in parts.items():
        with member_source(archive, info, source.meter) as member:
            files[part] = member.read()
    _check(files, display_name(parts[".shp"].filename))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as own:
        for part, data in files.items():
            own.writestr(f"layer{part}", data)
    return out.getvalue()


def _bases(names: Sequence[str]) -> list[str]:
    """The names of the shapefiles among the members of an archive, in lower case and without extension."""
    return sorted({name.lower()[:-4] for name in names if name.lower().endswith(".shp")})


def of_archive(names: Sequence[str]) -> bool:
    """Whether an archive holds a file called .shp."""
    return bool(_bases(names))


def sniff(head: bytes) -> bool:
    """Whether the ZIP holds a .shp (a .shp alone is refused with advice)."""
    return head.startswith(_SIGNATURE + b"\0" * 20)


SHAPEFILE = register(
    Format(
        "shapefile",
        "Shapefile (zipped)",
        ("shp",),
        sniff,
        read,
        rank=14,
        keeps="times, series, landmarks, coordinate system",
        options=("clock", "end", "id", "landmark", "ends", *TIMED),
        columns=("time", "id", "person", "landmark"),
        person="a column, as of a CSV table; a name is the same person in all layers",
        source="https://www.esri.com/content/dam/esrisites/sitecore-archive/Files/Pdfs/library/whitepapers/pdfs/"
        "shapefile.pdf",
        of_archive=of_archive,
    )
)
