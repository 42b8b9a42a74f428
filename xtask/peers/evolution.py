"""Evolutions by conventional means: ETDRK4 with FFT on a circle, and SciPy's solve_ivp on the trial space of the request.

ETDRK4 takes the steps of Cox and Matthews with the coefficients of Kassam and Trefethen (2005). The trial space consists of
polynomials on joined pieces, with the matrices that the request names. Answers are what was found at the times of the
request; the other side measures the errors.
"""

import json
import time
from functools import lru_cache
from typing import Callable, NamedTuple

import numpy as np
from scipy import sparse
from scipy.fft import irfft, rfft
from scipy.integrate import solve_ivp
from scipy.sparse.linalg import splu

import worker

PI = np.pi
SPEED, START = 30.0, -1.0
# Samples of the initial value for each point: one with a kink has high waves that would hide among the low ones.
OVERSAMPLING = 64
NEGLIGIBLE = 1e-14
CONTOUR = np.exp(2j * PI * (np.arange(64) + 0.5) / 64)


def soliton(x, t):
    return 3.0 * SPEED / np.cosh(0.5 * np.sqrt(SPEED) * (x - SPEED * t - START)) ** 2


def soliton_slope(x, t):
    return -np.sqrt(SPEED) * np.tanh(0.5 * np.sqrt(SPEED) * (x - SPEED * t - START)) * soliton(x, t)


class Equation(NamedTuple):
    """u_t = F(u, u', u'', ...), and on a circle, in waves, v_t = symbol(k) v + multiplier(k) (reaction(u))^."""

    circle: tuple
    symbol: Callable
    multiplier: Callable
    reaction: Callable
    initial: Callable
    # F of the list of derivatives, and its slopes in those that it depends on.
    rate: Callable
    slopes: Callable
    # What the conditions at the ends ask for.
    data: Callable = lambda t: np.zeros(0)


EQUATIONS = {
    "kdv-soliton": Equation(
        # Four times the interval: the soliton has decayed by 1e-15 at the ends, so that it does not see the circle.
        circle=(-7.5, 8.5),
        symbol=lambda k: 1j * k**3,
        multiplier=lambda k: -0.5j * k,
        reaction=lambda u: u * u,
        initial=lambda x: soliton(x, 0.0),
        rate=lambda u: -u[0] * u[1] - u[3],
        slopes=lambda u: {0: -u[1], 1: -u[0], 3: -np.ones_like(u[0])},
        data=lambda t: np.array([soliton(-2.0, t), soliton(2.0, t), soliton_slope(2.0, t)]),
    ),
    "kuramoto-sivashinsky": Equation(
        circle=(0.0, 32.0 * PI),
        symbol=lambda k: k**2 - k**4,
        multiplier=lambda k: -0.5j * k,
        reaction=lambda u: u * u,
        initial=lambda x: np.cos(x / 16.0) * (1.0 + np.sin(x / 16.0)),
        rate=lambda u: -u[0] * u[1] - u[2] - u[4],
        slopes=lambda u: {0: -u[1], 1: -u[0], 2: -np.ones_like(u[0]), 4: -np.ones_like(u[0])},
    ),
    "allen-cahn": Equation(
        circle=(-1.0, 1.0),
        symbol=lambda k: 5.0 - 1e-4 * k**2,
        multiplier=lambda k: np.ones_like(k),
        reaction=lambda u: -5.0 * u * u * u,
        initial=lambda x: x * x * np.cos(PI * x),
        rate=lambda u: 1e-4 * u[2] + 5.0 * (u[0] - u[0] * u[0] * u[0]),
        slopes=lambda u: {0: 5.0 - 15.0 * u[0] * u[0], 2: np.full_like(u[0], 1e-4)},
    ),
}


