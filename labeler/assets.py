"""Files beside the package: at the top of a checkout, or where an installation puts them."""

from __future__ import annotations

import sys
from pathlib import Path

from labeler.errors import LabelerError


def find(name: str) -> Path:
    """The file or folder called `name`, such as `data/sample`."""
    for top in (Path(__file__).parent.parent, Path(sys.prefix) / "share" / "labeler"):
        if (top / name).exists():
            return top / name
    raise LabelerError(f"{name} is not part of this installation: run in a checkout")
