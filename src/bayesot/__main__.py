"""``python -m bayesot`` is the same as ``bayesot``."""

from bayesot.cli.main import app

app(prog_name="bayesot")
