"""Who won on one target: the best peer, the duel with it, and the table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.markup import escape

from benchmarks.ess import Score, largest_z
from benchmarks.peer import Entry
from benchmarks.report import rate, rhat, table
from benchmarks.targets import Target

LENT = ("tree",)
"""Families that use BayesOT's own idea: shown, but the ratio is to the best of the others."""

DOCUMENTED = ("given", "rounded", "sparse", "dense")
"""Families that the peers' own pages show: the polytope in reduced coordinates, their rounding and
their tuning. All others take knowledge of this polytope or of a peer's inside."""

RIVALS = {"best peer as documented": DOCUMENTED, "best peer with every trick": None}
"""Whom ours is compared with: words, and the families that count (None: all that are not lent)."""


@dataclass(frozen=True)
class Duel:
    """Ours and a peer run by turns, so that a busy minute hits both; ours over theirs."""

    rival: str
    peer: str
    converged: bool
    """Whether the peer's chains agreed, without which its effective draws are overestimated."""
    with_warmup: list[float]
    without_warmup: list[float]

    def __str__(self) -> str:
        texts = []
        for name, ratios in (("with", self.with_warmup), ("without", self.without_warmup)):
            middle = rate(statistics.median(ratios))
            texts.append(f"{name} warm-up {middle} ({rate(min(ratios))} to {rate(max(ratios))})")
        doubt = "" if self.converged else "; not converged: its rate is too high"
        return f"ours / {self.rival}, by turns: {', '.join(texts)} [{self.peer}{doubt}]"


@dataclass(frozen=True)
class Standings:
    """Everything measured on one target."""

    target: Target
    ours: Sequence[Entry]
    finals: Sequence[Entry]
    screening: Sequence[Entry]
    duels: Sequence[Duel] = ()

    def best_peer(self, families: Sequence[str] | None = None) -> Entry | None:
        """The first of some families that has a valid score and does not use our idea."""
        for entry in self.finals:
            counts = entry.family not in LENT if families is None else entry.family in families
            if counts and entry.score is not None and entry.score.valid:
                return entry
        return None

    def table(self) -> Any:
        """Ours, then finals of all peers, best first."""
        made = table(
            f"{self.target.name}: min-ESS/s, with warm-up (incl) and without (excl)",
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
        leader = self.ours[0].score
        for entry in (*self.ours, *self.finals):
            if entry.score is None:
                made.add_row(entry.name, *[""] * 8, f"[dim]{entry.error}[/dim]")
            else:
                made.add_row(entry.name, *_cells(entry, entry.score, leader), self._remark(entry))
        made.caption, made.caption_justify = self._caption(), "left"
        return made

    def _remark(self, entry: Entry) -> str:
        if entry.score is not None and not entry.score.valid:
            return "[red]wrong target: not counted[/red]"
        if entry.family in LENT:
            return "[dim]lent our trees: not counted[/dim]"
        titles = [words for words, f in RIVALS.items() if entry is self.best_peer(f)]
        if not titles or entry.score is None:
            return ""
        if entry.score.converged:
            return f"[green]{', '.join(titles)}[/green]"
        return f"[yellow]{', '.join(titles)}, not converged: its rate is too high[/yellow]"

    def _caption(self) -> str:
        lines = [escape(str(duel)) for duel in self.duels]
        leader, best = self.ours[0].score, self.best_peer()
        if leader is not None:
            lines.append(f"compiling, once per shape, not counted: {leader.seconds_compile:.1f} s")
            if best is not None and best.score is not None:
                z = largest_z(leader, best.score)
                lines.append(f"largest z between mean plans, ours and best peer: {z:.1f}")
        return "\n".join(lines)

    def asdict(self) -> dict[str, Any]:
        return {
            "target": self.target.name,
            "ours": [_entry(e) for e in self.ours],
            "finals": [_entry(e) for e in self.finals],
            "screening": [_entry(e) for e in self.screening],
            "duels": [vars(duel) for duel in self.duels],
        }


def _cells(entry: Entry, s: Score, leader: Score | None) -> list[str]:
    ratios = ["", ""]
    if leader is not None and entry.family != "ours":
        ratios = [
            rate(leader.rate_total / max(s.rate_total, 1e-9)),
            rate(leader.rate_sampling / max(s.rate_sampling, 1e-9)),
        ]
    return [
        f"{s.chains} x {s.draws}",
        f"{s.seconds_total - s.seconds_sampling:.2f}",
        f"{s.seconds_sampling:.2f}",
        rate(s.rate_total),
        rate(s.rate_sampling),
        rhat(s),
        *ratios,
    ]


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "family": entry.family,
        "error": entry.error,
        "score": None if entry.score is None else entry.score.asdict(),
    }
