"""Request bodies and queries, made harmless before anything looks at them; what an answer may be."""

import io
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, BinaryIO

from django.db.models import QuerySet
from django.http import FileResponse, QueryDict
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from dashboard.core.errors import TooLarge, must_be
from dashboard.core.failures import explained
from dashboard.core.filenames import content_disposition
from privacy_engine.errors import ParameterError, ParameterErrors

_WHOLE = re.compile(r"[+-]?[0-9]{1,15}", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?", re.ASCII)
UNKEPT = {"Cache-Control": "private, no-store"}
JSON_BYTES = 4_000_000  # half a million events marked by hand
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@extend_schema_field({"type": "object", "nullable": True})
class FailureField(serializers.ReadOnlyField):
    """Why a job failed, as its row keeps it, with what to do about it; null if it did not."""

    def to_representation(self, value: Any) -> dict[str, Any] | None:
        return explained(value)


class JSONBody(JSONParser):
    """JSON whose odd numbers (NaN, 1e999) reach the rules, which name the field; its depth and text do no harm."""

    strict = False

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        body = stream.read(JSON_BYTES + 1)
        if len(body) > JSON_BYTES:
            raise TooLarge("The body is too large.", rule=f"at most {JSON_BYTES} bytes of JSON")
        try:
            parsed = super().parse(io.BytesIO(body), media_type, parser_context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deep") from None
        if not isinstance(parsed, dict):  # a serializer takes null for a form without fields
            raise ParseError(f"A body must be a JSON object, got {parsed!r:.60}")
        if _SURROGATE.search(body):
            _refuse_lone_surrogates(parsed)
        return parsed


def _refuse_lone_surrogates(parsed: Any) -> None:
    try:
        _text(parsed).encode()
    except UnicodeEncodeError:
        raise ParseError("JSON parse error - half of a surrogate pair is no text") from None


def _text(parsed: Any) -> str:
    if isinstance(parsed, str):
        return parsed
    if isinstance(parsed, Mapping):
        return "".join(_text(key) + _text(value) for key, value in parsed.items())
    return "".join(map(_text, parsed)) if isinstance(parsed, list) else ""


class Anything(serializers.Field[Any, Any, Any, Any]):
    """A value that later rules check; ``schema`` describes it."""

    def __init__(self, schema: Any = None, **options: Any) -> None:
        super().__init__(**options)
        if schema is not None:
            extend_schema_field(schema)(self)

    def to_internal_value(self, data: Any) -> Any:
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class Whole(serializers.IntegerField):
    """A whole number in ASCII digits."""

    def to_internal_value(self, data: Any) -> int:
        if not _WHOLE.fullmatch(str(data)):
            raise must_be(self.field_name or "", "a whole number", data)
        return int(data)


class Number(serializers.FloatField):
    """A finite number in ASCII."""

    def to_internal_value(self, data: Any) -> float:
        if not _NUMBER.fullmatch(str(data)) or not math.isfinite(float(data)):
            raise must_be(self.field_name or "", "a finite number", data)
        return float(data)


class AnyAccept(DefaultContentNegotiation):
    """For answers that are files: errors are JSON whatever the client would like the file to be."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def file_body(media_type: str) -> OpenApiTypes:
    """What a schema calls a download: JSON where it is some."""
    return OpenApiTypes.OBJECT if "json" in media_type else OpenApiTypes.BINARY


def attachment(file: BinaryIO, media_type: str, name: str) -> FileResponse:
    """An open file as a download that no cache keeps and no browser takes for something else."""
    response = FileResponse(file, content_type=media_type, headers=UNKEPT | {"X-Content-Type-Options": "nosniff"})
    response["Content-Disposition"] = content_disposition(name)
    return response


class RowField(serializers.UUIDField):
    """The id of a row that the user may read: :func:`valid` returns the row in its place."""

    def __init__(self, visible_to: Callable[[Any], QuerySet[Any]], **options: Any) -> None:
        super().__init__(**options)
        self.visible_to = visible_to


def valid(serializer: type[serializers.Serializer[Any]], data: Any, user: Any = None) -> dict[str, Any]:
    """What the serializer makes of ``data``, a JSON object, form or query of ``user``; its errors go to the client.

    Raises
    ------
    ParameterErrors
        One error for each name that the serializer, or any inside it, does not have, and each value of another type.
    Http404
        The user may read no row of an id.
    """
    checked = serializer(data=data)
    errors = list(_unknown_fields(checked, data))
    errors += [] if isinstance(data, QueryDict) else _other_types(checked, data)
    if errors:
        raise ParameterErrors(errors)
    checked.is_valid(raise_exception=True)
    params = dict(checked.validated_data)
    for name, field in checked.fields.items():
        if isinstance(field, RowField) and params.get(name) is not None:
            params[name] = get_object_or_404(field.visible_to(user), pk=params[name])
    return params


def unknown_name(name: str, value: Any, known: Collection[str], *, sort: str, at: str = "") -> ParameterError:
    """Return the error of a ``name`` that is not in ``known``, with the name that was probably meant.

    ``sort`` is of what it is a name ("field"), ``at`` the path of the object that it is in.
    """
    rule = f"one of {', '.join(sorted(known))}" if known else f"no {sort}"
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    inside = at or "this operation"
    field = f"{at}.{name:.60}" if at else f"{name:.60}"
    message = f"{field} is not a {sort} of {inside}, which takes {rule}{hint}"
    return ParameterError(message, field=field, rule=rule, value=value)


CSRF = "csrfmiddlewaretoken"
"""A field that forms of pages have beside their own."""


def _unknown_fields(serializer: serializers.Serializer[Any], data: Any, at: str = "") -> Iterator[ParameterError]:
    """Names that a serializer would ignore."""
    if not isinstance(data, Mapping):
        return
    for name, value in data.items():
        inner = serializer.fields.get(name)
        if inner is None and name != CSRF:
            yield unknown_name(str(name), value, serializer.fields, sort="field", at=at)
        elif isinstance(inner, serializers.Serializer):
            yield from _unknown_fields(inner, value, f"{at}.{name}" if at else name)


_JSON_TYPES = {
    serializers.CharField: (str, "text"),
    serializers.UUIDField: (str, "an id as text"),
    serializers.BooleanField: (bool, "true or false"),
}


def _other_types(field: Any, value: Any, name: str = "") -> Iterator[ParameterError]:
    """Values of JSON whose type is not the field's: a serializer would read 1.5 as text and "no" as false."""
    if isinstance(field, serializers.Serializer) and isinstance(value, Mapping):
        for key, inner in field.fields.items():
            if value.get(key) is not None:
                yield from _other_types(inner, value[key], f"{name}.{key}" if name else key)
    elif isinstance(field, serializers.ListField) and isinstance(value, list):
        for item in value:
            yield from _other_types(field.child, item, name)
    for cls, (of, rule) in _JSON_TYPES.items():
        if isinstance(field, cls) and not isinstance(value, of):
            yield ParameterError(f"{name} must be {rule}, got {value!r:.60}", field=name, rule=rule, value=value)
