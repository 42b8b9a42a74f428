"""The Python package `fastlsq`: linear and nonlinear problems, and fits, with given settings."""

import time

import numpy as np
import torch
from fastlsq import problems, solve_linear, solve_nonlinear

import worker

torch.set_default_dtype(torch.float64)

LINEAR = {
    "poisson-5d": problems.PoissonND,
    "heat-5d": problems.HeatND,
    "wave-1d": problems.Wave1D,
    "helmholtz-2d": problems.Helmholtz2D,
    "maxwell-2d-tm": problems.Maxwell2D_TM,
}
NONLINEAR = {
    "nl-poisson-2d": problems.NLPoisson2D,
    "bratu-2d": problems.Bratu2D,
    "steady-burgers-1d": problems.SteadyBurgers1D,
    "nl-helmholtz-2d": problems.NLHelmholtz2D,
    "allen-cahn-1d": problems.AllenCahn1D,
}
FITS = {
    "burgers-shock": problems.Burgers1D_Regression,
    "kdv-soliton": problems.KdV_Regression,
    "fisher-front": problems.ReactionDiffusion_Regression,
    "sine-gordon-breather": problems.SineGordon_Regression,
    "klein-gordon": problems.KleinGordon_Regression,
    "gray-scott-pulse": problems.GrayScott_Pulse,
    "kovasznay": problems.NavierStokes2D_Kovasznay,
}
KINDS = {
    "linear": (LINEAR, solve_linear),
    "newton": (NONLINEAR, solve_nonlinear),
    "regression": (FITS, solve_linear),
}
BLOCKS = 3


def solve(request):
    table, solver = KINDS[request["kind"]]
    problem = table[request["case"]]()
    torch.manual_seed(request["seed"])
    np.random.seed(request["seed"])
    clock = time.perf_counter()
    result = solver(
        problem,
        scale=request["sigma"],
        n_blocks=BLOCKS,
        hidden_size=request["features"] // BLOCKS,
        n_pde=request["interior"],
        n_bc=request["conditions"],
        return_solver=True,
        # Their errors are measured at other points; and the singular values would count as their time.
        return_metrics=False,
        verbose=False,
    )
    seconds = time.perf_counter() - clock
    points, values, gradients = worker.test_points(request)
    found, slopes = result["solver"].predict_with_grad(torch.tensor(points))
    answer = {
        "seconds": seconds,
        "value_error": worker.relative(found.numpy().ravel(), values),
        "gradient_error": worker.relative(slopes.numpy().reshape(gradients.shape), gradients),
    }
    if "history" in result:
        answer["iterations"] = len(result["history"])
        answer["status"] = result["history"][-1].get("stop") if result["history"] else None
    return answer


def warm_up():
    """The first call of everything is slow."""
    settings = {"scale": 1.0, "hidden_size": 20, "n_pde": 300, "n_bc": 40}
    solve_linear(problems.Helmholtz2D(), return_metrics=False, verbose=False, **settings)
    solve_nonlinear(problems.NLPoisson2D(), return_metrics=False, verbose=False, max_iter=2, **settings)


warm_up()
worker.serve(solve)
