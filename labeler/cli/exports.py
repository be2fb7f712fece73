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
)
FORMS = ("csv", "jsonl", "trec", "beir", "json")


@click.command(short_help="Write labels, verdicts, pairs, qrels and more to a file.")
@click.argument("what", type=click.Choice(WHAT))
@click.option("--to", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.option("--format", "form", type=click.Choice(FORMS), help="By default by the extension.")
@click.option("--run", "system", metavar="SYSTEM", help="Whose run to export.")
@click.option("--golden", metavar="G[@V]", help="Which golden set to export, or to take qrels of.")
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
    system: str | None,
    golden: str | None,
    history: bool,
    judge: str | None,
    rubric: str | None,
    spotcheck: str | None,
) -> None:
    """Write labels, verdicts, pairs, qrels and more to a file, whole or not at all.

    \b
    labeler export labels --to labels.csv
    labeler export qrels --to human.qrels
    labeler export run --run bm25 --to bm25.trec
    labeler export report --spotcheck first --to report.json
    """
    from labeler import exporting
    from labeler.reports import agreement

    with session.reader() as store:
        selection = None
        if what == "report":
            selection = agreement.choose(store, judge=judge, rubric=rubric, spotcheck=spotcheck)
        choice = exporting.Choice(
            form=form,
            system=system,
            golden=golden,
            history=history,
            selection=selection,
        )
        rows = exporting.export(store, what, to=to, choice=choice)
    session.say(f"{rows:,} {'pairs compared' if what == 'report' else 'rows'} written to {to}")
