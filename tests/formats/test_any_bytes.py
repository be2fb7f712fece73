"""Whatever bytes a file has, a reader reads them or says in words why not; it never breaks."""

from __future__ import annotations

import gzip
import json
from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.errors import LabelerError
from labeler.formats import (
    GAINS,
    Reading,
    read_answers,
    read_corpus,
    read_golden,
    read_judgments,
    read_queries,
    read_run,
)

READERS = [
    read_answers,
    read_corpus,
    read_queries,
    read_run,
    read_judgments,
    lambda path, reading: read_judgments(path, grades=GAINS, reading=reading),
    read_golden,
]
WHOLE = [
    b"q1 0 p1 1\nq2 0 p2 0\n",
    b"q Q0 a 1 3.0 t\nq Q0 b 2 2.0 t\n",
    b"query-id\tcorpus-id\tscore\nq\tp\t1\n",
    b'query_id,passage_id,grade,state,note\r\nq,p,YES,labelled,"a\nb"\r\n',
    b'{"_id":"1","text":"a","metadata":{"kind":"x"}}\n{"_id":"2","text":"b"}\n',
    b'[{"query":"a","expected":["x"]},{"query":"b","expected":[]}]',
    b'[{"query":"a","answer":"b","context":["x",{"id":1,"text":"y"}]}]',
    b"query_id,answer,contexts\nq,a,\"['x', 'y']\"\n",
    json.dumps(
        {"queries": {"a": "b"}, "corpus": {"n": "t"}, "relevant_docs": {"a": ["n"]}}
    ).encode(),
    json.dumps({"requests": [{"id": "q", "ratings": [{"_id": "p", "rating": 1}]}]}).encode(),
    json.dumps(
        {
            "topics": [
                {
                    "query_groups": [
                        {
                            "queries": [{"placeholders": {"$query": "a"}}],
                            "relevant_documents": {"2": ["1"]},
                        }
                    ]
                }
            ]
        }
    ).encode(),
    "q 0 pé 1\n".encode("utf-16"),
    gzip.compress(b"q 0 p 1\n" * 50, mtime=0),
]
NAMES = st.sampled_from(["x.txt", "x.csv", "x.tsv", "x.json", "x.jsonl", "x.qrels", "x.gz"])
PIECES = st.sampled_from(
    [
        *(
            b"\0",
            b'"',
            b"\n",
            b"\r",
            b"\t",
            b" ",
            b",",
            b"{",
            b"}",
            b"[",
            b"]",
            b":",
            b"\xff",
            b"#",
        ),
        *(
            b"\xed\xa0\x80",
            b"\\ud800",
            b"null",
            b"1",
            b"NaN",
            b"1e999",
            b"{}",
            b"[]",
            b"\xef\xbb\xbf",
        ),
    ]
)


@st.composite
def damaged(draw):
    """A whole file with up to three cuts, each filled with a piece that means something."""
    content = draw(st.sampled_from(WHOLE))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 8)))
        content = content[:start] + draw(PIECES | st.just(b"")) + content[end:]
    return content


@settings(deadline=None, max_examples=400)
@given(damaged() | st.binary(max_size=60), NAMES, st.booleans())
def test_any_bytes_are_read_or_refused_in_words(tmp_path_factory, content, name, skip_bad):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(content)
    for read in READERS:
        reading = Reading(skip_bad=skip_bad)
        try:
            records = [record for _, record in read(path, reading=reading)]
        except LabelerError as error:
            assert str(error).startswith(name)  # noqa: PT017 - most files are read, some refused
            continue
        assert skip_bad or not reading.problems
        for record in records:
            "".join(map(str, astuple(record))).encode()  # no lone surrogate came through
            assert "\0" not in getattr(record, "passage_id", "")


@pytest.mark.parametrize("read", READERS)
def test_a_million_blank_lines_are_an_error_too(written, read):
    with pytest.raises(LabelerError, match="only blank lines"):
        list(read(written("x.txt", b"\n" * 1_000_000), reading=Reading()))
