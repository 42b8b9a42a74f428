"""Eigenvalues by Chebyshev collocation (Trefethen, Spectral Methods in MATLAB): differentiation matrices and scipy.linalg.eig.

On the disc Chebyshev's points along the diameter and waves around it, as in program 28 there. All points are unknowns of
one dense matrix; in two dimensions the smallest values come from Arnoldi's iteration with its inverse, which is faster.
"""

import time

import numpy as np
from scipy.linalg import eig, lu_factor, lu_solve, toeplitz
from scipy.sparse.linalg import LinearOperator, eigs

import worker

PI = np.pi


def chebyshev(n):
    """The points cos(j pi / n) and the differentiation matrix on them."""
    x = np.cos(PI * np.arange(n + 1) / n)
    c = np.where((np.arange(n + 1) == 0) | (np.arange(n + 1) == n), 2.0, 1.0) * (-1.0) ** np.arange(n + 1)
    d = np.outer(c, 1.0 / c) / (x[:, None] - x[None, :] + np.eye(n + 1))
    return x, d - np.diag(d.sum(axis=1))


def inside(n, half):
    """Points and second derivatives on [-half, half] with zeros at the ends."""
    x, d = chebyshev(n)
    return half * x[1:-1], (d @ d)[1:-1, 1:-1] / half**2


def interval(n):
    return -inside(n, 0.5)[1]


def oscillator(n):
    x, second = inside(n, 10.0)
    return np.diag(x * x) - second


def square(n):
    second = interval(n)
    one = np.eye(n - 1)
    return np.kron(one, second) + np.kron(second, one)


def disc(n):
    # An odd number of intervals along the diameter has no point at the centre; the other half of it is the opposite angle.
    n += 1 - n % 2
    around = 2 * ((n + 1) // 2)
    r, d = chebyshev(n)
    second, half = d @ d, (n - 1) // 2
    right, left = slice(1, half + 1), slice(n - 1, half, -1)
    radius = np.diag(1.0 / r[right])
    same = second[right, right] + radius @ d[right, right]
    opposite = second[right, left] + radius @ d[right, left]
    step = 2.0 * PI / around
    m = np.arange(1, around)
    column = np.concatenate([[-(PI**2) / (3.0 * step**2) - 1.0 / 6.0], 0.5 * (-1.0) ** (m + 1) / np.sin(0.5 * step * m) ** 2])
    turn = np.roll(np.eye(around), around // 2, axis=0)
    return -(np.kron(same, np.eye(around)) + np.kron(opposite, turn) + np.kron(radius @ radius, toeplitz(column)))


MATRICES = {"interval": interval, "oscillator": oscillator, "square": square, "disc": disc}
IN_THE_PLANE = {"square", "disc"}


def smallest(matrix, count, inverted):
    if inverted:
        factors = lu_factor(matrix)
        inverse = LinearOperator(matrix.shape, matvec=lambda v: lu_solve(factors, v))
        start = np.random.default_rng(0).standard_normal(len(matrix))
        values, _ = eigs(inverse, k=count, ncv=min(4 * count, len(matrix) - 1), v0=start)
        values = 1.0 / values
    else:
        values, _ = eig(matrix)
    order = np.argsort(values.real)
    return values.real[order][:count]


def eigenvalues(request):
    case = request["case"]
    clock = time.perf_counter()
    matrix = MATRICES[case](request["degree"])
    values = smallest(matrix, request["count"], case in IN_THE_PLANE)
    seconds = time.perf_counter() - clock
    return {"seconds": seconds, "values": values, "unknowns": len(matrix)}


if __name__ == "__main__":
    # The first call of everything is slow.
    for name in MATRICES:
        eigenvalues({"case": name, "degree": 15, "count": 2})
    worker.serve(eigenvalues)
