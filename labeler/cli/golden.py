"""`labeler golden`: frozen golden sets."""

from __future__ import annotations

import click

from labeler.cli.session import Session, json_option, pass_session


@click.group(short_help="List golden sets and verify them.")
def golden() -> None:
    """List golden sets and verify that nothing in them has changed.

    \b
    labeler golden list
    labeler golden verify
    """


@golden.command("list")
@json_option
@pass_session
def list_(session: Session, /, as_json: bool) -> None:
    """List each golden set in its newest version.

    \b
    labeler golden list --json
    """
    from labeler.store import goldens

    with session.reader() as store:
        found = goldens.current(store)
    if as_json:
        summaries = [
            {
                "name": golden.name,
                "version": golden.version,
                "hash": golden.hash,
                "entries": len(golden.entries),
                "origin": golden.origin,
                "frozen_at": golden.frozen_at,
            }
            for golden in found
        ]
        session.emit({"golden_sets": summaries})
        return
    for golden in found:
        click.echo(
            f"{golden.ref}  {len(golden.entries):,} entries  {golden.hash}  "
            f"{golden.frozen_at:%Y-%m-%d} from {golden.origin}"
        )


@golden.command()
@json_option
@pass_session
def verify(session: Session, /, as_json: bool) -> None:
    """Compute every hash again; exit code 4 where something has changed.

    \b
    labeler golden verify && labeler export golden --golden support --to support.jsonl
    """
    from labeler.errors import DamageFound
    from labeler.reports.render import counted
    from labeler.store import goldens

    with session.reader() as store:
        damage = goldens.verify(store)
        checked = len(goldens.history(store))
    if as_json:
        session.emit({"checked": checked, "damage": [found._asdict() for found in damage]})
    if damage:
        raise DamageFound("\n".join(map(str, damage)))
    session.say(f"{counted(checked, 'version')} of golden sets, all as they were frozen")
