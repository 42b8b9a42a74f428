//! Solutions in files, with the feature `serde`: one JSON document that any language can read.
//!
//! # The format, version 3
//! ```json
//! {
//!   "format": "fastlsq-solution",
//!   "version": 3,
//!   "checksum": "fnv1a64:0123456789abcdef",
//!   "coordinates": {"names": ["x", "t"], "time": true, "bounds": [[0.0, 0.0], [1.0, 0.5]]},
//!   "unknowns": [
//!     {
//!       "name": "u",
//!       "beta": [0.5, -1.25],
//!       "basis": {"Sinusoidal": {"dim": 2, "...": "the choices behind the features"}},
//!       "arrays": {
//!         "W": [[1.0, 2.0], [3.0, 4.0]], "b": [0.1, 0.2], "scale": 0.7071067811865475,
//!         "parity": ["none", "odd"], "center": [0.5, 0.5]
//!       }
//!     }
//!   ],
//!   "report": {"status": "ToleranceMet", "...": "the record of the solve"}
//! }
//! ```
//! - Numbers have as many digits as it takes to read back the very same `f64`. Numbers of the
//!   report that are not finite are the strings `"NaN"`, `"inf"` and `"-inf"`.
//! - `basis` is what [`Solution::load`](crate::Solution::load) reads (see [`SavedBasis`](fastlsq_basis::SavedBasis)).
//!   `arrays` says the same of sinusoidal features in plain arrays, for other programs; other kinds
//!   of bases have none.
//! - `checksum` is the 64-bit FNV-1a hash of everything else: of the bytes of the format's name, of the version, and of the
//!   texts of `coordinates`, `unknowns` and `report` as they stand in the file, each followed by a zero byte. White
//!   space between tokens does not count. A file whose checksum does not agree, or is missing, is not read.
//! - A file of more than a gibibyte is not read, and no basis is built that has more features than the file has
//!   coefficients.
//! - `coordinates` are the names of the axes; `time` says that the last one is time. `bounds`, which may be missing, are the
//!   corners of the box around the domain.
//!
//! Functions that were evolved in time have the basis `Evolved`, of one function:
//! ```json
//! {"Evolved": {
//!   "spaces": [{"Piecewise": {"local": "Legendre polynomials", "boxes": "the pieces"}}],
//!   "spans": [{"start": 0.0, "end": 0.1, "space": 0, "times": 8, "coefficients": [0.5, -1.25]}]
//! }}
//! ```
//! Over each span u is a polynomial in t through Chebyshev's points, ends included; `coefficients` lists, time by time, those of
//! its functions of space: of joined polynomials (`Piecewise`), of products along axes (`Tensor`), or of polynomials that
//! are orthonormal on the domain (`Orthogonal`). A space is built only if some span lists as many coefficients as it has functions.
//! Solutions that are known at any time, by an exponential, are kept as such spans too, to 2e-14 of their size.
//!
//! With `none` axes in the phase and the axes of declared symmetry as factors,
//! u(x) = scale · Σⱼ βⱼ sin(Σₖ W_jk xₖ + bⱼ) · Π_even cos(W_ja (x_a − c_a)) · Π_odd sin(W_ja (x_a − c_a)).
//! In NumPy:
//! ```python
//! import json, numpy as np
//!
//! def load(path, unknown=0):
//!     u = json.load(open(path))["unknowns"][unknown]
//!     a = u["arrays"]
//!     W, b, c, beta = (np.array(v) for v in (a["W"], a["b"], a["center"], u["beta"]))
//!     parity = np.array(a["parity"])
//!     plain = parity == "none"
//!
//!     def value(x):                                  # x: one row per point
//!         phi = np.sin(x[:, plain] @ W[:, plain].T + b)
//!         for k in np.flatnonzero(~plain):
//!             wave = np.cos if parity[k] == "even" else np.sin
//!             phi *= wave(np.outer(x[:, k] - c[k], W[:, k]))
//!         return a["scale"] * phi @ beta
//!
//!     return value
//! ```

mod atomic;
mod error;
#[cfg(feature = "serde")]
mod format;
#[cfg(feature = "serde")]
pub(crate) mod number;
#[cfg(feature = "serde")]
mod solution;

pub(crate) use atomic::write as write_file;
pub use error::SaveError;
