"""``manage.py doctor``: what is wrong with this installation, and what to do."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.maintenance import doctor


class Command(BaseCommand):
    """Ends with 1 if something is wrong that stops work; warnings alone end with 0."""

    help = "Report what is wrong with this installation and what to do; exit code 1 if anything stops work."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print checks and findings as JSON")
        parser.add_argument("--files", action="store_true", help="read every stored file and compare its digest")

    def handle(self, *args: Any, **options: Any) -> None:
        names, findings = doctor.examine(self.stderr.write if options["files"] else None)
        errors = sum(finding.level == "error" for finding in findings)
        if options["json"]:
            report = {"ok": not errors, "checks": names, "findings": [asdict(finding) for finding in findings]}
            self.stdout.write(json.dumps(report, indent=2))
        else:
            for entry in findings:
                self.stdout.write(f"{entry.level.upper()} {entry.code}: {entry.what}\n  {entry.do}\n")
            self.stdout.write(f"{len(names)} checks, {errors} errors, {len(findings) - errors} warnings")
        if errors:
            sys.exit(1)
