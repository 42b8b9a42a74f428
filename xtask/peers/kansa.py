"""Kansa's method: collocation with multiquadrics sqrt(|x - c|^2 + s^2), least squares, Newton's method from zero.

Every equation has its right sign and its full Jacobian. The shape s is the one with the smallest residual
at points that the fit has not seen; the time is that of all shapes.
"""

import time

import numpy as np
from scipy.linalg import lstsq

import worker

PI = np.pi
WEIGHT = 100.0
STEPS = 30
# Singular directions below this share of the largest count as none.
RANK = 1e-13


class Multiquadrics:
    """Values and pure derivatives of all basis functions at points, as matrices."""

    def __init__(self, centres, shape):
        self.centres, self.shape = centres, shape

    def at(self, points, first, second):
        """The matrix of values, and dictionaries of first and second derivatives by axis."""
        difference = points[:, None, :] - self.centres[None, :, :]
        value = np.sqrt(np.sum(difference**2, axis=2) + self.shape**2)
        slopes = {k: difference[:, :, k] / value for k in first}
        curves = {k: 1.0 / value - difference[:, :, k] ** 2 / value**3 for k in second}
        return value, slopes, curves


def cube(n, dim, rng):
    return rng.random((n, dim))


def cube_faces(n, dim, rng, axes):
    """Points on the faces of the unit cube that are orthogonal to these axes."""
    points = rng.random((n, dim))
    points[np.arange(n), rng.choice(axes, n)] = rng.integers(0, 2, n)
    return points


def ball(n, rng):
    direction = rng.normal(size=(n, 5))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction, direction * rng.random((n, 1)) ** 0.2


def initial(points):
    points = points.copy()
    points[:, -1] = 0.0
    return points


def product(k, x):
    return np.prod(np.sin(k * x), axis=1)


class Problem:
    """One problem: where, the equation with its Jacobian, the conditions."""

    def __init__(self, dim, equation, conditions, first=(), second=(), linear=False, inside=None):
        self.dim, self.equation, self.conditions = dim, equation, conditions
        self.first, self.second, self.linear = first, second, linear
        self.inside = inside or (lambda n, rng: cube(n, dim, rng))


# An equation maps (x, u, first derivatives, second derivatives) to its residual and the coefficients of
# u, of the first and of the second derivatives in its Jacobian.
def poisson_5d(x, u, d, dd):
    source = PI**2 / 4 * np.sum(np.sin(PI / 2 * x), axis=1)
    return -sum(dd.values()) - source, 0.0, {}, {k: -1.0 for k in dd}


def heat_5d(x, u, d, dd):
    square = np.sum(x[:, :5] ** 2, axis=1)
    source = -0.2 * square * np.exp(0.5 * square + x[:, 5])
    return d[5] - 0.2 * sum(dd.values()) - source, 0.0, {5: 1.0}, {k: -0.2 for k in dd}


def wave_1d(x, u, d, dd):
    return dd[1] - 4.0 * dd[0], 0.0, {}, {1: 1.0, 0: -4.0}


def helmholtz_2d(x, u, d, dd):
    residual = dd[0] + dd[1] + 100.0 * u + 100.0 * product(10.0, x)
    return residual, 100.0, {}, {0: 1.0, 1: 1.0}


def maxwell_2d(x, u, d, dd):
    return dd[2] - dd[0] - dd[1], 0.0, {}, {0: -1.0, 1: -1.0, 2: 1.0}


def nl_poisson(x, u, d, dd):
    exact = product(PI, x)
    residual = -dd[0] - dd[1] + u**3 - 2 * PI**2 * exact - exact**3
    return residual, 3.0 * u**2, {}, {0: -1.0, 1: -1.0}


def bratu(x, u, d, dd):
    exact = product(PI, x)
    residual = -dd[0] - dd[1] - np.exp(u) - 2 * PI**2 * exact + np.exp(exact)
    return residual, -np.exp(u), {}, {0: -1.0, 1: -1.0}


