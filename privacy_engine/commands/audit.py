"""``cairn audit MECHANISM``: a lower bound of a mechanism's ε; no server, no database, no broker."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from privacy_engine.audit import (
    ALTERATIONS,
    NUMPY_LAPLACE,
    PREFIX,
    VIOLATED,
    AuditResult,
    AuditSpec,
    audit,
    claimed_per,
    completed,
)
from privacy_engine.commands.base import Command, CommandFailed, interruptible, pairs, progress_bar
from privacy_engine.errors import EngineError
from privacy_engine.mechanism import mechanisms
from privacy_engine.step_text import value_of

BAD_INPUT, INTERRUPTED = 2, 130
EXAMPLE = f"""\
mechanisms:
  {", ".join(cls.registered_name() for cls in mechanisms)}

controls, which break their claim on purpose:
  {PREFIX}{NUMPY_LAPLACE}, {", ".join(f"{PREFIX}{name}:MECHANISM" for name in ALTERATIONS)}

examples:
  cairn audit landmark-uniform --set epsilon=1 --set radius_m=200
  cairn audit control:half-noise:landmark-joint --set epsilon=1 --set radius_m=200 --trials 50000 --json

Exit code 0: consistent with the claim, which proves nothing; 1: claim violated, at 95 % confidence; 2: bad input.
claimed and lower_bound are ε per radius, window, user or check-in; those of a pair are log-odds between its inputs.
"""


class Audit(Command):
    help = "Audit a mechanism: bound its ε from below by draws alone, and compare with what it claims."
    example = EXAMPLE
    arguments = ("mechanism", "set", "trials", "seed", "json")
    place = "mechanism"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("mechanism", metavar="MECHANISM", help="a registered name, or a control")
        add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the mechanism")
        add("--trials", default="100000", metavar="N", help="draws for each input, 1,000 to 1,000,000")
        add("--seed", help="repeat an audit: seeded noise in place of the operating system's")
        add("--json", action="store_true", help="print the result as JSON")

    def execute(self, options: dict[str, Any]) -> None:
        try:
            with interruptible() as check:
                chosen = {name: options[name] for name in ("mechanism", "set", "trials", "seed")}
                spec = self.spec(**chosen)
                result = audit(spec, watch=self.watch(check))
        except EngineError as error:
            raise CommandFailed(" ".join(error.message.split()), code=BAD_INPUT) from None
        except KeyboardInterrupt:
            raise CommandFailed("stopped", code=INTERRUPTED) from None
        as_json = options["json"]
        text = json.dumps(result.as_dict(), ensure_ascii=False) if as_json else table(result, claimed_per(spec))
        self.out.write(f"{text}\n")
        if result.verdict == VIOLATED:
            self.out.flush()
            sys.exit(1)

    def spec(self, *, mechanism: str, set: list[str], trials: str, seed: str | None) -> AuditSpec:
        """Parse the arguments, and report on stderr what was not given."""
        parameters = {name: value_of(text) for name, text in pairs(set, "--set").items()}
        description, chosen = completed({"name": mechanism, **parameters})
        spec = AuditSpec.parse(
            {
                "mechanism": description,
                "trials": value_of(trials),
                "seed": None if seed is None else value_of(seed),
            }
        )
        spec.target()
        for name, value in chosen.items():
            self.err.write(f"{name} was not given: {value:g}\n")
        return spec

    def watch(self, check: Callable[[], None]) -> Callable[[float], None]:
        """A function that shows on stderr how far the audit is; ``check`` is called at each step."""
        show = progress_bar(self.err)

        def watch(share: float) -> None:
            check()
            show(share, f"{share:4.0%}")

        return watch


def table(result: AuditResult, per: str) -> str:
    """The result as text: a line for each pair, then the outcome; ``per`` is what ε is claimed for."""
    width = max(len(one.name) for one in result.pairs)
    lines = [f"{'pair':{width}}  {'claimed':>8}  {'at least':>8}  {'verdict':10}  event that shows most"]
    for one in result.pairs:
        numbers = f"{one.claimed:8.4g}  {one.lower_bound:8.4g}"
        lines.append(f"{one.name:{width}}  {numbers}  {one.verdict:10}  {one.best_event}")
    share = f"{result.confidence:.0%}"
    lines += [
        "",
        f"{result.mechanism} claims ε = {result.claimed:g} per {per}. At {share} confidence, by {result.trials:,} "
        f"draws of each input, it is at least {result.lower_bound:.4g}: {result.verdict}.",
    ]
    if result.verdict != VIOLATED:
        lines.append("This does not prove the claim: these draws and these events did not refute it.")
    return "\n".join(lines)
