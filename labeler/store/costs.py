"""What verdicts have cost."""

from __future__ import annotations

from labeler.store.db import Store


def per_verdict(store: Store) -> dict[tuple[str, str, str], float]:
    """US dollars paid per readable verdict, by judge, rubric and model, unreadable replies paid
    for included; those of which no cost is known are left out. What a model's verdict copied from
    the same request elsewhere (cost 0, no tokens) was not paid for and does not count.
    """
    rows = store.rows(
        "select judge, rubric, model, sum(cost) / count(*) filter (where status = 'ok') "
        "from verdicts where cost is not null "
        "and not (model <> '' and cost = 0 and input_tokens is null) "
        "group by judge, rubric, model having count(*) filter (where status = 'ok') > 0"
    )
    return {(row[0], row[1], row[2]): float(row[3]) for row in rows}
