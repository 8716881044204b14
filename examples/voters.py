"""How did each group vote, if only the totals of a county are known?

The margins are counts; which cells inside them are likely comes from a survey (as a cost) and from
a prior. With no cost at all the posterior is what the margins say by themselves.
"""

import numpy as np

import bayesot as bo

voters = {"group A": 5200, "group B": 3100, "group C": 1700}
votes = {"Red": 4600, "Blue": 4200, "stayed home": 1200}
problem = bo.Problem(voters, votes)

# Shares of each group in a survey of the whole country; unlikely pairs are dear.
survey = np.array([[0.60, 0.30, 0.10], [0.25, 0.65, 0.10], [0.40, 0.40, 0.20]])
likelihoods = {
    "margins alone": bo.likelihoods.NoCost(),
    "with the survey": bo.likelihoods.ForAll(1.0 - survey, sharpness=10.0),
}
for name, likelihood in likelihoods.items():
    posterior = bo.Posterior(problem, prior=bo.priors.Dirichlet(1.0), likelihood=likelihood)
    draws = bo.sample(posterior, seed=1)
    assert draws.diagnostics.converged, draws.diagnostics.verdict
    lower, upper = (end * problem.mass for end in draws.interval(0.9))
    print(f"{name}: voters of each group for Red, with 90 % intervals")
    for i, group in enumerate(problem.row_labels):
        mean = draws.mean[i, 0] * problem.mass
        print(f"  {group}: {mean:5.0f} ({lower[i, 0]:.0f} to {upper[i, 0]:.0f})")
