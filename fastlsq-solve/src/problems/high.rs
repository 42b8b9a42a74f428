//! Problems in many dimensions: sums over few coordinates, functions of few directions, and one without either.

use fastlsq_ops::{Expr, T, axis, cos, exp, laplacian, sin, unknown};

use super::Benchmark;
use super::linear::space_time;
use crate::domain::BoxDomain;
use crate::problem::LinearProblem;

/// −Δu = f on \[0,1\]^d with Dirichlet data, for this u.
fn poisson(name: &'static str, equation: &'static str, dim: usize, exact: Expr) -> Benchmark {
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(dim))
        .equation(-laplacian(u), -laplacian_of(&exact, dim))
        .dirichlet(&exact);
    Benchmark::new(name, equation, problem, &[exact])
}

/// Δ of an expression in the coordinates, term by term.
fn laplacian_of(exact: &Expr, dim: usize) -> Expr {
    (0..dim).map(|k| exact.d(axis(k)).d(axis(k))).sum()
}

fn sum_of(dim: usize, term: impl Fn(usize) -> Expr) -> Expr {
    (0..dim).map(term).sum()
}

/// a·x for a vector of length one.
fn along(weights: &[f64]) -> Expr {
    let length = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    sum_of(weights.len(), |k| weights[k] / length * axis(k))
}

/// −Δu = f on \[0,1\]¹⁰; u = s²/10 + sin 0.3s with s = Σxᵢ.
#[must_use]
pub fn ridge_10d() -> Benchmark {
    let s = sum_of(10, axis_of);
    let exact = 0.1 * s.powi(2) + sin(0.3 * &s);
    poisson("ridge-10d", "−Δu = f on [0,1]¹⁰", 10, exact)
}

/// Δu = 0 on \[0,1\]¹⁰; u = x₀x₁ + x₂x₃ + … + x₈x₉.
#[must_use]
pub fn pairs_10d() -> Benchmark {
    let exact = sum_of(5, |k| axis(2 * k) * axis(2 * k + 1));
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(10))
        .equation(laplacian(u), 0.0)
        .dirichlet(&exact);
    Benchmark::new("pairs-10d", "Δu = 0 on [0,1]¹⁰", problem, &[exact])
}

/// −Δu = f on \[0,1\]⁶; u = Π cos(xᵢ/2).
#[must_use]
pub fn product_6d() -> Benchmark {
    let factors = (0..6).map(|k| cos(0.5 * axis(k)));
    let exact = factors.reduce(|product, factor| product * factor);
    let exact = exact.unwrap_or_else(|| Expr::from(1.0));
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(6))
        .equation(-laplacian(u), 1.5 * &exact)
        .dirichlet(&exact);
    Benchmark::new("product-6d", "−Δu = f on [0,1]⁶", problem, &[exact])
}

/// −Δu = f on \[0,1\]⁸; u = sin(a·x) + e^{b·x} with |a| = |b| = 1.
#[must_use]
pub fn two_ridges_8d() -> Benchmark {
    let a = along(&[1.0, -2.0, 0.5, 3.0, 1.5, -0.7, 2.2, 0.4]);
    let b = along(&[2.0, 1.0, -1.2, 0.3, -0.8, 1.7, 0.6, -2.1]);
    let exact = sin(a) + exp(b);
    poisson("two-ridges-8d", "−Δu = f on [0,1]⁸", 8, exact)
}

/// −Δu = f on \[0,1\]²⁰; u = Σ sin 2xᵢ + x₀x₁x₂ + cos(x₃ + x₄).
#[must_use]
pub fn additive_20d() -> Benchmark {
    let exact =
        sum_of(20, |k| sin(2.0 * axis(k))) + axis(0) * axis(1) * axis(2) + cos(axis(3) + axis(4));
    poisson("additive-20d", "−Δu = f on [0,1]²⁰", 20, exact)
}

/// −Δu = f on \[0,1\]¹⁰⁰; u = Σ cos(xᵢ)/100 + x₀x₁.
#[must_use]
pub fn additive_100d() -> Benchmark {
    let sum = sum_of(100, |k| cos(axis(k)));
    let exact = 0.01 * &sum + axis(0) * axis(1);
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(100))
        .equation(-laplacian(u), 0.01 * sum)
        .dirichlet(&exact);
    Benchmark::new("additive-100d", "−Δu = f on [0,1]¹⁰⁰", problem, &[exact])
}

/// u_t − Δu/10 = f on \[0,1\]¹⁰ × \[0,1\]; u = e^{−t} Σ sin xᵢ + x₀x₁t.
#[must_use]
pub fn heat_10d() -> Benchmark {
    let u = unknown("u");
    let waves = exp(-T) * sum_of(10, |k| sin(axis(k)));
    let exact = &waves + axis(0) * axis(1) * T;
    let source = -0.9 * waves + axis(0) * axis(1);
    let problem = space_time(BoxDomain::unit(10), 0.0, 1.0)
        .equation(u.d(T) - 0.1 * laplacian(u), source)
        .initial_value(&exact)
        .dirichlet(&exact);
    let equation = "u_t − Δu/10 = f on [0,1]¹⁰ × [0,1]";
    Benchmark::new("heat-10d", equation, problem, &[exact])
}

/// −Δu = f on \[0,1\]⁵; u = exp(−|x − ½|²), without structure but symmetry.
#[must_use]
pub fn dense_5d() -> Benchmark {
    let exact = exp(-sum_of(5, |k| (axis(k) - 0.5).powi(2)));
    poisson("dense-5d", "−Δu = f on [0,1]⁵", 5, exact)
}

fn axis_of(k: usize) -> Expr {
    Expr::from(axis(k))
}

/// All of them, in the order of their difficulty, with the heat equation in the ball of five dimensions.
#[must_use]
pub fn all() -> Vec<Benchmark> {
    vec![
        ridge_10d(),
        pairs_10d(),
        product_6d(),
        two_ridges_8d(),
        additive_20d(),
        additive_100d(),
        heat_10d(),
        super::heat_5d(),
        dense_5d(),
    ]
}
