"""Number inputs of templates, and that no page has another kind: a browser's own drops what it cannot read."""

from pathlib import Path

from django.conf import settings
from django.template import Context, Template

from dashboard.core.templatetags.number_fields import DOMAINS, domain, rule_text

OWN = ('type="number"', "type='number'", 'type: "number"', "valueAsNumber", "parseFloat")


def test_no_page_has_a_number_input_that_drops_what_it_cannot_read():
    files = [*Path(settings.BASE_DIR, "static/js").rglob("*.js"), *Path(settings.BASE_DIR, "templates").rglob("*.html")]
    assert {path.suffix for path in files} == {".js", ".html"}
    assert [path.name for path in files if any(name in path.read_text() for name in OWN)] == []


def test_an_input_carries_its_domain_and_states_it():
    for name in DOMAINS:
        given = Context({"value": "<1", "help": "a & b"})
        html = Template(f'{{% number_input "{name}" "here" value=value help=help %}}').render(given)
        whole, param = domain(name)
        assert ("data-whole" in html) == whole, name
        assert (f'data-minimum="{param.lowest}"' in html) == (param.lowest is not None)
        assert (f'data-maximum="{param.highest}"' in html) == (param.highest is not None)
        for part in (rule_text(whole, param), 'value="&lt;1"', "a &amp; b", 'aria-describedby="here-help here-error"'):
            assert part in html
