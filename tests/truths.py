"""Exact posteriors over tiny transport plans, by quadrature; nothing here imports the library.

A plan is filled row by row. With the entries before it fixed, each free entry ranges over an
interval whose ends are maxima and minima of *levels*: the values at which it, or another entry, or
the range of a later one, touches a bound. Cut at all its levels, an interval falls into pieces on
which everything that follows is smooth, so that a one-dimensional rule on each piece converges
exponentially. The second idea is to carry signed distances from the levels instead of the entry:
every entry of the plan is one of these distances, hence correct to full *relative* precision
however close to zero it is. That is what priors such as Dirichlet(0.1), half of whose mass can lie
below 1e-3, and sharpnesses such as 1e6 need.

Densities are functions of a batch of plans ``(..., n, m)`` that return logarithms ``(...,)`` up to
a constant. Shapes 2×2, 2×3, 3×2 and 3×3 are supported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache, partial
from itertools import combinations, pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.special import betainc, betaln, expit, log_expit

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
LogDensity = Callable[[Array], Array]

# --- Log-priors: each returns a LogDensity; parameters are numbers or n×m arrays ----------------


def separable(elementwise: LogDensity) -> LogDensity:
    """``Σ_ij g_ij(G_ij)`` for a function ``g`` that keeps the shape ``(..., n, m)``."""
    return lambda plans: elementwise(plans).sum((-2, -1))


def uniform() -> LogDensity:
    return separable(np.zeros_like)


def entropy(strength: ArrayLike) -> LogDensity:
    return separable(lambda g: -np.asarray(strength) * g * np.log(g))


def dirichlet(concentration: ArrayLike) -> LogDensity:
    return separable(lambda g: (np.asarray(concentration) - 1) * np.log(g))


def tsallis(q: float, strength: float) -> LogDensity:
    """``strength (1 - Σ G^q) / (q - 1)``, of which the constant is dropped."""
    return separable(lambda g: -strength / (q - 1) * g**q)


def normal(mean: ArrayLike, scale: ArrayLike) -> LogDensity:
    return separable(lambda g: -0.5 * ((g - np.asarray(mean)) / np.asarray(scale)) ** 2)


def gaussian(mean: ArrayLike, covariance: ArrayLike) -> LogDensity:
    """Gaussian on the whole plan; ``covariance`` is nm×nm, in row-major order of the entries."""
    precision = np.linalg.inv(np.asarray(covariance))

    def log_density(plans: Array) -> Array:
        deviation = (plans - np.asarray(mean)).reshape(*plans.shape[:-2], -1)
        return -0.5 * ((deviation @ precision) * deviation).sum(-1)

    return log_density


def gamma(shape: ArrayLike, scale: ArrayLike) -> LogDensity:
    return separable(lambda g: (np.asarray(shape) - 1) * np.log(g) - g / np.asarray(scale))


def beta(a: ArrayLike, b: ArrayLike) -> LogDensity:
    return separable(lambda g: (np.asarray(a) - 1) * np.log(g) + (np.asarray(b) - 1) * np.log1p(-g))


def chi_square(df: ArrayLike) -> LogDensity:
    return gamma(np.asarray(df) / 2, 2.0)


def logistic(loc: ArrayLike, scale: ArrayLike) -> LogDensity:
    """``log f(z) = log σ(z) + log σ(-z)`` with ``z = (G - loc) / scale`` and σ the logistic."""

    def elementwise(g: Array) -> Array:
        z = (g - np.asarray(loc)) / np.asarray(scale)
        return log_expit(z) + log_expit(-z)

    return separable(elementwise)


def weibull(shape: ArrayLike, scale: ArrayLike) -> LogDensity:
    k = np.asarray(shape)
    return separable(lambda g: (k - 1) * np.log(g) - (g / np.asarray(scale)) ** k)


def product(*factors: LogDensity) -> LogDensity:
    return lambda plans: np.sum([factor(plans) for factor in factors], axis=0)


# --- Log-likelihoods: costs (N, n, m) or (n, m); weights (N,) are scaled to sum to N ------------


def for_all(costs: ArrayLike, s: float, weights: ArrayLike | None = None) -> LogDensity:
    """``-s Σ_k w_k ⟨C^k, G⟩``."""
    costs, weights = _cost_samples(costs, weights)
    total = np.tensordot(weights, costs, 1)
    return lambda plans: -s * np.tensordot(plans, total, 2)


def exists(
    costs: ArrayLike, s: float, weights: ArrayLike | None = None, offsets: ArrayLike = 0.0
) -> LogDensity:
    """``log Σ_k w_k exp(-s (⟨C^k, G⟩ - o_k))``; for regret, ``o_k = optimal_cost(a, b, C^k)``."""
    costs, weights = _cost_samples(costs, weights)
    flat = costs.reshape(len(costs), -1)

    def log_density(plans: Array) -> Array:
        excess = plans.reshape(*plans.shape[:-2], -1) @ flat.T - np.asarray(offsets)
        least = excess.min(-1, keepdims=True)
        return np.log(np.exp(-s * (excess - least)) @ weights) - s * least[..., 0]

    return log_density


def _cost_samples(costs: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array]:
    costs = np.asarray(costs, float)
    costs = costs.reshape(-1, *costs.shape[-2:])
    weights = np.ones(len(costs)) if weights is None else np.asarray(weights, float)
    return costs, weights * len(costs) / weights.sum()


# --- The truth ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Truth:
    """A posterior as ``K`` weighted plans: the nodes of a quadrature rule.

    Attributes
    ----------
    plans
        ``(K, n, m)``.
    weights
        ``(K,)``, summing to one.
    log_evidence
        Log of ∫ prior × likelihood over the polytope, the prior normalised on it; a number, or
        ``(N,)`` for Each: one per cost sample.
    error
        ``(n, m)``: how far the mean was from this one with a quarter of the nodes. It bounds the
        error where convergence is fast; where it exceeds 1e-3 of ``std``, trust no more than that.
    marginal
        Of ``i, j``: increasing values of ``G_ij``, and the probability below each.

    """

    plans: Array
    weights: Array
    log_evidence: Array
    error: Array
    marginal: Callable[[int, int], tuple[Array, Array]]

    def expect(self, function: Callable[[Array], Array]) -> Array:
        """Expectation of a smooth function that maps plans ``(K, n, m)`` to ``(K, ...)``."""
        return np.tensordot(self.weights, function(self.plans), 1)

    @cached_property
    def mean(self) -> Array:
        """``(n, m)``."""
        return self.expect(lambda plans: plans)

    @cached_property
    def std(self) -> Array:
        """``(n, m)``."""
        return np.sqrt(self.expect(lambda plans: (plans - self.mean) ** 2))

    def cdf(self, i: int, j: int, x: ArrayLike) -> Array:
        """Probability that ``G_ij ≤ x``, in the shape of ``x``."""
        return np.interp(np.asarray(x), *self.marginal(i, j), left=0.0, right=1.0)

    def quantile(self, p: float) -> Array:
        """``(n, m)``: the ``p``-quantile of every entry."""
        marginals = [self.marginal(i, j) for i, j in np.ndindex(self.mean.shape)]
        found = [np.interp(p, below, values) for values, below in marginals]
        return np.array(found).reshape(self.mean.shape)


def truth(
    a: ArrayLike, b: ArrayLike, log_prior: LogDensity, log_likelihood: LogDensity | None = None
) -> Truth:
    """Posterior over plans with row sums ``a`` and column sums ``b``; no likelihood: the prior.

    It has to be proper. A Dirichlet concentration just above zero is enough where no row sums to
    what some columns do; else more entries vanish at a vertex than there are dimensions, and it
    has to be above 1 - d / (number of zeros): above 1/2 for equal marginals at 2×2, 1/3 at 3×3.
    """
    found = _solve(_Target(a, b, log_prior, [log_likelihood or uniform()], np.ones(1)))
    return replace(found, log_evidence=found.log_evidence[0])


def truth_each(
    a: ArrayLike,
    b: ArrayLike,
    log_prior: LogDensity,
    costs: ArrayLike,
    s: float,
    weights: ArrayLike | None = None,
) -> Truth:
    """The mixture ``(1/N) Σ_k w_k π(G | C^k)`` of normalised posteriors."""
    costs, weights = _cost_samples(costs, weights)
    components = [for_all(cost, s) for cost in costs]
    return _solve(_Target(a, b, log_prior, components, weights / len(costs)))


class _Target(NamedTuple):
    """A mixture of posteriors, one for each log-likelihood."""

    a: ArrayLike
    b: ArrayLike
    log_prior: LogDensity
    components: list[LogDensity]
    mixture: Array

    def weigh(self, plans: Array, log_volume: Array) -> tuple[Array, Array]:
        """Normalised weights of plans ``(K,)``, and the log evidence of every component."""
        log_base = log_volume + self.log_prior(plans)
        _, log_mass = _normalise(log_base)
        weights = np.zeros(len(plans))
        log_evidence = np.zeros(len(self.components))
        for k, component in enumerate(self.components):
            posterior, log_joint_mass = _normalise(log_base + component(plans))
            weights += self.mixture[k] * posterior
            log_evidence[k] = log_joint_mass - log_mass
        return weights, log_evidence


def _normalise(log_weights: Array) -> tuple[Array, float]:
    """Weights that sum to one, and the log of their sum before."""
    # Subtracting that log instead of dividing would leave the sum wrong by the rounding error of
    # the log, 1e-10 where it is 1e6: too much for differences as fine as `virial`.
    top = log_weights.max()
    weights = np.exp(log_weights - top)
    return weights / weights.sum(), float(top + np.log(weights.sum()))


def _solve(target: _Target) -> Truth:
    """Integrate under the rule that converges fastest on this target."""
    n, m = np.size(target.a), np.size(target.b)
    if {n, m} - {2, 3}:
        raise ValueError(f"truths exist for 2×2, 2×3, 3×2 and 3×3 plans, got {n}×{m}")
    rules, nodes = _RULES[(n - 1) * (m - 1)]

    def integrate(rule: Rule, nodes: int) -> Truth:
        filled = _polytope(tuple(np.asarray(target.a)), tuple(np.asarray(target.b)), rule, nodes)
        weights, log_evidence = target.weigh(filled.plans, filled.log_volume)
        # A marginal costs another integral, with its entry first; a quarter of the nodes will do.
        marginal = cache(partial(_marginal, target, rule, nodes // 4))
        unknown = np.full(filled.plans.shape[1:], np.inf)
        return Truth(filled.plans, weights, log_evidence, unknown, marginal)

    def forecast(trials: list[Truth]) -> float:
        """Error to expect of the next refinement, if changes go on shrinking at the same rate."""
        before, last = (
            float((abs(fine.mean - coarse.mean) + abs(fine.std - coarse.std)).max())
            for coarse, fine in pairwise(trials)
        )
        # Looking at the last change alone would favour rules that are stuck far from the truth.
        return last * last / max(before - last, 1e-3 * before, 1e-300)

    tried = {rule: [integrate(rule, nodes // part) for part in (64, 16, 4)] for rule in rules}
    best = min(rules, key=lambda rule: forecast(tried[rule]))
    found = integrate(best, nodes)
    return replace(found, error=abs(found.mean - tried[best][-1].mean))


def _marginal(target: _Target, rule: Rule, nodes: int, i: int, j: int) -> tuple[Array, Array]:
    """Distribution of one entry, from a filling that starts with it."""
    a, b = np.asarray(target.a), np.asarray(target.b)
    rows, columns = np.roll(np.arange(len(a)), -i), np.roll(np.arange(len(b)), -j)
    filled = _polytope(tuple(a[rows]), tuple(b[columns]), rule, nodes)
    in_place = filled.plans[:, np.argsort(rows)][:, :, np.argsort(columns)]
    weights, _ = target.weigh(in_place, filled.log_volume)
    # Mass and value at each node of the first entry, piece by piece.
    mass = np.bincount(filled.first, weights).astype(float).reshape(-1, filled.per_piece)
    x = filled.plans[np.unique(filled.first, return_index=True)[1], 0, 0].reshape(mass.shape)
    u = rule.nodes(filled.per_piece).u
    length = (x[:, -1:] - x[:, :1]) / (u[-1] - u[0])
    u_fine, within = rule.cumulate(mass)
    before = np.cumsum(mass.sum(1)) - mass.sum(1)
    below = np.maximum.accumulate((before[:, None] + within).ravel())
    return (x[:, :1] + length * (u_fine - u[0])).ravel(), below / below[-1]


# --- Rules on the unit interval -----------------------------------------------------------------


class Nodes(NamedTuple):
    """Nodes by their distances ``u`` from 0 and ``v`` from 1, with the logs of their weights."""

    u: Array
    v: Array
    log_weight: Array


class Rule(Protocol):
    """A family of quadrature rules."""

    def nodes(self, k: int) -> Nodes:
        """Return the rule with ``k`` nodes."""
        ...

    def cumulate(self, mass: Array) -> tuple[Array, Array]:
        """Return finer points ``(F,)`` and the mass below each, from that at nodes ``(P, k)``."""
        ...


@dataclass(frozen=True)
class TanhSinh:
    """Trapezoidal rule in τ, where ``logit(u) = π sinh τ``.

    It copes with any end-point power and any exponential. At the last node u is 1e-150: far enough
    out for Dirichlet(0.1), and the product of two such distances does not underflow.
    """

    def nodes(self, k: int) -> Nodes:
        reach = np.arcsinh(345 / np.pi)
        tau = np.linspace(-reach, reach, k)
        t, slope = np.pi * np.sinh(tau), np.pi * np.cosh(tau) * 2 * reach / (k - 1)
        return Nodes(expit(t), expit(-t), log_expit(t) + log_expit(-t) + np.log(slope))

    def cumulate(self, mass: Array) -> tuple[Array, Array]:
        k = mass.shape[1]
        finer = np.linspace(0, k - 1, 8 * (k - 1) + 1)
        below = CubicSpline(np.arange(k), mass, axis=1).antiderivative()
        return self.nodes(len(finer)).u, below(finer)


@dataclass(frozen=True)
class PowerGauss:
    """Gauss–Legendre rule in τ, where ``du/dτ ∝ (τ (1 - τ))^(power - 1)``.

    In four dimensions k is too small for tanh-sinh. Power 1 integrates polynomials exactly, larger
    ones soften the ends: the integrable powers of a Dirichlet below one, or a sharp exponential.
    """

    power: float

    def nodes(self, k: int) -> Nodes:
        x, weight = np.polynomial.legendre.leggauss(k)
        tau = (1 + x) / 2
        log_slope = (self.power - 1) * np.log(tau * tau[::-1]) - betaln(self.power, self.power)
        u = betainc(self.power, self.power, tau)
        return Nodes(u, u[::-1], np.log(weight / 2) + log_slope)

    def cumulate(self, mass: Array) -> tuple[Array, Array]:
        # The density in τ is the Legendre series whose projections the masses integrate exactly.
        k = mass.shape[1]
        x, _ = np.polynomial.legendre.leggauss(k)
        series = mass @ np.polynomial.legendre.legvander(x, k - 1) * (np.arange(k) + 0.5)
        finer = np.linspace(-1, 1, 513)
        below = np.polynomial.legendre.legint(series, lbnd=-1, axis=1)
        within = np.polynomial.legendre.legval(finer, below.T)
        return betainc(self.power, self.power, (1 + finer) / 2), within


_RULES: dict[int, tuple[list[Rule], int]] = {
    1: ([TanhSinh()], 200_000),
    2: ([TanhSinh()], 500_000),
    4: ([PowerGauss(power) for power in (1, 2, 4, 8)], 1_200_000),
}
"""By the dimension of the polytope: the rules to choose from, and how many nodes to spend."""


# --- The polytope, filled entry by entry --------------------------------------------------------


class Filled(NamedTuple):
    """Plans ``(K, n, m)``, each standing for a volume.

    Attributes
    ----------
    plans
        ``(K, n, m)``.
    log_volume
        ``(K,)``: Lebesgue volume in the free coordinates ``G[:-1, :-1]``.
    first
        ``(K,)``: which node of the entry ``G[0, 0]`` a plan starts from.
    per_piece
        How many nodes a piece has.

    """

    plans: Array
    log_volume: Array
    first: Indices
    per_piece: int


@lru_cache(maxsize=24)  # one 3×3 problem with all its marginals needs 21
def _polytope(a: tuple[float, ...], b: tuple[float, ...], rule: Rule, nodes: int) -> Filled:
    """Fill the polytope with about ``nodes`` plans."""
    if len(a) > len(b):
        filled = _polytope(b, a, rule, nodes)
        return filled._replace(plans=filled.plans.swapaxes(1, 2))
    fill = {(2, 2): _fill_2x2, (2, 3): _fill_2x3, (3, 3): _fill_3x3}[len(a), len(b)]
    cells = len(fill(np.array(a), np.array(b), PowerGauss(1).nodes(1)).plans)
    k = int((nodes / cells) ** (1 / ((len(a) - 1) * (len(b) - 1))))
    filled = fill(np.array(a), np.array(b), rule.nodes(k))
    for array in filled[:3]:
        array.setflags(write=False)
    return filled


def _fill_2x2(a: Array, b: Array, rule: Nodes) -> Filled:
    cross = _snap(np.array([[[-a[0], b[1] - a[0]], [b[0] - a[0], a[1]]]]))
    _, row, log_volume = _fill_pair(_pair(b[:1]), _pair(b[1:]), cross, rule)
    plans = np.stack([row[..., 0], -row[..., 1]], axis=1)
    return Filled(plans, log_volume, np.arange(len(plans)), len(rule.u))


def _fill_2x3(a: Array, b: Array, rule: Nodes) -> Filled:
    columns = _snap(np.stack([b, b - a[0], b - a[1]], axis=-1)[None])
    row = _fill_two_rows(columns, a[0], a[1], rule)
    return Filled(_two_rows(row), row.log_volume, row.first, len(rule.u))


def _fill_3x3(a: Array, b: Array, rule: Nodes) -> Filled:
    # What an entry of the first row leaves of its column is compared with the other two rows.
    levels = np.stack([np.zeros(3), b, b - a[1], b - a[2]], axis=-1)
    ends = a[0] - np.add.outer(levels[1], levels[2]).ravel()
    firsts = _differences(np.concatenate([levels[0], ends]))
    top = _fill_row(firsts, _differences(levels[1]), _differences(levels[2]), rule)
    rest = _fill_two_rows(-top.distances[..., 1:], a[1], a[2], rule)
    i = rest.problem
    plans = np.concatenate([top.distances[i, None, :, 0], _two_rows(rest)], axis=1)
    return Filled(plans, top.log_volume[i] + rest.log_volume, top.first[i], len(rule.u))


class FilledRow(NamedTuple):
    """``K`` fillings of a row of three entries.

    Attributes
    ----------
    problem
        ``(K,)``: which of the ``N`` problems put to `_fill_row` each belongs to.
    first
        ``(K,)``: which node of the first entry it starts from, over all problems.
    distances
        ``(K, 3, L)``: entries minus their levels.
    log_volume
        ``(K,)``.

    """

    problem: Indices
    first: Indices
    distances: Array
    log_volume: Array


def _fill_two_rows(columns: Array, first: float, second: float, rule: Nodes) -> FilledRow:
    """Fill two rows with these sums; ``columns`` is ``(N, 3, 3)``: ``c_j``, ``c_j`` minus either.

    The levels of entry j are 0 and ``c_j``.
    """
    (c1, c2, c3), (f1, f2, f3), (g1, g2, g3) = columns.transpose(2, 1, 0)
    one = np.ones_like(c1)
    # Levels of the first entry: 0, c1, f, f-c3, f-c2, f-c2-c3 = c1-g, for row sums f and g. Every
    # difference is a column, or one that the caller knows to full relative precision.
    upper = [-c1, -first * one, f3, f2, -g1, f1, -g2, -g3, second * one]
    upper += [c3, c2, c2 + c3, c2 - c3, c2, c3]
    differences = np.zeros((len(c1), 6, 6))
    i, j = np.triu_indices(6, 1)
    differences[:, i, j] = np.stack(upper, axis=-1)
    differences[:, j, i] = -differences[:, i, j]
    return _fill_row(differences, _pair(c2), _pair(c3), rule)


def _two_rows(row: FilledRow) -> Array:
    """Rows ``(K, 2, 3)``: the entries, and what they leave of their columns."""
    return np.stack([row.distances[..., 0], -row.distances[..., 1]], axis=1)


def _fill_row(firsts: Array, seconds: Array, thirds: Array, rule: Nodes) -> FilledRow:
    """Fill a row of three entries under bounds and further levels on each.

    Entry j has ``L`` levels, of which the first two are its bounds 0 and ``c_j``; ``seconds`` and
    ``thirds`` ``(N, L, L)`` are their differences. ``firsts`` ``(N, L + L², L + L²)`` has, after
    the first entry's own, the levels ``total - p - q`` over the levels p, q of the other two: there
    the interval of the second entry gains or loses a piece.
    """
    n = seconds.shape[-1]
    i, x, log_volume = _fill_entry(firsts, (0, n + n + 1), (1, n), rule)
    cross = x[:, n:].reshape(-1, n, n)  # x - (total - p - q) = p - (total - x - q)
    j, pair, log_rest = _fill_pair(seconds[i], thirds[i], cross, rule)
    distances = np.concatenate([x[j, None, :n], pair], axis=1)
    return FilledRow(i[j], j, distances, log_volume[j] + log_rest)


def _fill_pair(
    seconds: Array, thirds: Array, cross: Array, rule: Nodes
) -> tuple[Indices, Array, Array]:
    """Fill the last two entries of a row, ``y`` and ``r - y``; returns distances ``(K, 2, L)``.

    ``cross[:, p, q]`` is the level p of ``y`` minus ``r - q``, q a level of the other entry.
    """
    n = cross.shape[-1]
    differences = np.block([[seconds, cross], [-cross.swapaxes(1, 2), -thirds]])
    i, y, log_volume = _fill_entry(differences, (0, n + 1), (1, n), rule)
    return i, np.stack([y[:, :n], -y[:, n:]], axis=1), log_volume


def _fill_entry(
    differences: Array, lower: tuple[int, int], upper: tuple[int, int], rule: Nodes
) -> tuple[Indices, Array, Array]:
    """Apply ``rule`` to every piece into which levels cut the interval of one entry.

    Parameters
    ----------
    differences
        ``(N, L, L)``: level i minus level j, for each of ``N`` problems.
    lower, upper
        The interval starts at the larger of the two ``lower`` levels and ends at the smaller of
        the two ``upper``.

    Returns
    -------
    tuple
        Which of the ``N`` problems each node belongs to ``(K,)``, its signed distances from the
        levels ``(K, L)``, the log of its weight ``(K,)``.

    """
    rank = (differences > 0).sum(-1)
    order = np.argsort(rank, axis=1, kind="stable")
    start, end = order[:, :-1], order[:, 1:]
    problem = np.arange(len(rank))[:, None]
    inside = rank[problem, start] >= rank[:, lower].max(1, keepdims=True)
    inside &= rank[problem, end] <= rank[:, upper].min(1, keepdims=True)
    # The order is taken from ranks, as rounding can make near ties inconsistent with one another.
    apart = (rank[problem, start] < rank[problem, end]) & (differences[problem, end, start] > 0)
    i, piece = np.nonzero(inside & apart)
    start, end = start[i, piece], end[i, piece]
    length = differences[i, end, start][:, None]
    # From the levels below a piece distances grow with u, from those above they fall with v; either
    # way two numbers of one sign are added.
    from_below = rank[i] <= rank[i, start][:, None]
    distances = np.where(
        from_below[:, None],
        differences[i, start][:, None].clip(min=0) + (length * rule.u)[..., None],
        differences[i, end][:, None].clip(max=0) - (length * rule.v)[..., None],
    )
    log_weight = np.log(length) + rule.log_weight
    return np.repeat(i, len(rule.u)), distances.reshape(-1, rank.shape[1]), log_weight.ravel()


def _differences(levels: Array) -> Array:
    """All ``(1, L, L)`` differences of ``L`` levels."""
    return _snap(levels[:, None] - levels)[None]


def _pair(bound: Array) -> Array:
    """Differences ``(N, 2, 2)`` of the levels 0 and ``bound`` ``(N,)``."""
    return bound[:, None, None] * np.array([[0.0, -1.0], [1.0, 0.0]])


def _snap(differences: Array) -> Array:
    """Make ties of the marginals exact, where rounding would leave a piece of length 1e-17."""
    return np.where(np.abs(differences) < 1e-14, 0.0, differences)


# --- Closed forms and vertices ------------------------------------------------------------------


class _Bases(NamedTuple):
    """Feasible bases of a transport polytope: vertices, and the edges that leave each."""

    plans: Array  # (V, nm)
    edges: Array  # (V, d, nm): raise one cell outside the basis, with entries 0 and ±1


def _bases(a: ArrayLike, b: ArrayLike) -> _Bases:
    a, b = np.asarray(a, float), np.asarray(b, float)
    n, m = len(a), len(b)
    rows, columns = np.divmod(np.arange(n * m), m)
    # One margin follows from the others; a basis is a set of cells on which these are independent.
    incidence = np.concatenate([np.equal.outer(range(n), rows), np.equal.outer(range(m), columns)])
    incidence, margins = incidence[:-1].astype(float), np.concatenate([a, b])[:-1]
    cells = np.array(list(combinations(range(n * m), n + m - 1)))
    matrices = incidence[:, cells].swapaxes(0, 1)
    regular = np.abs(np.linalg.det(matrices)) > 0.5  # determinants are 0 or ±1
    cells, inverses = cells[regular], np.linalg.inv(matrices[regular]).round()
    plans = np.zeros((len(cells), n * m))
    np.put_along_axis(plans, cells, inverses @ margins, axis=1)
    feasible = (plans > -1e-12).all(1)
    cells, inverses = cells[feasible], inverses[feasible]
    moves = np.tile(np.eye(n * m), (len(cells), 1, 1))
    np.put_along_axis(moves, cells[:, None], -(inverses @ incidence).swapaxes(1, 2), axis=2)
    outside = ~(np.arange(n * m) == cells[..., None]).any(1)
    return _Bases(plans[feasible].clip(0), moves[outside].reshape(len(cells), -1, n * m))


def vertices(a: ArrayLike, b: ArrayLike) -> Array:
    """All vertices ``(V, n, m)`` of a small transport polytope."""
    plans = np.unique(_bases(a, b).plans.round(15), axis=0)
    return plans.reshape(-1, np.size(a), np.size(b))


class Moments(NamedTuple):
    """Mean and standard deviation ``(n, m)``, and the log of the integral of the density."""

    mean: Array
    std: Array
    log_integral: float


def vertex_sum(a: ArrayLike, b: ArrayLike, cost: ArrayLike, s: float) -> Moments:
    """Moments of ``exp(-s ⟨C, G⟩)`` on a polytope of any small shape, at any high sharpness.

    Brion's formula: the integral is ``Σ_v exp(-s ⟨C, v⟩) / Π_e s ⟨C, e⟩`` over the vertices v and
    the edges e that leave them; in derivatives by sC, v is replaced by the moments of exponentials
    along its edges. No basis may be degenerate (no row sums to what some columns do). Terms cancel
    more, the smaller ``s ⟨C, e⟩`` is: double precision wants the mass to hug a few vertices.
    """
    plans, edges = _bases(a, b)
    if (np.sum(plans > 1e-12, axis=1) < np.size(a) + np.size(b) - 1).any():
        raise ValueError("a vertex is degenerate: use marginals without ties")
    costs, slopes = s * plans @ np.ravel(cost), s * edges @ np.ravel(cost)
    log_terms = -costs - np.log(np.abs(slopes)).sum(1)
    top = log_terms.max()
    terms = np.exp(log_terms - top) * np.sign(slopes).prod(1)
    weights = terms / terms.sum()
    steps = edges / slopes[..., None]
    means = plans + steps.sum(1)
    mean = weights @ means
    variance = weights @ ((means - mean) ** 2 + (steps**2).sum(1))
    shape = np.size(a), np.size(b)
    log_integral = float(top + np.log(terms.sum()))
    return Moments(mean.reshape(shape), np.sqrt(variance).reshape(shape), log_integral)


def optimal_cost(a: ArrayLike, b: ArrayLike, cost: ArrayLike) -> float:
    """``OT(a, b, C)``, the least ``⟨C, G⟩`` over the vertices."""
    return float((_bases(a, b).plans @ np.ravel(cost)).min())


def virial(mean: Array, a: ArrayLike, b: ArrayLike, cost: ArrayLike, s: float) -> float:
    """``s (E⟨C, G⟩ - OT)``: tends to the dimension as s→∞, under ForAll and a uniform prior."""
    return s * (float(mean.ravel() @ np.ravel(cost)) - optimal_cost(a, b, cost))


def birkhoff3_covariance() -> Array:
    """Covariance ``(3, 3, 3, 3)`` of the uniform law on 3×3 plans with all margins 1/3.

    Cut at G11 = x/3 the polytope has an area proportional to (1 - x)² (1 + 5x), so that the
    variance of x is 7/45 - 1/9 = 2/45. Rows and columns sum to constants and all cells are alike,
    hence the covariance is the variance times 1 in a cell with itself, -1/2 along a row or a
    column, 1/4 elsewhere: a product of two centring matrices.
    """
    centring = 1.5 * np.eye(3) - 0.5
    return 2 / 45 / 9 * np.einsum("ik,jl->ijkl", centring, centring)


def birkhoff3_cdf(x: ArrayLike) -> Array:
    """``P(3 G_ij ≤ x)`` under the same law: the integral of 4/3 (1 - x)² (1 + 5x)."""
    x = np.clip(x, 0, 1)
    return (4 * x + 6 * x**2 - 12 * x**3 + 5 * x**4) / 3
