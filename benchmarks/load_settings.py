"""The server's settings and one view more, which does nothing: what every other request is compared with."""

from dashboard.config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.load_urls"
