"""``python -m benchmarks.race``: Swap against hopsy and PolytopeWalk on the same targets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks import hopsy_peer, ours, polytopewalk_peer
from benchmarks.ess import largest_z, score
from benchmarks.peer import Entry, Workers, merit, race, workers
from benchmarks.report import console, describe, machine, rate, rhat, table, write_json
from benchmarks.targets import TARGETS, Target, named

PEERS: dict[str, ModuleType] = {"hopsy": hopsy_peer, "PolytopeWalk": polytopewalk_peer}

LENT = ("tree",)
"""Families that use BayesOT's own idea: shown, but the ratio is to the best of the others."""


def our_entries(target: Target, seconds: float) -> list[Entry]:
    """Swap with the chains that it picks, and with many; best first."""
    if not ours.installed:
        return [Entry("BayesOT Swap", "ours", None, "not installed")]
    entries = []
    for chains in ours.CHAINS:
        name = f"BayesOT Swap ({chains or 'default'} chains)"
        result = ours.run(target, seconds, chains)
        entries.append(Entry(name, "ours", score(result, target)))
    return sorted(entries, key=merit, reverse=True)


def peer_entries(
    team: Workers, target: Target, seconds: float, quick: bool
) -> tuple[list[Entry], list[Entry]]:
    """Finals of all peers, best first, and their screening."""
    finals: list[Entry] = []
    screening: list[Entry] = []
    for name, module in PEERS.items():
        reason = target.peers_skip
        if not module.installed:
            reason = "not installed"
        elif module is polytopewalk_peer and target.sharpness:
            reason = "samples uniform targets only"
        if reason is not None:
            finals.append(Entry(name, "skipped", None, reason))
            continue
        best, all_of_them = race(team, module.contenders(target, quick), target, seconds)
        finals += best
        screening += all_of_them
    return sorted(finals, key=merit, reverse=True), screening


def best_peer(finals: Sequence[Entry]) -> Entry | None:
    """The first that has a valid score and does not use our idea."""
    for entry in finals:
        if entry.score is not None and entry.score.valid and entry.family not in LENT:
            return entry
    return None


def show(target: Target, mine: Sequence[Entry], finals: Sequence[Entry]) -> Any:
    """The table of one target."""
    made = table(
        f"{target.name}: min-ESS/s, with warm-up (incl) and without (excl)",
        "sampler",
        "chains x draws",
        "warm-up s",
        "sampling s",
        "incl",
        "excl",
        "R-hat max",
        "ours/this incl",
        "ours/this excl",
        "remark",
    )
    leader = mine[0].score
    best = best_peer(finals)
    for entry in (*mine, *finals):
        s = entry.score
        if s is None:
            made.add_row(entry.name, *[""] * 8, f"[dim]{entry.error}[/dim]")
            continue
        ratios = ("", "")
        if leader is not None and entry.family != "ours":
            ratios = (
                rate(leader.rate_total / max(s.rate_total, 1e-9)),
                rate(leader.rate_sampling / max(s.rate_sampling, 1e-9)),
            )
        remark = ""
        if not s.valid:
            remark = "[red]wrong target: not counted[/red]"
        elif entry.family in LENT:
            remark = "[dim]lent our trees: not counted[/dim]"
        elif entry is best:
            remark = "[green]best peer[/green]"
        made.add_row(
            entry.name,
            f"{s.chains} x {s.draws}",
            f"{s.seconds_total - s.seconds_sampling:.2f}",
            f"{s.seconds_sampling:.2f}",
            rate(s.rate_total),
            rate(s.rate_sampling),
            rhat(s),
            *ratios,
            remark,
        )
    if leader is not None:
        caption = f"compiling, once per shape, not counted: {leader.seconds_compile:.1f} s"
        if best is not None and best.score is not None:
            z = largest_z(leader, best.score)
            caption += f"; largest z between mean plans of ours and the best peer: {z:.1f}"
        made.caption, made.caption_justify = caption, "left"
    return made


def as_json(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "family": entry.family,
        "error": entry.error,
        "score": None if entry.score is None else entry.score.asdict(),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.add_argument(
        "--targets", nargs="+", default=[t.name for t in TARGETS], help="e.g. 5x10 '20x20 s=0'"
    )
    parser.add_argument("--seconds", type=float, help="sampling per finalist; 10, or 2 if --quick")
    parser.add_argument("--json", type=Path, help="write everything measured to this file")
    parser.add_argument("--quick", action="store_true", help="only contenders that ever won")
    parser.add_argument("--workers", type=int, default=2, help="processes of the peers")
    options = parser.parse_args(arguments)
    try:
        targets = named(options.targets)
    except ValueError as error:
        parser.error(str(error))
    seconds = options.seconds or (2.0 if options.quick else 10.0)
    out, info = console(), machine()
    out.print(describe(info))
    rows = []
    for target in targets:
        # Ours first and alone; the peers' processes start, idle, when a target needs them.
        mine = our_entries(target, seconds)
        with workers(options.workers) as team:
            finals, screening = peer_entries(team, target, seconds, options.quick)
        out.print(show(target, mine, finals))
        best = best_peer(finals)
        rows.append(
            {
                "target": target.name,
                "ours": [as_json(e) for e in mine],
                "finals": [as_json(e) for e in finals],
                "screening": [as_json(e) for e in screening],
                "best_peer": best and best.name,
            }
        )
        write_json(options.json, {"machine": info, "seconds": seconds, "race": rows})


if __name__ == "__main__":
    main()
