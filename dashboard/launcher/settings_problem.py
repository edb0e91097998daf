"""Settings that cannot be read, as a finding of ``doctor``: without them Django finds no command at all."""

import json
import sys
from collections.abc import Sequence

DO = "Correct that variable or file; README.md and docs/operations.md list them."


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
