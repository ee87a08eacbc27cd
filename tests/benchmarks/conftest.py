"""Benchmarks are collected by `make bench` (`pytest tests/benchmarks --benchmark-only`) alone."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the benchmarks out of every other run."""
    del collection_path
    return None if config.getoption("benchmark_only", default=False) else True
