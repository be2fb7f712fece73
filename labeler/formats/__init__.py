"""Readers and writers of files. Pure: they know no store and no screen.

Every reader yields `Numbered` records lazily and gathers what it refused, dropped and changed in
the `Reading` that it is given; a strict one raises InputError before it ends.
"""

from labeler.formats.answers import AnswerRow, read_answers, write_answers
from labeler.formats.corpora import read_corpus
from labeler.formats.fields import LONGEST_NAME, called, columns_from, is_name, shown
from labeler.formats.goldenfile import read_golden, write_golden
from labeler.formats.grades import GAINS, GradeMap
from labeler.formats.joins import Joins, near_misses, nearly_alike
from labeler.formats.judgments import read_judgments
from labeler.formats.queries import read_queries, write_queries
from labeler.formats.reading import Note, Numbered, Reading
from labeler.formats.runs import read_run
from labeler.formats.source import shown_file
from labeler.formats.write import Format, write_atomically, write_json_lines, write_table

__all__ = [
    "GAINS",
    "LONGEST_NAME",
    "AnswerRow",
    "Format",
    "GradeMap",
    "Joins",
    "Note",
    "Numbered",
    "Reading",
    "called",
    "columns_from",
    "is_name",
    "near_misses",
    "nearly_alike",
    "read_answers",
    "read_corpus",
    "read_golden",
    "read_judgments",
    "read_queries",
    "read_run",
    "shown",
    "shown_file",
    "write_answers",
    "write_atomically",
    "write_golden",
    "write_json_lines",
    "write_queries",
    "write_table",
]
