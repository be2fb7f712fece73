"""The sample project: made from `data/sample` by the same importers that everybody uses."""

from __future__ import annotations

from labeler import assets, drawing, importing, judging
from labeler.importing import Options
from labeler.reports import agreement
from labeler.store import runs, spotchecks
from labeler.store.db import Store

SYSTEMS = ("bm25", "tfidf", "fusion")
SPOT_CHECK = "first"
SEED = 30


def make(store: Store) -> spotchecks.SpotCheck:
    """Import the sample, judge its candidates with the lexical baseline and draw a spot check.

    What is there already is not made again.
    """
    files, options = assets.find("data/sample"), Options()
    importing.corpus(store, [files / "corpus.jsonl"], name="larkfen", options=options)
    importing.query_set(store, [files / "queries.jsonl"], options=options)
    for system in SYSTEMS:
        importing.run(store, files / "runs" / f"{system}.trec", system=system, options=options)
    importing.golden(store, files / "golden-set.json", name="larkfen", options=options)
    runs.pool(store, depth=20)
    judging.run_lexical(store)
    for check in spotchecks.history(store):
        if check.name == SPOT_CHECK:
            return check
    judged = agreement.choose(store, judge="lexical")
    return drawing.draw(store, SPOT_CHECK, judged=judged, seed=SEED)
