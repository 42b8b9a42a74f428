"""Finite elements (scikit-fem) on the unit square, with a direct sparse solver.

Each problem is  -div grad u + g(x, u) = 0  with Dirichlet data; Newton's method needs g and its derivative in u.
"""

import time

import numpy as np
from skfem import (
    Basis,
    BilinearForm,
    ElementQuadP,
    ElementTriP2,
    LinearForm,
    MeshQuad,
    MeshTri,
    condense,
    solve,
)
from skfem.helpers import dot, grad

import worker

PI = np.pi
STEPS = 30


def bump(x):
    return np.sin(PI * x[0]) * np.sin(PI * x[1])


def waves(k):
    return lambda x: np.sin(k * x[0]) * np.sin(k * x[1])


def helmholtz(x, u):
    exact = waves(10.0)(x)
    return -100.0 * u - 100.0 * exact, -100.0 + 0.0 * u


def nl_poisson(x, u):
    exact = bump(x)
    return u**3 - 2.0 * PI**2 * exact - exact**3, 3.0 * u**2


def bratu(x, u):
    exact = bump(x)
    return -np.exp(u) - 2.0 * PI**2 * exact + np.exp(exact), -np.exp(u)


def nl_helmholtz(x, u):
    exact = waves(3.0)(x)
    source = -9.0 * exact + 0.5 * exact**3
    return -9.0 * u - 0.5 * u**3 + source, -9.0 - 1.5 * u**2


# g with its derivative, the Dirichlet data, and whether the problem is linear.
PROBLEMS = {
    "helmholtz-2d": (helmholtz, waves(10.0), True),
    "nl-poisson-2d": (nl_poisson, bump, False),
    "bratu-2d": (bratu, bump, False),
    "nl-helmholtz-2d": (nl_helmholtz, waves(3.0), False),
}


def discretise(degree, level):
    """P2 triangles as in the paper, or squares of a higher degree."""
    if degree == 2:
        return Basis(MeshTri.init_sqsymmetric().refined(level), ElementTriP2())
    return Basis(MeshQuad().refined(level), ElementQuadP(degree), intorder=2 * degree + 2)


def finite_elements(request):
    term, data, linear = PROBLEMS[request["case"]]
    clock = time.perf_counter()
    basis = discretise(request["degree"], request["level"])

    @BilinearForm
    def jacobian(u, v, w):
        return dot(grad(u), grad(v)) + term(w.x, w["u"])[1] * u * v

    @LinearForm
    def residual(v, w):
        return dot(grad(w["u"]), grad(v)) + term(w.x, w["u"])[0] * v

    walls = basis.get_dofs()
    u = basis.zeros()
    u[walls] = basis.boundary().project(data)[walls]
    steps = 0
    while steps < (1 if linear else STEPS):
        field = basis.interpolate(u)
        matrix, load = jacobian.assemble(basis, u=field), -residual.assemble(basis, u=field)
        step = solve(*condense(matrix, load, D=walls))
        u = u + step
        steps += 1
        if np.linalg.norm(step) <= 1e-12 * np.linalg.norm(u):
            break
    seconds = time.perf_counter() - clock

    points, values, _ = worker.test_points(request)
    return {
        "seconds": seconds,
        "value_error": worker.relative(basis.probes(points.T) @ u, values),
        "iterations": steps,
        "unknowns": u.size,
    }


worker.serve(finite_elements)
