"""The posterior: a problem, a prior and a likelihood, and the log-density they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from bayesot import _validate as validate
from bayesot._pytree import Record, numpy_of
from bayesot._tables import in_order
from bayesot.errors import InputError
from bayesot.likelihoods import Likelihood, NoCost, Tilts
from bayesot.priors import Prior, Uniform
from bayesot.problem import Problem

__all__ = ["Posterior"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Posterior(Record):
    """The law of the transport plan, ``π(G) ∝ prior(G) · L(G | C¹ … Cᴺ)`` on the polytope.

    Parameters
    ----------
    problem
        The two marginals.
    prior
        One of `bayesot.priors`, or a product of several. Uniform if not given.
    likelihood
        One of `bayesot.likelihoods`. `NoCost` if not given.

    Examples
    --------
    >>> import bayesot as bo
    >>> posterior = bo.Posterior(
    ...     bo.Problem([0.5, 0.5], [0.5, 0.5]),
    ...     prior=bo.priors.Dirichlet(2.0),
    ...     likelihood=bo.likelihoods.ForAll([[0.0, 1.0], [1.0, 0.0]]),
    ... )
    >>> float(posterior.log_density([[0.25, 0.25], [0.25, 0.25]]))  # 4 log ¼ - ½
    -6.045177444479562

    """

    _leaves = 4

    problem: Problem
    prior: Prior
    likelihood: Likelihood
    offsets: Any  # least costs that the likelihood compares with: found once, here

    def __init__(
        self, problem: Problem, prior: Prior | None = None, likelihood: Likelihood | None = None
    ) -> None:
        _expect("problem", problem, Problem, "bayesot.Problem(a, b)")
        prior = Uniform() if prior is None else prior
        _expect("prior", prior, Prior, "one of bayesot.priors, such as Dirichlet(2.0)")
        likelihood = NoCost() if likelihood is None else likelihood
        _expect("likelihood", likelihood, Likelihood, "one of bayesot.likelihoods: ForAll(costs)")
        likelihood = likelihood.on(problem)
        offsets = likelihood.offsets(problem)
        self._fill((problem, prior.on(problem), likelihood, offsets), ())

    @property
    def tilts(self) -> Tilts:
        """The exponential components of the likelihood."""
        return self.likelihood.tilts(self.problem, self.offsets)

    def log_density(self, plan: Any) -> Any:
        """Log-density of plans of shape (..., n, m), up to a constant; shape (...).

        Margins are not checked. Minus infinity outside, and at a boundary where one factor of the
        density vanishes, even if another is infinite there.
        """
        plan = in_order("plan", plan, self.problem.row_labels, self.problem.column_labels)
        if not isinstance(plan, jax.Array):
            plan = validate.as_float_array("plan", plan)
        if plan.shape[-2:] != self.problem.shape:
            n, m = self.problem.shape
            raise InputError(
                f"`plan` must have shape (…, {n}, {m}), one row per source, got {plan.shape}. "
                "Reshape it, or check the order of its axes."
            )
        with np.errstate(invalid="ignore"):  # infinity less infinity
            prior = self.prior.log_density_on(plan, self.problem)
            value = prior + self.likelihood.log_density(plan, self.tilts)
        xp = numpy_of(value)
        inside = (plan >= 0).all((-2, -1)) & ~xp.isnan(value)
        return xp.where(inside, value, -xp.inf)[()]

    def __repr__(self) -> str:
        return f"Posterior({self.problem!r}, prior={self.prior!r}, likelihood={self.likelihood!r})"

    def _key(self) -> tuple[Any, ...]:
        return self.problem, self.prior, self.likelihood


def _expect(name: str, value: Any, kind: type, remedy: str) -> None:
    if not isinstance(value, kind):
        raise InputError(
            f"`{name}` must be a {kind.__name__}, got {value!r} ({type(value).__name__}). "
            f"Pass {remedy}."
        )
