"""The conversation with `cargo xtask compare`: a request a line in, an answer a line out, both JSON."""

import json
import math
import os
import sys
import traceback

import numpy as np


def serve(handle):
    """Answers each request with `handle(request)`; an exception becomes {"error": ...}."""
    # Libraries print as they like; only answers may reach the real standard output.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        try:
            answer = handle(json.loads(line))
        except Exception as error:  # the other side decides what to do about it
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(plain(answer), allow_nan=False), file=answers, flush=True)


def plain(value):
    """The value in the types of JSON, which has neither arrays nor infinities."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(entry) for entry in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value


def test_points(request):
    """Points, exact values and exact gradients, from the file that the request names."""
    with open(request["truth"], encoding="utf-8") as file:
        truth = json.load(file)
    return tuple(np.array(truth[key]) for key in ("points", "values", "gradients"))


def relative(found, exact):
    """||found - exact|| / ||exact||."""
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)
