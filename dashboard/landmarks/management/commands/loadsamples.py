"""``manage.py loadsamples USER``: generated samples to try Cairn with."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.accounts.selectors import user_named
from dashboard.landmarks.generated_samples import load_samples


class Command(BaseCommand):
    """Uploads each sample that USER does not have yet and marks its landmarks."""

    help = "Give USER the generated samples with their landmark sets; those already there are left alone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user")

    def handle(self, *args: Any, **options: Any) -> None:
        for dataset in load_samples(owner=user_named(options["user"])):
            self.stdout.write(f"{dataset.name}: {dataset.points} events")
