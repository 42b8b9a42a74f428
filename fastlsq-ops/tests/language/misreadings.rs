//! Statements that could be misread are refused, in the words of the user.

use fastlsq_ops::{
    Expr, Frame, Space, StatementError, T, X, Y, Z, axis, coordinate, div, dot, exp,
    fractional_laplacian, given, grad, integral, laplacian, normal, parameter, sin, transpose,
    unknown, unknowns, vector,
};

#[track_caller]
fn refused(space: Space, e: impl Into<Expr>) -> StatementError {
    let frame = Frame::new(space, [unknown("u")]);
    let e = e.into();
    assert!(frame.first_nonlinear(&e).is_none());
    frame.lower(&e).expect_err("a mistake")
}

#[track_caller]
fn says(error: &StatementError, text: &str) {
    assert_eq!(error.to_string(), text);
}

#[test]
fn coordinates_that_the_domain_does_not_have() {
    let u = unknown("u");
    says(
        &refused(Space::new(2), u.d(T) - laplacian(u)),
        "there is no coordinate t here; the coordinates are x, y",
    );
    says(
        &refused(Space::new(1).with_time(), u.d(Y)),
        "there is no coordinate y here; the coordinates are x, t",
    );
    for e in [
        u * Z,
        u.d(axis(2)),
        integral(u, Z, 0.0, 1.0),
        u.d(coordinate("theta")),
        u * coordinate("r"),
    ] {
        let error = refused(Space::new(2), e);
        assert!(matches!(error, StatementError::NoSuchCoordinate { .. }));
    }
    let polar = Frame::new(Space::named(["r", "theta"]), [u]);
    assert!(polar.lower(&u.d(coordinate("theta"))).is_ok());
    assert!(polar.lower(&u.d(T)).is_err());
    says(&refused(Space::new(0), u), "the space has no axes");
}

/// u_t − Δu on an interval with time is the heat equation and nothing else.
#[test]
fn the_laplacian_has_no_second_derivative_in_time() {
    let u = unknown("u");
    let frame = Frame::new(Space::new(1).with_time(), [u]);
    let text = |e: Expr| frame.lower_scalar(&e).unwrap().row().unwrap().to_string();
    assert_eq!(text(u.d(T) - laplacian(u)), "(∂/∂x₁ − ∂²/∂x₀²) u");
    assert_eq!(text(div(grad(u))), "∂²/∂x₀² u");
    assert_eq!(text(fractional_laplacian(u, 1.0)), "−∂²/∂x₀² u");
    assert_eq!(text(laplacian(laplacian(u))), "∂⁴/∂x₀⁴ u");
}

#[test]
fn unknowns_and_parameters_that_nobody_declared() {
    let [u, v] = unknowns(["u", "v"]);
    let k = parameter("k");
    says(
        &refused(Space::new(1), u + v),
        "v is not an unknown of this problem; its unknowns are u",
    );
    says(
        &refused(Space::new(1), k * u),
        "the parameter k has no value: give it one with .parameter(k, value), \
         or look for it with an inverse problem",
    );
    let frame = Frame::new(Space::new(1), [u]);
    let known = frame.clone().with_values([(k, 3.0)]);
    assert_eq!(
        known
            .lower_scalar(&(k * u))
            .unwrap()
            .row()
            .unwrap()
            .to_string(),
        "3 u"
    );
    let free = frame.clone().with_free([k]);
    assert!(free.lower_scalar(&(k * u)).unwrap().is_linear());
    // One name, two things.
    for clash in [
        frame.clone().with_free([parameter("u")]),
        known.with_free([k]),
        Frame::new(Space::new(1), [u, u]),
        Frame::new(Space::new(1), [unknown("x")]),
        Frame::new(Space::named(["a", "a"]), [u]),
    ] {
        let error = clash.lower(&u.into()).unwrap_err();
        assert!(matches!(error, StatementError::NameClash { .. }));
    }
}

