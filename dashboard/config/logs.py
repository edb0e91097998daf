"""What is logged, and how: a line for each record, to the console."""

import logging
from typing import Any

REFUSED_CHARS = 300
"""Of a request that Django refuses as suspicious: it may quote a header."""


def configuration(level: str) -> dict[str, Any]:
    """``LOGGING`` of the settings, for records from ``level`` on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
        "filters": {"in-one-line": {"()": "django.utils.log.CallbackFilter", "callback": in_one_line}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["in-one-line"]}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django.request": {"level": "ERROR"},
            "celery": {"level": "WARNING"},
            "botocore": {"level": "WARNING"},
        },
    }


def in_one_line(record: logging.LogRecord) -> bool:
    """A line of what Django logs of a refused request, as of that to a wrong host; its traceback is of no use."""
    if record.name.startswith("django.security"):
        record.msg, record.args, record.exc_info = record.getMessage()[:REFUSED_CHARS], (), None
    return True
