"""Showing draws: tables for a terminal and figures. Progress has a module of its own."""

from bayesot.view.plots import plot_cells, plot_plan
from bayesot.view.tables import Cell, Verdict, amount, cells, plan_table, span

__all__ = [
    "Cell",
    "Verdict",
    "amount",
    "cells",
    "plan_table",
    "plot_cells",
    "plot_plan",
    "span",
]
