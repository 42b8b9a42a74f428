"""SciPy's collocation solver for boundary-value problems in one dimension, as in the paper:
50 nodes to begin with, tolerance 1e-10, from zero."""

import time

import numpy as np
from scipy.integrate import solve_bvp

import worker

PI = np.pi


def burgers(x, y):
    """u u' - 0.1 u'' = f with u = sin 2 pi x."""
    source = PI * np.sin(4 * PI * x) + 0.4 * PI**2 * np.sin(2 * PI * x)
    return np.vstack([y[1], (y[0] * y[1] - source) / 0.1])


def allen_cahn(x, y):
    """0.1 u'' + u - u^3 = f with u = sin pi x."""
    exact = np.sin(PI * x)
    source = (1.0 - 0.1 * PI**2) * exact - exact**3
    return np.vstack([y[1], (source - y[0] + y[0] ** 3) / 0.1])


PROBLEMS = {"steady-burgers-1d": burgers, "allen-cahn-1d": allen_cahn}


def boundary_value(request):
    clock = time.perf_counter()
    nodes = np.linspace(0.0, 1.0, 50)
    solution = solve_bvp(
        PROBLEMS[request["case"]],
        lambda left, right: np.array([left[0], right[0]]),
        nodes,
        np.zeros((2, nodes.size)),
        tol=1e-10,
        max_nodes=100_000,
    )
    seconds = time.perf_counter() - clock
    points, values, gradients = worker.test_points(request)
    found, slope = solution.sol(points[:, 0])
    return {
        "seconds": seconds,
        "value_error": worker.relative(found, values),
        "gradient_error": worker.relative(slope, gradients[:, 0]),
        "iterations": solution.niter,
        "unknowns": 2 * solution.x.size,
        "status": solution.message,
    }


worker.serve(boundary_value)
