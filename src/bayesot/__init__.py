"""BayesOT: posterior distributions over optimal transport plans, given random costs.

>>> import bayesot as bo
>>> problem = bo.Problem({"North": 60, "South": 40}, {"Mill": 50, "Quay": 50})
>>> minutes = [[[10.0, 20.0], [15.0, 10.0]], [[12.0, 9.0], [9.0, 14.0]]]  # two days of traffic
>>> posterior = bo.Posterior(problem, likelihood=bo.likelihoods.Each(minutes, sharpness=10.0))
>>> draws = bo.sample(posterior, draws=500, seed=1)
>>> draws.mean.shape
(2, 2)
"""

from bayesot import errors, likelihoods, priors, samplers
from bayesot._version import __version__
from bayesot.draws import Draws, load
from bayesot.posterior import Posterior
from bayesot.problem import Problem
from bayesot.sampling import sample

__all__ = [
    "Draws",
    "Posterior",
    "Problem",
    "__version__",
    "errors",
    "likelihoods",
    "load",
    "priors",
    "sample",
    "samplers",
]
