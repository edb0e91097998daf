"""Tables and lists of Markdown."""

from collections.abc import Iterable


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table, with a line for each row."""
    lines = [head, ("---",) * len(head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def items(lines: Iterable[str]) -> str:
    """A list, with an item for each line."""
    return "".join(f"- {line}\n" for line in lines)
