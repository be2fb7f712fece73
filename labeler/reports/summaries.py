"""A retrieval report for a pull request: as JUnit's XML for the build, as Markdown for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from labeler.reports import render
from labeler.reports.gates import Check
from labeler.reports.retrieval import Report

LISTED = 20
"""Missed queries in a summary; the JSON has them all."""

# What XML 1.0 cannot hold in any form.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report, checks: Sequence[Check]) -> str:
    """A test case a gate, the measures as properties; without a gate the one case is the run."""
    system, basis = report.ranked.system, report.basis.ref
    failed = sum(not each.passed for each in checks)
    cases = list(checks) or [
        Check(
            "evaluated",
            True,
            render.counted(len(report.evaluation.query_ids), "query", plural="queries"),
        )
    ]
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(f"labeler evaluate {system} on {basis}"),
        tests=str(len(cases)),
        failures=str(failed),
        errors="0",
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name, found in report.means.items():
        value = "" if found.value is None else f"{found.value:.6f}"
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for each in cases:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(f"labeler.{system}"), name=_xml(each.name)
        )
        if not each.passed:
            ElementTree.SubElement(case, "failure", message=_xml(f"{each.name}: {each.said}"))
    ElementTree.indent(suite)
    body = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def markdown(report: Report, checks: Sequence[Check]) -> str:
    """Gates, measures and missed queries as Markdown; texts from outside stand in code spans."""
    return "\n".join(_markdown(report, checks)) + "\n"


def _markdown(report: Report, checks: Sequence[Check]) -> Iterator[str]:
    evaluation = report.evaluation
    yield f"### Retrieval of {code(report.ranked.system)} on {code(report.basis.ref)}"
    yield ""
    missing = f", {len(evaluation.missing)} missing from the run count 0" * bool(evaluation.missing)
    queries = render.counted(len(evaluation.query_ids), "query", plural="queries")
    yield f"{queries}, {evaluation.reading} reading{missing}."
    yield ""
    if checks:
        yield "| Gate | | Found |"
        yield "|---|---|---|"
        for each in checks:
            mark = "passed" if each.passed else "**failed**"
            yield f"| {code(each.name)} | {mark} | {each.said} |"
        yield ""
    yield "| Measure | Value | 95% interval |"
    yield "|---|---|---|"
    for name, found in report.means.items():
        value, interval = render.split(found)
        yield f"| {code(name)} | {value} | {interval} |"
    yield ""
    yield report.reach.reading
    missed = report.missed
    if missed:
        yield ""
        queries = render.counted(len(missed), "query", plural="queries")
        yield f"Nothing relevant in the top {report.near}: {queries}."
        yield ""
        for query, cluster in missed[:LISTED]:
            yield f"- {code(query.query_id)} {code(render.short(query.text))} ({cluster})"
        if len(missed) > LISTED:
            yield f"- and {len(missed) - LISTED} more"


def code(text: str) -> str:
    """A code span that holds any text on one line, also in a table's cell."""
    line = render.short(text, width=200).replace("|", "\N{FULLWIDTH VERTICAL LINE}")
    longest = max(map(len, re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{line}{pad}{fence}"
