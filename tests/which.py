"""Which tests belong to a page or a file: ``python -m tests.which /streams/ dashboard/jobs/api.py --changed HEAD~3``.

A page's are those that name its view or load its address; a source's those that import or name it, and those of its
pages; a template's those of the pages that show it. The likeliest come first.
"""

import argparse
import functools
import os
import re
from collections import Counter

import django

from tests.mutants import ROOT, git, listed


@functools.cache
def texts():
    """Text of every file of tests, by its name."""
    found = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("tests/js/**/*.test.mjs")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted(found)}


def matching(pattern, part=""):
    """How often files of tests have a pattern; those without ``part``, which it holds, are passed over quickly."""
    having = ((name, text) for name, text in texts().items() if part in text)
    return Counter({name: found for name, text in having if (found := len(re.findall(pattern, text)))})


def pages():
    """Every page: its route, its view's name, and its function as module.name."""
    from django.urls import URLPattern, get_resolver

    def under(resolver, route, space):
        for one in resolver.url_patterns:
            path = route + str(one.pattern)
            if isinstance(one, URLPattern):
                yield path, f"{space}{one.name}", f"{one.callback.__module__}.{one.callback.__name__}"
            else:
                yield from under(one, path, f"{one.namespace}:" if one.namespace else space)

    return under(get_resolver(), "", "")


def of_page(route, name):
    if name.endswith("None"):
        return Counter()
    address = re.sub(r"<[^>]*>", "@", route)
    loaded = "/" + re.escape(address).replace("@", r"""[^/"' ]+""")
    return matching(rf"""["']{re.escape(name)}["']""") + matching(rf"""["']{loaded}["'?#]""")


def of_address(address):
    from django.urls import Resolver404, resolve

    try:
        found = resolve(address.partition("?")[0])
    except Resolver404:
        raise SystemExit(f"{address}: there is no such page") from None
    return of_page(found.route, found.view_name)


def of_view(function):
    """The tests of the pages of a view, or of all views of a module."""
    rows = (of_page(route, name) for route, name, view in pages() if f"{view}.".startswith(f"{function}."))
    return sum(rows, Counter())


def of_source(file):
    """The tests that mutants of a source name, and those that import or name it, or else its package."""
    found = Counter(test.partition("::")[0] for one in listed() if one.file == file for test in one.tests)
    if file.endswith(".js"):
        return found + matching(re.escape(file[10:]), file[10:])
    module = file.removesuffix(".py").replace("/", ".")
    while "." in module and not found:
        package, _, name = module.rpartition(".")
        found += matching(rf"\bfrom {re.escape(package)} import [^#\n]*\b{name}\b|\b{re.escape(module)}\b", name)
        module = package
    return found


def of_template(file):
    """The tests of the pages that show a template, alone or in another one."""
    name, found = file.removeprefix("templates/"), Counter()
    parts = name.split("/")
    named = {f'"{name}"', f'f"{parts[0]}/{{dataset.kind}}/{parts[-1]}"'}  # of three kinds of data, one view
    for view in ROOT.glob("dashboard/*/*view*.py"):
        module = str(view.relative_to(ROOT)).removesuffix(".py").replace("/", ".")
        for function in re.split(r"^def ", view.read_text(), flags=re.MULTILINE)[1:]:
            if any(one in function for one in named):
                found += of_view(f"{module}.{function.partition('(')[0]}")
    return sum(map(of_template, templates_with(name)), found)


def templates_with(name):
    """The templates in which a template, or an address below static/, stands in quotes."""
    files = ((str(one.relative_to(ROOT)), one.read_text()) for one in ROOT.glob("templates/**/*.html"))
    return [file for file, text in files if re.search(rf"""["']{re.escape(name)}["']""", text) and name not in file]


def of(name):
    """The tests of an address, or of a file below the top folder."""
    if name in texts():
        return Counter({name: 1000})
    python = r"(privacy_engine|dashboard)/.*\.py"
    kinds = {r"/.*": of_address, r"templates/.*": of_template}
    kinds[python] = lambda file: of_source(file) + of_view(file.removesuffix(".py").replace("/", "."))
    kinds[r"static/js/.*"] = lambda file: sum(map(of_template, templates_with(file[7:])), of_source(file))
    return next((found(name) for kind, found in kinds.items() if re.fullmatch(kind, name)), Counter())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="addresses and files")
    parser.add_argument("--changed", metavar="COMMIT", help="all files that differ from it")
    parser.add_argument("--most", type=int, help="so many files of tests at the most")
    arguments = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")
    django.setup()
    names = arguments.names
    if arguments.changed:
        changed = git("diff", "--name-only", arguments.changed) | git("ls-files", "--others", "--exclude-standard")
        names += sorted(changed)
    for name, _ in sum(map(of, names), Counter()).most_common(arguments.most):
        print(name)


if __name__ == "__main__":
    main()
