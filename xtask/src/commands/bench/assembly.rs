//! Assembly of the rows of an operator.

use anyhow::Result;
use faer::Mat;
use fastlsq_basis::SinusoidalBasis;
use fastlsq_solve::{EquationRow, Frame, Space, biharmonic, unknown};
use ndarray::Array2;

use super::timing::{pool, take_turns};
use super::{Measurement, Scope};
use fastlsq_solve::problems::{HelmholtzWaves, WaveSizes};

pub(super) fn run(scope: &Scope) -> Result<Vec<Measurement>> {
    let (points, features) = scope.pick((3000, 600), (12_000, 1500));
    let sizes = WaveSizes {
        features,
        interior: points,
        boundary: 4,
        bandwidth: 10.0,
    };
    let setup = HelmholtzWaves::new(sizes, 0)?;
    let (basis, points_array) = (setup.basis(), setup.interior());
    // One matrix is written again and again, so that no side pays for fresh memory.
    let out = std::cell::RefCell::new(Mat::<f64>::zeros(points, features));
    let (one, two) = (pool(1)?, pool(2)?);
    let assemble = |pool: &rayon::ThreadPool, operator: &EquationRow| {
        let mut out = out.borrow_mut();
        let out = out.as_mut();
        pool.install(|| operator.assemble_into(&[basis], points_array, out))?;
        anyhow::Ok(())
    };
    let u = unknown("u");
    let (helmholtz, value) = (HelmholtzWaves::operator()?, EquationRow::value(2, 0, 1));
    let fourth = Frame::new(Space::new(2), [u]).row(biharmonic(u))?;
    let plain = PlainLoop::new(basis, points_array);
    let [ours, twice, std_sin, order_0, order_4, write] = take_turns(
        // Many short rounds: no single moment of the machine decides.
        scope.pick(5, 31),
        [
            &mut || assemble(&one, &helmholtz),
            &mut || assemble(&two, &helmholtz),
            &mut || {
                plain.write(&mut out.borrow_mut());
                Ok(())
            },
            &mut || assemble(&one, &value),
            &mut || assemble(&one, &fourth),
            &mut || {
                fill(&mut out.borrow_mut());
                Ok(())
            },
        ],
    )?;

    let case = format!("{points}x{features}");
    let new = |figure, value| Measurement::new("assembly", &case, figure, value);
    let mut rows = vec![
        new("time with std's sin over ours, one thread", std_sin / ours).at_least(4.0),
        new("time on one thread over two", ours / twice).at_least(1.8),
        new("fourth-order operator over identity", order_4 / order_0).at_most(1.15),
        new("time over memory-write time, one thread", ours / write),
        new(
            "nanoseconds an entry, one thread",
            1e9 * ours / (points * features) as f64,
        ),
        new(
            "memory-write rate, GB/s",
            8e-9 * (points * features) as f64 / write,
        ),
    ];
    if std::thread::available_parallelism().is_ok_and(|n| n.get() < 2) {
        rows.retain(|row| !row.figure.contains("over two"));
    }
    Ok(rows)
}

/// (Δ + k²)φ = (k² − |w|²) sin(w·x + b)/√N written as a loop with the standard library's sine.
struct PlainLoop {
    /// For each feature: w, b and the factor.
    features: Vec<([f64; 2], f64, f64)>,
    points: Vec<[f64; 2]>,
}

impl PlainLoop {
    fn new(basis: &SinusoidalBasis, points: &Array2<f64>) -> Self {
        let frequencies = basis.frequencies();
        let features = frequencies.rows().into_iter().zip(basis.phases());
        Self {
            features: features
                .map(|(w, &b)| {
                    let squared = w[0] * w[0] + w[1] * w[1];
                    ([w[0], w[1]], b, (100.0 - squared) * basis.scale())
                })
                .collect(),
            points: points.rows().into_iter().map(|x| [x[0], x[1]]).collect(),
        }
    }

    fn write(&self, out: &mut Mat<f64>) {
        for ((w, b, factor), column) in self.features.iter().zip(out.col_iter_mut()) {
            for (x, entry) in self.points.iter().zip(column.iter_mut()) {
                *entry = factor * (w[0] * x[0] + w[1] * x[1] + b).sin();
            }
        }
    }
}

/// Writes every entry once, and computes nothing.
fn fill(out: &mut Mat<f64>) {
    for (j, mut column) in out.col_iter_mut().enumerate() {
        column.fill(j as f64);
    }
}
