"""Check an LLM relevance judge against people before believing a number that it produced."""

__version__ = "0.1.0"
