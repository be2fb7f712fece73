"""Settings: a flag wins over the environment, that over `labeler.toml`, that over the default."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labeler.errors import LabelerError

FILE = "labeler.toml"
"""The project's settings file, in the folder that the command runs in."""

DEFAULT_DB = "labeler.duckdb"


@dataclass(frozen=True)
class Config:
    """What `labeler.toml` and the environment say."""

    values: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def setting(self, name: str, flag: str | None = None, *, default: str = "") -> str:
        """The setting `name`: from `flag`, LABELER_NAME, the file, or the default."""
        found = flag or self.environment.get(f"LABELER_{name.upper()}")
        if found:  # empty is how a shell unsets a variable for a single command
            return found
        value = self.values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise LabelerError(f"{FILE}: {name} is {value!r}, expected one value")
        return str(value)

    def table(self, name: str) -> Mapping[str, Any]:
        """A table of the file, such as `[prices]`; empty where there is none."""
        found = self.values.get(name, {})
        if not isinstance(found, Mapping):
            raise LabelerError(f"{FILE}: {name} is {found!r}, expected a table")
        return found


def load(folder: Path | None = None, *, environment: Mapping[str, str] | None = None) -> Config:
    """Read `labeler.toml` in `folder` (the current one by default), if it is there."""
    path = (folder or Path.cwd()) / FILE
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        values = {}
    except OSError as error:
        raise LabelerError(f"{FILE} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LabelerError(f"{FILE}: {error}") from error
    return Config(values, dict(os.environ) if environment is None else environment)