def burgers(x, u, d, dd):
    x = x[:, 0]
    source = PI * np.sin(4 * PI * x) + 0.4 * PI**2 * np.sin(2 * PI * x)
    return u * d[0] - 0.1 * dd[0] - source, d[0], {0: u}, {0: -0.1}


def nl_helmholtz(x, u, d, dd):
    exact = product(3.0, x)
    residual = dd[0] + dd[1] + 9.0 * u + 0.5 * u**3 + 9.0 * exact - 0.5 * exact**3
    return residual, 9.0 + 1.5 * u**2, {}, {0: 1.0, 1: 1.0}


def allen_cahn(x, u, d, dd):
    exact = np.sin(PI * x[:, 0])
    source = (1.0 - 0.1 * PI**2) * exact - exact**3
    return 0.1 * dd[0] + u - u**3 - source, 1.0 - 3.0 * u**2, {}, {0: 0.1}


# Conditions: points, the coefficient of u, those of the first derivatives, and the data.
def dirichlet(dim, data, axes=None):
    def conditions(n, rng):
        points = cube_faces(n, dim, rng, axes if axes is not None else np.arange(dim))
        return [(points, 1.0, {}, data(points))]

    return conditions


def heat_conditions(n, rng):
    sphere, inside = ball(n, rng)
    start = np.hstack([inside, np.zeros((n, 1))])
    wall = np.hstack([sphere, rng.random((n, 1))])
    u = lambda x: np.exp(0.5 * np.sum(x[:, :5] ** 2, axis=1) + x[:, 5])
    normal = {k: wall[:, k] for k in range(5)}
    return [(start, 1.0, {}, u(start)), (wall, 0.0, normal, u(wall))]


def standing_wave(dim, start):
    def conditions(n, rng):
        first = initial(cube(n, dim, rng))
        walls = cube_faces(n, dim, rng, np.arange(dim - 1))
        zero = np.zeros(n)
        return [(first, 1.0, {}, start(first)), (first, 0.0, {dim - 1: 1.0}, zero), (walls, 1.0, {}, zero)]

    return conditions


def nothing(points):
    return np.zeros(len(points))


def two_modes(x):
    return np.sin(PI * x[:, 0]) + 0.5 * np.sin(4 * PI * x[:, 0])


PROBLEMS = {
    "poisson-5d": Problem(
        5,
        poisson_5d,
        dirichlet(5, lambda x: np.sum(np.sin(PI / 2 * x), axis=1)),
        second=range(5),
        linear=True,
    ),
    "heat-5d": Problem(
        6,
        heat_5d,
        heat_conditions,
        first=range(6),
        second=range(5),
        linear=True,
        inside=lambda n, rng: np.hstack([ball(n, rng)[1], rng.random((n, 1))]),
    ),
    "wave-1d": Problem(2, wave_1d, standing_wave(2, two_modes), (1,), (0, 1), True),
    "helmholtz-2d": Problem(
        2, helmholtz_2d, dirichlet(2, lambda x: product(10.0, x)), (), (0, 1), True
    ),
    "maxwell-2d-tm": Problem(
        3, maxwell_2d, standing_wave(3, lambda x: product(PI, x[:, :2])), (2,), (0, 1, 2), True
    ),
    "nl-poisson-2d": Problem(2, nl_poisson, dirichlet(2, nothing), (), (0, 1)),
    "bratu-2d": Problem(2, bratu, dirichlet(2, nothing), (), (0, 1)),
    "steady-burgers-1d": Problem(1, burgers, dirichlet(1, nothing), (0,), (0,)),
    "nl-helmholtz-2d": Problem(2, nl_helmholtz, dirichlet(2, lambda x: product(3.0, x)), (), (0, 1)),
    "allen-cahn-1d": Problem(1, allen_cahn, dirichlet(1, nothing), (), (0,)),
}


