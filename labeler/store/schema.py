"""What each step of the migrations adds to the schema, as SQL. A released text is never edited."""

from __future__ import annotations

_GRADE = "check (grade in ('NO', 'PART', 'YES'))"

CORPUS = """
create sequence seq;
create table audit (
    seq bigint not null, at_utc timestamptz not null, person text not null,
    action text not null, subject text not null, detail text not null);
create table people (
    name text not null, role text not null check (role in ('annotator', 'reviewer', 'lead')),
    seq bigint not null, since timestamptz not null);
create table settings (name text not null, value text not null);
create table imports (
    seq bigint not null, kind text not null, file text not null, file_hash text not null,
    read bigint not null, added bigint not null, left_out bigint not null,
    imported_at timestamptz not null);
create table corpora (
    seq bigint not null, name text not null, version integer not null,
    passages bigint not null, imported_at timestamptz not null);
create table passages (
    seq bigint not null, corpus text not null, version integer not null, passage_id text not null,
    text text not null, title text not null, source_uri text not null, locator text not null,
    scope text not null, effective_from text not null, effective_to text not null,
    hash text not null, superseded boolean not null default false);
create table queries (
    seq bigint not null, query_id text not null, text text not null, kind text not null,
    need_id text not null, origin text not null, scope text not null, as_of text not null,
    split text not null, note text not null, hash text not null,
    superseded boolean not null default false);
create table runs (
    seq bigint not null, run_id text not null, system text not null, hash text not null,
    rows bigint not null, depth integer not null, note text not null,
    imported_at timestamptz not null);
create table run_rows (
    run_id text not null, query_id text not null, passage_id text not null,
    rank integer not null, score double);
create table candidates (
    seq bigint not null, query_id text not null, passage_id text not null,
    best_rank integer, source text not null, added_at timestamptz not null);
"""

JUDGMENTS = f"""
create table rubrics (
    seq bigint not null, name text not null, version integer not null, text text not null,
    examples text not null, hash text not null, added_by text not null,
    added_at timestamptz not null);
create table verdicts (
    seq bigint not null, query_id text not null, passage_id text not null, judge text not null,
    rubric text not null, model text not null, grade text {_GRADE},
    status text not null check (status in ('ok', 'unreadable')),
    reason text not null, raw text not null, request_id text not null, stop_reason text not null,
    input_tokens bigint, output_tokens bigint, cost double, latency_ms double,
    api_request_id text not null, usage text not null, query_hash text not null,
    passage_hash text not null, judged_at timestamptz not null,
    check ((status = 'ok') = (grade is not null)));
create table batches (
    seq bigint not null, intent text not null, batch_id text not null, state text not null,
    judge text not null, rubric text not null, model text not null, requests bigint not null,
    detail text not null, noted_at timestamptz not null);
create table batch_requests (
    intent text not null, request_id text not null, query_id text not null,
    passage_id text not null, query_hash text not null, passage_hash text not null);
create table label_events (
    event uuid primary key, seq bigint not null, query_id text not null, passage_id text not null,
    annotator text not null, action text not null, grade text {_GRADE},
    state text not null check (state in ('open', 'labelled', 'unsure', 'later')),
    note text not null, spotcheck text not null, blind boolean, passage_hash text not null,
    query_hash text not null, client_at text not null, labelled_at timestamptz not null,
    check ((state = 'labelled') = (grade is not null)));
create table repeated_labels (event uuid not null);
create table verdict_views (
    query_id text not null, passage_id text not null, person text not null,
    seen_at timestamptz not null);
create table adjudications (
    seq bigint not null, query_id text not null, passage_id text not null,
    grade text {_GRADE}, reason text not null, reviewer text not null,
    decided_at timestamptz not null);
"""

CHECKS = f"""
create table spotchecks (
    seq bigint not null, name text not null, seed bigint not null, n integer not null,
    per_verdict integer not null, overlap integer not null, judge text not null,
    rubric text not null, model text not null, drawn_by text not null,
    drawn_at timestamptz not null);
create table strata (
    spotcheck text not null, stratum text not null, size bigint not null, drawn bigint not null);
create table tasks (
    spotcheck text not null, task bigint not null, query_id text not null,
    passage_id text not null, stratum text not null, weight double not null,
    position integer not null, wanted integer not null);
create table reservations (
    spotcheck text not null, task bigint not null, annotator text not null,
    until timestamptz not null);
create table handed (
    spotcheck text not null, task bigint not null, annotator text not null,
    handed_at timestamptz not null);
create table goldens (
    seq bigint not null, name text not null, version integer not null, hash text not null,
    origin text not null, frozen_by text not null, frozen_at timestamptz not null);
create table golden_entries (
    name text not null, version integer not null, query_id text not null, query text not null,
    kind text not null, passage_id text not null, grade text {_GRADE}, origin text not null,
    text_hash text not null);
"""

VIEWS = """
create view current_passages as
    select distinct on (passage_id) * from passages where not superseded
    order by passage_id, seq desc;
create view current_queries as select * from queries where not superseded;
create view current_runs as
    select distinct on (system) * from runs order by system, seq desc;
create view current_verdicts as
    select distinct on (query_id, passage_id, judge, rubric, model) * from verdicts
    order by query_id, passage_id, judge, rubric, model, seq desc;
create view current_labels as
    select distinct on (query_id, passage_id, annotator) * from label_events
    order by query_id, passage_id, annotator, seq desc;
create view blind_labels as
    select distinct on (query_id, passage_id, annotator) * from label_events
    where blind is distinct from false
    order by query_id, passage_id, annotator, seq desc;
create view current_adjudications as
    select distinct on (query_id, passage_id) * from adjudications
    order by query_id, passage_id, seq desc;
create view current_people as
    select distinct on (name) * from people order by name, seq desc;
"""

