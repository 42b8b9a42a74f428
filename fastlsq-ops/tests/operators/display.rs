//! Operators print as mathematics.

use fastlsq_ops::{
    BlockOperator, EquationRow, Field, MultiIndex, advection, antiderivative, biharmonic,
    definite_integral, derivative, diffusion, fractional_laplacian, identity, laplacian,
    normal_derivative, partial, partial_order, zero,
};

#[track_caller]
fn prints(operator: impl std::fmt::Display, text: &str) {
    assert_eq!(operator.to_string(), text);
}

#[test]
fn constant_coefficients() {
    prints(
        laplacian(2) + 100.0 * identity(2),
        "∂²/∂x₀² + ∂²/∂x₁² + 100",
    );
    prints(-laplacian(2), "−∂²/∂x₀² − ∂²/∂x₁²");
    prints(zero(3), "0");
    prints(identity(1), "1");
    prints(-identity(1), "−1");
    prints(
        partial(2, 1) - 0.01 * partial_order(2, 0, 2),
        "∂/∂x₁ − 0.01 ∂²/∂x₀²",
    );
    prints(biharmonic(2), "∂⁴/∂x₀⁴ + 2 ∂⁴/∂x₀²∂x₁² + ∂⁴/∂x₁⁴");
    prints(advection(&[1.0, -2.5]), "∂/∂x₀ − 2.5 ∂/∂x₁");
    prints(derivative(MultiIndex::new([2, 1])), "∂³/∂x₀²∂x₁");
    prints(
        1e-9 * identity(1) + 1e20 * partial(1, 0),
        "1e-9 + 1e20 ∂/∂x₀",
    );
}

#[test]
fn fields() {
    let nu = Field::new("ν", |_| 1.0);
    prints(&nu * laplacian(2), "ν(x) ∂²/∂x₀² + ν(x) ∂²/∂x₁²");
    prints(-2.0 * &nu * partial(1, 0) - &nu, "−2 ν(x) ∂/∂x₀ − ν(x)");
    prints(&nu * &nu * identity(1), "ν(x)²");
    prints(normal_derivative(2), "n₀ ∂/∂x₀ + n₁ ∂/∂x₁");
    let slopes = [Field::coordinate(1) * 3.0, Field::constant(0.0)];
    prints(
        diffusion(&nu, slopes),
        "ν(x) ∂²/∂x₀² + ν(x) ∂²/∂x₁² + 3 x₁ ∂/∂x₀",
    );
    prints(Field::tabulated("3u²", 0) * identity(1), "3u²(x)");
    prints(-3.0 * Field::coordinate(0), "−3 x₀");
    prints(Field::constant(1.0), "1");
}

#[test]
fn integrals_and_multipliers() {
    prints(antiderivative(2, 1, 0.0), "∫₀^{x₁} · dx₁");
    prints(definite_integral(2, 0, 0.0, 1.0), "∫₀¹ · dx₀");
    prints(definite_integral(1, 0, -1.0, 0.5), "∫_{−1}^{0.5} · dx₀");
    let both = definite_integral(2, 0, 0.0, 1.0).of(&antiderivative(2, 1, 2.0));
    prints(both.of(&partial(2, 0)), "∫₂^{x₁} ∫₀¹ ∂/∂x₀ · dx₀ dx₁");
    prints(fractional_laplacian(2, 0.5), "(−Δ)^0.5");
    prints(
        2.0 * fractional_laplacian(2, 0.5).of(&partial(2, 0)),
        "2 (−Δ)^0.5 ∂/∂x₀",
    );
    prints(fractional_laplacian(2, 1.0), "−∂²/∂x₀² − ∂²/∂x₁²");
}

#[test]
fn systems() {
    let row = EquationRow::new([Some(-partial(2, 0)), None, Some(laplacian(2) + 1.0)]);
    prints(&row, "−∂/∂x₀ u₀ + (∂²/∂x₀² + ∂²/∂x₁² + 1) u₂");
    assert_eq!(
        row.named(&["u", "v"]),
        "−∂/∂x₀ u + (∂²/∂x₀² + ∂²/∂x₁² + 1) u₂"
    );
    prints(EquationRow::from(-identity(1)), "−u");
    prints(EquationRow::zero(2), "0");
    let system = BlockOperator::new(2)
        .equation([identity(1), -identity(1)])
        .equation([partial(1, 0), 2.0 * identity(1)]);
    prints(system, "u₀ − u₁\n∂/∂x₀ u₀ + 2 u₁");
}

#[test]
fn mistakes() {
    prints(
        laplacian(2) + laplacian(3),
        "(invalid operator: the second operand of a sum has dimension 3, but dimension 2 is needed)",
    );
    prints(
        laplacian(2).on(5, 2),
        "(invalid equation: unknown 5 does not exist in a system of 2 (numbered from 0))",
    );
}
