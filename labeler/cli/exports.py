"""`labeler export`: the store into files."""

from __future__ import annotations

from pathlib import Path

import click

from labeler.cli.session import Session, pass_session

# Named here as well as in `exporting`, so that help need not load it; a test holds them together.
WHAT = (
    "labels",
    "verdicts",
    "pairs",
    "corpus",
    "queries",
    "qrels",
    "golden",
    "run",
    "report",
    "cases",
    "adjudications",
    "audit",
    "answers",
)
OF = {
    "--run": ("run", "report"),
    "--golden": ("qrels", "golden", "report"),
    "--judge": ("report",),
    "--rubric": ("report",),
    "--spotcheck": ("report",),
}
"""Which exports read an option; --history is `exporting`'s to refuse."""

FORMS = ("csv", "jsonl", "trec", "beir", "json", "html", "md")


@click.command(short_help="Write labels, verdicts, pairs, qrels and more to a file.")
@click.argument("what", type=click.Choice(WHAT))
@click.option("--to", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.option("--format", "form", type=click.Choice(FORMS), help="By default by the extension.")
@click.option(
    "--run",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="Whose run to export; report: of which, may be given again.",
)
@click.option(
    "--golden",
    metavar="G[@V]",
    help="Which golden set to export, to take qrels of, or to report on.",
)
@click.option("--history", is_flag=True, help="Labels: every event, not what stands now.")
@click.option("--judge", help="Report: the judge.")
@click.option("--rubric", metavar="NAME@V", help="Report: its rubric.")
@click.option("--spotcheck", metavar="NAME", help="Report: only this spot check's pairs.")
@pass_session
def exports(
    session: Session,
    /,
    what: str,
    to: Path,
    form: str | None,
    systems: tuple[str, ...],
    golden: str | None,
    history: bool,
    judge: str | None,
    rubric: str | None,
    spotcheck: str | None,
) -> None:
    """Write labels, verdicts, pairs, qrels and more to a file, whole or not at all.

    A report is one file for a decision, as .html or .md: what was measured on which versions,
    whether the judge may be trusted, the numbers, and what was missed. As .json it is what
    `labeler agreement --json` prints.

    \b
    labeler export labels --to labels.csv
    labeler export qrels --to human.qrels
    labeler export run --run bm25 --to bm25.trec
    labeler export report --to report.html
    labeler export report --run bm25 --run fusion --golden support --to report.md
    """
    from labeler import exporting
    from labeler.errors import UsageError
    from labeler.reports import agreement

    given = {
        "--run": systems,
        "--golden": golden,
        "--judge": judge,
        "--rubric": rubric,
        "--spotcheck": spotcheck,
    }
    for option, found in given.items():
        if found and what not in OF[option]:
            raise UsageError(f"{option} is for {' and '.join(OF[option])}, not for {what}")
    if what == "run" and len(systems) > 1:
        raise UsageError(f"One run goes into one file, found {len(systems)}: {', '.join(systems)}")
    with session.progress("rows written") as progress, session.reader() as store:
        selection = None
        if what == "report" and (judge or rubric or spotcheck):
            selection = agreement.choose(store, judge=judge, rubric=rubric, spotcheck=spotcheck)
        choice = exporting.Choice(
            form=form,
            system=systems[0] if systems else None,
            golden=golden,
            history=history,
            selection=selection,
            systems=systems,
            progress=progress,
            remark=session.say,
        )
        rows = exporting.export(store, what, to=to, choice=choice)
    session.say(f"{exporting.told(what, rows, to=to, form=form)} written to {to}")
