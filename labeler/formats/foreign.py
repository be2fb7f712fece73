"""Judgments inside the documents of other tools, told by their keys.

Elasticsearch and OpenSearch `rank_eval` requests, OpenSearch judgment lists, LlamaIndex's
EmbeddingQAFinetuneDataset, RRE's ratings, and the nested mapping {query: {passage: grade}} that
pytrec_eval and ranx keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from labeler.formats.fields import Cells, kind_of, shown
from labeler.formats.reading import Refused


class Link(NamedTuple):
    """One judged pair as a document has it: `cells` are fields of a judgment, still unread."""

    where: str
    cells: Cells


Reader = Callable[[dict[str, Any]], Iterator[Link]]


def reader_of(document: object) -> Reader | None:
    """What reads a document of this shape; None when it is no document of another tool."""
    if not isinstance(document, dict):
        return None
    keys = document.keys()
    if {"queries", "relevant_docs"} <= keys:
        return _llama_index
    for key, read in (
        ("requests", _rank_eval),
        ("judgmentRatings", _judgment_list),
        ("judgments", _judgment_list),
        ("topics", _rre),
        ("query_groups", _rre),
    ):
        if isinstance(document.get(key), list):
            return read
    queries = document.get("queries")
    if isinstance(queries, list) and any(
        isinstance(one, dict) and "placeholders" in one for one in queries
    ):
        return _rre
    nested = document and all(
        isinstance(grades, dict)
        and grades
        and all(isinstance(grade, int) for grade in grades.values())
        for grades in document.values()
    )
    return _mapping if nested else None


def _mapping(document: dict[str, Any]) -> Iterator[Link]:
    for query_id, grades in document.items():
        for passage_id, grade in grades.items():
            yield Link(f"query {shown(query_id)}", _cells(query_id, passage_id, grade))


def _llama_index(document: dict[str, Any]) -> Iterator[Link]:
    queries = _mapping_at(document, "queries", "the document")
    for query_id, passages in _mapping_at(document, "relevant_docs", "the document").items():
        where = f"relevant_docs of {shown(query_id)}"
        for passage_id in _list(passages, where):
            cells = _cells(query_id, passage_id, "YES") | {"query": queries.get(query_id)}
            yield Link(where, cells)


def _rank_eval(document: dict[str, Any]) -> Iterator[Link]:
    for number, request in enumerate(document["requests"]):
        where = f"requests[{number}]"
        asked = _object(request, where)
        query_id = asked.get("id")
        params = asked.get("params")
        text = params.get("query_string") or params.get("query") if isinstance(params, dict) else ""
        for rating in _list(asked.get("ratings"), f"{where}.ratings"):
            judged = _object(rating, f"{where}.ratings")
            cells = _cells(query_id, judged.get("_id"), judged.get("rating"))
            yield Link(where, cells | {"query": text if isinstance(text, str) else ""})


def _judgment_list(document: dict[str, Any]) -> Iterator[Link]:
    key = "judgmentRatings" if "judgmentRatings" in document else "judgments"
    for number, entry in enumerate(document[key]):
        where = f"{key}[{number}]"
        query = _object(entry, where).get("query")
        for rating in _list(entry.get("ratings"), f"{where}.ratings"):
            judged = _object(rating, f"{where}.ratings")
            passage_id = judged.get("docId", judged.get("_id"))
            cells = _cells(None, passage_id, judged.get("rating"))
            yield Link(where, cells | {"query": query})


def _rre(document: dict[str, Any]) -> Iterator[Link]:
    """Topics of query groups; or the groups, or queries with documents of their own, alone."""
    named = document.get("query_placeholder")
    placeholder = named if isinstance(named, str) else "$query"
    for number, topic in enumerate(document.get("topics", [document])):
        held = _object(topic, f"topics[{number}]")
        if "query_groups" not in held and "queries" in held:
            for query in _list(held["queries"], f"topics[{number}]"):
                where = f"query {shown(_rre_text(query, placeholder))}"
                yield from _rre_links([query], query, placeholder, where)
            continue
        for group in _list(held.get("query_groups"), f"topics[{number}]"):
            where = f"query group {shown(_object(group, 'query_groups').get('name'))}"
            yield from _rre_links(_list(group.get("queries"), where), group, placeholder, where)


def _rre_links(
    queries: list[Any], owner: dict[str, Any], placeholder: str, where: str
) -> Iterator[Link]:
    """Each of the queries with each of the documents that their owner has rated."""
    relevant = owner.get("relevant_documents")
    for text in dict.fromkeys(_rre_text(query, placeholder) for query in queries):
        for passage_id, grade in _rre_grades(relevant, where):
            yield Link(where, _cells(None, passage_id, grade) | {"query": text})


def _rre_text(query: object, placeholder: str) -> str:
    """The text of a query: its placeholder of that name, or the only one that it has."""
    held = _object(query, "queries").get("placeholders")
    if not isinstance(held, dict):
        raise Refused("a query without placeholders", '{"$query": text}')
    text = held.get(placeholder, next(iter(held.values()), "") if len(held) == 1 else "")
    if not isinstance(text, str) or not text:
        raise Refused("a query without a text", '{"$query": text}')
    return text


def _rre_grades(relevant: object, where: str) -> Iterator[tuple[object, object]]:
    """The forms of RRE and its tools: {grade: [ids]}, {id: {"gain": grade}}, and a list of
    {"document_id", "gain"}; "rating" may stand for "gain"."""
    if isinstance(relevant, list):
        for rated in relevant:
            judged = _object(rated, where)
            yield judged.get("document_id", judged.get("id")), _rre_gain(judged)
        return
    for key, value in _object(relevant, f"relevant_documents of {where}").items():
        if isinstance(value, dict):
            yield key, _rre_gain(value)
        else:
            for passage_id in _list(value, where):
                yield passage_id, key


def _rre_gain(judged: dict[str, Any]) -> object:
    return judged.get("gain", judged.get("rating"))


def _cells(query_id: object, passage_id: object, grade: object) -> Cells:
    return {"query_id": query_id, "passage_id": passage_id, "grade": grade}


def _object(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refused(f"{kind_of(value)} in {where}", "an object")
    return value


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Refused(f"{kind_of(value)} in {where}", "a list")
    return value


def _mapping_at(document: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    return _object(document.get(key), f"{key} of {where}")
