"""``python -m benchmarks.first_answer``: how long a new user waits for the first draws.

Each repetition is a fresh process: import the library, build a 5x10 problem, draw 1000 plans,
then draw them again with another seed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import console, describe, machine, table, write_json

# Kept free of imports that the library would not do itself: it is what a user's script would be.
SCRIPT = """
import json, time
t0 = time.perf_counter()
import numpy as np
import bayesot as bo
t1 = time.perf_counter()
rng = np.random.default_rng(0)
a, b = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(10))
costs = rng.gamma(2.0, 1.0, (5, 10))
def answer(seed):
    posterior = bo.Posterior(
        bo.Problem(a, b), likelihood=bo.likelihoods.ForAll(costs, sharpness=20.0)
    )
    draws = bo.sample(posterior, draws=1000, seed=seed, progress=False)
    assert draws.plans.shape[1:] == (1000, 5, 10)
    return draws.diagnostics
answer(0)
t2 = time.perf_counter()
answer(1)
t3 = time.perf_counter()
print(json.dumps({"import": t1 - t0, "first call": t2 - t1, "second call": t3 - t2}))
"""


def once() -> dict[str, float]:
    """Seconds of each part in a fresh process, and of the whole up to the first answer."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    whole = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(done.stderr)
    parts: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    # Starting and ending Python count; the second call is not part of the first answer.
    return {"process to first answer": whole - parts["second call"], **parts}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_answer", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one repetition")
    parser.add_argument("--json", type=Path, help="write everything measured to this file")
    options = parser.parse_args(arguments)
    out, info = console(), machine()
    out.print(describe(info))
    runs = [once() for _ in range(1 if options.quick else options.repeats)]
    made = table("First answer, seconds", "part", "median", "least", "most")
    for part in runs[0]:
        times = [run[part] for run in runs]
        made.add_row(
            part, f"{statistics.median(times):.2f}", f"{min(times):.2f}", f"{max(times):.2f}"
        )
    out.print(made)
    write_json(options.json, {"machine": info, "runs": runs})


if __name__ == "__main__":
    main()
