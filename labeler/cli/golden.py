"""`labeler golden`: golden sets, frozen in versions that only add."""

from __future__ import annotations

from pathlib import Path

import click

from labeler.cli.near_misses import near_misses
from labeler.cli.session import Number, Session, json_option, pass_session

_by = click.option("--by", default="", metavar="PERSON", help="Who does it.")


@click.group(short_help="Freeze golden sets, list, verify, compare and rebind them.")
def golden() -> None:
    """Freeze golden sets, list, verify, compare and rebind them. A version is never changed.

    \b
    labeler golden freeze support
    labeler golden list
    labeler golden verify
    """


golden.add_command(near_misses)


@golden.command()
@click.argument("name")
@click.option(
    "--from",
    "source",
    type=click.Choice(("labels", "labels+judge")),
    default="labels",
    show_default=True,
    help="Settled labels alone, or with the judge's verdicts where nobody has looked.",
)
@click.option("--judge", help="labels+judge: whose verdicts; by default the newest judge's.")
@click.option("--rubric", metavar="NAME@V", help="labels+judge: under which rubric.")
@click.option("--model", help="labels+judge: of which model.")
@click.option("--spotcheck", metavar="NAME", help="labels+judge: what the gate reads.")
@click.option("--override", default="", metavar="REASON", help="Freeze although the gate says no.")
@click.option("--reason", default="", help="Why grades that were frozen change.")
@click.option(
    "--hold-out",
    type=Number(0, 1, min_open=True, max_open=True),
    help="Hold this share of needs out of evaluation, decided once.",
)
@_by
@json_option
@pass_session
def freeze(
    session: Session,
    /,
    name: str,
    source: str,
    judge: str | None,
    rubric: str | None,
    model: str | None,
    spotcheck: str | None,
    override: str,
    reason: str,
    hold_out: float | None,
    by: str,
    as_json: bool,
) -> None:
    """Freeze what people have settled as the next version of golden set NAME.

    \b
    labeler golden freeze support
    labeler golden freeze support --from labels+judge --judge claude --spotcheck first
    """
    from labeler import freezing
    from labeler.reports import agreement
    from labeler.store import holdouts

    with session.progress("freezing"), session.writer("labeler golden freeze") as store:
        judged = None
        if source == freezing.WITH_JUDGE:
            judged = agreement.choose(
                store, judge=judge, rubric=rubric, model=model, spotcheck=spotcheck
            )
        done = freezing.freeze(
            store,
            name,
            source=source,
            judged=judged,
            override=override,
            reason=reason,
            person=by,
        )
        if hold_out is not None:
            holdouts.hold_out(store, name, share=hold_out, person=by)
    kept = done.golden
    if as_json:
        session.emit(
            {
                "golden": kept.ref,
                "hash": kept.hash,
                "new": done.new,
                "entries": len(kept.entries),
                "from_people": done.from_people,
                "from_judge": done.from_judge,
                "unsettled": done.unsettled,
                "barred": done.barred,
            }
        )
        return
    click.echo(
        f"{kept.ref}  {len(kept.entries):,} entries  {kept.hash}"
        if done.new
        else f"{kept.ref} holds all of it already  {kept.hash}"
    )
    click.echo(
        f"{done.from_people:,} pairs from people, {done.from_judge:,} from the judge; "
        f"{done.unsettled:,} left out that people have not settled"
    )
    if done.barred:
        click.echo(
            f"{done.barred:,} left out whose passage the caller may not see, or that was not in "
            "force on the day asked about"
        )


@golden.command("list")
@click.option("--history", is_flag=True, help="Every version, not the newest of each.")
@json_option
@pass_session
def list_(session: Session, /, history: bool, as_json: bool) -> None:
    """List each golden set in its newest version, or every version.

    \b
    labeler golden list --json
    """
    from labeler.reports import lineage

    with session.reader() as store:
        found = lineage.versions(store)
    if not history:
        newest = {one.golden.name: one for one in found}
        found = [newest[name] for name in sorted(newest)]
    if as_json:
        session.emit({"golden_sets": [lineage.as_json(one) for one in found]})
        return
    for one in found:
        click.echo("\n".join(lineage.lines(one)))
    if not found:
        session.say("No golden set yet: `labeler golden freeze NAME`, `labeler import golden FILE`")


