"""The Celery task of the area_maps app."""

from dashboard.area_maps import execution
from dashboard.area_maps.models import AreaMap
from dashboard.jobs.queue import job_task

fetch_area_map = job_task(AreaMap, execution.run)
