"""Fixtures that run the command line in this process and capture its output."""

import io
import json
from dataclasses import dataclass

import pandas as pd
import pytest

from dptopk.cli import main


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it wrote."""

    code: int
    out: bytes
    err: str

    @property
    def table(self) -> pd.DataFrame:
        assert self.code == 0, self.err
        return pd.read_csv(io.BytesIO(self.out))

    @property
    def json(self):
        assert self.code == 0, self.err
        return json.loads(self.out)


@pytest.fixture
def run(capsysbinary, tmp_path, monkeypatch):
    """run("compare", "-k", "3") -> Ran, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def ran(*arguments: object) -> Ran:
        code = main([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return Ran(code, out, err.decode())

    return ran
