"""``python -m benchmarks.growth``: how the cost of Swap grows with the size of the plan."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import ours
from benchmarks.ess import score
from benchmarks.report import console, describe, machine, rate, rhat, table, write_json
from benchmarks.targets import Target

SIZES = (5, 10, 20, 40, 80, 160)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--seconds", type=float, help="sampling per row; 5, or 1 if --quick")
    parser.add_argument("--sharpness", type=float, default=100.0)
    parser.add_argument("--chains", type=int, default=8, help="chains of Swap, at every size")
    parser.add_argument("--json", type=Path, help="write everything measured to this file")
    parser.add_argument("--quick", action="store_true", help="sizes up to 40")
    options = parser.parse_args(arguments)
    seconds = options.seconds or (1.0 if options.quick else 5.0)
    sizes = [n for n in SIZES if n <= 40 or not options.quick]
    out, info = console(), machine()
    out.print(describe(info))
    made = table(
        f"Swap against size, s={options.sharpness:g}, {options.chains} chains",
        "size",
        "incl",
        "excl",
        "R-hat max",
        "us per sweep and chain",
        "ns per sweep and cell",
    )
    rows, times = [], []
    for n in sizes:
        target = Target(f"{n}x{n}", n, n, options.sharpness)
        result = ours.run(target, seconds, options.chains)
        got = score(result, target)
        sweeps = (result.sweeps or got.draws) * got.chains
        per_sweep = got.seconds_sampling / sweeps
        times.append(per_sweep)
        rows.append({"size": n, "seconds_per_sweep": per_sweep, "score": got.asdict()})
        made.add_row(
            f"{n}x{n}",
            rate(got.rate_total),
            rate(got.rate_sampling),
            rhat(got),
            f"{1e6 * per_sweep:.1f}",
            f"{1e9 * per_sweep / n**2:.1f}",
        )
    out.print(made)
    power = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    out.print(f"seconds per sweep grow as size^{power:.2f} (cells: size^2)")
    write_json(options.json, {"machine": info, "rows": rows, "power": power})


if __name__ == "__main__":
    main()