#[test]
fn names_that_are_too_long() {
    let long = "temperature of the surrounding air";
    let frame = Frame::new(Space::new(1), [unknown(long)]);
    says(
        &frame.lower(&unknown(long).into()).unwrap_err(),
        "“temperature of the surrounding” cannot be a name: names have between 1 and 30 bytes",
    );
    let empty = parameter("");
    let frame = Frame::new(Space::new(1), [unknown("u")]).with_free([empty]);
    let error = frame.lower(&(empty * unknown("u"))).unwrap_err();
    assert!(matches!(error, StatementError::Name { .. }));
    // Two long names with the same beginning are not the same.
    let other = unknown("temperature of the surrounding water");
    assert!(refused(Space::new(1), other) != refused(Space::new(1), unknown("v")));
}

#[test]
fn vectors_where_numbers_are_needed() {
    let u = unknown("u");
    let flat = || Space::new(2);
    says(
        &refused(flat(), laplacian(u) + grad(u)),
        "in Δu + ∇u: a vector of 2 was found where a number as in the other terms is needed",
    );
    says(
        &refused(flat(), div(laplacian(u))),
        "in ∇·(Δu): a number was found where a vector of 2 to take the divergence of is needed",
    );
    says(
        &refused(flat(), sin(grad(u))),
        "in ∇u: a vector of 2 was found where a number is needed",
    );
    for e in [
        grad(u) * grad(u),
        u / grad(u),
        grad(u).powi(2),
        div([u, u, u]),
        div(grad(u) + 1.0),
        dot([u, u], [u, u, u]),
        transpose(u),
        transpose(grad(u)),
        vector([Expr::from(u), grad(u)]),
        integral(grad(u), X, 0.0, 1.0),
    ] {
        let error = refused(flat(), &e);
        assert!(matches!(error, StatementError::Rank { .. }), "{e}: {error}");
    }
    let frame = Frame::new(flat(), [u]);
    says(
        &frame.lower_scalar(&grad(u)).unwrap_err(),
        "in ∇u: a vector or matrix of 2 was found where a number is needed",
    );
    assert!(frame.lower_scalar(&vector::<Expr>([])).is_err());
}

#[test]
fn functions_whose_derivatives_are_not_known() {
    let (u, c) = (unknown("u"), given("c", |x| x[0]));
    says(
        &refused(Space::new(1).with_time(), div(c * grad(u))),
        "the derivative of c along x is needed, but c is given as code: \
         write it as an expression, or supply its gradient with .with_gradient(…)",
    );
    says(
        &refused(Space::new(2), dot(normal(), [u, u]).d(X)),
        "the normal is known on the boundary only and cannot be differentiated",
    );
}

#[test]
fn numbers_that_are_not_finite() {
    let u = unknown("u");
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for e in [
            bad * u,
            u + bad,
            u / bad + bad * u,
            u.powf(bad),
            exp(bad * X) * u,
            integral(u, X, 0.0, bad),
            integral(u, X, bad, 1.0),
            vector([u * 1.0, u * bad]),
        ] {
            let frame = Frame::new(Space::new(1), [u]);
            let error = frame.lower(&e).unwrap_err();
            assert!(
                matches!(error, StatementError::NotFinite { .. }),
                "{e}: {error}"
            );
        }
        let k = parameter("k");
        let frame = Frame::new(Space::new(1), [u]).with_values([(k, bad)]);
        let error = frame.lower(&(k * u)).unwrap_err();
        assert!(matches!(error, StatementError::NotFinite { .. }));
    }
    // Numbers that arise: 1/0, ln 0, 10²⁰⁰ · 10²⁰⁰.
    for e in [u / 0.0, fastlsq_ops::ln(0.0) * u, 1e200 * (1e200 * u)] {
        let error = refused(Space::new(1), e);
        assert!(matches!(error, StatementError::NotFinite { .. }));
    }
}
