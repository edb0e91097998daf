"""One process of a race for a budget: ``python -m tests.dashboard.budget_race DATASET THREADS EPSILON RADIUS_M START``.

Waits for the file START, lets every thread try to reserve once, prints how many were granted.
"""

import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import django


def main(dataset_id, threads, epsilon, radius_m, start):
    django.setup()
    from django.db import connection

    from dashboard.datasets import ledger
    from dashboard.datasets.models import Dataset
    from privacy_engine.mechanisms.landmark import Uniform

    mechanism = Uniform(epsilon=float(epsilon), radius_m=float(radius_m))
    dataset = Dataset.objects.get(pk=dataset_id)

    def reserve(_):
        try:
            ledger.reserve(dataset=dataset, release_id=uuid.uuid4(), mechanism=mechanism)
        except ledger.BudgetExceeded:
            return False
        finally:
            connection.close()
        return True

    print("ready", flush=True)
    while not Path(start).exists():
        time.sleep(0.005)
    with ThreadPoolExecutor(int(threads)) as pool:
        print(sum(pool.map(reserve, range(int(threads)))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
