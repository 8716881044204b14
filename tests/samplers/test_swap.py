"""`Swap` and what it is made of."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import numpy as np
import pytest

import bayesot as bo
from bayesot.samplers import chains as chains_module
from bayesot.samplers.gibbs import advance
from bayesot.samplers.lanes import blocks, chain_lanes, component_lanes
from bayesot.samplers.target import lower
from bayesot.samplers.warmup import schedule


def compilations() -> int:
    """How often the sampler has been compiled in this process."""
    return advance._cache_size()  # pyright: ignore[reportAttributeAccessIssue]


RNG = np.random.default_rng(0)
COSTS = RNG.gamma(2.0, 1.0, (6, 4, 5))
PROBLEM = bo.Problem(RNG.dirichlet(np.full(4, 3.0)), RNG.dirichlet(np.full(5, 3.0)))


def run(likelihood=None, prior=None, problem=PROBLEM, **options):
    settings: dict[str, Any] = {"draws": 20, "chains": 4, "warmup": 50} | options
    posterior = bo.Posterior(problem, prior, likelihood)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bo.errors.ConvergenceWarning)  # short, on purpose
        return bo.sample(posterior, **settings)


@pytest.mark.parametrize(
    "likelihood",
    [None, bo.likelihoods.ForAll(COSTS), bo.likelihoods.Exists(COSTS), bo.likelihoods.Each(COSTS)],
    ids=repr,
)
def test_a_seed_fixes_the_draws(likelihood):
    first, again = run(likelihood, seed=3), run(likelihood, seed=3, progress=False)
    other = run(likelihood, seed=4)
    assert np.array_equal(first.plans, again.plans)
    assert not np.allclose(first.plans, other.plans)


def test_a_seed_fixes_the_draws_whatever_the_number_of_cores(monkeypatch):
    two = run(seed=3)
    monkeypatch.setattr(chains_module.os, "cpu_count", lambda: 1)
    assert np.array_equal(two.plans, run(seed=3).plans)


@pytest.mark.parametrize("prior", [bo.priors.Uniform(), bo.priors.Dirichlet(0.7)], ids=repr)
def test_both_forms_of_cycle_passes_are_the_same_moves(monkeypatch, prior):
    likelihood = bo.likelihoods.ForAll(COSTS, 20.0)
    monkeypatch.setattr(chains_module, "SIDE_BY_SIDE", 0)
    in_place = run(likelihood, prior)
    monkeypatch.setattr(chains_module, "SIDE_BY_SIDE", 1000)
    side_by_side = run(likelihood, prior)
    assert np.allclose(in_place.plans, side_by_side.plans, rtol=1e-6, atol=1e-12)


def test_new_numbers_of_the_same_shapes_never_compile_again():
    def posterior(k):
        rng = np.random.default_rng(k)
        problem = bo.Problem(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4)))
        prior = bo.priors.Dirichlet(rng.uniform(1.0, 3.0)) * bo.priors.Entropy(rng.uniform(0, 1))
        return problem, prior, rng.gamma(2.0, 1.0, (5, 3, 4)), rng.uniform(1.0, 9.0)

    for reading in (bo.likelihoods.ForAll, bo.likelihoods.Exists):
        compiled = []
        for k in range(3):
            problem, prior, costs, s = posterior(k)
            run(reading(costs, s), prior, problem, seed=k, draws=20 + k, warmup=50 + k)
            compiled.append(compilations())
        assert compiled[0] == compiled[1] == compiled[2]


def test_labels_and_totals_do_not_compile_again():
    run(problem=bo.Problem({"x": 2, "y": 3}, {"u": 4, "v": 1}))
    before = compilations()
    run(problem=bo.Problem({"p": 20, "q": 50}, {"r": 44, "s": 26}))
    assert compilations() == before


@pytest.mark.parametrize(
    "likelihood",
    [
        None,
        bo.likelihoods.ForAll(COSTS),
        bo.likelihoods.Exists(COSTS, regret=True),
        bo.likelihoods.Each(COSTS),
    ],
    ids=repr,
)
def test_zero_mass_is_left_out_of_the_computation(likelihood):
    whole = bo.Problem([0.3, 0.0, 0.5, 0.2], [0.2, 0.3, 0.0, 0.4, 0.1])
    rest = bo.Problem([0.3, 0.5, 0.2], [0.2, 0.3, 0.4, 0.1])
    reduced = likelihood
    if likelihood is not None:
        costs = likelihood.costs[:, [0, 2, 3]][:, :, [0, 1, 3, 4]]
        extra = {"regret": True} if isinstance(likelihood, bo.likelihoods.Exists) else {}
        reduced = type(likelihood)(costs, **extra)
    full, small = run(likelihood, problem=whole), run(reduced, problem=rest)
    assert np.array_equal(full.plans[:, :, [0, 2, 3]][..., [0, 1, 3, 4]], small.plans)
    assert np.all(full.plans[:, :, 1] == 0)
    assert np.all(full.plans[..., 2] == 0)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 1)])
@pytest.mark.parametrize("reading", ["ForAll", "Exists", "Each"])
def test_a_single_row_or_column_leaves_one_plan(shape, reading):
    problem = bo.Problem(np.ones(shape[0]), np.ones(shape[1]), normalise=True)
    costs = RNG.gamma(2.0, 1.0, (3, *shape))
    posterior = bo.Posterior(
        problem, bo.priors.Dirichlet(0.5), getattr(bo.likelihoods, reading)(costs)
    )
    draws = bo.sample(posterior, draws=10)
    assert draws.diagnostics.converged
    assert np.all(draws.plans == problem.independent)
    assert np.all(draws.std == 0)
    assert draws.cost().shape == draws.plans.shape[:2]


@pytest.mark.parametrize("shape", [(2, 2), (2, 7), (7, 2), (3, 3)])
def test_margins_hold_in_long_and_sharp_runs(shape):
    rng = np.random.default_rng(1)
    problem = bo.Problem(
        10.0 ** rng.uniform(-9, 0, shape[0]), 10.0 ** rng.uniform(-9, 0, shape[1]), normalise=True
    )
    cost = rng.normal(size=shape)
    draws = run(bo.likelihoods.ForAll(cost, 1e5), problem=problem, draws=200, warmup=200)
    assert np.all(np.abs(draws.plans.sum(-1) - problem.a) <= 1e-12 * problem.a)
    assert np.all(np.abs(draws.plans.sum(-2) - problem.b) <= 1e-12 * problem.b)
    assert draws.plans.min() >= 0


def test_no_warm_up_is_allowed():
    assert run(warmup=0).plans.shape == (4, 20, 4, 5)


def test_odd_numbers_of_chains():
    for chains in (1, 3, 5):
        assert run(chains=chains).plans.shape[0] == chains


def test_global_precision_is_left_alone():
    run()
    assert jax.numpy.ones(1).dtype == np.float32


def test_each_visits_components_by_their_weights():
    weights = [1, 0, 2, 3, 0.5, 0.5]
    draws = run(bo.likelihoods.Each(COSTS, weights=weights), draws=700)
    assert draws.components is not None
    counts = np.apply_along_axis(np.bincount, 1, draws.components, minlength=6)
    assert np.all(np.abs(counts - 700 * np.array(weights) / 7) < 1)


def test_each_spreads_chains_over_more_components_than_draws():
    costs = RNG.gamma(2.0, 1.0, (90, 4, 5))
    draws = run(bo.likelihoods.Each(costs), draws=20)
    assert draws.components is not None
    assert np.unique(draws.components).size == 80  # no component twice


def test_each_of_one_cost_is_for_all():
    one = run(bo.likelihoods.Each(COSTS[:1], 5.0), draws=400, warmup=300)
    two = run(bo.likelihoods.ForAll(COSTS[0], 5.0), draws=400, warmup=300)
    assert np.allclose(one.mean, two.mean, atol=0.02)


def test_composed_draws_that_did_not_mix_are_found_out():
    """Shuffling components hides slow chains from R-hat; `composition` sees them."""
    draws = run(
        bo.likelihoods.Each(COSTS, 1e3), draws=6, warmup=0, sampler=bo.samplers.Swap(thin=1)
    )
    assert draws.composition is not None
    assert draws.composition.rhat.max() > 1.05
    assert not draws.diagnostics.converged


def test_lanes_cover_every_place_once():
    weights = np.array([0.5, 3.0, 0.0, 1.0])
    lanes = component_lanes(np.random.default_rng(0), 3, 50, weights)
    for chain in range(3):
        places = lanes.places[lanes.chain == chain]
        assert sorted(places[places >= 0]) == list(range(50))
    assert 2 not in lanes.component
    pooled = lanes.pooled(lanes.component[None].astype(float))
    assert np.allclose(pooled, [np.unique(lanes.component)])
    assert chain_lanes(np.random.default_rng(0), 3, 50, weights).groups == 1


def test_blocks_depend_on_lanes_only():
    assert blocks(1, 1).tolist() == [[0]]
    assert blocks(7, 8).shape == (2, 4)
    assert set(blocks(9000, 9000).ravel()) == set(range(9000))


def test_schedule_ends_at_the_posterior_and_anneals_sharp_ones():
    posterior = bo.Posterior(PROBLEM, likelihood=bo.likelihoods.ForAll(COSTS, 1e6))
    windows = schedule(lower(posterior), 500)
    warmths = [window.warmth for window in windows]
    assert warmths == sorted(warmths)
    assert warmths[-1] == 1.0
    assert warmths[0] < 1e-4
    assert 450 <= sum(w.steps * w.batches for w in windows) <= 550
    assert schedule(lower(posterior), 0) == []


def test_an_interrupt_keeps_finished_draws(monkeypatch):
    calls = iter(range(10**6))
    original = chains_module.Chains.advance

    def interrupted(self, *args, **kwargs):
        if next(calls) > 20:
            raise KeyboardInterrupt
        return original(self, *args, **kwargs)

    monkeypatch.setattr(chains_module.Chains, "advance", interrupted)
    draws = run(draws=10_000)
    assert 0 < draws.plans.shape[1] < 10_000
    assert draws.interrupted
    assert "stopped early" in draws.diagnostics.verdict


def test_a_request_beyond_memory_is_refused_with_numbers():
    with pytest.raises(bo.errors.MemoryRefused, match=r"GiB.*draws=\d+"):
        bo.sample(bo.Posterior(PROBLEM), draws=10**12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"draws": 0}, "`draws`"),
        ({"draws": 2.5}, "`draws`"),
        ({"chains": -1}, "`chains`"),
        ({"warmup": -1}, "`warmup`"),
        ({"seed": "x"}, "`seed`"),
        ({"sampler": "swap"}, "`sampler`"),
    ],
)
def test_bad_requests_are_refused_at_the_door(options, message):
    with pytest.raises(ValueError, match=message):
        bo.sample(bo.Posterior(PROBLEM), **options)


def test_a_posterior_is_asked_for():
    with pytest.raises(ValueError, match="`posterior` must be"):
        bo.sample(PROBLEM)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "prior",
    [
        bo.priors.Gaussian(0.1, covariance=np.eye(20)),
        bo.priors.Custom(lambda plan: -(plan**2).sum()),
        bo.priors.Custom(lambda plan: -(plan**2).sum()) * bo.priors.Dirichlet(2.0),
    ],
    ids=["covariance", "custom", "product"],
)
def test_priors_that_couple_cells_are_refused_in_words(prior):
    with pytest.raises(bo.errors.Unsupported, match="sum over cells"):
        bo.sample(bo.Posterior(PROBLEM, prior))


def test_a_locked_posterior_is_not_called_converged():
    """Two optimal plans far apart: chains that start in one never see the other."""
    half = [0.5, 0.5]
    costs = [[[0.0, 10.0], [10.0, 0.0]], [[10.0, 0.0], [0.0, 10.0]]]
    posterior = bo.Posterior(bo.Problem(half, half), likelihood=bo.likelihoods.Exists(costs, 100.0))
    with pytest.warns(bo.errors.ConvergenceWarning, match="not converged: R-hat"):
        draws = bo.sample(posterior, draws=200, seed=1)
    assert draws.diagnostics.max_rhat > 1.5


def test_chains_do_not_all_follow_the_component_that_wins_while_annealing():
    """At low sharpness the flat cost wins, at the posterior's the other one has all the mass."""
    n = 5
    equal = np.full(n, 1 / n)
    costs = np.stack([10 * (1 - np.eye(n)), np.full((n, n), 0.5)])
    likelihood = bo.likelihoods.Exists(costs, 1000.0)
    draws = run(likelihood, problem=bo.Problem(equal, equal), chains=8, draws=300, warmup=300)
    assert not draws.diagnostics.converged
    assert np.ptp(np.asarray(draws.components)) == 1


