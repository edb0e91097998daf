"""The Celery tasks of all jobs: ``run`` of the module ``execution`` of the model's app, of parts ``run_part``."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dashboard.jobs.models import Job, JobPart, models_of
from dashboard.jobs.queue import job_task


def _work_of(model: type[Job]) -> Callable[[Any], bool]:
    module = import_module(f"{model._meta.app_config.name}.execution")
    work: Callable[[Any], bool] = module.run_part if issubclass(model, JobPart) else module.run
    return work


TASKS = {model: job_task(model, _work_of(model)) for model in models_of()}
