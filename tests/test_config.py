"""Settings: a flag, else the environment, else `labeler.toml`, else the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from labeler import assets, config
from labeler.config import Config
from labeler.errors import LabelerError


@pytest.mark.parametrize(
    ("flag", "environment", "values", "expected"),
    [
        ("flag", {"LABELER_DB": "env"}, {"db": "file"}, "flag"),
        (None, {"LABELER_DB": "env"}, {"db": "file"}, "env"),
        ("", {"LABELER_DB": ""}, {"db": "file"}, "file"),
        (None, {}, {"db": "file"}, "file"),
        (None, {}, {"db": 7}, "7"),
        (None, {}, {}, "default"),
    ],
)
def test_a_flag_wins_over_the_environment_that_over_the_file(flag, environment, values, expected):
    found = Config(values, environment).setting("db", flag, default="default")
    assert found == expected


def test_a_folder_without_settings_has_none(tmp_path: Path):
    assert config.load(tmp_path, environment={"A": "b"}) == Config({}, {"A": "b"})


def test_settings_and_tables_are_read(tmp_path: Path):
    (tmp_path / config.FILE).write_text('db = "x.duckdb"\n[prices]\na = 1\n', encoding="utf-8")
    found = config.load(tmp_path, environment={})
    assert found.setting("db") == "x.duckdb"
    assert found.table("prices") == {"a": 1}
    assert found.table("models") == {}


@pytest.mark.parametrize("value", [[1], {"a": 1}, True])
def test_a_setting_that_is_no_single_value_is_named(value):
    with pytest.raises(LabelerError, match=r"^labeler\.toml: db is .*, expected one value$"):
        Config({"db": value}).setting("db")
    with pytest.raises(LabelerError, match=r"^labeler\.toml: db is .*, expected a table$"):
        Config({"db": "x"}).table("db")


def test_what_ships_beside_the_package_is_found_and_the_rest_is_named():
    assert (assets.find("data/sample") / "corpus.jsonl").exists()
    with pytest.raises(LabelerError, match=r"^data/none is not part of this installation"):
        assets.find("data/none")
