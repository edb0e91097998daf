"""Number inputs of templates, and that no page has another kind: a browser's own drops what it cannot read."""

from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template

from dashboard.core.templatetags.number_fields import DOMAINS, domain, rule_text

OWN = ('type="number"', "type='number'", 'type: "number"', "valueAsNumber", "parseFloat")


@pytest.mark.parametrize("folder", ["static/js", "templates"])
def test_no_page_has_a_number_input_that_drops_what_it_cannot_read(folder):
    files = [path for path in Path(settings.BASE_DIR, folder).rglob("*") if path.suffix in (".js", ".html")]
    assert files
    assert [path.name for path in files if any(name in path.read_text() for name in OWN)] == []


@pytest.mark.parametrize("name", DOMAINS)
def test_an_input_carries_its_domain_and_states_it(name):
    html = Template(f'{{% number_input "{name}" "here" value=value help=help %}}').render(
        Context({"value": "<1", "help": "a & b"})
    )
    whole, param = domain(name)
    assert ("data-whole" in html) == whole
    assert (f'data-minimum="{param.lowest}"' in html) == (param.lowest is not None)
    assert (f'data-maximum="{param.highest}"' in html) == (param.highest is not None)
    assert rule_text(whole, param) in html
    assert 'value="&lt;1"' in html
    assert "a &amp; b" in html
    assert 'aria-describedby="here-help here-error"' in html
