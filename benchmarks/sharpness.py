"""``python -m benchmarks.sharpness``: does Swap keep its speed as the cost outweighs the prior?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import ours
from benchmarks.ess import score
from benchmarks.report import console, describe, machine, rate, rhat, table, write_json
from benchmarks.targets import Target

SHAPES = ((5, 10), (32, 32))
SHARPNESSES = (1.0, 1e2, 1e4, 1e6)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sharpness", description=__doc__)
    parser.add_argument("--seconds", type=float, help="sampling per row; 5, or 1 if --quick")
    parser.add_argument("--chains", type=int, help="chains of Swap; its own choice if not given")
    parser.add_argument("--json", type=Path, help="write everything measured to this file")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    seconds = options.seconds or (1.0 if options.quick else 5.0)
    out, info = console(), machine()
    out.print(describe(info))
    made = table("Swap against sharpness", "shape", "s", "incl", "excl", "R-hat max", "warm-up s")
    rows = []
    best_to_worst = {}
    for n, m in SHAPES:
        rates = []
        for s in SHARPNESSES:
            target = Target(f"{n}x{m} s={s:g}", n, m, s)
            got = score(ours.run(target, seconds, options.chains), target)
            rates.append(got.rate_sampling)
            rows.append({"target": target.name, "score": got.asdict()})
            warmup = got.seconds_total - got.seconds_sampling
            made.add_row(
                f"{n}x{m}",
                f"{s:g}",
                rate(got.rate_total),
                rate(got.rate_sampling),
                rhat(got),
                f"{warmup:.2f}",
            )
        best_to_worst[f"{n}x{m}"] = max(rates) / max(min(rates), 1e-9)
    out.print(made)
    for shape, ratio in best_to_worst.items():
        out.print(f"{shape}: best / worst min-ESS/s without warm-up {rate(ratio)}")
    write_json(options.json, {"machine": info, "rows": rows, "best_to_worst": best_to_worst})


if __name__ == "__main__":
    main()
