"""An audit of every publishable mechanism, and its table; a file stores the results as they come."""

import json
import subprocess  # nosec B404
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from privacy_engine import __version__
from privacy_engine.audit.kinds import Watch
from privacy_engine.audit.run import VIOLATED, audit, claimed_per
from privacy_engine.audit.spec import AuditSpec, completed
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms

CLAIM = {"epsilon": 1.0, "radius_m": 200.0}
START, END = "<!-- audit -->", "<!-- /audit -->"
HEAD = ("name", "kind", "unit", "claimed", "at least", "verdict", "commit", "draws")


@dataclass(frozen=True)
class Line:
    """The result of an audit: ``claimed`` and ``at_least`` are ε per ``unit``, ``draws`` those of each input."""

    name: str
    kind: str
    unit: str
    claimed: float
    at_least: float
    verdict: str
    commit: str
    draws: int


def described() -> Iterator[tuple[type[Mechanism], AuditSpec]]:
    """Every publishable mechanism at ε = 1, the distance being 200 m; those of check-ins by user and by record."""
    for cls in mechanisms:
        if not cls.publishable:
            continue
        fields = {field["name"]: field for field in cls.fields()}
        claim = {name: value for name, value in CLAIM.items() if name in fields}
        for unit in fields.get("privacy_unit", {"choices": [{}]})["choices"]:
            chosen = {"privacy_unit": unit["value"]} if unit else {}
            description, _ = completed({"name": cls.registered_name(), **claim, **chosen})
            yield cls, AuditSpec(mechanism=description)


def every(
    trials: int, seed: int | None, file: Path | None, *, watch: Watch, wrote: Callable[[list[Line]], None]
) -> list[Line]:
    """Audit all of :func:`described`; ``wrote`` receives the lines so far after each, ``file`` keeps them.

    An audit of at least ``trials`` draws that is in the file is not repeated: an interrupted run continues.

    Raises
    ------
    DataError
        The file has something else.
    """
    specs, at = [(cls, spec.model_copy(update={"trials": trials, "seed": seed})) for cls, spec in described()], commit()
    known = {(line.name, line.unit): line for line in read(file)} if file else {}
    keys = [(spec.name, claimed_per(spec)) for _, spec in specs]
    for i, ((cls, spec), key) in enumerate(zip(specs, keys, strict=True)):
        if key not in known or known[key].draws < trials:
            AuditSpec.parse(spec.model_dump())
            made = audit(spec, watch=lambda share, i=i: watch((i + share) / len(specs)))  # type: ignore[misc]
            known[key] = Line(*key[:1], cls.kind, key[1], made.claimed, made.lower_bound, made.verdict, at, trials)
            if file:
                keep(file, [known[claim] for claim in keys if claim in known])
        wrote([known[claim] for claim in keys if claim in known])
    return [known[claim] for claim in keys]


def read(file: Path) -> list[Line]:
    """The lines of a file, none where there is no file; DataError where it has something else."""
    if not file.exists():
        return []
    try:
        return [Line(**line) for line in json.loads(file.read_text(encoding="utf-8"))]
    except (ValueError, TypeError):
        rule = "audits that --all wrote"
        raise DataError(f"{file} must have {rule}", field="json", rule=rule, value=str(file)) from None


def keep(file: Path, lines: list[Line]) -> None:
    """Write the lines to a file, which is never half written."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(json.dumps([asdict(line) for line in lines], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(file)


def table(lines: list[Line]) -> str:
    """The lines as a table in Markdown, with how many claims were refuted above it."""
    refuted = [f"{line.name} ({line.unit})" for line in lines if line.verdict == VIOLATED]
    rows = [HEAD, ("---",) * len(HEAD), *(_cells(line) for line in lines)]
    text = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    names = len({line.name for line in lines})
    outcome = f"{len(refuted)} of {len(lines)} claims refuted{': ' * bool(refuted)}{', '.join(refuted)}"
    return f"{names} publishable mechanisms, {outcome}.\n\n{text}"


def _cells(line: Line) -> tuple[str, ...]:
    numbers = f"{line.claimed:g}", f"{line.at_least:.3f}"
    return line.name, line.kind, line.unit, *numbers, line.verdict, line.commit, f"{line.draws:,}"


def put(page: Path, lines: list[Line]) -> None:
    """Write the table of the lines between :data:`START` and :data:`END` of a page; errors of :func:`around`."""
    head, after = around(page)
    page.write_text(f"{head}{START}\n{table(lines)}\n{END}{after}", encoding="utf-8")


def around(page: Path) -> tuple[str, str]:
    """What a page has before and after the table; DataError where it has no place for a table."""
    head, start, rest = page.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        rule = f"a page with {START} and {END}"
        raise DataError(f"{page} must be {rule}", field="page", rule=rule, value=str(page))
    return head, after


def commit() -> str:
    """The commit that is audited, of an installation without its repository the version."""
    try:
        _git(
            "ls-files", "--error-unmatch", Path(__file__).name
        )  # not a repository that an installation happens to lie in
        return _git("rev-parse", "--short", "HEAD")
    except (OSError, subprocess.CalledProcessError):
        return f"version {__version__}"


def _git(*arguments: str) -> str:
    command, here = ["git", *arguments], Path(__file__).parent
    return subprocess.run(command, cwd=here, capture_output=True, text=True, check=True).stdout.strip()  # nosec
