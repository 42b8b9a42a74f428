"""SciPy's L-BFGS-B on the test problems of `fastlsq-inverse`, from the file that the request names."""

import importlib.util
import time

from scipy.optimize import minimize

import worker

loaded = {}


def problems(path):
    if path not in loaded:
        spec = importlib.util.spec_from_file_location("test_problems", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        loaded[path] = {name: rest for name, *rest in module.PROBLEMS}
    return loaded[path]


def lbfgsb(request):
    function, bounds, start = problems(request["problems"])[request["case"]]
    clock = time.perf_counter()
    result = minimize(
        function,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 100_000, "maxfun": 100_000, **request["options"]},
    )
    return {
        "seconds": time.perf_counter() - clock,
        "value": result.fun,
        "evaluations": result.nfev,
        "iterations": result.nit,
        "status": result.message,
    }


worker.serve(lbfgsb)
