"""What the data of every kind share in a notebook, and what their releases share."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from privacy_engine.core.step_text import parse_short_step
from privacy_engine.core.whole_files import by_ending, write_whole
from privacy_engine.datatypes import DataType, datatypes
from privacy_engine.datatypes.labelled_release import NONE, LabelledRelease
from privacy_engine.datatypes.tables import Table
from privacy_engine.fluent.drawing import card
from privacy_engine.fluent.frames import published_frame, with_geometry
from privacy_engine.formats import Report
from privacy_engine.formats.decisions import Decisions
from privacy_engine.mechanisms.base.mechanism import number_text
from privacy_engine.postprocess import postprocesses
from privacy_engine.registry import Registry
from privacy_engine.releases.spec import ReleaseSpec

FOR_OWNER = "It reads the original: for its owner alone."
RAW = "The original: raw data, which no promise covers."


class Original(ABC):
    """Data as they were read: raw, and never changed; each method returns something new.

    ``report`` is what the reading kept, dropped and guessed, None of generated data; ``decisions`` are the reading
    options that were decided from the data, which labels list.
    """

    kind: str

    def __init__(self, report: Report | None) -> None:
        self.report = report
        self.decisions = NONE if report is None else Decisions.of(report)

    @property
    def data_type(self) -> DataType:
        """What depends on the kind of data: mechanisms, metrics, formats."""
        return datatypes[self.kind]

    @property
    @abstractmethod
    def data(self) -> Any:
        """The data as the engine's functions take them."""

    def __len__(self) -> int:
        return self.data_type.size(self.data)

    @property
    def facts(self) -> Any:
        """What the data hold."""
        return self.data_type.facts(self.data)

    def __repr__(self) -> str:
        return f"<{self.data_type.title}: {', '.join(f'{name} {value}' for name, value in self._summary())}>"

    def _repr_html_(self) -> str:
        shown = card(self.data_type.title, self._summary(), self._drawing(), RAW)
        return shown + "".join(table._repr_html_() for table in self._read() if table.rows)

    def _read(self) -> list[Table]:
        """What the columns of a file were read as, and its first rows: what ``cairn read`` prints."""
        report = self.report or Report()
        return [Table("Columns", report.columns_text), Table("First rows", report.first_text)]

    def _summary(self) -> list[tuple[str, str]]:
        noted = [] if self.report is None else [(note["code"], note["message"]) for note in self.report.warnings]
        return [(self.data_type.items, number_text(len(self))), *self._facts(), *noted]

    @abstractmethod
    def _facts(self) -> list[tuple[str, str]]: ...

    @abstractmethod
    def _drawing(self) -> str: ...

    @abstractmethod
    def to_dataframe(self) -> Any:
        """The data as a pandas.DataFrame; raw data."""

    def to_geodataframe(self) -> Any:
        """The data as a geopandas.GeoDataFrame in WGS 84; raw data. MissingPackage without geopandas."""
        return with_geometry(self.to_dataframe())

    def spec(
        self, mechanism: str, seed: int | None, then: Any, parameters: Mapping[str, Any], **more: Any
    ) -> ReleaseSpec:
        """The described release of this kind of data; ``more`` are other fields of the spec.

        Raises
        ------
        ParameterErrors
            One for each parameter that is missing, unknown, or outside its domain.
        """
        described = {
            "mechanism": self.data_type.mechanisms.parse({"name": mechanism, **parameters}, field="mechanism"),
            "seed": seed,
            "postprocess": described_steps(then, postprocesses.of(self.kind), "then"),
            **more,
        }
        return ReleaseSpec.parse(described)

    def forecast(self, mechanism: str, **parameters: Any) -> Table:
        """What to expect of the error of such a release; for the owner. It raises what a release raises."""
        return self.expected(self.spec(mechanism, 0, (), parameters))

    def expected(self, spec: ReleaseSpec) -> Table:
        """The forecast of a described release."""
        forecast = self.data_type.forecast(spec, self.data, self.beside(spec))
        return Table(forecast.title, forecast.rows, f"{forecast.note} {FOR_OWNER}")

    def beside(self, spec: ReleaseSpec) -> Any:
        """What a release needs beside the data."""
        return None


class Released(ABC):
    """A release: what may be published, with the label that states what is guaranteed.

    :meth:`compare` and :meth:`forecast` read the original, which it keeps: they are for its owner. Everything else
    shows what was published. Store :meth:`write`'s files, not this object.
    """

    def __init__(self, made: LabelledRelease, original: Original) -> None:
        self.made = made
        self._original = original

    @property
    def label(self) -> dict[str, Any]:
        """The privacy label: what is protected, how much, against what."""
        return self.made.label

    @property
    def private(self) -> bool:
        """Whether the promise holds: False of a seeded run, which is a simulation."""
        return bool(self.label["private"])

    @property
    def statement(self) -> str:
        """What is promised, in a sentence."""
        return self.made.statement

    def __repr__(self) -> str:
        return f"<Release by {self.made.spec.title}: {self.statement}>"

    def _repr_html_(self) -> str:
        mechanism = self.made.spec.mechanism
        chosen = [
            (f"{field['label']} {field['symbol']}".strip(), f"{_shown(value)} {field['unit']}".strip())
            for field in mechanism.fields()
            if (value := mechanism.parameter(field["name"])) is not None
        ]
        facts = [("Private", "yes" if self.private else "no"), ("Protected", mechanism.protected_level()), *chosen]
        return card(f"Release by {self.made.spec.title}", facts, self._drawing(), self.statement)

    @abstractmethod
    def _drawing(self) -> str: ...

    def to_dataframe(self) -> Any:
        """What is published as a pandas.DataFrame, with the label in ``attrs["privacy_label"]``."""
        return published_frame(self.made)

    def to_geodataframe(self) -> Any:
        """What is published as a geopandas.GeoDataFrame in WGS 84. MissingPackage without geopandas."""
        return with_geometry(self.to_dataframe())

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write it with its label, in the format that the extension of ``path`` names, and return the path.

        Raises
        ------
        ParameterError
            The extension is of no format of this kind of data.
        """
        out = Path(path)
        fmt = by_ending(out, self.made.data_type.extensions, "path", "path")
        write_whole(out, partial(self.made.write, fmt))
        return out

    def forecast(self) -> Table:
        """What to expect of the error of this description; for the owner."""
        return self._original.expected(self.made.spec)

    def compare(self) -> Table:
        """Return each metric of the release against the original: for its owner, and not for publication."""
        data_type = self.made.data_type
        values = data_type.measure(self._original.data, self.made.published)
        rows = [
            {"name": name, "metric": cls.title, "value": values[name], "unit": cls.unit, "meaning": cls.summary}
            for cls in data_type.metrics
            if (name := cls.registered_name()) in values
        ]
        return Table("Release compared with the original", rows, FOR_OWNER)


def described_steps(steps: Any, registry: Registry[Any], option: str) -> list[Any]:
    """Descriptions of ``steps``: a step or several, each in short (``ou-smoother``), as an object or as a component."""
    several = steps if isinstance(steps, Sequence) and not isinstance(steps, str) else [steps] if steps else []
    return [parse_short_step(step, registry, option=option) if isinstance(step, str) else step for step in several]


def _shown(value: Any) -> str:
    return number_text(value) if type(value) in (int, float) else str(value)
