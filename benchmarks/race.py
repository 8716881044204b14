"""``python -m benchmarks.race``: Swap against hopsy and PolytopeWalk on the same targets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from benchmarks import hopsy_peer, ours, polytopewalk_peer
from benchmarks.ess import score
from benchmarks.peer import Entry, Workers, merit, race, workers
from benchmarks.report import console, describe, machine, write_json
from benchmarks.standings import Duel, Standings
from benchmarks.targets import TARGETS, Target, named

PEERS: dict[str, ModuleType] = {"hopsy": hopsy_peer, "PolytopeWalk": polytopewalk_peer}


def our_entry(chains: int | None, target: Target, seconds: float) -> Entry:
    name = f"BayesOT Swap ({chains or 'default'} chains)"
    return Entry(name, "ours", score(ours.run(target, seconds, chains), target), chains=chains)


def our_entries(target: Target, seconds: float) -> list[Entry]:
    """Swap with the chains that it picks, and with many; best first."""
    if not ours.installed:
        return [Entry("BayesOT Swap", "ours", None, "not installed")]
    entries = [our_entry(chains, target, seconds) for chains in ours.chain_counts(target)]
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


def duel(team: Workers, standings: Standings, seconds: float, rounds: int) -> Duel | None:
    """Our leader and the best peer by turns."""
    best, target = standings.best_peer, standings.target
    if best is None or best.contender is None or standings.ours[0].score is None:
        return None
    ratios = []
    for _ in range(rounds):
        mine = our_entry(standings.ours[0].chains, target, seconds).score
        theirs = score(team.run(best.contender, target, seconds), target)
        assert mine is not None
        ratios.append(
            (mine.rate_total / theirs.rate_total, mine.rate_sampling / theirs.rate_sampling)
        )
    return Duel([r[0] for r in ratios], [r[1] for r in ratios]) if ratios else None


def run(target: Target, seconds: float, quick: bool, count: int, rounds: int) -> Standings:
    """One target: ours alone, the peers, then the duel."""
    mine = our_entries(target, seconds)
    with workers(count) as team:
        finals, screening = peer_entries(team, target, seconds, quick)
        standings = Standings(target, mine, finals, screening)
        return replace(standings, duel=duel(team, standings, seconds, rounds))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.add_argument(
        "--targets", nargs="+", default=[t.name for t in TARGETS], help="e.g. 5x10 '20x20 s=0'"
    )
    parser.add_argument("--seconds", type=float, help="sampling per finalist; 10, or 2 if --quick")
    parser.add_argument("--json", type=Path, help="write everything measured to this file")
    parser.add_argument("--quick", action="store_true", help="only contenders that ever did well")
    parser.add_argument("--workers", type=int, default=2, help="processes of the peers")
    parser.add_argument("--rounds", type=int, help="of the duel with the best peer; 3 (1)")
    options = parser.parse_args(arguments)
    try:
        targets = named(options.targets)
    except ValueError as error:
        parser.error(str(error))
    seconds = options.seconds or (2.0 if options.quick else 10.0)
    rounds = (1 if options.quick else 3) if options.rounds is None else options.rounds
    out, info = console(), machine()
    out.print(describe(info))
    done = []
    for target in targets:
        standings = run(target, seconds, options.quick, options.workers, rounds)
        out.print(standings.table())
        done.append(standings.asdict())
        write_json(options.json, {"machine": info, "seconds": seconds, "race": done})


if __name__ == "__main__":
    main()
