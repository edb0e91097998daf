"""The Celery task of the datasets app."""

from dashboard.datasets import execution
from dashboard.datasets.models import Dataset
from dashboard.jobs.queue import job_task

import_dataset = job_task(Dataset, execution.run)
