"""Cairn's web dashboard and REST API."""

from dashboard.config.celery import app as celery_app

__all__ = ["celery_app"]
