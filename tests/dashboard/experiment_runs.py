"""Runs of experiments by a worker, in this process: whole, or until a number of parts are done."""

import pytest

from dashboard.experiments import execution
from dashboard.experiments.models import Experiment
from dashboard.jobs import leases
from dashboard.jobs.models import State


def work_off(limit=10_000, *, end=leases.Preempted):
    """Do what a worker does until no experiment waits, or ``limit`` parts are done: then it gives way, or is killed."""
    done, plain = [], execution._run_part

    def run_part(pk):
        if len(done) == limit:
            raise end
        done.append(pk)
        return plain(pk)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(execution, "_run_part", run_part)
        while row := Experiment.objects.filter(state=State.QUEUED).order_by("created_at").first():
            execution.run(row.pk)
            if len(done) == limit:
                break
    return len(done)
