"""Packages in a folder, as ``pip install --target`` leaves them."""

import subprocess
import sys

from tests.patience import patience


def installed(source, target):
    """Install the package of the folder ``source`` by pip, without what it needs and without a build environment."""
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=patience(120))


def written(folder, name, entry_points, **modules):
    """Write a package of ``name`` 1.0: ``entry_points`` by group, each {name: value}, and the text of its modules."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in named.items())
        for group, named in entry_points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines))
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)
