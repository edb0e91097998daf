"""What is wrong with an installation, and what to do: the checks of ``manage.py doctor``."""

from dashboard.maintenance.doctor.finding import Finding
from dashboard.maintenance.doctor.run import CHECKS, examine

__all__ = ["CHECKS", "Finding", "examine"]