@golden.command()
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--golden", "ref", metavar="G[@V]", help="What FILE should be.")
@json_option
@pass_session
def verify(session: Session, /, file: Path | None, ref: str | None, as_json: bool) -> None:
    """Compute every hash again, or compare an exported FILE byte for byte with what is frozen; exit
    code 4 where something has changed.

    \b
    labeler golden verify && labeler export golden --golden support --to support.json
    labeler golden verify support.json
    """
    from labeler import verifying
    from labeler.errors import DamageFound, StoreDamaged
    from labeler.reports.render import counted
    from labeler.store import damage, goldens

    try:
        with session.progress("verifying"), session.reader() as store:
            checked = len(goldens.history(store))
            found = damage.verify(store)
            compared = verifying.check(store, file, ref=ref) if file else None
    except StoreDamaged as error:
        raise DamageFound(str(error)) from error
    said = [*map(str, found), *(map(str, compared.problems) if compared else ())]
    if as_json:
        session.emit(
            {
                "checked": checked,
                "damage": [one._asdict() for one in found],
                "file": compared
                and {
                    "file": file.name if file else "",
                    "compared_with": compared.what,
                    "problems": [problem._asdict() for problem in compared.problems],
                },
            }
        )
    if said:
        raise DamageFound("\n".join(said))
    if compared and file:
        session.say(f"{file.name} is {compared.what}, to the byte")
    session.say(f"{counted(checked, 'version')} of golden sets, all as they were frozen")


@golden.command()
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@json_option
@pass_session
def diff(session: Session, /, old: str, new: str, as_json: bool) -> None:
    """Show what changed from golden set A to B (NAME or NAME@VERSION), and why.

    \b
    labeler golden diff support@1 support@2
    """
    from labeler.reports.render import counted
    from labeler.store import goldens

    with session.reader() as store:
        before, after = goldens.named(store, old), goldens.named(store, new)
        changes = goldens.diff(store, before, after)
        freeze = goldens.freezes(store).get(after.ref)
    reason = freeze.reason if freeze else ""
    if as_json:
        session.emit(
            {
                "a": before.ref,
                "b": after.ref,
                "reason": reason,
                "changes": [change._asdict() for change in changes],
            }
        )
        return
    for one in changes:
        click.echo(
            f"{one.query_id} / {one.passage_id or '(nothing)'}: "
            f"{one.before or '(not there)'} -> {one.after or '(not there)'}  ({one.origin})"
        )
    why = f": {reason}" if reason else ""
    session.say(f"{counted(len(changes), 'change')} from {before.ref} to {after.ref}{why}")


@golden.command()
@click.argument("name")
@click.option("--corpus", required=True, metavar="C", help="The corpus that was split anew.")
@_by
@json_option
@pass_session
def rebind(session: Session, /, name: str, corpus: str, by: str, as_json: bool) -> None:
    """Carry grades over to a corpus that was split anew, imported under a name of its own.

    What is certain is frozen as the next version; what a person must look at is queued on the
    Golden sets page; what has no text any more is listed.

    \b
    labeler import corpus new-split.jsonl --name handbook-300
    labeler golden rebind support --corpus handbook-300
    """
    from labeler import rebinding

    with session.progress("rebinding"), session.writer("labeler golden rebind") as store:
        done = rebinding.rebind(store, name, corpus=corpus, person=by)
    states = {state: done.of(state) for state in ("certain", "look", "gone")}
    if as_json:
        session.emit(
            {
                "old": done.old.ref,
                "new": done.new.ref,
                "corpus": corpus,
                "queries_without_passage": done.bare_queries,
                **{
                    state: [
                        {
                            "query_id": one.query_id,
                            "old_passage": one.old_passage,
                            "new_passage": one.new_passage,
                            "old_grade": one.old_grade,
                            "grade": one.grade,
                            "why": one.why,
                        }
                        for one in found
                    ]
                    for state, found in states.items()
                },
            }
        )
        return
    click.echo(
        f"{done.old.ref} -> {done.new.ref}: {len(states['certain']):,} certain, "
        f"{len(states['look']):,} to look at, {len(states['gone']):,} gone"
    )
    for one in (*states["look"], *states["gone"]):
        new = one.new_passage or "(gone)"
        click.echo(f"  {one.query_id}: {one.old_passage} {one.old_grade} -> {new}  {one.why}")
    if done.bare_queries:
        session.say(
            f"{len(done.bare_queries):,} queries have no passage of the new corpus yet: "
            + ", ".join(done.bare_queries[:10])
        )
