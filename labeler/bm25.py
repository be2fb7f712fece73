"""The built-in baseline: keyword search by Okapi BM25, which every other system should beat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

SYSTEM = "bm25 baseline"
"""What the baseline is called wherever a system is named."""

K1, B = 1.2, 0.75
"""How soon repetition stops to count, and how much length does."""


class Hit(NamedTuple):
    """A passage that was found, and its score: higher is better."""

    passage_id: str
    score: float


class Bm25:
    """An index of texts: words are runs of letters, digits and underscores in small letters.

    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), never negative; a word counts as often as the query
    repeats it. It knows nothing of scopes and dates.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        """Index (passage id, text) pairs."""
        from sklearn.feature_extraction.text import CountVectorizer

        by_id = dict(texts)
        self._ids = sorted(by_id)
        self._words = CountVectorizer(token_pattern=r"\w+")
        try:
            counts = self._words.fit_transform(by_id[passage_id] for passage_id in self._ids)
        except ValueError:  # no text has a word
            self._ids = []
            return
        lengths = np.asarray(counts.sum(axis=1)).ravel()
        length = 1 - B + B * lengths / lengths.mean()
        postings = counts.tocsc()
        found_in = np.diff(postings.indptr)
        idf = np.log1p((len(self._ids) - found_in + 0.5) / (found_in + 0.5))
        times = postings.data.astype(np.float64)
        saturated = times * (K1 + 1) / (times + K1 * length[postings.indices])
        postings.data = saturated * np.repeat(idf, found_in)
        self._postings = postings

    def __len__(self) -> int:
        """How many passages are indexed."""
        return len(self._ids)

    def search(self, text: str, top_n: int) -> list[Hit]:
        """The best passages that share a word with the query; equal scores are ordered by id."""
        if not self._ids:
            return []
        asked, postings = self._words.transform([text]), self._postings
        parts = [slice(*postings.indptr[word : word + 2]) for word in asked.indices]
        if not parts:
            return []
        # Only the passages with one of the words are looked at, in the order of their ids.
        places, at = np.unique(
            np.concatenate([postings.indices[part] for part in parts]), return_inverse=True
        )
        given = [n * postings.data[part] for part, n in zip(parts, asked.data, strict=True)]
        scores = np.round(np.bincount(at, weights=np.concatenate(given)), 6)
        best = np.argsort(-scores, kind="stable")[:top_n]
        return [Hit(self._ids[places[n]], float(scores[n])) for n in best if scores[n]]
