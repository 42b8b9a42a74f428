"""Adaptive finite elements (scikit-fem): solve, estimate, mark, refine, as its own example does.

Triangles of degree 2 or 4, refined where the residual and the jumps of the slope are large, so many times as the request says.
The time is that of all solves on the way, as ours is.
"""

import time

import numpy as np
from skfem import (
    Basis,
    BilinearForm,
    ElementTriP2,
    ElementTriP4,
    Functional,
    InteriorFacetBasis,
    LinearForm,
    MeshTri,
    adaptive_theta,
    condense,
    solve,
)
from skfem.helpers import dd, dot, grad

import worker

SHARPNESS = 1000.0
CENTER = (0.37, 0.61)


def corner(x):
    # r^(2/3) sin(2 phi/3) with the angle from the bisector of the quarter that is missing.
    along, across = (x[0] + x[1]) / np.sqrt(2.0), (x[1] - x[0]) / np.sqrt(2.0)
    return np.hypot(x[0], x[1]) ** (2.0 / 3.0) * np.cos(4.0 / 3.0 * np.arctan2(across, np.hypot(x[0], x[1]) + along))


def peak(x):
    return np.exp(-SHARPNESS * ((x[0] - CENTER[0]) ** 2 + (x[1] - CENTER[1]) ** 2))


def peak_source(x):
    square = (x[0] - CENTER[0]) ** 2 + (x[1] - CENTER[1]) ** 2
    return 4.0 * SHARPNESS * (1.0 - SHARPNESS * square) * np.exp(-SHARPNESS * square)


def l_shape():
    # The quarter that is missing is the lower left one.
    mesh = MeshTri.init_lshaped()
    missing = [q for q in [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)] if not holds(mesh, q)][0]
    signs = np.array([[np.sign(-missing[0])], [np.sign(-missing[1])]])
    return MeshTri(mesh.p * signs, mesh.t)


def holds(mesh, point):
    corners = mesh.p[:, mesh.t]
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    cross = lambda u, v: u[0] * v[1] - u[1] * v[0]
    p = np.array(point)[:, None]
    sides = np.stack([cross(b - a, p - a), cross(c - b, p - b), cross(a - c, p - c)])
    return bool(np.any(np.all(sides >= 0, axis=0) | np.all(sides <= 0, axis=0)))


PROBLEMS = {
    "l-shape-singular": (lambda: l_shape().refined(1), corner, lambda x: 0.0 * x[0]),
    "peak-2d": (lambda: MeshTri().refined(4), peak, peak_source),
}


def finite_elements(request):
    shape, data, source = PROBLEMS[request["case"]]
    element = ElementTriP2() if request["degree"] == 2 else ElementTriP4()
    clock = time.perf_counter()
    mesh = shape()
    for step in range(request["level"] + 1):
        if step > 0:
            mesh = mesh.refined(adaptive_theta(estimate(mesh, element, basis, u, source), theta=0.5)).smoothed()
        basis = Basis(mesh, element)
        u = solution(basis, data, source)
    seconds = time.perf_counter() - clock

    points, values, _ = worker.test_points(request)
    found = basis.probes(points.T) @ u
    return {
        "seconds": seconds,
        "value_error": worker.relative(found, values),
        "unknowns": u.size,
    }


def solution(basis, data, source):
    @BilinearForm
    def laplacian(u, v, _):
        return dot(grad(u), grad(v))

    @LinearForm
    def load(v, w):
        return source(w.x) * v

    walls = basis.get_dofs()
    u = basis.zeros()
    u[walls] = basis.boundary().project(data)[walls]
    return solve(*condense(laplacian.assemble(basis), load.assemble(basis), x=u, D=walls))


def estimate(mesh, element, basis, u, source):
    """h^2 ||f + laplacian u||^2 in each triangle, and h ||[du/dn]||^2 on its sides."""

    @Functional
    def inside(w):
        second = dd(w["u"])
        return w.h**2 * (source(w.x) + second[0, 0] + second[1, 1]) ** 2

    second = hasattr(basis.interpolate(u), "hess") and basis.interpolate(u).hess is not None
    eta = inside.elemental(basis, u=basis.interpolate(u)) if second else 0.0

    sides = [InteriorFacetBasis(mesh, element, side=i) for i in (0, 1)]
    values = {f"u{i + 1}": side.interpolate(u) for i, side in enumerate(sides)}

    @Functional
    def jump(w):
        n = w.n
        step = dot(grad(w["u1"]) - grad(w["u2"]), n)
        return w.h * step**2

    on_sides = np.zeros(mesh.facets.shape[1])
    np.add.at(on_sides, sides[0].find, jump.elemental(sides[0], **values))
    return eta + np.sum(0.5 * on_sides[mesh.t2f], axis=0)


worker.serve(finite_elements)
