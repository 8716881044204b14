"""Which warehouse should serve which shop, if driving times differ from day to day?

Fifty recorded days, kept as one labelled table per day. The plan for the average day hides that
two shops change their warehouse whenever the bridge is closed; the posterior shows it.
"""

import numpy as np
import pandas as pd

import bayesot as bo

supply = pd.Series({"North": 60, "South": 40}, name="pallets").rename_axis("warehouse")
demand = pd.Series({"Mill": 45, "Quay": 30, "Fort": 25}, name="pallets").rename_axis("shop")

rng = np.random.default_rng(7)
usual = pd.DataFrame(
    [[20, 35, 30], [40, 25, 38]], index=supply.index, columns=demand.index, dtype=float
)
days = []
for _ in range(50):
    minutes = usual * rng.normal(1.0, 0.05, usual.shape)
    if rng.random() < 0.3:  # the bridge between North and Fort is closed
        minutes.loc["North", "Fort"] += 25
    days.append(minutes)

posterior = bo.Posterior(
    bo.Problem(supply, demand),
    likelihood=bo.likelihoods.Each(days, sharpness=5.0),  # minutes per pallet: e-fold at 12 s
)
draws = bo.sample(posterior, seed=1)
print(draws.diagnostics.verdict)
print((draws.summary().set_index(["warehouse", "shop"])[["mean", "lower", "upper"]] * 100).round(1))
late = draws.probability(lambda plan: plan[..., 0, 2] < 0.05)
print(f"North delivers less than 5 pallets to Fort in {late:.0%} of the plans.")
