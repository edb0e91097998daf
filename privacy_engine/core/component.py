"""``Component``: a frozen description with a registered name, from which forms, schemas and documentation derive."""

import inspect
import re
from typing import Any, ClassVar

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from privacy_engine.core.origin import Origin
from privacy_engine.core.params import Frozen, Param, choices_of, param_of

_REFERENCES = "\n\nReferences\n----------\n"
_REFERENCE = re.compile(r"^\.\. \[\d+\] (.+?)(?=^\.\. \[|\Z)", re.MULTILINE | re.DOTALL)


class Component(Frozen):
    """Something with a registered ``name`` and what a page needs to show it.

    ``origin`` is the package that it comes from; None for Cairn's own.
    """

    title: ClassVar[str]
    short: ClassVar[str] = ""
    summary: ClassVar[str]
    kind: ClassVar[str] = "trajectory"
    needs_time: ClassVar[bool] = False
    needs_column: ClassVar[bool] = False
    origin: ClassVar[Origin | None] = None

    name: str

    @classmethod
    def needs(cls) -> list[str]:
        """What a dataset must have for it: ``time``, ``landmark column``. A page leaves out what lacks its needs."""
        return ["time"] * cls.needs_time + ["landmark column"] * cls.needs_column

    @classmethod
    def registered_name(cls) -> str:
        """The name this class is registered under; it never changes meaning."""
        return str(cls.model_fields["name"].default)

    @classmethod
    def legend(cls) -> str:
        """Its title where space is short."""
        return cls.short or cls.title

    @classmethod
    def fields(cls) -> list[dict[str, Any]]:
        """Its parameters as form fields: name, label, unit, symbol, help, bounds, choices, default, required."""
        fields = []
        for field, info in cls.model_fields.items():
            if field == "name":
                continue
            param = param_of(info)
            if param is None:
                raise TypeError(f"{cls.__name__}.{field} must be declared with a Param")
            fields.append(form_field(field, info, param))
        return fields

    def parameter(self, name: str, otherwise: Any = None) -> Any:
        """The value of a declared parameter; ``otherwise`` where it declares none of this name."""
        return getattr(self, name) if name in type(self).model_fields else otherwise

    @classmethod
    def documentation(cls) -> str:
        """The class's docstring, indentation removed; where it cites without references of its own, with its base's."""
        own = inspect.getdoc(cls) or ""
        if _REFERENCES in own or "[1]_" not in own:
            return own
        others = ((inspect.getdoc(base) or "").partition(_REFERENCES) for base in cls.__mro__)
        return own + next((head + text for _, head, text in others if head), "")

    @classmethod
    def references(cls) -> list[str]:
        """The references of its docstring, each on a line."""
        return [" ".join(text.split()) for text in _REFERENCE.findall(cls.documentation())]

    @classmethod
    def source(cls) -> str:
        """The references of its docstring, all on a single line."""
        return " ".join(cls.references())


def form_fields(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """The fields of a model that are declared with a Param, as form fields by name."""
    params = {name: (info, param_of(info)) for name, info in model.model_fields.items()}
    return {name: form_field(name, info, param) for name, (info, param) in params.items() if param is not None}


def form_field(name: str, info: FieldInfo, param: Param) -> dict[str, Any]:
    """A parameter as a form field: name, label, unit, symbol, help, bounds, choices, default, required."""
    labels = dict(param.options)
    return {
        "name": name,
        "label": param.label,
        "symbol": param.symbol,
        "unit": param.unit,
        "help": param.help,
        "minimum": param.lowest,
        "maximum": param.highest,
        "example": param.example,
        "whole": info.annotation in (int, int | None),
        "text": info.annotation in (str, str | None),
        "control": param.control,
        "choices": [{"value": value, "label": labels.get(value, value)} for value in choices_of(info)],
        "default": None if info.is_required() else info.default,
        "required": info.is_required(),
    }
