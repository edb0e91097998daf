"""The reference of the documentation: pages that follow from the registries, written when the site is built.

python -m scripts.reference_pages FOLDER        writes them there, to look at
"""

import inspect
import io
import os
import re
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import django
from latex2mathml import converter

import privacy_engine as pe
from dashboard.core.templatetags.glossary import GLOSSARY
from privacy_engine.attacks import attacks
from privacy_engine.cleaning import cleaning_steps
from privacy_engine.commands import NAMES
from privacy_engine.commands.main import command_class
from privacy_engine.core.component import Component
from privacy_engine.datatypes import datatypes
from privacy_engine.experiments.samples import table_samples
from privacy_engine.exports.reference_page import written
from privacy_engine.formats.reference_page import page as formats_page
from privacy_engine.landmarks.dummy_methods import dummy_methods
from privacy_engine.landmarks.methods import landmark_methods
from privacy_engine.laws.base import example
from privacy_engine.mechanisms.base.mechanism import Mechanism, mechanisms
from privacy_engine.metrics import metrics
from privacy_engine.postprocess import postprocesses
from scripts.api_pages import api_pages
from scripts.measured_use import measured_use
from scripts.page_text import items, table
from scripts.svg import svg

ROOT = Path(__file__).resolve().parents[1]
LISTS = {
    "landmarks": ("Landmarks and dummies", (("Landmarks", landmark_methods), ("Dummy landmarks", dummy_methods))),
    "steps": ("Cleaning and post-processing", (("Cleaning", cleaning_steps), ("Post-processing", postprocesses))),
    "attacks": ("Attacks", (("Attacks", attacks),)),
    "metrics": ("Metrics", (("Metrics", metrics),)),
}
GIVEN: dict[str, dict[str, Any]] = {
    "trajectory": {"epsilon": 1.0, "radius_m": 200.0},
    "stream": {"epsilon": 1.0, "window": 24, "sensitivity": 1},
    "checkins": {"epsilon": 1.0, "contributions": 20, "side": 8},
}
_MATH = re.compile(r":math:`([^`]+)`")
_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?([^`]+)`")


def pages() -> dict[str, str | bytes]:
    """Every generated page, and the figures of mechanisms, by the path below docs/."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
    django.setup()
    made: dict[str, str | bytes] = {
        "reference/formats.md": formats_page() + written(),
        "reference/command-line.md": _commands(),
        "reference/glossary.md": _glossary(),
        "reference/mechanisms/index.md": _overview(),
    }
    for name, (title, registries) in LISTS.items():
        made[f"reference/{name}.md"] = f"# {title}\n\n" + "".join(_section(*each) for each in registries)
    for data in _samples():
        for cls in mechanisms.of(data.kind):
            name = cls.registered_name()
            if not cls.needs_venues:  # of which the samples have no list
                made[f"reference/mechanisms/{name}.svg"] = _figure(data, cls)
            made[f"reference/mechanisms/{name}.md"] = _mechanism(cls)
    return made | api_pages()


def _overview() -> str:
    parts = ["# Mechanisms\n\nThe guarantee of each, with what it assumes and does not cover, is on its page.\n"]
    for datatype in datatypes.values():
        rows = ((f"[{cls.title}]({cls.registered_name()}.md)", cls.level, cls.summary) for cls in datatype.mechanisms)
        parts.append(f"\n## {_capital(datatype.title)}\n\n" + table(("mechanism", "protects", "what it does"), rows))
    return "".join(parts)


def _mechanism(cls: type[Mechanism]) -> str:
    name = cls.registered_name()
    guarantee = example(cls, **GIVEN[cls.kind]).guarantee()
    use = [text for text in ("Forms begin with it." if cls.first_choice else "", cls.better_elsewhere) if text]
    use += measured_use(cls)
    source = Path(inspect.getsourcefile(cls) or "").resolve().relative_to(ROOT)
    limits = [*(f"Assumed: {text}" for text in guarantee.assumptions), *guarantee.caveats]
    limits += [f"Not covered: {text}" for text in guarantee.not_covered]
    return "\n".join(
        [
            f"# {cls.title}\n\n`{name}`: {cls.summary}\n",
            "" if cls.needs_venues else f"![A seeded release of generated data by {cls.title}]({name}.svg)\n",
            f"## Guarantee\n\n{cls.statement() if cls.publishable else 'No guarantee: experiments alone offer it.'}\n",
            items(_sentence(text) for text in dict.fromkeys(limits)),
            f"## How it works\n\n{_described(cls)}\n",
            *([f"## When to use it\n\n{items(use)}"] if use else []),
            f"## Parameters\n\n{_parameters(cls)}",
            f"## Sources\n\n{items([*cls.references(), f'`{source}`'])}",
        ]
    )


def _section(title: str, registry: Iterable[type[Component]]) -> str:
    parts = [f"## {title}\n"]
    for cls in registry:
        parts.append(f"### {cls.title}\n\n`{cls.registered_name()}`: {cls.summary}\n\n{_described(cls)}\n")
        parts.append(_parameters(cls) if cls.fields() else "")
        parts.append(items(cls.references()))
    return "\n".join(parts) + "\n"


def _parameters(cls: type[Component]) -> str:
    rows = []
    for field in cls.fields():
        unit = f" ({field['unit']})" if field["unit"] else ""
        choices = ", ".join(f"`{choice['value']}` {choice['label']}" for choice in field["choices"])
        default = "required" if field["required"] else field["default"]
        default = default if default in (None, "", "required") else f"`{default}`"
        rows.append((f"`{field['name']}`", f"{field['label']}{unit}", default or "", choices or field["help"]))
    return table(("parameter", "what", "default", "values"), rows)


def _glossary() -> str:
    terms = (f"## {term.title} {{: #{name} }}\n\n{term.meaning}\n" for name, term in GLOSSARY.items())
    return "# Glossary\n\n" + "\n".join(terms)


def _commands() -> str:
    """Every command with its help: those that need no server, then those of a server."""
    from django.core.management import get_commands, load_command_class

    server = {name: app for name, app in get_commands().items() if app.startswith("dashboard.") and name not in NAMES}
    parts = ["# Command line\n\n`cairn COMMAND` where the package is installed, `manage.py COMMAND` in a checkout.\n"]
    parts += [_command("cairn", name, command_class(name)(sys.stdout, sys.stderr)) for name in NAMES]
    parts.append("## Of a server\n\n`manage.py COMMAND` where the server runs.\n")
    parts += [_command("manage.py", name, load_command_class(server[name], name), "###") for name in sorted(server)]
    return "\n".join(parts)


def _command(program: str, name: str, command: Any, level: str = "##") -> str:
    epilog = getattr(command, "example", None)
    parser = ArgumentParser(f"{program} {name}", None, command.help, epilog, formatter_class=_Formatter)
    command.add_arguments(parser)
    return f"{level} {name}\n\n```text\n{parser.format_help().strip()}\n```\n"


class _Formatter(RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


def _samples() -> Iterator[Any]:
    """Generated data of every kind; trajectories with landmarks."""
    yield pe.sample("taxi").landmarks("stay-points:300m:30min")
    for sample in table_samples():
        text = "\n".join(",".join(map(str, row)) for row in sample.rows())
        yield pe.read(io.BytesIO(text.encode()), kind=sample.kind)


def _figure(data: Any, cls: type[Mechanism]) -> bytes:
    """A seeded release beside the original, as SVG."""
    from matplotlib import pyplot

    given = example(cls, **GIVEN[data.kind] | _box(data)).model_dump(exclude={"name"})
    figure, axes = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")
    _plot(data.publish(cls.registered_name(), seed=1, **given), data, axes)
    return svg(figure)


def _plot(release: Any, data: Any, axes: Any) -> None:
    """The release beside the original; of a model the cells that it recommends after a check-in, by rank."""
    if data.kind == "trajectory":
        release.plot(axes, original=True)
        return
    if data.kind == "stream":
        counts = data.stream.counts
        most = int(counts.sum(axis=0).argmax())
        axes.plot(counts[:, most], color="0.6", label=f"{data.stream.names[most]}, the largest of {counts.shape[1]}")
        axes.plot(release.made.published.counts[:, most], color="#0072b2", linewidth=1.0, label="published")
        axes.set(xlabel="hour", ylabel="count")
        axes.figure.legend(loc="outside upper left", ncols=2, frameon=False)
        return
    here = (float(data.data.lon[0]), float(data.data.lat[0]))
    axes.plot(*here, "x", color="black", label="the last check-in")
    for rank, cell in enumerate(release.recommend([here], k=10), start=1):
        axes.text(cell.lon, cell.lat, str(rank), ha="center", va="center", color="#0072b2")
    box = _box(data)
    axes.set(xlim=(box["west"], box["east"]), ylim=(box["south"], box["north"]), xlabel="longitude", ylabel="latitude")
    axes.set_title("Recommended cells, the best first")
    axes.legend(frameon=False)


def _box(data: Any) -> dict[str, float]:
    if data.kind != "checkins":
        return {}
    lon, lat = data.data.lon, data.data.lat
    return {"west": float(lon.min()), "south": float(lat.min()), "east": float(lon.max()), "north": float(lat.max())}


def _described(cls: type[Component]) -> str:
    """The docstring without its references, as Markdown, its formulas as MathML."""
    text = cls.documentation().partition("\n\nReferences\n")[0]
    text = _MATH.sub(lambda formula: converter.convert(formula[1]), text)
    text = _ROLE.sub(r"`\1`", text.replace("``", "`"))
    return re.sub(r" ?\[(\d+)\]_", r" [\1]", text)


def _sentence(text: str) -> str:
    return _capital(text).removesuffix(".") + "."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


if __name__ == "__main__":
    for path, content in pages().items():
        target = Path(sys.argv[1], path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
