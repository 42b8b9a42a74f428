//! The conformance suite of `fastlsq-solve`, and the methods beside it.

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{FrequencyLaw, SinusoidalBasis, TanhBasis};
use fastlsq_gpu::{Backend, Cuda};
use fastlsq_solve::conformance::{CHECKS, Check};
use fastlsq_solve::{
    CpuBackend, EquationRow, Frame, LsqOptions, Method, RowBlock, RowSource, Space, System,
    laplacian, unknown,
};
use rayon::prelude::*;
use std::sync::Arc;

use crate::case::{Case, Verdict, require, text};
use crate::emulator::{Control, is_emulated};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![Case::new("names_itself", names_itself)];
    for &(name, check) in CHECKS {
        cases.push(Case::new(format!("conformance::{name}"), move || {
            passes(&Cuda::new().map_err(text)?, check)
        }));
        cases.push(Case::new(format!("blocks::{name}"), move || {
            passes(&Cuda::new().map_err(text)?.block_rows(48), check)
        }));
    }
    // A device too small for Q: its blocks go to the host.
    for &(name, check) in CHECKS.iter().filter(|(name, _)| KEEP_Q.contains(name)) {
        let case = Case::new(format!("spilled::{name}"), move || {
            passes(&Cuda::new().map_err(text)?.block_rows(48), check)
        });
        cases.push(case.emulated("memory=400000"));
    }
    cases.push(Case::new("spilled::goes_to_the_host", goes_to_the_host).emulated("memory=400000"));
    for method in [
        Method::RankRevealingQr,
        Method::Svd,
        Method::Qr,
        Method::NormalEquations,
        Method::Sketch,
    ] {
        for rows in [1000, 33] {
            let name = format!("methods::{method} {rows} rows at a time").replace(' ', "_");
            cases.push(Case::new(name, move || {
                agrees_with_the_processor(method, rows)
            }));
        }
    }
    let case = Case::new("methods::normal_equations_fall_back", falls_back);
    cases.push(case);
    cases.push(Case::new("methods::several_threads", several_threads));
    cases.push(Case::new("methods::inside_a_pool", inside_a_pool));
    cases.push(Case::new("methods::uses_the_kernels", uses_the_kernels));
    cases
}

/// Checks that keep Q.
const KEEP_Q: [&str; 3] = [
    "several_right_hand_sides",
    "adjoint_identity",
    "cached_solves",
];

fn passes(backend: &dyn Backend, check: Check) -> Verdict {
    check(backend).map_err(text)
}

/// With little memory the rows come in blocks and Q is kept by the host; with plenty it stays.
fn goes_to_the_host() -> Verdict {
    let cuda = Cuda::new().map_err(text)?;
    let keep = LsqOptions::new().keep_q(true);
    for (rows, blocks, on_host) in [(2000, true, true), (120, false, false)] {
        let factored = cuda.factor(&system(40, 12.0, rows)?, &keep).map_err(text)?;
        let info = factored.info();
        require(info.reason.contains("blocks of rows") == blocks, || {
            info.to_string()
        })?;
        require(format!("{factored:?}").contains("Host(") == on_host, || {
            format!("{rows} rows")
        })?;
    }
    Ok(())
}

fn names_itself() -> Verdict {
    let cuda = Cuda::new().map_err(text)?;
    let name = cuda.device_name().to_owned();
    require(!name.is_empty() && cuda.name().contains(&name), || {
        format!("the name is {name:?}")
    })?;
    let emulated = Control::find().is_some();
    let says_so = is_emulated(&name) && cuda.is_emulated();
    require(says_so == emulated, || {
        format!("{name:?}, but the emulator is {emulated}")
    })
}

/// A well-conditioned system with two blocks.
pub(crate) fn system(features: usize, sigma: f64, rows: usize) -> Result<System, String> {
    let law = FrequencyLaw::Isotropic(sigma);
    let basis = SinusoidalBasis::random(2, features, &law, 1).map_err(text)?;
    let (inside, values) = (
        UnitSampler::halton(1).points(rows, 2),
        UnitSampler::halton(2).points(rows / 2, 2),
    );
    let data = |points: &ndarray::Array2<f64>| -> Vec<f64> {
        points
            .rows()
            .into_iter()
            .map(|x| (3.0 * x[0] - x[1]).sin())
            .collect()
    };
    let u = unknown("u");
    let row = Frame::new(Space::new(2), [u])
        .row(laplacian(u))
        .map_err(text)?;
    let mut equation = RowBlock::new("equation", row, inside.clone(), data(&inside));
    equation.weight = 0.02;
    let values = RowBlock::new(
        "values",
        EquationRow::value(2, 0, 1),
        values.clone(),
        data(&values),
    );
    System::new(vec![Arc::new(basis)], vec![equation, values]).map_err(text)
}

/// Solutions, further solves, adjoints and the record, against the processor's.
fn agrees_with_the_processor(method: Method, block_rows: usize) -> Verdict {
    let system = system(30, 12.0, 160)?;
    let cuda = Cuda::new().map_err(text)?.block_rows(block_rows);
    for ridge in [0.0, 1e-3] {
        let options = LsqOptions::new().method(method).ridge(ridge).keep_q(true);
        let (ours, theirs) = (
            cuda.factor(&system, &options).map_err(text)?,
            CpuBackend.factor(&system, &options).map_err(text)?,
        );
        let close = |what: &str, a: faer::Mat<f64>, b: faer::Mat<f64>| {
            let off = (&a - &b).norm_l2() / b.norm_l2();
            require(off < 1e-10, || {
                format!("{method}, ridge {ridge}: {what} off by {off:.1e}")
            })
        };
        close(
            "the solution",
            ours.solution().map_err(text)?,
            theirs.solution().map_err(text)?,
        )?;
        let b = faer::Mat::from_fn(system.nrows(), 2, |i, j| ((i * (j + 2)) as f64).cos());
        close(
            "a further solve",
            ours.solve(b.as_ref()).map_err(text)?,
            theirs.solve(b.as_ref()).map_err(text)?,
        )?;
        let v = faer::Mat::from_fn(system.ncols(), 2, |i, j| ((i + 7 * j) as f64).sin());
        close(
            "the adjoint",
            ours.adjoint(v.as_ref()).map_err(text)?,
            theirs.adjoint(v.as_ref()).map_err(text)?,
        )?;
        let (ours, theirs) = (ours.info(), theirs.info());
        require(
            (ours.rows, ours.cols, ours.rank) == (theirs.rows, theirs.cols, theirs.rank),
            || format!("{ours} against {theirs}"),
        )?;
        let ratio = ours.condition / theirs.condition;
        require((0.3..3.0).contains(&ratio), || {
            format!(
                "condition {:.1e} against {:.1e}",
                ours.condition, theirs.condition
            )
        })?;
        let expected = match method {
            Method::Sketch => Method::RankRevealingQr,
            other => other,
        };
        require(ours.method == expected, || format!("{ours}"))?;
        require(
            ours.fallbacks.len() == usize::from(method == Method::Sketch),
            || format!("{ours}"),
        )?;
    }
    // Without Q no further solves.
    let options = LsqOptions::new().method(method);
    let factored = cuda.factor(&system, &options).map_err(text)?;
    let b = faer::Mat::zeros(system.nrows(), 1);
    let v = faer::Mat::zeros(system.ncols(), 1);
    let refused = factored.solve(b.as_ref()).is_err() && factored.adjoint(v.as_ref()).is_err();
    require(refused, || "a solve without Q was answered".to_owned())
}

/// Dependent columns are too much for Cholesky: the orthogonal method steps in and says so.
fn falls_back() -> Verdict {
    let system = system(120, 2.0, 300)?;
    let cuda = Cuda::new().map_err(text)?;
    let options = LsqOptions::new().method(Method::NormalEquations);
    let factored = cuda.factor(&system, &options).map_err(text)?;
    let info = factored.info();
    require(
        info.method == Method::RankRevealingQr && info.fallbacks.len() == 1,
        || format!("{info}"),
    )
}

/// The backend may be used from several threads.
fn several_threads() -> Verdict {
    let cuda = Cuda::new().map_err(text)?;
    let system = system(20, 12.0, 80)?;
    let expected = cuda
        .factor(&system, &LsqOptions::new())
        .and_then(|factored| factored.solution())
        .map_err(text)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let found = cuda
                        .factor(&system, &LsqOptions::new())
                        .and_then(|factored| factored.solution())
                        .map_err(text)?;
                    require(found == expected, || "another solution".to_owned())
                })
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| "a panic".to_owned())??;
        }
        Ok(())
    })
}

/// Solves inside the tasks of a thread pool, with features that the host evaluates: no task waits for the
/// device while its own thread holds it.
fn inside_a_pool() -> Verdict {
    let cuda = Cuda::new().map_err(text)?;
    let basis = TanhBasis::builder(2, 40).seed(1).build().map_err(text)?;
    let points = UnitSampler::halton(1).points(1500, 2);
    let block = RowBlock::new(
        "values",
        EquationRow::value(2, 0, 1),
        points,
        vec![1.0; 1500],
    );
    let system = System::new(vec![Arc::new(basis)], vec![block]).map_err(text)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .map_err(text)?;
    let options = LsqOptions::new().ridge(1e-6);
    let outcomes: Vec<Verdict> = pool.install(|| {
        (0..6)
            .into_par_iter()
            .map(|_| cuda.factor(&system, &options).map(drop).map_err(text))
            .collect()
    });
    outcomes.into_iter().collect()
}

/// Rows of sinusoidal features are computed on the device, not sent there.
fn uses_the_kernels() -> Verdict {
    let Some(control) = Control::find() else {
        return Ok(());
    };
    let cuda = Cuda::new().map_err(text)?;
    let before = control.launches();
    let system = system(20, 12.0, 80)?;
    cuda.factor(&system, &LsqOptions::new()).map_err(text)?;
    let launches = control.launches() - before;
    // Two blocks of rows assembled, one check for NaN, the triangle and the right-hand side copied.
    require(launches == 5, || format!("{launches} launches"))
}
