"""PySINDy's weak form on fields of a file, with settings that do not know the law.

`default`: everything as the classes have it. `cross-validated`: a thousand subdomains that reach over a tenth of each axis to either
side, columns of unit length, and the largest threshold whose error on held-out subdomains is within a standard error of the least.
The time is that of the whole choice.
"""

import json
import re
import time

import numpy as np
import pysindy as ps

import worker

THRESHOLDS = np.logspace(-4, 0.5, 28)
SUBDOMAINS = 1000
REACH = 0.1
RIDGE = 1e-5
FOLDS = 5
POWERS = str.maketrans("23456789", "²³⁴⁵⁶⁷⁸⁹")


def written(name, axes):
    """u^2v_11 is u² v_xx."""
    plain, field, slopes = re.fullmatch(r"(.*?)(?:([a-z])_(\d+))?", name).groups()
    plain = re.sub(r"\^(\d)", lambda power: power[1].translate(POWERS), plain)
    slopes = field and f"{field}_" + "".join(axes[int(digit) - 1] for digit in slopes)
    return " ".join(part for part in (plain.strip(), slopes) if part)


def system(data, settings):
    """The rows of the weak form: columns of the library, then one target for each field."""
    lines = [np.array(line) for line in data["coordinates"]]
    shape = [len(line) for line in lines]
    fields = np.stack([np.array(field).reshape(shape) for field in data["values"]], axis=-1)
    grid = lines[0] if len(lines) == 1 else np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1)
    library = ps.WeakPDELibrary(
        ps.PolynomialLibrary(degree=data["degree"], include_bias=False),
        derivative_order=data["order"],
        spatiotemporal_grid=grid,
        include_interaction=len(data["fields"]) == 1 and len(lines) > 1,
        **settings(lines),
    )
    library.fit([fields])
    matrix = np.asarray(library.transform([fields])[0])
    targets = np.asarray(library.convert_u_dot_integral(fields))
    names = [written(name, data["axes"]) for name in library.get_feature_names(data["fields"])]
    # The same candidates as on the other side.
    kept = [names.index(term) for term in data["terms"]]
    return matrix[:, kept], targets


def fitted(matrix, target, **settings):
    """The coefficients, all zero where nothing is left above the threshold."""
    try:
        return np.ravel(ps.STLSQ(**settings).fit(matrix, target[:, None]).coef_)
    except ValueError:
        return np.zeros(matrix.shape[1])


def cross_validated(matrix, target):
    fold = np.arange(len(target)) % FOLDS
    errors = np.empty((len(THRESHOLDS), FOLDS))
    settings = {"alpha": RIDGE, "normalize_columns": True}
    for i, threshold in enumerate(THRESHOLDS):
        for k in range(FOLDS):
            rest, held = fold != k, fold == k
            c = fitted(matrix[rest], target[rest], threshold=threshold, **settings)
            errors[i, k] = np.mean((target[held] - matrix[held] @ c) ** 2)
    mean, deviation = errors.mean(axis=1), errors.std(axis=1, ddof=1) / np.sqrt(FOLDS)
    least = mean.argmin()
    largest = np.flatnonzero(mean <= mean[least] + deviation[least])[-1]
    return fitted(matrix, target, threshold=THRESHOLDS[largest], **settings)


VARIANTS = {
    "default": (lambda lines: {}, fitted),
    "cross-validated": (
        lambda lines: {"K": SUBDOMAINS, "H_xt": [REACH * (line[-1] - line[0]) for line in lines]},
        cross_validated,
    ),
}


def sindy(request):
    with open(request["data"], encoding="utf-8") as file:
        data = json.load(file)
    settings, regress = VARIANTS[request["variant"]]
    np.random.seed(request["seed"])
    clock = time.perf_counter()
    matrix, targets = system(data, settings)
    laws = []
    for target in targets.T:
        c = regress(matrix, target)
        laws.append({name: value for name, value in zip(data["terms"], c) if value != 0.0})
    return {"seconds": time.perf_counter() - clock, "laws": laws}


worker.serve(sindy)
