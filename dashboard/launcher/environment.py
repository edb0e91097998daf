"""Environment variables that processes start with, and settings that cannot be read."""

import json
import os
import sys
from collections.abc import Sequence

DO = "Correct that variable or file; README.md and docs/how-to/operations.md list them."


def refuse_broken_settings(arguments: Sequence[str]) -> None:
    """End ``doctor`` with its only finding if the settings cannot be read; do nothing for other commands."""
    if list(arguments[:1]) != ["doctor"]:
        return
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        settings.configured or settings.SECRET_KEY  # noqa: B018  the first access reads them
    except (ImproperlyConfigured, OSError, ValueError) as problem:
        what = f"The settings cannot be read: {problem}"
        finding = {"code": "settings", "level": "error", "what": what, "do": DO}
        if "--json" in arguments:
            sys.stdout.write(json.dumps({"ok": False, "checks": ["settings"], "findings": [finding]}, indent=2) + "\n")
        else:
            sys.stdout.write(f"ERROR settings: {what}\n  {DO}\n")
        sys.exit(1)


VARIABLES = {
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "",  # each start would compile what it imports, half a minute of it
    "PYTHONNODEBUGRANGES": "1",  # columns of code in tracebacks take 0.7 MB of every process
    "MALLOC_ARENA_MAX": "1",  # glibc's default, eight for each core, costs the web server's threads 5 MB
    "MALLOC_MMAP_THRESHOLD_": "4194304",  # its default grows with each array, and what is freed stays in the heap
}


def start_again_with_them(arguments: Sequence[str]) -> None:
    """Start this process once more with :data:`VARIABLES`, if it is to ``run`` and was started with others."""
    if list(arguments[:1]) == ["run"] and any(os.environ.get(name, "") != VARIABLES[name] for name in VARIABLES):
        os.environ.update(VARIABLES)
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606  # nosec B606  # itself
