//! Laws in one dimension and time, refitted by their own solutions on rectangles of the grid.
#![allow(clippy::unwrap_used)]

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_discovery::{
    GridData, GridDiscovery, GridLaws, GridLibrary, GridOptions, LikelihoodRefit,
};
use ndarray::Array2;

/// A name and a formula in x and t.
type Named<'a> = (&'a str, fn(f64, f64) -> f64);

/// One or two fields by their formulas on [0, 6] × [0, 2], with noise of this deviation.
fn fields(exact: &[Named<'_>], noise: f64, seed: u64) -> GridData {
    let x: Vec<f64> = (0..90).map(|i| 6.0 * f64::from(i) / 89.0).collect();
    let t: Vec<f64> = (0..70).map(|j| 2.0 * f64::from(j) / 69.0).collect();
    let errors = UnitSampler::independent(seed).normals(90 * 70, exact.len());
    let values: Vec<Array2<f64>> = (0..exact.len())
        .map(|k| {
            Array2::from_shape_fn((90, 70), |(i, j)| {
                (exact[k].1)(x[i], t[j]) + noise * errors[(i * 70 + j, k)]
            })
        })
        .collect();
    let named = exact.iter().zip(&values);
    let named: Vec<_> = named.map(|((name, _), v)| (*name, v.view())).collect();
    GridData::of_fields(&[&x, &t], &named).unwrap()
}

fn discover(data: &GridData, terms: &[&str], targets: &[&str], refit: LikelihoodRefit) -> GridLaws {
    let names: Vec<&str> = data.fields().iter().map(String::as_str).collect();
    let library = GridLibrary::parse(&["x", "t"], &names, terms).unwrap();
    GridDiscovery::new(library, targets)
        .unwrap()
        .with(GridOptions::new().refit(refit))
        .run(data)
        .unwrap()
}

/// u_t = 0.3 u_xx − u_x
fn heat(x: f64, t: f64) -> f64 {
    let mode = |k: f64| (-0.3 * k * k * t).exp() * (k * (x - t)).sin();
    mode(1.0) + 0.7 * mode(2.0) - 0.5 * mode(2.6)
}

#[test]
fn solutions_on_panes_find_the_law_within_their_bound() {
    let data = fields(&[("u", heat)], 0.1, 4);
    let terms = ["u", "u^2", "u_x", "u u_x", "u_xx"];
    let found = discover(&data, &terms, &["u_t"], LikelihoodRefit::Always);
    let law = &found.laws[0];
    assert!(found.horizon.is_some(), "{}", found.summary());
    assert_eq!(law.support(), [2, 4], "{}", found.summary());
    for (name, exact) in [("u_x", -1.0), ("u_xx", 0.3)] {
        let term = law.terms.iter().find(|t| t.name == name).unwrap();
        let bound = term.cramer_rao.unwrap();
        let error = (term.coefficient - exact).abs();
        assert!(error < 4.0 * bound, "{name}: {error} of {bound}");
        assert!(bound < 0.02, "{name}: {bound}");
    }
}

#[test]
fn laws_without_stable_solutions_do_no_harm() {
    // u_t = −0.3 u_xx: heat backwards, on data that grow.
    fn backwards(x: f64, t: f64) -> f64 {
        let mode = |k: f64| (0.3 * k * k * t).exp() * (k * x).sin();
        0.5 * mode(1.0) + 0.2 * mode(1.7)
    }
    let data = fields(&[("u", backwards)], 0.05, 1);
    let found = discover(
        &data,
        &["u", "u^2", "u_x", "u_xx"],
        &["u_t"],
        LikelihoodRefit::Always,
    );
    let law = &found.laws[0];
    assert_eq!(law.support(), [3], "{}", found.summary());
    assert!(
        (law.coefficient("u_xx") + 0.3).abs() < 0.01,
        "{}",
        found.summary()
    );
}

#[test]
fn two_fields_are_solved_together() {
    // u_t = v_x, v_t = u_x: waves to both sides.
    let u = |x: f64, t: f64| (1.5 * (x - t)).sin() + 0.6 * (2.2 * (x + t)).cos();
    let v = |x: f64, t: f64| -(1.5 * (x - t)).sin() + 0.6 * (2.2 * (x + t)).cos();
    let data = fields(&[("u", u), ("v", v)], 0.1, 2);
    let terms = ["u", "v", "u v", "u_x", "v_x", "u_xx"];
    let found = discover(&data, &terms, &["u_t", "v_t"], LikelihoodRefit::Always);
    assert!(found.horizon.is_some(), "{}", found.summary());
    assert_eq!(found.laws[0].support(), [4], "{}", found.summary());
    assert_eq!(found.laws[1].support(), [3], "{}", found.summary());
    assert!((found.laws[0].coefficient("v_x") - 1.0).abs() < 0.01);
    assert!((found.laws[1].coefficient("u_x") - 1.0).abs() < 0.01);
}

#[test]
fn solutions_that_do_not_follow_the_samples_change_nothing() {
    // The library lacks u_x.
    let data = fields(&[("u", heat)], 0.1, 4);
    let terms = ["u", "u^2"];
    let rows = discover(&data, &terms, &["u_t"], LikelihoodRefit::Never);
    let both = discover(&data, &terms, &["u_t"], LikelihoodRefit::Always);
    assert_eq!(both.horizon, None, "{}", both.summary());
    assert_eq!(both.summary(), rows.summary());
}

/// Two laws of one field, which determine each other's solutions: the rows' answer stands.
#[test]
fn more_laws_than_fields_are_not_refitted() {
    let data = fields(&[("u", heat)], 0.05, 7);
    let found = discover(
        &data,
        &["u", "u_x", "u_xx"],
        &["u_t", "u_tt"],
        LikelihoodRefit::Always,
    );
    assert_eq!(found.laws.len(), 2);
    assert!(found.horizon.is_none(), "{}", found.summary());
}

/// A gap costs the panes that it touches, and no others.
#[test]
fn gaps_cost_their_panes_only() {
    let gappy = |x: f64, t: f64| match (2.7..3.4).contains(&x) && (0.9..1.2).contains(&t) {
        true => f64::NAN,
        false => heat(x, t),
    };
    let data = fields(&[("u", gappy)], 0.1, 4);
    let terms = ["u", "u^2", "u_x", "u u_x", "u_xx"];
    let found = discover(&data, &terms, &["u_t"], LikelihoodRefit::Always);
    assert_eq!(found.laws[0].support(), [2, 4], "{}", found.summary());
}
