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
from benchmarks.standings import RIVALS, Duel, Standings
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


def duels(team: Workers, standings: Standings, seconds: float, rounds: int) -> list[Duel]:
    """Our leader and each of its rivals by turns."""
    mine, target = standings.ours[0], standings.target
    fought = []
    for rival, families in RIVALS.items():
        peer = standings.best_peer(families)
        if peer is None or peer.contender is None or mine.score is None or not rounds:
            continue
        ratios, converged = [], True
        for _ in range(rounds):
            ours_now = our_entry(mine.chains, target, seconds).score
            theirs = score(team.run(peer.contender, target, seconds), target)
            assert ours_now is not None
            ratios.append(
                (
                    ours_now.rate_total / theirs.rate_total,
                    ours_now.rate_sampling / theirs.rate_sampling,
                )
            )
            converged &= theirs.converged
        fought.append(Duel(rival, peer.name, converged, *map(list, zip(*ratios, strict=True))))
    return fought


def run(target: Target, seconds: float, quick: bool, count: int, rounds: int) -> Standings:
    """One target: ours alone, the peers, then the duels."""
    mine = our_entries(target, seconds)
    with workers(count) as team:
        finals, screening = peer_entries(team, target, seconds, quick)
        standings = Standings(target, mine, finals, screening)
        return replace(standings, duels=duels(team, standings, seconds, rounds))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.add_argument(
        "--targets", nargs="+", default=[t.name for t in TARGETS], help="e.g. 5x10 '20x20 s=0'"
    )
    parser.add_argument("--seconds", type=float, help="sampling per finalist; 10, or 2 if --quick")
    parser.add_argument("--json", type=Path, help="write everything measured to this file")
    parser.add_argument("--quick", action="store_true", help="only contenders that ever did well")
    parser.add_argument("--workers", type=int, default=2, help="processes of the peers")
    parser.add_argument("--rounds", type=int, help="of the duels with the best peers; 3 (1)")
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
