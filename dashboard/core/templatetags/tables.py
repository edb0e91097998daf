"""Tables of pages: ``{% table "Name" "#Events" "" %}{% for row in page %}<tr>…</tr>{% endfor %}{% endtable %}``."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
_ACTIONS = SafeString('<span class="visually-hidden">Actions</span>')
_NUMBER = SafeString(' class="number"')


@register.simple_tag
def titles(*names: str) -> SafeString:
    """The cells of a table's head: ``#`` begins the title of a column of numbers, that of actions is empty."""
    cells = ((_NUMBER if name[:1] == "#" else "", name.removeprefix("#") or _ACTIONS) for name in names)
    return format_html_join("", '<th scope="col"{}>{}</th>', cells)


@register.simple_block_tag
def table(content: str, *names: str, classes: str = "", caption: str = "") -> SafeString:
    """A table whose body is the content, in a box that scrolls; on a phone each row is a block."""
    return format_html(
        '<div class="table-scroll"><table class="table table--blocks {}">{}<thead><tr>{}</tr></thead>'
        "<tbody>{}</tbody></table></div>",
        classes,
        format_html('<caption class="visually-hidden">{}</caption>', caption) if caption else "",
        titles(*names),
        content,
    )
