"""`labeler queries`: write one query, make a case of a production failure, list what stands."""

from __future__ import annotations

import getpass

import click

from labeler.cli.session import Session, json_option, pass_session


@click.group(short_help="Write queries, and make cases of production failures.")
def queries() -> None:
    """Write queries, and make cases of production failures.

    \b
    labeler queries add "how many days off?" --kind paraphrase --origin colleague
    labeler queries list --waiting
    """


@queries.command()
@click.argument("text")
@click.option("--id", "query_id", default="", help="Its id; by default the next free own-N.")
@click.option("--kind", default="", help="exact, paraphrase, multi_passage, ... or your own.")
@click.option("--origin", default="", help="Where it comes from.")
@click.option("--need", "need_id", default="", help="One name for all that ask for the same.")
@click.option("--scope", default="", help="The caller's scopes, parted by blanks.")
@click.option("--as-of", default="", metavar="YYYY-MM-DD", help="The day that it asks about.")
@click.option("--note", default="", help="What else is known of it.")
@click.option("--answer", help="The answer that production gave: makes it a case.")
@click.option("--came-back", multiple=True, metavar="ID", help="A passage that came back; repeat.")
@click.option("--person", help="Who writes it; by default the user of this computer.")
@json_option
@pass_session
def add(
    session: Session,
    /,
    text: str,
    query_id: str,
    kind: str,
    origin: str,
    need_id: str,
    scope: str,
    as_of: str,
    note: str,
    answer: str | None,
    came_back: tuple[str, ...],
    person: str | None,
    as_json: bool,
) -> None:
    """Add a query, or a new version of the one with its id.

    With --answer, --came-back or `--origin "production failure"` it is a production failure: it
    enters the queue as a case, with its origin, for good, and what came back becomes candidates.

    \b
    labeler queries add "ERR-4021 after the update" --answer "Restart it." --came-back doc-17
    labeler queries add "how many days off?" --kind paraphrase --origin colleague
    """
    from labeler.model import Query
    from labeler.reports import likeness
    from labeler.store import desk
    from labeler.store import queries as stored

    query = Query(query_id, text, kind, need_id, origin, scope, as_of, "", note)
    who = person or getpass.getuser()
    with session.writer("labeler queries add") as store:
        if answer is not None or came_back or origin == desk.FAILURE:
            made = desk.report_failure(
                store, query, answer=answer or "", came_back=came_back, person=who
            )
        else:
            made = desk.write(store, query, person=who)
        others = (one for one in stored.current(store) if one.query_id != made.query_id)
        near = likeness.near(made.text, others)
    if as_json:
        like = [{"query_id": one.query.query_id, "likeness": one.likeness} for one in near]
        session.emit({"query_id": made.query_id, "origin": made.origin, "near": like})
        return
    click.echo(made.query_id)
    for one in near:
        session.say(f"Nearly the same: {one.query.query_id}, {one.query.text}")


@queries.command("list")
@click.option("--waiting", is_flag=True, help="Only those without an answer or an outcome.")
@json_option
@pass_session
def list_(session: Session, /, waiting: bool, as_json: bool) -> None:
    """List each query and how it stands: conflicts first, then production failures that wait.

    \b
    labeler queries list --waiting --json
    """
    from labeler.reports import casebook, render

    with session.reader() as store:
        cases = casebook.cases(store)
    cases = [case for case in cases if case.waiting or not waiting]
    if as_json:
        found: list[dict[str, object]] = [
            {
                "query_id": case.query.query_id,
                "text": case.query.text,
                "kind": case.query.kind,
                "origin": case.query.origin,
                "state": case.state,
                "searches": case.searches,
                "facts": len(case.facts),
                "conflicts": list(case.conflicts),
                "remarks": list(case.remarks),
            }
            for case in cases
        ]
        session.emit({"queries": found})
        return
    for case in cases:
        text = render.short(case.query.text, width=60)
        click.echo(f"{case.state:<13} {case.query.query_id:<14} {case.query.origin:<19} {text}")
        for said in (*case.conflicts, *case.remarks):
            click.echo(f"{'':<13} - {said}")
    if not cases:
        none = "No query waits" if waiting else "No query yet: `labeler import queries FILE`"
        session.say(none)
