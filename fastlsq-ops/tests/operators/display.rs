//! Operators and expressions print as mathematics.

use fastlsq_ops::{
    EquationRow, Expr, Frame, Space, T, X, Y, antiderivative, axis, biharmonic, call, coordinate,
    div, dot, exp, fractional_laplacian, given, grad, identity_matrix, integral, laplacian,
    normal_derivative, parameter, sin, strain, unknowns,
};

use crate::support::{operator, u};

#[track_caller]
fn prints(operator: impl std::fmt::Display, text: &str) {
    assert_eq!(operator.to_string(), text);
}

#[test]
fn operators_with_constant_coefficients() {
    let u = u();
    let of = |e: Expr| operator(2, e);
    prints(of(laplacian(u) + 100.0 * u), "∂²/∂x₀² + ∂²/∂x₁² + 100");
    prints(of(-laplacian(u)), "−∂²/∂x₀² − ∂²/∂x₁²");
    prints(of(0.0 * u), "0");
    prints(of(1.0 * u), "1");
    prints(of(-u), "−1");
    prints(of(u.d(Y) - 0.01 * u.d(X).d(X)), "∂/∂x₁ − 0.01 ∂²/∂x₀²");
    prints(of(biharmonic(u)), "∂⁴/∂x₀⁴ + 2 ∂⁴/∂x₀²∂x₁² + ∂⁴/∂x₁⁴");
    prints(of(u.d(X).d(Y).d(X)), "∂³/∂x₀²∂x₁");
    prints(of(1e-9 * u + 1e20 * u.d(X)), "1e-9 + 1e20 ∂/∂x₀");
}

#[test]
fn operators_with_varying_coefficients() {
    let (u, nu) = (u(), given("ν", |_| 1.0));
    prints(operator(2, &nu * laplacian(u)), "ν ∂²/∂x₀² + ν ∂²/∂x₁²");
    prints(operator(1, -2.0 * &nu * u.d(X) - &nu * u), "−2 ν ∂/∂x₀ − ν");
    prints(operator(2, normal_derivative(u)), "n₀ ∂/∂x₀ + n₁ ∂/∂x₁");
    prints(operator(1, (1.0 + X) * u), "(1 + x₀)");
}

#[test]
fn operators_with_integrals_and_multipliers() {
    let u = u();
    prints(operator(2, antiderivative(u, Y, 0.0)), "∫₀^{x₁} · dx₁");
    prints(operator(2, integral(u, X, 0.0, 1.0)), "∫₀¹ · dx₀");
    prints(operator(1, integral(u, X, -1.0, 0.5)), "∫_{−1}^{0.5} · dx₀");
    let both = integral(antiderivative(u.d(X), Y, 2.0), X, 0.0, 1.0);
    prints(operator(2, both), "∫₂^{x₁} ∫₀¹ ∂/∂x₀ · dx₀ dx₁");
    prints(operator(2, fractional_laplacian(u, 0.5)), "(−Δ)^0.5");
    prints(
        operator(2, 2.0 * fractional_laplacian(u.d(X), 0.5)),
        "2 (−Δ)^0.5 ∂/∂x₀",
    );
    prints(
        operator(2, fractional_laplacian(u, 1.0)),
        "−∂²/∂x₀² − ∂²/∂x₁²",
    );
}

#[test]
fn systems() {
    let [u, v, w] = unknowns(["u", "v", "w"]);
    let frame = Frame::new(Space::new(2), [u, v, w]);
    let row = frame
        .lower_scalar(&(laplacian(w) + w - u.d(X)))
        .unwrap()
        .row()
        .unwrap();
    prints(&row, "−∂/∂x₀ u₀ + (∂²/∂x₀² + ∂²/∂x₁² + 1) u₂");
    assert_eq!(
        row.named(&["u", "v"]),
        "−∂/∂x₀ u + (∂²/∂x₀² + ∂²/∂x₁² + 1) u₂"
    );
    prints(EquationRow::from(operator(1, -u)), "−u");
    prints(EquationRow::zero(2), "0");
}

#[test]
fn mistakes() {
    let three = operator(3, laplacian(u()));
    prints(
        operator(2, u()).plus(&three),
        "(invalid operator: the second operand of a sum has dimension 3, but dimension 2 is needed)",
    );
    prints(
        three.on(5, 2),
        "(invalid equation: unknown 5 does not exist in a system of 2 (numbered from 0))",
    );
}

#[test]
fn expressions() {
    let ([u, v, p], k) = (unknowns(["u", "v", "p"]), parameter("k"));
    prints(
        u.d(T) + u * u.d(X) - 0.01 * laplacian(u),
        "u_t + u u_x − 0.01 Δu",
    );
    prints(-div(k * grad(u)), "−∇·(k ∇u)");
    prints(-u / v - 2.0 * u / (v + 1.0), "−u/v − 2 u/(v + 1)");
    prints((u / v) / (u / v), "u/v/(u/v)");
    prints(2.0 * (u / v), "2 (u/v)");
    prints((u + v).powi(2) * u.powf(-0.5), "(u + v)² u^(−0.5)");
    prints(biharmonic(u * u), "Δ²u²");
    prints(dot(grad([u, v]), [u, v]) + grad(p), "∇[u, v]·[u, v] + ∇p");
    prints(
        2.0 * strain([u, v]) + k * identity_matrix(),
        "∇[u, v] + (∇[u, v])ᵀ + k I",
    );
    prints(normal_derivative(u), "n·∇u");
    prints(
        antiderivative(u, T, 0.0) + integral(u, X, -1.0, 1.0),
        "∫[0, t](u) dt + ∫[−1, 1](u) dx",
    );
    prints(u.d(coordinate("theta")).d(X), "u_{theta,x}");
    prints(u.d(axis(3)).d(axis(12)), "u_x₃x₁₂");
    prints((exp(X) * u.d(X)).d(X), "(exp(x) u_x)_x");
    prints(
        parameter("x") * sin(parameter("sound speed")),
        "`x` sin(`sound speed`)",
    );
    prints(call("rate", [u * v, v.d(X)], |a| a[0]), "rate(u v, v_x)");
    assert_eq!(format!("{:?}", u * v), "Expr(u v)");
}
