"""Finite elements (scikit-fem) on shapes that are no boxes: Laplace's equation with given values on the boundary.

Meshes are those that one makes by hand: Delaunay's triangles between points that follow the circles, and triangles that
shrink towards the corner that re-enters. Triangles have straight sides; both halve with each level.
"""

import time

import numpy as np
from scipy.spatial import Delaunay
from skfem import Basis, BilinearForm, ElementTriP2, ElementTriP4, MeshTri, condense, solve
from skfem.helpers import dot, grad

import worker

HOLES = [(0.25, 0.3, 0.1, 1.0), (0.7, 0.25, 0.12, 0.0), (0.3, 0.72, 0.13, 1.0), (0.72, 0.7, 0.09, 0.0)]


def four_holes(level):
    count = 8 * 2**level
    step = 1.0 / count
    line = np.linspace(0.0, 1.0, count + 1)
    points = np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)
    rings = []
    for x, y, radius, _ in HOLES:
        around = int(np.ceil(2 * np.pi * radius / step))
        points = points[np.hypot(points[:, 0] - x, points[:, 1] - y) > radius + 0.5 * step]
        angle = 2 * np.pi * np.arange(around) / around
        rings.append(np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], -1))
    points = np.concatenate([points, *rings])
    triangles = Delaunay(points).simplices
    middle = points[triangles].mean(axis=1)
    edges = points[triangles[:, [1, 2]]] - points[triangles[:, [0, 0]]]
    area = np.abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    keep = area > 1e-3 * step**2
    for x, y, radius, _ in HOLES:
        keep &= np.hypot(middle[:, 0] - x, middle[:, 1] - y) > radius * np.cos(np.pi * step)
    return MeshTri(points.T.copy(), triangles[keep].T.copy())


def l_shape(level):
    # [-1, 1]^2 without its upper right quarter, moved to [0, 2]^2.
    mesh = MeshTri.init_lshaped()
    lower = mesh.p.min(axis=1)
    mesh = MeshTri(mesh.p - lower[:, None], mesh.t).refined(level)
    for step in range(4 * level):
        middle = mesh.p[:, mesh.t].mean(axis=1)
        near = np.hypot(middle[0] - 1.0, middle[1] - 1.0) < 2.0**-step
        mesh = mesh.refined(np.flatnonzero(near))
    return mesh


def hole_data(x):
    values = x[0] ** 2 - 0.5 * x[1]
    for a, b, radius, value in HOLES:
        values = np.where(np.hypot(x[0] - a, x[1] - b) < 1.05 * radius, value, values)
    return values


PROBLEMS = {
    "four-holes": (four_holes, hole_data),
    "l-shape": (l_shape, lambda x: (1.0 - x[0]) ** 2),
}


def finite_elements(request):
    shape, data = PROBLEMS[request["case"]]
    clock = time.perf_counter()
    element = ElementTriP2() if request["degree"] == 2 else ElementTriP4()
    basis = Basis(shape(request["level"]), element)

    @BilinearForm
    def laplacian(u, v, _):
        return dot(grad(u), grad(v))

    walls = basis.get_dofs()
    u = basis.zeros()
    u[walls] = basis.boundary().project(data)[walls]
    matrix = laplacian.assemble(basis)
    u = solve(*condense(matrix, x=u, D=walls))
    seconds = time.perf_counter() - clock

    points, values, _ = worker.test_points(request)
    # Between the circles and the sides of the triangles there is nothing to be probed: the nearest triangle answers.
    finder = basis.mesh.element_finder()
    inside = np.ones(len(points), dtype=bool)
    for k, point in enumerate(points):
        try:
            finder(*point[:, None])
        except ValueError:
            inside[k] = False
    found = basis.probes(points[inside].T) @ u
    return {
        "seconds": seconds,
        "value_error": worker.relative(found, values[inside]),
        "unknowns": u.size,
    }


worker.serve(finite_elements)
