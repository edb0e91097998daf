"""The operations of the API as pages, by group, from the schema that a running server gives; the codes of failures."""

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.page_text import items, table

METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
FOLDER = "reference/operations"
Node = Mapping[str, Any]


def api_pages() -> dict[str, str]:
    """A page for each group of operations, an index, and the codes of failures. Django has been set up."""
    from drf_spectacular.generators import SchemaGenerator

    schema = SchemaGenerator().get_schema(public=True)
    groups = {tag["name"]: tag["description"] for tag in schema["tags"]}
    made = {f"{FOLDER}/{name}.md": _Group(schema, name).page(text) for name, text in groups.items()}
    rows = ((f"[{name}]({name}.md)", text) for name, text in groups.items())
    head = "# Operations of the API\n\nWhat holds for all of them is in [The API](../api.md).\n\n"
    return made | {f"{FOLDER}/index.md": head + table(("group", "what"), rows), "reference/failures.md": _failures()}


def _failures() -> str:
    from dashboard.core.failures import ADVICE

    rows = ((f"`{code}`", one.what, one.action) for code, one in ADVICE.items())
    return (
        "# Codes of failures\n\nEvery code with which a dataset, release, experiment, attack or audit can end as "
        "`failed` (`error.code`), and what to do about it.\n\n" + table(("code", "what happened", "what to do"), rows)
    )


class _Group:
    """The operations of one tag, and the objects that they receive and return."""

    def __init__(self, schema: Node, name: str) -> None:
        self.objects: Node = schema["components"]["schemas"]
        self.name = name
        self.operations = [
            (method, path, operation)
            for path, operations in schema["paths"].items()
            for method, operation in operations.items()
            if method in METHODS and name in operation["tags"]
        ]
        self.shown: dict[str, None] = {}

    def page(self, description: str) -> str:
        """The whole page, as Markdown."""
        parts = [f"# {self.name.replace('-', ' ').capitalize()}\n\n{description}\n"]
        parts += [self._operation(*one) for one in self.operations]
        parts.append("## Objects\n")
        described: list[str] = []
        while len(described) < len(self.shown):  # describing one shows those that it holds
            described.append(self._object(list(self.shown)[len(described)]))
        return "\n".join([*parts, *described])

    def _operation(self, method: str, path: str, operation: Node) -> str:
        text = operation.get("description", "").partition("\n\nToken scope:")[0]
        title = operation.get("summary") or operation["operationId"]
        lines = [f"## {title} {{: #{operation['operationId']} }}\n", f"`{method.upper()} {path}`\n\n{_text(text)}\n"]
        rows = [
            (f"`{one['name']}`", one["in"], self._type(one["schema"]), _cell(one.get("description", "")))
            for one in operation.get("parameters", ())
        ]
        lines += [table(("parameter", "in", "type", "what"), rows)] if rows else []
        return "\n".join([*lines, items(self._facts(operation))])

    def _facts(self, operation: Node) -> Iterator[str]:
        """Scope, body and responses."""
        if scope := operation.get("x-required-scope"):
            yield f"Token scope: `{scope}`"
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            yield f"Body, `{kind}`: {self._type(content.get('schema', {}))}"
        for status, response in operation["responses"].items():
            if status not in ("304", "4XX"):  # the same for all: reference/api.md
                what = [self._type(one["schema"]) for one in response.get("content", {}).values() if one.get("schema")]
                texts = (" or ".join(dict.fromkeys(what)), _cell(response.get("description", "")))
                yield f"{status}: {', '.join(text for text in texts if text) or 'no content'}"

    def _object(self, name: str) -> str:
        node = self.objects[name]
        required = node.get("required", ())
        rows = [
            (f"`{field}`", self._type(one), "yes" if field in required else "", _cell(one.get("description", "")))
            for field, one in node.get("properties", {}).items()
        ]
        text = "" if "enum" in node else _text(node.get("description", ""))
        fields = table(("field", "type", "always", "what"), rows) if rows else f"{self._type(node)}\n"
        return f"### {name} {{: #{name.lower()} }}\n\n{text}\n\n{fields}"

    def _type(self, node: Node) -> str:
        """The type of a value as text, with links to the objects of the page."""
        if "$ref" in node:
            return self._named(node["$ref"].rpartition("/")[2])
        for joined in ("allOf", "oneOf", "anyOf"):
            if joined in node:
                texts = dict.fromkeys(self._type(one) for one in node[joined])
                return " or ".join(text for text in texts if text) + (" or null" if node.get("nullable") else "")
        if "enum" in node:
            return ", ".join(f"`{one}`" for one in node["enum"] if one is not None) or "null"
        text = node.get("format") or node.get("type") or "any value"
        if text == "array":
            text = f"list of {self._type(node.get('items', {}))}"
        elif isinstance(node.get("additionalProperties"), Mapping) and node["additionalProperties"]:
            text = f"object of {self._type(node['additionalProperties'])}"
        return f"{text} or null" if node.get("nullable") else text

    def _named(self, name: str) -> str:
        node = self.objects[name]
        if "enum" in node:
            return self._type(node) or "null"
        self.shown[name] = None
        return f"[{name}](#{name.lower()})"


def _text(text: str) -> str:
    """Without the lines that repeat the values of a choice."""
    return "\n".join(line for line in text.replace("``", "`").splitlines() if not line.startswith("* `")).strip()


def _cell(text: str) -> str:
    return " ".join(_text(text).split())
