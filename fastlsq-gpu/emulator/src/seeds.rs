//! Mistakes that the emulator makes on the caller's behalf, to see that the tests find them.
//!
//! A seeded mistake changes the arguments of calls on their way in, just as if the host code had the bug.

/// The names of all mistakes, with what they stand for.
pub const ALL: &[(&str, &str)] = &[
    (
        "qr-leading",
        "geqrf is given the number of columns as leading dimension",
    ),
    (
        "qr-leading-long",
        "geqrf is given a leading dimension that is one too large",
    ),
    ("qr-rows-short", "geqrf is given one row too few"),
    (
        "ormqr-transpose",
        "ormqr applies Q where Qᵀ is meant, and the other way round",
    ),
    ("ormqr-reflections", "ormqr is given one reflection too few"),
    (
        "workspace-short",
        "workspaces are half as large as they have to be",
    ),
    ("grid-rows-short", "launches lack the last block of rows"),
    (
        "grid-columns-long",
        "launches have columns beyond the limit of the grid",
    ),
    (
        "threads-half",
        "launches have half of the threads in a block",
    ),
    (
        "kernel-sizes-swapped",
        "kernels are given rows and columns the wrong way round",
    ),
    (
        "kernel-argument-missing",
        "the last argument of a kernel is a null pointer",
    ),
    (
        "upload-short",
        "copies to the device lack the last eight bytes",
    ),
    (
        "download-short",
        "copies to the host lack the last eight bytes",
    ),
    ("leak", "memory is not given back"),
    ("double-free", "memory is given back twice"),
    (
        "solver-stream",
        "the solver's handle is not bound to the stream",
    ),
    (
        "blas-stream",
        "the handle of the products is not bound to the stream",
    ),
    ("context", "the context is not made current"),
    (
        "gram-uplo",
        "syrk fills the upper triangle where the lower is meant",
    ),
    ("gram-beta", "syrk adds to fresh memory"),
    (
        "gemm-transpose",
        "gemm takes A where Aᵀ is meant, and the other way round",
    ),
    (
        "cholesky-uplo",
        "potrf factors the upper triangle where the lower is meant",
    ),
];
