"""Check an LLM relevance judge against people before believing a number that it produced."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labeler.retrieving import evaluate as evaluate

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`labeler.evaluate`, loaded when it is used: importing labeler costs nothing."""
    if name == "evaluate":
        from labeler.retrieving import evaluate

        return evaluate
    raise AttributeError(f"module 'labeler' has no attribute {name!r}")
