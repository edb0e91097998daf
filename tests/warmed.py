"""``python -m tests.warmed FOLDER``: copy the kernels' cache as it is now, for tests/test_warm.py."""

import shutil
import sys
from pathlib import Path

from privacy_engine import kernels

if __name__ == "__main__":
    cache = Path(kernels.CACHE_FOLDER)
    shutil.copytree(cache, Path(sys.argv[1]) / cache.name, dirs_exist_ok=True)
