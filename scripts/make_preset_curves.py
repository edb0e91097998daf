"""Make dashboard/experiments/preset_curves.json: what each preset gives on the data that it generates, a few times.

    python scripts/make_preset_curves.py

Cards of presets show these curves. tests/dashboard/test_experiments_kinds.py computes some of them again.
"""

import json
import os
import sys
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
django.setup()

from dashboard.experiments.run_results import FILE, curves_of  # noqa: E402
from privacy_engine.experiments import presets  # noqa: E402

FILE.write_text(json.dumps({cls.registered_name(): curves_of(cls.registered_name()) for cls in presets}) + "\n")
