"""PySINDy on the samples of a file: differences, smoothed differences, and the weak form.

Thresholds (and window lengths and widths of subdomains, where there are any) are tried in turn, and the answer is the best one *as judged by
the true law*: no user could choose better. The time is that of the chosen fit alone.
"""

import json
import re
import time
from functools import partial

import numpy as np
import pysindy as ps

import worker

THRESHOLDS = np.logspace(-3, 0.5, 15)
WINDOWS = (5, 11, 21, 51, 101, 201, 301)
RIDGE = 1e-5
# Half the width of the weak form's subdomains as a share of the domain, and their number.
WIDTHS = (0.05, 0.125, 0.25)
SUBDOMAINS = 200


def derivative(name):
    """The orders along the axes of a name such as u_xxt, as a string of axes."""
    return name.partition("_")[2]


def strong(data, u, differentiate):
    """The candidate terms and the target at the samples."""
    fields = {"": u}

    def field(axes):
        if axes not in fields:
            result = u
            for axis in sorted(set(axes)):
                index = data["axes"].index(axis)
                grid = np.array(data["coordinates"][index])
                result = differentiate(result, grid, index, axes.count(axis))
            fields[axes] = np.asarray(result)
        return fields[axes]

    def term(text):
        result = np.ones_like(u)
        for factor in text.split():
            if factor != "1":
                name, _, power = factor.partition("^")
                result = result * field(derivative(name)) ** int(power or 1)
        return result.ravel()

    matrix = np.stack([term(text) for text in data["terms"]], axis=1)
    return matrix, field(derivative(data["target"])).ravel(), data["terms"]


def differences(u, grid, axis, order):
    return ps.FiniteDifference(d=order, axis=axis)(u, grid)


def smoothed(window):
    settings = {"window_length": window, "polyorder": 3}

    def differentiate(u, grid, axis, order):
        # Smoothing before every difference does better than one difference of higher order.
        for _ in range(order):
            u = ps.SmoothedFiniteDifference(axis=axis, smoother_kws=settings)(u, grid)
        return u

    return differentiate


def weak_system(library, fields):
    """The rows of the weak form. The axes of `fields` are the coordinates, then the fields."""
    library.fit([fields])
    matrix = np.asarray(library.transform([fields])[0])
    target = np.asarray(library.convert_u_dot_integral(fields))
    return matrix, target


def weak_evolution(data, u, width):
    x, t = (np.array(c) for c in data["coordinates"])
    grid = np.stack(np.meshgrid(x, t, indexing="ij"), axis=-1)
    library = ps.WeakPDELibrary(
        ps.PolynomialLibrary(degree=2, include_bias=False),
        derivative_order=3,
        spatiotemporal_grid=grid,
        H_xt=[width * (c[-1] - c[0]) for c in (x, t)],
        K=SUBDOMAINS,
    )
    matrix, target = weak_system(library, u[:, :, None])
    return matrix, target[:, 0], [written(name) for name in library.get_feature_names(["u"])]


def written(name):
    """u^2u_11 is u^2 u_xx."""
    plain, slopes = re.fullmatch(r"(u(?:\^\d)?)?(?:u_(1+))?", name).groups()
    parts = [plain] if plain else []
    if slopes:
        parts.append("u_" + "x" * len(slopes))
    return " ".join(parts)


def weak_oscillator(data, u, window, width):
    """The first-order system of u and u', the latter from smoothed differences: its second equation."""
    t = np.array(data["coordinates"][0])
    slope = np.asarray(smoothed(window)(u, t, 0, 1))
    polynomials = ps.PolynomialLibrary(degree=3, include_bias=False)
    half = width * (t[-1] - t[0])
    library = ps.WeakPDELibrary(polynomials, spatiotemporal_grid=t, H_xt=[half], K=SUBDOMAINS)
    matrix, target = weak_system(library, np.stack([u, slope], axis=1))
    return matrix, target[:, 1], library.get_feature_names(["u", "u_x"])


def windows(data):
    return [w for w in WINDOWS if w < min(len(c) for c in data["coordinates"]) / 3]


def systems(variant, data, u):
    """What to try: the setting in words, and the function that makes the regression problem."""
    if variant == "difference":
        yield "", partial(strong, data, u, differences)
    elif variant == "smoothed":
        for window in windows(data):
            yield f"window {window}, ", partial(strong, data, u, smoothed(window))
    else:
        for width in WIDTHS:
            if u.ndim > 1:
                yield f"width {width}, ", partial(weak_evolution, data, u, width)
                continue
            for window in windows(data)[::3]:
                setting = f"window {window}, width {width}, "
                yield setting, partial(weak_oscillator, data, u, window, width)


def sindy(request):
    with open(request["data"], encoding="utf-8") as file:
        data = json.load(file)
    u = np.array(data["values"]).reshape([len(c) for c in data["coordinates"]])
    law = dict(data["law"])
    best = None
    np.random.seed(request["seed"])
    for setting, make in systems(request["variant"], data, u):
        clock = time.perf_counter()
        matrix, target, names = make()
        made = time.perf_counter() - clock
        for threshold in THRESHOLDS:
            clock = time.perf_counter()
            optimiser = ps.STLSQ(threshold=threshold, alpha=RIDGE)
            try:
                coefficients = np.ravel(optimiser.fit(matrix, target[:, None]).coef_)
            except ValueError:  # nothing is left above the threshold
                continue
            seconds = made + time.perf_counter() - clock
            terms = {n: c for n, c in zip(names, coefficients) if c != 0.0}
            error = np.linalg.norm([terms.get(n, 0.0) - c for n, c in law.items()])
            rank = (terms.keys() != law.keys(), error)
            if best is None or rank < best[0]:
                best = (rank, terms, seconds, f"{setting}threshold {threshold:.2g}")
    _, terms, seconds, setting = best
    return {"seconds": seconds, "terms": terms, "status": setting}


worker.serve(sindy)
