"""Three readings of "optimal" on the smallest problem there is: two sources, two targets.

Half of the time it is best to go straight, half of the time to cross over; on average it does not
matter. So the plan for the average cost can be any at all, and each reading says something else.
"""

import numpy as np

import bayesot as bo

problem = bo.Problem([0.5, 0.5], [0.5, 0.5])
straight, crossed = [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]
costs = np.array([straight, crossed])

readings = {
    "ForAll: good for both costs at once": bo.likelihoods.ForAll(costs, sharpness=5.0),
    "Exists: good for one of them": bo.likelihoods.Exists(costs, sharpness=5.0),
    "Each: what is good for a random one": bo.likelihoods.Each(costs, sharpness=5.0),
}
for name, likelihood in readings.items():
    draws = bo.sample(bo.Posterior(problem, likelihood=likelihood), draws=2000, seed=1)
    assert draws.diagnostics.converged, draws.diagnostics.verdict
    shares = 2 * draws.plans[..., 0, 0].ravel()  # of the first source, what goes straight
    print(name)
    heights = np.histogram(shares, bins=10, range=(0, 1), density=True)[0]
    for left, height in zip(np.arange(10) * 10, heights, strict=True):
        print(f"  {left:2d}–{left + 10:3d} %  {'█' * round(12 * height)}")
