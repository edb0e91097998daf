"""Print which functions of this code one release runs: python scripts/executed_files.py [--list]

It works on the source tree of the working directory, as release_digests.py does: a dataset, one landmark set, and the
second POST /releases/ of a process, whose job runs after it. Functions are counted once, by the code that
sys.setprofile reports: lambdas and comprehensions are functions too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from temporary_installation import installation, trajectories

PACKAGES = ("dashboard", "privacy_engine")
Function = tuple[str, str, int]
"""File, name and line."""


def executed(call: Callable[[], Any]) -> tuple[Any, set[Function]]:
    """Return what a call returns, and the functions of the packages that ran meanwhile, by file, name and line."""
    codes = set[CodeType]()

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(profile)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    root = Path.cwd()
    folders = tuple(f"{root / name}/" for name in PACKAGES)
    ran = [one for one in codes if one.co_filename.startswith(folders)]
    return result, {
        (Path(one.co_filename).relative_to(root).as_posix(), one.co_qualname, one.co_firstlineno) for one in ran
    }


def printed(what: str, functions: set[Function], *, listed: bool) -> None:
    """Print how many functions of how many files ran, and which."""
    files = sorted({file for file, _, _ in functions})
    print(f"{what}: {len(functions)} functions in {len(files)} files")
    for file in files if listed else ():
        print(f"  {file}: {', '.join(sorted(name for of, name, _ in functions if of == file))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--list", action="store_true", help="name the files and their functions")
    given = parser.parse_args()
    with installation() as site:
        dataset = site.upload("walk.csv", trajectories())
        method = {"name": "stay-points", "distance_m": 200, "duration_s": 1800}
        landmark_set = site.made(site.post("landmark-sets/", {"dataset": dataset, "method": method}))
        mechanism = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}
        body = {"dataset": dataset, "landmark_set": landmark_set, "mechanism": mechanism}
        site.made(site.post("releases/", body))  # what is imported or compiled for the first one is not counted
        response, of_request = executed(lambda: site.post("releases/", body))
        _, of_worker = executed(lambda: site.made(response))
        printed("POST /releases/", of_request, listed=given.list)
        printed("the worker", of_worker, listed=given.list)


if __name__ == "__main__":
    main()
