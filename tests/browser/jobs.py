"""Jobs run in the process of a test."""

from celery import current_app

from dashboard.jobs import models as job_models
from dashboard.jobs.models import State


def run_jobs():
    """Run every queued job, and those they queue, in this thread as a worker would; return how many there were."""
    current_app.loader.import_default_modules()
    done = 0
    while waiting := [(model, pk) for model in job_models.models_of() for pk in _waiting(model)]:
        for model, pk in waiting:
            current_app.tasks[model.TASK](str(pk))
        done += len(waiting)
    return done


def _waiting(model):
    return list(model._default_manager.filter(state=State.QUEUED).values_list("pk", flat=True))