@lru_cache(maxsize=None)
def content(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def exponential(request):
    """ETDRK4 with so many points, and so many steps from each of the equidistant times to the next."""
    equation, snapshots, count = EQUATIONS[request["case"]], content(request["snapshots"]), request["points"]
    clock = time.perf_counter()
    found = waves(equation, snapshots["times"], count, request["steps"])
    seconds = time.perf_counter() - clock
    lo, hi = equation.circle
    numbers = np.arange(count // 2 + 1)
    # The mean and the last wave count once, all others with their conjugates.
    weights = np.where((numbers == 0) | (2 * numbers == count), 1.0, 2.0) / count
    turns = [np.exp(2j * PI * np.outer((np.array(x) - lo) / (hi - lo), numbers)) for x in snapshots["points"]]
    values = np.array([(turn @ (weights * v)).real for turn, v in zip(turns, found)])
    if not np.all(np.isfinite(values)):
        return {"seconds": seconds, "found": None, "status": "not finite: the steps are too long"}
    return {"seconds": seconds, "found": values, "unknowns": count}


def waves(equation, times, count, steps):
    lo, hi = equation.circle
    h = times[0] / steps
    k = 2.0 * PI / (hi - lo) * np.arange(count // 2 + 1)
    exponent = h * equation.symbol(k)
    z = exponent[:, None] + CONTOUR

    def mean(values):
        found = h * np.mean(values, axis=1)
        return found if np.iscomplexobj(exponent) else found.real

    half, full = np.exp(0.5 * exponent), np.exp(exponent)
    middle = mean((np.exp(0.5 * z) - 1.0) / z)
    first = mean((-4.0 - z + np.exp(z) * (4.0 - 3.0 * z + z**2)) / z**3)
    second = mean(2.0 * (2.0 + z + np.exp(z) * (z - 2.0)) / z**3)
    third = mean((-4.0 - 3.0 * z - z**2 + np.exp(z) * (4.0 - z)) / z**3)
    multiplier, reaction = equation.multiplier(k), equation.reaction

    def rate(v):
        return multiplier * rfft(reaction(irfft(v, count)))

    many = OVERSAMPLING * count
    v = rfft(equation.initial(lo + (hi - lo) * np.arange(many) / many))[: count // 2 + 1] / OVERSAMPLING
    found = []
    for _ in times:
        for _ in range(steps):
            nv = rate(v)
            a = half * v + middle * nv
            na = rate(a)
            b = half * v + middle * na
            nb = rate(b)
            c = half * a + middle * (2.0 * nb - nv)
            nc = rate(c)
            v = full * v + first * nv + second * (na + nb) + third * nc
        found.append(v)
    return found


@lru_cache(maxsize=None)
class TrialSpace:
    """u = sum c_j phi_j + sum g_k l_k: what its file holds as sparse matrices."""

    def __init__(self, path):
        file = content(path)
        self.nodes, self.weights = np.array(file["nodes"]), np.array(file["weights"])
        shape = (len(self.nodes), file["dim"])
        self.samples = [
            sparse.csr_array((entry["values"], (entry["rows"], entry["columns"])), shape=shape) for entry in file["samples"]
        ]
        # The l_k are orthogonal to the space: the rate of c does not see that of g.
        self.lifts = [np.array(entry).reshape(-1, shape[0]).T for entry in file["lifts"]]
        self.projection = (self.samples[0].T * self.weights[None, :]).tocsr()
        self.mass = splu((self.projection @ self.samples[0]).tocsc())
        # solve_ivp knows no mass matrix; its inverse decays away from the joints, so that the Jacobian can be sparse.
        inverse = self.mass.solve(np.eye(shape[1]))
        inverse[np.abs(inverse) < NEGLIGIBLE * np.abs(inverse).max()] = 0.0
        self.inverse = sparse.csr_array(inverse)


class OutOfTime(Exception):
    pass


# What was not done in time is not tried again.
GIVEN_UP = {}


def lines(request):
    """A method of solve_ivp with this tolerance of the L2 norm, if it is done within so many seconds.

    The time is that of the integration; what the space is made of is there already.
    """
    key = tuple(request[name] for name in ("space", "method", "tolerance", "limit"))
    space = TrialSpace(request["space"])
    if key not in GIVEN_UP:
        clock = time.perf_counter()
        try:
            result = integrate(request, space, clock + request["limit"])
            seconds = time.perf_counter() - clock
            if result.success:
                return {"seconds": seconds, "found": result.y.T, "unknowns": len(result.y)}
            GIVEN_UP[key] = result.message
        except OutOfTime as reached:
            GIVEN_UP[key] = f"not done within {request['limit']} s: {reached}"
    return {"seconds": float(request["limit"]), "found": None, "status": GIVEN_UP[key]}


def integrate(request, space, deadline):
    equation, times = EQUATIONS[request["case"]], content(request["snapshots"])["times"]

    def derivatives(t, c):
        data = equation.data(t)
        return [sample @ c + lift @ data for sample, lift in zip(space.samples, space.lifts)]

    def rate(t, c):
        if time.perf_counter() > deadline:
            raise OutOfTime(f"t = {t:.2g} of {times[-1]:g}")
        return space.mass.solve(space.projection @ equation.rate(derivatives(t, c)))

    def jacobian(t, c):
        slopes = equation.slopes(derivatives(t, c)).items()
        applied = sum(sparse.diags_array(values) @ space.samples[d] for d, values in slopes)
        return (space.inverse @ (space.projection @ applied)).tocsc()

    start = space.mass.solve(space.projection @ equation.initial(space.nodes))
    tolerance = request["tolerance"]
    options = {"rtol": tolerance, "atol": tolerance * np.linalg.norm(start) / np.sqrt(len(start))}
    if request["method"] == "Radau":
        options["jac"] = jacobian
    return solve_ivp(rate, (0.0, times[-1]), start, method=request["method"], t_eval=times, **options)


def evolve(request):
    return exponential(request) if request["method"] == "ETDRK4" else lines(request)


if __name__ == "__main__":
    worker.serve(evolve)
