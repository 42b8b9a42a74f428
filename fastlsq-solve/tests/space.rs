//! Trial spaces: spectra in the left half plane.

use faer::Mat;
use fastlsq_solve::domain::{Domain, Interval};
use fastlsq_solve::space::{Modes, SpaceCondition, TrialSpace};
use fastlsq_solve::{Action, MultiIndex, Operator, Term};
use std::sync::Arc;

/// c·D^α.
fn derivative(c: f64, alpha: &[u32]) -> Operator {
    let action = Action::derivative(MultiIndex::new(alpha.to_vec()));
    Operator::from_terms(alpha.len(), [Term::new(c, action)])
}

fn at(place: &str, order: u32) -> SpaceCondition {
    SpaceCondition::new(format!("{place} {order}"), place, derivative(1.0, &[order]))
}

fn line(bandwidth: f64, cut: f64) -> Arc<Modes> {
    let domain: Arc<dyn Domain> = Arc::new(Interval::new(-1.0, 1.0).unwrap());
    Arc::new(Modes::global(domain, &[false], bandwidth, cut, 0).unwrap())
}

fn eigenvalues(matrix: &Mat<f64>) -> Vec<(f64, f64)> {
    let (values, _) = fastlsq_solve::dense::eigen(matrix.as_ref()).unwrap();
    values
        .into_iter()
        .map(|value| (value.re, value.im))
        .collect()
}

#[test]
fn spectra_lie_in_the_left_half_plane() {
    let cases: [(&str, Operator, Vec<SpaceCondition>, f64); 6] = [
        (
            "advection",
            derivative(-1.0, &[1]),
            vec![at("x0=lo", 0)],
            1.0,
        ),
        (
            "heat",
            derivative(1.0, &[2]),
            vec![at("x0=lo", 0), at("x0=hi", 0)],
            2.0,
        ),
        (
            "heat, insulated",
            derivative(1.0, &[2]),
            vec![at("x0=lo", 1), at("x0=hi", 1)],
            2.0,
        ),
        (
            "KdV",
            derivative(-1.0, &[3]),
            vec![at("x0=lo", 0), at("x0=hi", 0), at("x0=hi", 1)],
            3.0,
        ),
        (
            "plate",
            derivative(-1.0, &[4]),
            vec![
                at("x0=lo", 0),
                at("x0=hi", 0),
                at("x0=lo", 1),
                at("x0=hi", 1),
            ],
            4.0,
        ),
        (
            "outflow at the wrong end",
            derivative(1.0, &[1]),
            vec![at("x0=hi", 0)],
            1.0,
        ),
    ];
    for (name, operator, conditions, order) in cases {
        for (bandwidth, cut) in [(8.0, 1e-9), (40.0, 1e-8), (40.0, 1e-11), (100.0, 1e-11)] {
            let space = TrialSpace::new(line(bandwidth, cut), &conditions, order as u32).unwrap();
            let matrix = space.matrix(&operator).unwrap();
            let largest = eigenvalues(&matrix)
                .iter()
                .map(|value| value.0)
                .fold(f64::MIN, f64::max);
            let scale = matrix.norm_l2();
            assert!(largest < 1e-10 * scale, "{name}: {largest:e} of {scale:e}");
        }
    }
}
