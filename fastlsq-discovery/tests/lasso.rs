//! The LASSO path against scikit-learn on uncentred data, and its own optimality conditions.
#![allow(clippy::unwrap_used)]

use faer::Mat;
use fastlsq_discovery::regression::{LassoOptions, Regression, lasso_path, paper_penalties};
use fastlsq_discovery::{DiscoveryError, regression};
use proptest::prelude::*;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect()
}

#[test]
fn agrees_with_scikit_learn_on_uncentred_data() {
    let fixture: Value = serde_json::from_str(include_str!("fixtures/lasso.json")).unwrap();
    for case in fixture["cases"].as_array().unwrap() {
        let columns: Vec<Vec<f64>> = case["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect();
        let target = numbers(&case["target"]);
        let x = Mat::from_fn(target.len(), columns.len(), |i, k| columns[k][i]);
        let path = case["path"].as_array().unwrap();
        let mut options = LassoOptions::default();
        options.standardise = false;
        options.penalties = path
            .iter()
            .map(|p| p["penalty"].as_f64().unwrap())
            .collect();
        let ours = lasso_path(&Regression::new(x.as_ref(), &target), &options).unwrap();
        for (ours, theirs) in ours.iter().zip(path) {
            assert!(
                ours.converged,
                "gap {:.1e} at {}",
                ours.duality_gap, ours.penalty
            );
            for (a, b) in ours
                .coefficients
                .iter()
                .zip(numbers(&theirs["coefficients"]))
            {
                assert!(
                    (a - b).abs() < 1e-6,
                    "λ = {}: {a} against {b}",
                    ours.penalty
                );
            }
        }
    }
}

#[test]
fn strongly_correlated_columns_still_converge() {
    // Powers of one column: pairwise correlations above 0.97, condition number about 1e5.
    let x = Mat::from_fn(300, 7, |i, k| {
        let base = 0.5 + 0.5 * i as f64 / 299.0;
        base.powi(i32::try_from(k).unwrap())
    });
    let y: Vec<f64> = (0..300)
        .map(|i| 2.0 * x[(i, 1)] - 3.0 * x[(i, 4)] + 0.01 * (7.0 * i as f64).sin())
        .collect();
    let path = lasso_path(&Regression::new(x.as_ref(), &y), &LassoOptions::default()).unwrap();
    for point in path {
        assert!(
            point.converged,
            "λ = {}: gap {:.1e}",
            point.penalty, point.duality_gap
        );
    }
}

#[test]
fn the_sweep_of_the_paper_has_a_hundred_penalties() {
    let penalties = paper_penalties();
    assert_eq!(penalties.len(), 100);
    assert!((penalties[0] / 1e-5 - 1.0).abs() < 1e-12);
    assert!((penalties[99] / 10.0 - 1.0).abs() < 1e-12);
}

#[test]
fn refit_is_unbiased_and_standardising_makes_units_irrelevant() {
    let x = Mat::from_fn(200, 3, |i, k| {
        ((i + 1) as f64 * 0.05)
            .powi(i32::try_from(k).unwrap() + 1)
            .sin()
    });
    let y: Vec<f64> = (0..200)
        .map(|i| 3.0 * x[(i, 0)] - 0.5 * x[(i, 2)])
        .collect();
    let scaled = Mat::from_fn(200, 3, |i, k| x[(i, k)] * [1.0, 1e4, 1e-6][k]);
    let plain = lasso_path(&Regression::new(x.as_ref(), &y), &LassoOptions::default()).unwrap();
    let other = lasso_path(
        &Regression::new(scaled.as_ref(), &y),
        &LassoOptions::default(),
    )
    .unwrap();
    let mut exact = 0;
    for (a, b) in plain.iter().zip(&other) {
        assert_eq!(a.support, b.support);
        if a.support == [0, 2] {
            exact += 1;
            assert!((a.refit[0] - 3.0).abs() < 1e-12 && (a.refit[1] + 0.5).abs() < 1e-12);
            assert!(
                a.coefficients[0].abs() < 3.0,
                "penalised coefficients shrink"
            );
        }
    }
    assert!(exact > 10);
}

#[test]
fn bad_penalties_and_vanishing_dictionaries_are_errors() {
    let x = Mat::<f64>::zeros(10, 2);
    let zero = Regression::new(x.as_ref(), &[1.0; 10]);
    let result = lasso_path(&zero, &LassoOptions::default());
    assert!(matches!(result, Err(DiscoveryError::VanishingDictionary)));
    let mut options = LassoOptions::default();
    options.penalties = vec![f64::NAN];
    assert!(matches!(
        lasso_path(&zero, &options),
        Err(DiscoveryError::Setting { .. })
    ));
}

#[test]
fn thresholding_and_subsets_find_a_planted_support() {
    let x = Mat::from_fn(150, 6, |i, k| {
        (0.07 * (i + 3) as f64 * (k + 1) as f64).sin() + 0.1 * k as f64
    });
    let y: Vec<f64> = (0..150)
        .map(|i| 2.0 * x[(i, 1)] + 0.7 * x[(i, 4)])
        .collect();
    let problem = Regression::new(x.as_ref(), &y);
    assert_eq!(regression::thresholded(&problem, 0.05), [1, 4]);
    assert_eq!(regression::all_subsets(6, 2).unwrap().len(), 6 + 15);
    assert!(regression::all_subsets(60, 5).is_none());
    let supports = regression::candidate_supports(&problem, &[], 3);
    let ranked = regression::rank_supports(
        &problem,
        &[],
        &supports,
        50.0,
        1e-6,
        regression::ModelChoice::default(),
    );
    assert_eq!(ranked[0].support, [1, 4]);
    assert!((ranked[0].coefficients[0] - 2.0).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Stationarity: |Xᵀr|/n ≤ λ, with equality and the right sign on the support.
    #[test]
    fn solutions_satisfy_the_optimality_conditions(
        entries in prop::collection::vec(-1.0..1.0f64, 30 * 5),
        target in prop::collection::vec(-1.0..1.0f64, 30),
        penalty in 1e-3..0.3f64,
    ) {
        let x = Mat::from_fn(30, 5, |i, k| entries[5 * i + k] + 0.5);
        let mut options = LassoOptions::default();
        options.standardise = false;
        options.penalties = vec![penalty, 2.0 * penalty];
        let path = lasso_path(&Regression::new(x.as_ref(), &target), &options).unwrap();
        for point in path {
            let residual: Vec<f64> = (0..30)
                .map(|i| target[i] - (0..5).map(|k| x[(i, k)] * point.coefficients[k]).sum::<f64>())
                .collect();
            for k in 0..5 {
                let slope = (0..30).map(|i| x[(i, k)] * residual[i]).sum::<f64>() / 30.0;
                prop_assert!(slope.abs() <= point.penalty + 1e-6);
                if point.coefficients[k] != 0.0 {
                    prop_assert!((slope - point.penalty * point.coefficients[k].signum()).abs() < 1e-6);
                }
            }
        }
    }
}
