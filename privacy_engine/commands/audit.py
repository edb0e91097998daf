"""``cairn audit MECHANISM``: a lower bound of a mechanism's ε; no server, no database, no broker."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
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
    every,
)
from privacy_engine.commands.base import Command, CommandFailed, interruptible, pairs, progress_bar
from privacy_engine.core.step_text import value_of
from privacy_engine.errors import EngineError, ParameterError
from privacy_engine.mechanisms.base.mechanism import mechanisms

BAD_INPUT, INTERRUPTED = 2, 130
STDOUT = "-"
"""--json without a file."""
EXAMPLE = f"""\
mechanisms:
  {", ".join(cls.registered_name() for cls in mechanisms.own)}, and those of other packages

controls, which break their claim on purpose:
  {PREFIX}{NUMPY_LAPLACE}, {", ".join(f"{PREFIX}{name}:MECHANISM" for name in ALTERATIONS)}

examples:
  cairn audit landmark-uniform --set epsilon=1 --set radius_m=200
  cairn audit control:half-noise:landmark-joint --set epsilon=1 --set radius_m=200 --trials 50000 --json
  cairn audit --all --trials 10000 --json audits.json --page docs/results/audit.md

--all audits every publishable mechanism at ε = 1 and writes a line of each as it comes; what the file of --json has of
at least so many draws is not audited again.

Exit code 0: consistent with the claim, which proves nothing; 1: claim violated, at 95 % confidence; 2: bad input.
claimed and lower_bound are ε per radius, window, user or check-in; those of a pair are log-odds between its inputs.
"""


class Audit(Command):
    help = "Audit a mechanism: bound its ε from below by draws alone, and compare with what it claims."
    example = EXAMPLE
    place = "mechanism"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("mechanism", metavar="MECHANISM", nargs="?", help="a registered name, or a control")
        add("--all", action="store_true", help="audit every publishable mechanism instead of one")
        add("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the mechanism")
        add("--trials", default="100000", metavar="N", help="draws for each input, 1,000 to 1,000,000")
        add("--seed", help="repeat an audit: seeded noise in place of the operating system's")
        add(
            "--json",
            nargs="?",
            const=STDOUT,
            metavar="FILE",
            help="print the result as JSON; with --all, keep the results in this file",
        )
        add("--page", metavar="PAGE", help="with --all: write the table between its marks on this page")

    def execute(self, options: dict[str, Any]) -> None:
        if options["json"] not in (None, STDOUT) and not options["all"] and options["mechanism"] is None:
            options = options | {"mechanism": options["json"], "json": STDOUT}  # --json MECHANISM: it takes no file
        try:
            refuse_mixed(options)
            with interruptible() as check:
                if options["all"]:
                    self.execute_all(options, check)
                    return
                chosen = {name: options[name] for name in ("mechanism", "set", "trials", "seed")}
                spec = self.spec(**chosen)
                result = audit(spec, watch=self.watch(check))
        except EngineError as error:
            raise CommandFailed(" ".join(error.message.split()), code=BAD_INPUT) from None
        except KeyboardInterrupt:
            raise CommandFailed("stopped", code=INTERRUPTED) from None
        as_json = options["json"] is not None
        text = json.dumps(result.as_dict(), ensure_ascii=False) if as_json else table(result, claimed_per(spec))
        self.out.write(f"{text}\n")
        if result.verdict == VIOLATED:
            self.out.flush()
            sys.exit(1)

    def execute_all(self, options: dict[str, Any], check: Callable[[], None]) -> None:
        """Audit every publishable mechanism, and print and keep the lines; exit code 1 where a claim is violated."""
        wanted = AuditSpec.parse({"mechanism": {}} | numbers(options["trials"], options["seed"]))
        file, page = (Path(options[name]) if options[name] else None for name in ("json", "page"))
        if page:
            every.around(page)  # refused before the hours of an audit

        def wrote(lines: list[every.Line]) -> None:
            if page:
                every.put(page, lines)

        lines = every.every(wanted.trials, wanted.seed, file, watch=self.watch(check), wrote=wrote)
        self.out.write(f"{every.table(lines)}\n")
        if any(line.verdict == VIOLATED for line in lines):
            self.out.flush()
            sys.exit(1)

    def spec(self, *, mechanism: str, set: list[str], trials: str, seed: str | None) -> AuditSpec:
        """Parse the arguments, and report on stderr what was not given."""
        parameters = {name: value_of(text) for name, text in pairs(set, "--set").items()}
        description, chosen = completed({"name": mechanism, **parameters})
        spec = AuditSpec.parse({"mechanism": description} | numbers(trials, seed))
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


def numbers(trials: str, seed: str | None) -> dict[str, Any]:
    """The numbers of a spec."""
    return {"trials": value_of(trials), "seed": None if seed is None else value_of(seed)}


def refuse_mixed(options: dict[str, Any]) -> None:
    """Refuse options of one mechanism with those of all; ParameterError."""
    single, several = options["mechanism"] is not None, options["all"]
    checks = [
        ("mechanism", single != several, "exactly one of MECHANISM and --all", options["mechanism"]),
        ("set", not (several and options["set"]), "left out with --all", options["set"]),
        ("page", several or options["page"] is None, "left out without --all", options["page"]),
        ("json", options["json"] in (None, STDOUT) or several, "without a file unless with --all", options["json"]),
        ("json", options["json"] != STDOUT or not several, "a file with --all", options["json"]),
    ]
    for field, right, rule, value in checks:
        if not right:
            raise ParameterError.must_be(field, rule, value)


def table(result: AuditResult, per: str) -> str:
    """The result as text: a line for each pair, then the outcome; ``per`` is what ε is claimed for."""
    width = max(len(pair.name) for pair in result.pairs)
    lines = [f"{'pair':{width}}  {'claimed':>8}  {'at least':>8}  {'verdict':10}  event that shows most"]
    for pair in result.pairs:
        numbers = f"{pair.claimed:8.4g}  {pair.lower_bound:8.4g}"
        lines.append(f"{pair.name:{width}}  {numbers}  {pair.verdict:10}  {pair.best_event}")
    share = f"{result.confidence:.0%}"
    lines += [
        "",
        f"{result.mechanism} claims ε = {result.claimed:g} per {per}. At {share} confidence, by {result.trials:,} "
        f"draws of each input, it is at least {result.lower_bound:.4g}: {result.verdict}.",
    ]
    if result.verdict != VIOLATED:
        lines.append("This does not prove the claim: these draws and these events did not refute it.")
    return "\n".join(lines)