@pytest.mark.parametrize("tiny", [1e-12, 1e-16, 1e-100])
@pytest.mark.parametrize("warmup", [0, 50])
def test_margins_of_tiny_masses_are_exact(tiny, warmup):
    problem = bo.Problem([1.0, tiny, tiny], [1.0, tiny, tiny], normalise=True)
    draws = run(problem=problem, warmup=warmup)
    assert draws.diagnostics.margin_error <= 1e-12


@pytest.mark.parametrize(
    "prior",
    [bo.priors.Normal(0.3, 1e-160), bo.priors.Weibull(50.0, 1e-8), bo.priors.Dirichlet(1e308)],
    ids=repr,
)
def test_priors_that_overflow_are_refused(prior):
    with pytest.raises(ValueError, match="`prior` must have a finite density"):
        run(prior=prior)


def test_an_improper_posterior_is_found_out():
    """Equal margins: both diagonals vanish together, so that 1/2 is the limit at 2×2."""
    problem = bo.Problem([1, 1], [1, 1], normalise=True)
    draws = run(prior=bo.priors.Dirichlet(0.5), problem=problem, draws=500, warmup=300)
    assert not draws.diagnostics.converged
    assert "improper" in draws.diagnostics.verdict


def test_forbidden_cells_of_great_cost_are_avoided():
    cost = COSTS[0].copy()
    cost[1, 2] = 1e18
    draws = run(bo.likelihoods.ForAll(cost), draws=300, warmup=300)
    assert draws.plans[..., 1, 2].max() < 1e-12


def test_the_components_that_a_seed_leaves_out_do_not_compile_again():
    weights = np.linspace(0.01, 1.0, 30) ** 3
    likelihood = bo.likelihoods.Each(RNG.gamma(2.0, 1.0, (30, 4, 5)), weights=weights)
    run(likelihood, draws=50, seed=0)
    before = compilations()
    for seed in (1, 2, 3):
        run(likelihood, draws=50, seed=seed)
    assert compilations() == before


@pytest.mark.parametrize("prior", [bo.priors.Dirichlet(0.5), bo.priors.Dirichlet(3.0)], ids=repr)
def test_composed_draws_that_did_mix_are_called_converged(prior):
    draws = run(bo.likelihoods.Each(COSTS, 5.0), prior, draws=1000, warmup=500)
    assert draws.diagnostics.converged, draws.diagnostics.verdict
