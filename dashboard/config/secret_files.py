"""Settings that are secrets: from the environment, or from a file that it names, such as a secret of Docker."""

import os
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured


def secret(name: str, default: str = "") -> str:
    """Return the value of the environment's ``name``, or the text of the file that ``name``_FILE names.

    Raises
    ------
    ImproperlyConfigured
        Both are set, or the file is not readable or empty.
    """
    value, file = os.environ.get(name, ""), os.environ.get(f"{name}_FILE", "")
    if value and file:
        raise ImproperlyConfigured(f"Only one of {name} and {name}_FILE may be set, got both")
    if not file:
        return value or default
    try:
        text = Path(file).expanduser().read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE must name a readable file, got {file!r}") from error
    if not text:
        raise ImproperlyConfigured(f"{name}_FILE must name a file with a value, {file!r} is empty")
    return text


def with_password(url: str, password: str) -> str:
    """Return ``url`` with ``password``, any text; a password that the address has already stays if there is none.

    >>> with_password("redis://redis:6379/0", "a/b@c")
    'redis://:a%2Fb%40c@redis:6379/0'
    """
    if not password:
        return url
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    user = quote(parts.username or "", safe="")
    return urlunsplit(parts._replace(netloc=f"{user}:{quote(password, safe='')}@{host}"))
