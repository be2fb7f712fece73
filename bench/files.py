"""Files of any size that look like a project: a corpus, queries, a run, verdicts and labels."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from bench.table import LABELER, Bench, run

_GRADES = ("NO", "PART", "YES")


@dataclass(frozen=True)
class Files:
    """The files, and the store that they are imported into."""

    folder: Path
    rows: int

    @property
    def run(self) -> Path:
        """A TREC run."""
        return self.folder / "run.trec"

    @property
    def table(self) -> Path:
        """The same run as CSV."""
        return self.folder / "run.csv"

    @property
    def store(self) -> Path:
        """Holds everything once `commands` have run."""
        return self.folder / "all.duckdb"

    @property
    def commands(self) -> list[tuple[str, list[str]]]:
        """What is imported, with the command that does it."""
        rows = f"{self.rows:,}"
        return [
            ("import queries", ["import", "queries", str(self.folder / "queries.jsonl")]),
            (f"import corpus, {rows} passages", ["import", "corpus", self._at("corpus.jsonl")]),
            (f"import run into it, {rows}", ["import", "run", str(self.run), "--system", "s"]),
            (f"import verdicts, {rows}", ["import", "verdicts", self._at("v.csv"), "--judge", "j"]),
            (
                f"import labels, {rows}",
                ["import", "labels", self._at("l.csv"), "--annotator", "before"],
            ),
            (f"pool, {rows}", ["pool", "--depth", "100"]),
        ]

    def _at(self, name: str) -> str:
        return str(self.folder / name)

    @classmethod
    def made(cls, bench: Bench) -> Files:
        """The files, written at the first call."""
        files = cls(bench.folder, bench.rows)
        if not files.run.exists():
            files._write(bench)
        return files

    @classmethod
    def filled(cls, bench: Bench) -> Files:
        """The files, with the store filled."""
        files = cls.made(bench)
        if not files.store.exists():
            for _, arguments in files.commands:
                run([*LABELER, "--db", files.store, *arguments])
        return files

    def _write(self, bench: Bench) -> None:
        """The verdict differs from the label on a fifth of the pairs."""
        luck = random.Random(7)
        words = [f"word{number}" for number in range(4_000)]
        with (self.folder / "corpus.jsonl").open("w") as corpus:
            for number in range(self.rows):
                text = " ".join(luck.choices(words, k=25))
                corpus.write(f'{{"_id":"p{number:07}","title":"T{number}","text":"{text}"}}\n')
        queries = range(self.rows // bench.per_query)
        with (self.folder / "queries.jsonl").open("w") as asked:
            for query in queries:
                asked.write(f'{{"_id":"q{query:05}","text":"what about {query}?"}}\n')
        with (
            self.run.open("w") as ranked,
            self.table.open("w") as tabled,
            (self.folder / "v.csv").open("w") as verdicts,
            (self.folder / "l.csv").open("w") as labels,
        ):
            for table in (verdicts, labels):
                table.write("query_id,passage_id,grade\n")
            tabled.write("query_id,passage_id,rank,score\n")
            for query in queries:
                first = luck.randrange(self.rows)
                for rank in range(bench.per_query):
                    passage = (first + 7919 * rank) % self.rows
                    pair = f"q{query:05},p{passage:07}"
                    grade = luck.choice(_GRADES)
                    other = grade if luck.random() < 0.8 else luck.choice(_GRADES)
                    ranked.write(
                        f"q{query:05} Q0 p{passage:07} {rank + 1} {99 - rank * 0.5:.3f} s\n"
                    )
                    tabled.write(f"{pair},{rank + 1},{99 - rank * 0.5:.3f}\n")
                    labels.write(f"{pair},{grade}\n")
                    verdicts.write(f"{pair},{other}\n")
