"""JSON without surprises: any Unicode encoding, and damage as errors that name the place."""

from __future__ import annotations

import json
import re
from typing import Any

from privacy_engine.errors import FormatError


def parsed(data: bytes) -> Any:
    """A whole document.

    Raises
    ------
    FormatError
        It is damaged, nested too deeply, or in another encoding.
    """
    try:
        text = data.decode("utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else data.decode("utf-8-sig")
        return json.loads(text)
    except RecursionError as error:
        raise FormatError("The JSON is nested too deeply.", code="too_deep") from error
    except json.JSONDecodeError as error:
        message = f"The JSON is damaged at line {error.lineno}, column {error.colno}. Is the file complete?"
        raise FormatError(message, code="bad_json", row=error.lineno, column=str(error.colno)) from error
    except UnicodeError as error:
        raise FormatError("The JSON is not UTF-8. Re-save it as UTF-8.", code="bad_encoding") from error
    except ValueError as error:  # a whole number of more than 4300 digits
        raise FormatError("The JSON holds a number that is too long.", code="bad_json") from error


def parsed_line(line: str) -> Any:
    """One line of a file of JSON lines; None where it is damaged."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def begins_like_json(head: bytes) -> bool:
    """Whether the text begins like JSON."""
    return re.match(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*[{\[][\s\0]*[\"\[{\]}]", head) is not None