class Equation:
    """The rows of a problem's equation at some points."""

    def __init__(self, problem, basis, points):
        self.problem, self.points = problem, points
        self.value, self.slopes, self.curves = basis.at(points, problem.first, problem.second)

    def linearise(self, beta):
        """The residual at these coefficients, and the Jacobian."""
        d = {k: matrix @ beta for k, matrix in self.slopes.items()}
        dd = {k: matrix @ beta for k, matrix in self.curves.items()}
        residual, c, cd, cdd = self.problem.equation(self.points, self.value @ beta, d, dd)
        column = lambda coefficient: np.reshape(coefficient, (-1, 1))
        jacobian = column(c) * self.value
        for coefficients, matrices in ((cd, self.slopes), (cdd, self.curves)):
            for k, coefficient in coefficients.items():
                jacobian += column(coefficient) * matrices[k]
        return residual, jacobian


def condition_rows(problem, basis, n, rng):
    rows, data = [], []
    for points, c, cd, values in problem.conditions(n, rng):
        value, slopes, _ = basis.at(points, cd.keys(), ())
        rows.append(c * value + sum(np.reshape(a, (-1, 1)) * slopes[k] for k, a in cd.items()))
        data.append(values)
    return WEIGHT * np.vstack(rows), WEIGHT * np.concatenate(data)


def newton(problem, basis, request, rng):
    """Coefficients, the number of steps, and the residual at other points."""
    inside = Equation(problem, basis, problem.inside(request["interior"], rng))
    walls, data = condition_rows(problem, basis, request["conditions"], rng)
    beta = np.zeros(len(basis.centres))
    residual, jacobian = inside.linearise(beta)
    norm = np.hypot(np.linalg.norm(residual), np.linalg.norm(walls @ beta - data))
    steps = 0
    while steps < (1 if problem.linear else STEPS):
        matrix = np.vstack([jacobian, walls])
        right = np.concatenate([jacobian @ beta - residual, data])
        direction = lstsq(matrix, right, cond=RANK, lapack_driver="gelsy")[0] - beta
        steps += 1
        # Halve the step until the residual falls; where it does not, rounding has the last word.
        for share in 0.5 ** np.arange(10):
            new = beta + share * direction
            new_residual, new_jacobian = inside.linearise(new)
            new_norm = np.hypot(np.linalg.norm(new_residual), np.linalg.norm(walls @ new - data))
            if new_norm < norm:
                break
        else:
            break
        change = np.linalg.norm(inside.value @ (new - beta))
        beta, residual, jacobian, norm = new, new_residual, new_jacobian, new_norm
        if change <= 1e-9 * np.linalg.norm(inside.value @ beta):
            break
    held_out = Equation(problem, basis, problem.inside(request["interior"] // 4, rng))
    residual = held_out.linearise(beta)[0]
    other_walls, other_data = condition_rows(problem, basis, request["conditions"] // 4, rng)
    norm = np.sqrt(np.mean(residual**2)) + np.sqrt(np.mean((other_walls @ beta - other_data) ** 2))
    return beta, steps, norm


def kansa(request):
    problem = PROBLEMS[request["case"]]
    points, values, gradients = worker.test_points(request)
    clock = time.perf_counter()
    best = None
    for shape in request["shapes"]:
        rng = np.random.default_rng(request["seed"])
        basis = Multiquadrics(problem.inside(request["features"], rng), shape)
        beta, steps, norm = newton(problem, basis, request, rng)
        if best is None or norm < best[0]:
            best = (norm, basis, beta, steps, shape)
    seconds = time.perf_counter() - clock
    _, basis, beta, steps, shape = best
    value, slopes, _ = basis.at(points, range(problem.dim), ())
    gradient = np.stack([slopes[k] @ beta for k in range(problem.dim)], axis=1)
    return {
        "seconds": seconds,
        "value_error": worker.relative(value @ beta, values),
        "gradient_error": worker.relative(gradient, gradients),
        "iterations": steps,
        "more": {"shape": shape},
    }


worker.serve(kansa)
