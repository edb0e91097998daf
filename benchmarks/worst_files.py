"""How long the file takes that takes longest: for each format the worst of its size, at three sizes.

Usage: ``python -m benchmarks.worst_files [FORMAT …]``. The ways to lengthen a file are those of
``tests/engine/worst_files.py``; each is tried at 1 MB, the slowest at 4 MB,
and the slowest of those is read at 1, 4 and 16 MB in new processes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

SIZES = (1_000_000, 4_000_000, 16_000_000)
SLOWEST = 12
_ONE = """
import json, re, sys
from pathlib import Path
from tests.engine.damaged_files import SEEDS
from tests.engine.worst_files import cpu_s
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
cpu_s(SEEDS[sys.argv[1]])  # what every first reading loads
before = peak()
seconds, end = cpu_s(Path(sys.argv[2]))
print(json.dumps([seconds, (peak() - before) / 1000, end]))
"""


def measured(name: str, data: bytes) -> tuple[int, float, float, str]:
    """Bytes, CPU seconds, MB that reading added, and how it ended, of one file in a new process."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run([sys.executable, "-c", _ONE, name, file.name], capture_output=True, check=True)
    return len(data), *json.loads(done.stdout)


def main(names: list[str]) -> None:
    from tests.engine.damaged_files import NAMES
    from tests.engine.worst_files import cases, cpu_s

    print("| format | worst file found | ends with | CPU s at 1, 4, 16 MB | s a MB | MB of memory a MB |")
    print("|---|---|---|---|---|---|")
    for name in names or NAMES:
        slow = sorted(cases(name), key=lambda case: cpu_s(case.make(SIZES[0]))[0])[-SLOWEST:]
        worst = max(slow, key=lambda case: cpu_s(case.make(SIZES[1]))[0])
        found = [measured(name, worst.make(size)) for size in SIZES]
        seconds = ", ".join(f"{one[1]:.2f}" for one in found)
        size, last, memory, end = found[-1]
        label = worst.label.replace("|", "\\|")
        print(
            f"| {name} | {label} | {end} | {seconds} | {1e6 * last / size:.2f} | {1e6 * memory / size:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