DESK = """
create table searches (
    seq bigint not null, query_id text not null, text text not null, source text not null,
    scope text not null, as_of text not null, with_all bigint not null, with_some bigint not null,
    top text not null, person text not null, tried_at timestamptz not null);
create table outcomes (
    seq bigint not null, query_id text not null,
    outcome text not null check (outcome in ('open', 'unanswerable', 'unavailable')),
    reason text not null, person text not null, decided_at timestamptz not null);
create table facts (
    seq bigint not null, query_id text not null, fact integer not null, text text not null,
    person text not null, noted_at timestamptz not null);
create table fact_passages (seq bigint not null, passage_id text not null);
create table failures (
    seq bigint not null, query_id text not null, asked text not null, answer text not null,
    came_back text not null, note text not null, person text not null,
    reported_at timestamptz not null);
create view standing_outcomes as
    select distinct on (query_id) * from outcomes order by query_id, seq desc;
create view standing_facts as
    select * from (select distinct on (query_id, fact) * from facts
    order by query_id, fact, seq desc) as newest where text <> '';
"""

EVALUATIONS = """
create table askings (
    seq bigint not null, run_id text not null, depth integer not null, quiet text not null,
    command text not null);
create table evaluations (
    seq bigint not null, system text not null, run_hash text not null, golden text not null,
    golden_hash text not null, reading text not null check (reading in ('strict', 'lenient')),
    n_queries bigint not null, code_version text not null, corpora text not null,
    conventions text not null, measures text not null, note text not null, person text not null,
    evaluated_at timestamptz not null);
create table baselines (
    seq bigint not null, name text not null, evaluation bigint not null, reviewer text not null,
    reason text not null, reviewed_at timestamptz not null);
create view standing_baselines as
    select distinct on (name) * from baselines order by name, seq desc;
"""

WORKSHOP = f"""
create table looks (
    seq bigint not null, part text not null check (part in ('held-out', 'all')),
    spotcheck text not null, first text not null, second text not null, rubric text not null,
    look integer not null, n bigint not null, disagreements bigint not null,
    only_first bigint not null, only_second bigint not null, p double not null,
    difference double, lo double, hi double,
    reading text not null check (reading in ('confirmed', 'not confirmed', 'worse')),
    person text not null, looked_at timestamptz not null);
create table look_pairs (seq bigint not null, query_id text not null, passage_id text not null);
create table freezes (
    seq bigint not null, name text not null, version integer not null, seal text not null,
    reason text not null, source text not null, judge text not null, rubric text not null,
    model text not null, spotcheck text not null, decision text not null, override text not null,
    confirmed text not null);
create table golden_anchors (
    name text not null, version integer not null, query_id text not null,
    passage_id text not null, corpus text not null, corpus_version integer,
    source_uri text not null, locator text not null, starts bigint, ends bigint,
    entry_hash text not null);
create table holdouts (
    seq bigint not null, name text not null, share double not null, person text not null,
    decided_at timestamptz not null);
create table golden_looks (
    seq bigint not null, golden text not null, purpose text not null, person text not null,
    looked_at timestamptz not null);
create table bindings (
    seq bigint not null, name text not null, version integer not null, corpus text not null,
    query_id text not null, old_passage text not null, new_passage text not null,
    old_grade text not null, grade text {_GRADE},
    state text not null check (state in ('certain', 'look', 'gone', 'decided')),
    why text not null, person text not null, decided_at timestamptz not null);
create view standing_holdouts as
    select distinct on (name) * from holdouts order by name, seq desc;
create view standing_bindings as
    select distinct on (name, version, corpus, query_id, old_passage, new_passage) * from bindings
    order by name, version, corpus, query_id, old_passage, new_passage, seq desc;
"""

REPLIES = """
create table replies (
    seq bigint not null, purpose text not null, subject text not null, request_id text not null,
    model text not null, status text not null check (status in ('ok', 'unreadable')),
    reason text not null, raw text not null, input_tokens bigint, output_tokens bigint,
    cost double, api_request_id text not null, usage text not null,
    replied_at timestamptz not null);
"""

DRAFTS = """
create table drafts (
    seq bigint not null, draft_id text not null, kind text not null, query text not null,
    passage_id text not null, corpus text not null, corpus_version integer,
    source_uri text not null, locator text not null, starts bigint, ends bigint,
    passage_hash text not null, seed bigint not null, request_id text not null,
    model text not null, reason text not null, leakage double, drafted_at timestamptz not null);
create table draft_checks (
    seq bigint not null, draft_id text not null, name text not null, passed boolean not null,
    reason text not null, request_id text not null, checked_at timestamptz not null);
create table draft_decisions (
    seq bigint not null, draft_id text not null,
    decision text not null check (decision in ('accepted', 'rejected')),
    query_id text not null, reason text not null, person text not null,
    decided_at timestamptz not null);
"""

ANSWERS = """
create table answers (
    seq bigint not null, answer_id text not null, query_id text not null, system text not null,
    context_kind text not null check (context_kind in ('production', 'frozen', 'selected')),
    text text not null, context text not null, hash text not null,
    superseded boolean not null default false, imported_at timestamptz not null);
"""
