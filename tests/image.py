"""The Dockerfile without an engine: its instructions, the context that .dockerignore leaves, and its commands here."""

import json
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE, IGNORED = ROOT / "Dockerfile", ROOT / ".dockerignore"


def instructions(text):
    """The instructions of a Dockerfile with their arguments, continued lines joined and comments left out."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", "", lines)
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def copied(text):
    """What each COPY takes of the context, and where it goes."""
    pairs = (shlex.split(rest) for name, rest in instructions(text) if name == "COPY")
    return [(parts[:-1], parts[-1]) for parts in pairs]


def _expression(pattern):
    """A pattern of .dockerignore as Docker's own matcher reads it: ``*`` and ``?`` stay inside a folder."""
    found, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            found, at = f"{found}(?:.*/)?", at + 3
        elif pattern.startswith("**", at):
            found, at = f"{found}.*", at + 2
        elif pattern[at] in "*?":
            found, at = f"{found}[^/]{pattern[at].replace('?', '')}", at + 1
        elif pattern[at] == "[" and "]" in pattern[at:]:
            end = pattern.index("]", at)
            found, at = found + pattern[at : end + 1], end + 1
        else:
            at += pattern[at] == "\\" and at + 1 < len(pattern)
            found, at = found + re.escape(pattern[at]), at + 1
    return re.compile(found)


@dataclass(frozen=True)
class Ignore:
    """The rules of a .dockerignore: the last that fits a path, or a folder it is in, decides."""

    rules: tuple[tuple[bool, re.Pattern[str]], ...]

    @classmethod
    def of(cls, text):
        """The rules that the lines of a file state."""
        rules = []
        for line in text.splitlines():
            written = line.strip()
            if not written or line.startswith("#"):
                continue
            kept, pattern = written.startswith("!"), written.removeprefix("!").strip()
            rules.append((kept, _expression(os.path.normpath(pattern).lstrip("/"))))
        return cls(tuple(rules))

    def leaves(self, path):
        """Whether a file of the context is sent to the engine."""
        whole = PurePosixPath(path)
        places = [str(whole), *(str(parent) for parent in whole.parents if str(parent) != ".")]
        left = True
        for kept, expression in self.rules:
            if any(expression.fullmatch(place) for place in places):
                left = kept
        return left


def context(files):
    """Those of ``files`` that .dockerignore leaves to the build."""
    ignore = Ignore.of(IGNORED.read_text())
    return [file for file in files if ignore.leaves(file)]


def tracked():
    """The files of the repository, also those not committed yet."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


class Build:
    """The instructions of the Dockerfile carried out in a folder: /app, /data … are folders in it."""

    PLACES = ("/app", "/data", "/opt/numba-cache", "/tmp/build")
    """Absolute paths that the Dockerfile names."""

    def __init__(self, folder, binaries):
        self.folder, self.app = folder, folder / "app"
        self.app.mkdir()
        # nothing of the developer's environment: what the image needs must be in the image
        kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        self.env = kept | {"PATH": f"{binaries}:/usr/bin:/bin", "PYTHONNOUSERSITE": "1"}
        self.env |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        self.command: list[str] = []
        self.health: list[str] = []
        self.skipped: list[str] = []

    def here(self, text):
        """The text with the image's folders replaced by those of the build."""
        for place in self.PLACES:
            text = re.sub(rf"(?<![\w/]){place}\b", f"{self.folder}{place}", text)
        return text

    def run(self, *, without=()):
        """Carry them out, all but RUN lines that contain one of ``without`` or need root: these are listed."""
        left = context(tracked())
        for place in ("data/tmp", "opt/numba-cache"):
            (self.folder / place).mkdir(parents=True, exist_ok=True)
        for name, rest in instructions(DOCKERFILE.read_text()):
            if name == "ENV":
                for one in shlex.split(rest):
                    key, _, value = one.partition("=")
                    self.env[key] = self.here(value)
            elif name == "COPY":
                *sources, target = shlex.split(rest)
                self._copy(left, sources, target)
            elif name == "CMD":
                self.command = json.loads(rest)
            elif name == "HEALTHCHECK":
                self.health = json.loads(rest[rest.index("[") :])
            elif name == "RUN" and any(one in rest for one in ("useradd", *without)):
                self.skipped.append(rest)
            elif name == "RUN":
                self.shell(rest)

    def _copy(self, left, sources, target):
        for source in sources:
            files = [one for one in left if one == source or one.startswith(f"{source}/")]
            assert files, f"COPY {source}: it is not in the context that .dockerignore leaves"
            for one in files:
                inside = PurePosixPath(one).relative_to(source) if one != source else PurePosixPath(one).name
                place = self.app / target / inside
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / one, place)

    def shell(self, line):
        """Run a line of the image's shell; what it prints."""
        done = subprocess.run(
            ["sh", "-euc", self.here(line)], cwd=self.app, env=self.env, capture_output=True, text=True
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout
