//! The streamed factorisation against the rate of matrix products.

use anyhow::Result;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use fastlsq_solve::lsq::{LsqOptions, Method, RowSource, factor};

use super::timing::take_turns;
use super::{Measurement, Scope};
use crate::format::middle;
use fastlsq_solve::problems::{HelmholtzWaves, PlaneWave, WaveSizes};

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let (m, n) = scope.pick((3000, 500), (12_000, 1500));
    let setup = HelmholtzWaves::new(WaveSizes::of(m, n), 0)?;
    let system = setup.system(PlaneWave::PLAIN)?;
    let rhs = system.right_hand_side();
    let mut a = Mat::<f64>::zeros(m, n);
    system.write_rows(0, a.as_mut())?;
    let mut gram = Mat::<f64>::zeros(n, n);
    let parallelism = Par::rayon(rayon::current_num_threads());

    // The work-horse; for these sizes the automatic choice is the sketch, measured below it.
    let options = LsqOptions::new().method(Method::RankRevealingQr);
    let automatic = LsqOptions::new();
    let (mut reduction, mut revealing, mut rank) = (Vec::new(), Vec::new(), 0);
    let [product, _, whole, chosen] = take_turns(
        scope.pick(3, 5),
        [
            &mut || {
                let (left, right) = (a.as_ref().transpose(), a.as_ref());
                matmul(gram.as_mut(), Accum::Replace, left, right, 1.0, parallelism);
                Ok(())
            },
            &mut || {
                let factored = factor(&a, rhs.as_ref(), &options)?;
                reduction.push(factored.info().seconds.reduction);
                revealing.push(factored.info().seconds.rank_revealing);
                rank = factored.rank();
                Ok(())
            },
            &mut || {
                factor(&system, rhs.as_ref(), &options)?;
                Ok(())
            },
            &mut || {
                factor(&system, rhs.as_ref(), &automatic)?;
                Ok(())
            },
        ],
    )?;
    let qr = middle(reduction).unwrap_or(f64::NAN);
    let revealing = middle(revealing).unwrap_or(f64::NAN);
    let (mf, nf) = (m as f64, n as f64);
    let product_rate = 2.0 * mf * nf * nf / product;
    // Householder QR of M×N; what the streamed form does beyond that is not counted.
    let qr_rate = (2.0 * mf * nf * nf - 2.0 / 3.0 * nf.powi(3)) / qr;

    let case = format!("{m}x{n}");
    let new = |figure, value| Measurement::new("lstsq", &case, figure, value);
    Ok(vec![
        new("rate over gemm rate", qr_rate / product_rate).at_least(0.6),
        new("rank-revealing time over QR time", revealing / qr).at_most(0.5),
        new("gemm rate, GF/s", 1e-9 * product_rate),
        new("QR seconds, rows in memory", qr),
        new("seconds in all, rows assembled on the way", whole),
        new("seconds in all, method chosen automatically", chosen),
        new("rank", rank as f64),
    ])
}
