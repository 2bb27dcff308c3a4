"""A small protocol, and the mistakes that newcomers make in it, from the files beside this one."""

import tomllib
from pathlib import Path

HERE = Path(__file__).parent
SMALL = (HERE / "small.toml").read_text("utf-8")
MISTAKES = tomllib.loads((HERE / "newcomer.toml").read_text("utf-8"))
