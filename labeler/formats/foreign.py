"""Judgments inside the documents of other tools, told by their keys.

Elasticsearch and OpenSearch `rank_eval` requests, OpenSearch judgment lists (as they are sent, and
as they come back), LlamaIndex's EmbeddingQAFinetuneDataset, RRE's and Quepid's ratings, and the
nested mapping {query: {passage: grade}} that pytrec_eval and ranx keep.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from labeler.formats.fields import Cells, kind_of, shown
from labeler.formats.grades import is_word
from labeler.formats.reading import Refused


class Link(NamedTuple):
    """One judged pair as a document has it: `cells` are fields of a judgment, still unread; empty
    for a query of which nothing is rated."""

    where: str
    cells: Cells


_RATINGS = "judgmentRatings"

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
        ("judgments", _judgment_list),
        ("topics", _rre),
        ("query_groups", _rre),
    ):
        if isinstance(document.get(key), list):
            return read
    if isinstance(document.get(_RATINGS), dict | list):
        return _judgment_list
    hits = document.get("hits")
    if isinstance(hits, dict) and isinstance(hits.get("hits"), list):
        return _search_response
    queries = document.get("queries")
    for one in queries if isinstance(queries, list) else ():
        if isinstance(one, dict) and "placeholders" in one:
            return _rre
        if isinstance(one, dict) and isinstance(one.get("ratings"), dict):
            return _quepid
    nested = any(document.values()) and all(
        isinstance(grades, dict)
        and all(isinstance(grade, int | float) or is_word(grade) for grade in grades.values())
        for grades in document.values()
    )
    return _mapping if nested else None


def _mapping(document: dict[str, Any]) -> Iterator[Link]:
    for query_id, grades in document.items():
        yield from _rated(f"query {shown(query_id)}", query_id, grades.items())


def _llama_index(document: dict[str, Any]) -> Iterator[Link]:
    """A query's relevant passages, all YES; ids may be of queries that are not among the texts."""
    queries = _mapping_at(document, "queries", "the document")
    relevant = _mapping_at(document, "relevant_docs", "the document")
    for query_id in dict.fromkeys([*relevant, *queries]):
        where = f"relevant_docs of {shown(query_id)}"
        pairs = ((passage_id, "YES") for passage_id in _list(relevant.get(query_id, []), where))
        yield from _rated(where, query_id, pairs, query=queries.get(query_id))


def _rank_eval(document: dict[str, Any]) -> Iterator[Link]:
    for number, request in enumerate(document["requests"]):
        where = f"requests[{number}]"
        asked = _object(request, where)
        query_id = asked.get("id")
        params = asked.get("params")
        text = params.get("query_string") or params.get("query") if isinstance(params, dict) else ""
        query = text if isinstance(text, str) else ""
        ratings = _list(asked.get("ratings"), f"{where}.ratings")
        pairs = list(_documents(ratings, f"{where}.ratings"))
        yield from _rated(where, query_id, pairs, query=query)


def _documents(ratings: list[Any], where: str) -> Iterator[tuple[object, object]]:
    """The documents of a request, which its index and its id name: passages have the id alone."""
    indices: dict[object, object] = {}
    for rating in ratings:
        judged = _object(rating, where)
        name, index = judged.get("_id"), judged.get("_index")
        if isinstance(name, str) and indices.setdefault(name, index) != index:
            told = f"{shown(name)} of the indices {shown(indices[name])} and {shown(index)}"
            raise Refused(f"{told} in {where}", "each id of one index")
        yield name, judged.get("rating")


def _search_response(document: dict[str, Any]) -> Iterator[Link]:
    """The judgment list that OpenSearch answers with when asked for it by its id."""
    hits = document["hits"]["hits"]
    found = [hit.get("_source") for hit in hits if isinstance(hit, dict)]
    lists = [one for one in found if isinstance(one, dict) and one.get(_RATINGS)]
    if len(lists) != 1:
        raise Refused(f"{len(lists)} judgment lists among the hits", "one, asked for by its id")
    yield from _judgment_list(lists[0])


def _judgment_list(document: dict[str, Any]) -> Iterator[Link]:
    """Entries of a query with its ratings; in old ones the ratings stand under their query."""
    key = _RATINGS if _RATINGS in document else "judgments"
    told = document[key]
    entries = (
        [{"query": query, "ratings": ratings} for query, ratings in told.items()]
        if isinstance(told, dict)
        else _list(told, key)
    )
    for number, entry in enumerate(entries):
        where = f"{key}[{number}]"
        query = _object(entry, where).get("query")
        ratings = _list(entry.get("ratings"), f"{where}.ratings")
        judged = (_object(rating, f"{where}.ratings") for rating in ratings)
        pairs = ((one.get("docId", one.get("_id")), one.get("rating")) for one in judged)
        yield from _rated(where, None, pairs, query=query)


def _quepid(document: dict[str, Any]) -> Iterator[Link]:
    for number, entry in enumerate(document["queries"]):
        where = f"queries[{number}]"
        asked = _object(entry, where)
        ratings = _object(asked.get("ratings"), f"{where}.ratings")
        yield from _rated(where, None, ratings.items(), query=asked.get("query"))


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
        yield from _rated(where, None, _rre_grades(relevant, where), query=text)


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


def _rated(
    where: str, query_id: object, pairs: Iterable[tuple[object, object]], *, query: object = ""
) -> Iterator[Link]:
    """The passages of a query with their grades, or that it has none."""
    rated = False
    for passage_id, grade in pairs:
        cells = {"query_id": query_id, "passage_id": passage_id, "grade": grade}
        yield Link(where, cells | ({"query": query} if query != "" else {}))
        rated = True
    if not rated:
        yield Link(where, {})


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
