"""Coverage-guided fuzzing of one parser by atheris, which is no dependency: a command where it is installed.

``pip install atheris; python -m tests.engine.coverage_fuzz gpx -max_total_time=60``
"""

import sys
import tempfile
from pathlib import Path


def main(name, arguments):
    import atheris

    with atheris.instrument_imports(include=["privacy_engine.formats", "privacy_engine.data"]):
        from tests.engine.damaged_files import SEEDS, survive

    def target(data):
        survive(data, format=name)
        survive(data)

    with tempfile.TemporaryDirectory() as corpus:
        (Path(corpus) / name).write_bytes(SEEDS[name])
        atheris.Setup([sys.argv[0], *arguments, corpus], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
