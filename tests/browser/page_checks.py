"""Checks of every page: measured in the browser, returned as a list of faults."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from playwright.sync_api import expect

LIGHTEST_BYTES = 250_000
SHIFT = 0.02
QUICK_S = 0.15
MOST_BYTES, MOST_PUBLIC_BYTES, MOST_REQUESTS = 1_200_000, 400_000, 60
# Not weighed apart: the chart library, what charts and maps draw, and Swagger UI, of 430 kB
MAP = "/static/base-map/"
APART = ("plotly", "/series/", "/track/", MAP, "swagger-ui")

# Before any script of the page: layout shifts without any input
WATCH_SHIFTS = """
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (!hadRecentInput) window.shifts.push([value, sources.map(({ node }) => node?.outerHTML?.slice(0, 90) ?? "?")]);
    }
  }).observe({ type: "layout-shift", buffered: true });
"""
RESOURCES = """() => ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
  .map(({ name, encodedBodySize }) => [name, encodedBodySize])"""
MOTION = """() => Math.max(...[...document.querySelectorAll("*")].flatMap((node) => {
  const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(node);
  const times = `${transitionDuration},${animationDuration}`.split(",").map(parseFloat);
  return scrollBehavior === "smooth" ? [1, ...times] : times;
}))"""

UNFOLD = "document.querySelectorAll('details:not(.menu)').forEach((fold) => (fold.open = true))"

# Of every chart: no title at an axis, texts that are cut; and targets that are too small
CHART_FAULTS = """() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const plots = shown(".js-plotly-plot").flatMap((plot) => {
    const { xaxis, yaxis } = plot._fullLayout, outer = plot.getBoundingClientRect();
    const outside = ({ left, right, bottom }) => left < outer.left - 1 || right > outer.right + 1
      || bottom > outer.bottom + 1;
    return [
      ...[xaxis, yaxis].filter(({ title }) => !title.text).map(({ _id }) => `no title at ${_id} of ${plot.ariaLabel}`),
      ...[...plot.querySelectorAll(".main-svg text")].filter((text) => text.textContent)
        .filter((text) => outside(text.getBoundingClientRect())).map((text) => `cut: ${text.textContent}`),
    ];
  });
  const small = shown(":is(.chart, .multiple, .charts) button, .chart summary").filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    return width < 24 || height < 24;
  });
  return [...plots, ...small.map((one) => `too small: ${one.outerHTML.slice(0, 120)}`)];
}"""

# What Tab must reach: of radio buttons one of each group, of what is in closed details and dialogs nothing
WATCH_FOCUS = """() => {
  const shown = (node) => node.checkVisibility({ visibilityProperty: true });
  const open = (node) => shown(node) && !node.disabled && !node.closest("fieldset:disabled,[inert]");
  const group = ({ form, name }) => [...document.querySelectorAll(`input[type=radio][name="${CSS.escape(name)}"]`)]
    .filter((one) => one.form === form && open(one));
  const first = (nodes) => nodes.find(({ checked }) => checked) ?? nodes[0];
  const alone = (node) => node.type !== "radio" || !node.name || node === first(group(node));
  const roving = "[role=radiogroup],[role=toolbar],[role=listbox],[role=tablist],[role=grid]";
  const control = "a[href],button,input,select,textarea,summary";
  const markup = (node) => node.outerHTML.slice(0, 120);
  const lit = (node) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(node);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 1) || boxShadow !== "none";
  };
  const wanted = [...document.querySelectorAll(`${control},[tabindex]`)].filter((node) => open(node) && alone(node));
  const focus = { reached: new Set(), dim: new Set() };
  document.addEventListener("focusin", ({ target }) => {
    focus.reached.add(target);
    const near = [target, ...target.children, target.nextElementSibling, target.parentElement, target.closest("label")];
    if (!near.some((node) => node && lit(node))) focus.dim.add(markup(target));
  });
  focus.faults = () => {
    const missed = wanted.filter((node) => node.tabIndex >= 0 && open(node) && !focus.reached.has(node));
    const out = wanted.filter((node) => node.tabIndex < 0 && node.matches(control) && !node.closest(roving));
    return [
      ...missed.map((node) => `Tab never reaches ${markup(node)}`),
      ...out.map((node) => `out of Tab's order: ${markup(node)}`),
      ...[...focus.dim].map((text) => `no visible focus on ${text}`),
    ];
  };
  window.focusRecord = focus;
  document.activeElement?.blur();
  return wanted.filter((node) => node.tabIndex >= 0).length;
}"""

# Each quantity that is shown with its values
QUANTITIES = """() => {
  const found = {};
  for (const { dataset, textContent } of document.querySelectorAll("[data-quantity]"))
    (found[dataset.quantity] ??= []).push(textContent.trim());
  return found;
}"""

# Terms of the glossary in the page's own sentences; names, controls and figures are not counted
UNEXPLAINED = """(terms) => {
  const main = document.querySelector("main").cloneNode(true);
  const names = "a,button,summary,label,legend,select,tbody th,[data-label=Level]";
  const others = "code,pre,script,svg,nav,dialog,[popover],.menu__panel,.loss";
  main.querySelectorAll(`${names},${others}`).forEach((node) => node.remove());
  const sentence = (pattern) => main.textContent.match(new RegExp(`.{0,40}(${pattern}).{0,20}`, "i"))?.[0];
  return Object.entries(terms).filter(([name]) => !document.querySelector(`.term[popovertarget="term-${name}"]`))
    .map(([name, pattern]) => [name, sentence(pattern)]).filter(([, found]) => found);
}"""
# "landmark #0" is a reading option in a label
TERMS = {
    "epsilon": "ε",
    "landmark": "\\blandmark(?! #)",
    "w-event": "w-event",
    "temporal-loss": "temporal (privacy )?loss",
    "bridge-bound": "bridge bound",
    "fresh-noise": "fresh noise",
    "budget": "privacy budget|\\bledger\\b",
    "label": "privacy label",
    "count-streams": "count streams?",
    "audit": "\\baudits?\\b",
}


@cache
def _packed(path):
    """How long a static file is when it is served compressed."""
    found = Path(settings.STATIC_ROOT, path.removeprefix(settings.STATIC_URL))
    return min(one.stat().st_size for one in (found, found.with_name(f"{found.name}.br")) if one.exists())


def weight(page):
    """Paths and compressed bytes of everything the page requested; of the built-in map it requests parts."""
    parts = [(urlsplit(name).path, size) for name, size in page.evaluate(RESOURCES)]
    return [
        (path, size if MAP in path or not path.startswith(settings.STATIC_URL) else _packed(path))
        for path, size in parts
    ]


def loading_faults(page, response, most_bytes):
    """Policy, weight, what moved, charts where they are drawn and nowhere else, motion."""
    faults = []
    policy = response.headers.get("content-security-policy", "")
    if "script-src 'self'" not in policy or "unsafe" in policy:
        faults.append(f"policy: {policy or 'none'}")
    requested = weight(page)
    total = sum(size for path, size in requested if not any(part in path for part in APART))
    if total > LIGHTEST_BYTES:
        heaviest = sorted(requested, key=lambda pair: -pair[1])[:5]
        faults.append(f"{total} bytes without charts: {heaviest}")
    whole = sum(size for _, size in requested)
    if whole > most_bytes or len(requested) > MOST_REQUESTS:
        faults.append(f"{whole} bytes in {len(requested)} requests")
    shifts = page.evaluate("window.shifts")
    if sum(value for value, _ in shifts) > SHIFT:
        faults.append(f"layout shift: {shifts}")
    library = any("/plotly/" in path and path.endswith(".js") for path, _ in requested)
    if library != (page.locator(".js-plotly-plot").count() > 0):
        faults.append(f"chart library {'requested' if library else 'not requested'}")
    return faults


def quantities(page):
    """The values that the page shows for each quantity, by its name."""
    return page.evaluate(QUANTITIES)


def contradictions(page):
    """The quantities for which the page shows two values."""
    return {name: values for name, values in quantities(page).items() if len(set(values)) > 1}


def glossary_faults(page):
    """Terms of the glossary that the page uses and does not explain on hover and focus."""
    return [f"{name} is not explained: …{text}…" for name, text in page.evaluate(UNEXPLAINED, TERMS)]


def motion_faults(page, longest_s):
    """Transitions and animations longer than they may be."""
    found = page.evaluate(MOTION)
    return [f"moves for {found} s"] if found > longest_s else []


def chart_faults(page):
    """Charts without titles or with texts that are cut, and what does not work about the large views of two."""
    faults = page.evaluate(CHART_FAULTS)
    for button in page.locator(".chart__enlarge:visible").all()[:2]:
        try:
            _can_be_enlarged(page, button)
        except AssertionError as error:
            faults.append(f"large view: {error}")
    return faults


def _can_be_enlarged(page, button):
    """By keyboard: the large view opens, holds menu and controls, and closes by Escape; focus stays on the button."""
    button.press("Enter")
    dialog = page.locator(".chart__large[open]")
    expect(dialog).to_be_visible()
    expect(dialog.locator(":focus")).to_be_visible()
    expect(dialog.get_by_label("save or show numbers").first).to_be_visible()
    box, window = dialog.bounding_box(), page.viewport_size
    assert box["width"] >= 0.9 * window["width"]
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    expect(button).to_have_accessible_name(re.compile(": enlarge$"))


def keyboard_faults(page):
    """Press Tab through the whole page: what is not reached, where focus is not seen, where it is caught."""
    for presses in (page.evaluate(WATCH_FOCUS), 25):  # more where what was pressed opened something
        for _ in range(presses):
            page.keyboard.press("Tab")
        if not (faults := page.evaluate("window.focusRecord.faults()")):
            break
    return faults
