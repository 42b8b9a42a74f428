//! Several unknowns and several equations.

use faer::Mat;
use fastlsq_ops::{
    Basis, BasisError, EquationRow, Expr, Frame, Operator, OperatorError, Sites, Space, X, Y, div,
    dot, given, grad, identity_matrix, laplacian, normal_derivative, strain, unknowns, vector,
};

use crate::support::{assert_close, operator, plain, rows, try_row, u};

/// −Δv + ∇p and ∇·v.
fn stokes() -> Vec<EquationRow> {
    let [u, v, p] = unknowns(["u", "v", "p"]);
    let frame = Frame::new(Space::new(2), [u, v, p]);
    let mut statements = frame
        .lower(&(grad(p) - laplacian([u, v])))
        .expect("a sound system");
    statements.extend(frame.lower(&div([u, v])).expect("a sound system"));
    statements
        .iter()
        .map(|s| s.row().expect("a sound system"))
        .collect()
}

#[test]
fn vector_calculus_reads_as_on_paper() {
    let texts: Vec<String> = stokes()
        .iter()
        .map(|row| row.named(&["u", "v", "p"]))
        .collect();
    assert_eq!(
        texts,
        [
            "(−∂²/∂x₀² − ∂²/∂x₁²) u + ∂/∂x₀ p",
            "(−∂²/∂x₀² − ∂²/∂x₁²) v + ∂/∂x₁ p",
            "∂/∂x₀ u + ∂/∂x₁ v",
        ]
    );
    // Elasticity with μ = 3 and λ = 2: (2μ + λ) u_xx + μ u_yy + (μ + λ) v_xy.
    let [u, v] = unknowns(["u", "v"]);
    let frame = Frame::new(Space::new(2), [u, v]);
    let stress = 6.0 * strain([u, v]) + 2.0 * div([u, v]) * identity_matrix();
    let names = ["u", "v"];
    let of = |e: Expr| -> Vec<String> {
        let statements = frame.lower(&e).unwrap();
        statements
            .iter()
            .map(|s| s.row().unwrap().named(&names))
            .collect()
    };
    assert_eq!(
        of(div(&stress)),
        [
            "(8 ∂²/∂x₀² + 3 ∂²/∂x₁²) u + 5 ∂²/∂x₀∂x₁ v",
            "5 ∂²/∂x₀∂x₁ u + (3 ∂²/∂x₀² + 8 ∂²/∂x₁²) v",
        ]
    );
    // The traction on a wall: as many components as axes.
    assert_eq!(
        frame
            .lower(&dot(stress, fastlsq_ops::normal()))
            .unwrap()
            .len(),
        2
    );
    // ∇·∇ = Δ, of vectors as well.
    assert_eq!(of(div(grad([u, v])) - laplacian([u, v])), ["0", "0"]);
    // (v·∇)v: each component against the gradient of its own.
    let transport = frame.lower(&dot(grad([u, v]), [u, v])).unwrap();
    assert_eq!(transport[1].residual().jets().len(), 4);
    assert_eq!(frame.lower(&vector([u, v, u])).unwrap().len(), 3);
}

#[test]
fn rows_stand_side_by_side() {
    let (u, points) = plain(2, 7, 600);
    let (v, _) = plain(2, 5, 0);
    let (p, _) = plain(2, 11, 0);
    let bases: [&dyn Basis; 3] = [&u, &v, &p];
    for row in stokes() {
        let mut out = Mat::from_fn(600, 23, |_, _| f64::NAN);
        row.write_rows(&bases, &points, out.as_mut()).unwrap();
        let mut parallel = Mat::from_fn(600, 23, |_, _| f64::NAN);
        row.assemble_into(&bases, &points, parallel.as_mut())
            .unwrap();
        assert_close(&out, &parallel, 0.0);
        let mut offset = 0;
        for (k, basis) in bases.iter().enumerate() {
            let absent = Operator::from_terms(2, []);
            let operator = row.block(k).unwrap_or(&absent);
            let block = out.subcols(offset, basis.len()).to_owned();
            assert_close(&block, &rows(operator, *basis, &points), 0.0);
            offset += basis.len();
        }
    }
}

#[test]
fn applying_a_row_sums_over_unknowns() {
    let (u, points) = plain(2, 7, 300);
    let (p, _) = plain(2, 4, 0);
    let bases: [&dyn Basis; 2] = [&u, &p];
    let beta: Vec<f64> = (0..11).map(|j| f64::from(j).cos()).collect();
    let [a, b] = unknowns(["a", "b"]);
    let c = given("c", |x| x[0]);
    let expression = laplacian(a) - c * b.d(Y) + 2.0 * b;
    let row = try_row(Space::new(2), [a, b], &expression).unwrap();
    let mut out = Mat::zeros(300, 11);
    row.write_rows(&bases, &points, out.as_mut()).unwrap();
    let values = row.apply(&bases, &beta, &points).unwrap();
    let sizes = row.term_magnitudes(&bases, &beta, &points).unwrap();
    for i in 0..300 {
        let expected: f64 = (0..11).map(|j| out[(i, j)] * beta[j]).sum();
        assert!((values[i] - expected).abs() < 1e-12);
        assert!(sizes[i] >= values[i].abs() * (1.0 - 1e-12));
    }
    let both = EquationRow::apply_all(&[row.clone(), row], &bases, &beta, &points).unwrap();
    for together in both {
        let pairs = together.iter().zip(&values);
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn a_single_unknown_is_a_system_too() {
    let (basis, points) = plain(2, 6, 9);
    let helmholtz = operator(2, laplacian(u()) + u());
    let mut out = Mat::zeros(9, 6);
    EquationRow::from(helmholtz.clone())
        .write_rows(&[&basis], &points, out.as_mut())
        .unwrap();
    assert_close(&out, &rows(&helmholtz, &basis, &points), 0.0);
    let row = EquationRow::from(operator(2, normal_derivative(u())));
    assert!(row.needs_normals());
    let refused = row.write_rows(&[&basis], &points, out.as_mut());
    assert_eq!(refused, Err(OperatorError::MissingNormals));
    let normals = points.clone();
    let sites = Sites::new(points.view()).with_normals(normals.view());
    row.write_rows(&[&basis], sites, out.as_mut()).unwrap();
}

#[test]
fn rows_know_their_operators() {
    let row = EquationRow::new([operator(2, laplacian(u())), operator(2, u().d(X))]);
    assert_eq!(
        (row.unknowns(), row.order(), row.dim()),
        (2, 2, Ok(Some(2)))
    );
    assert_eq!(row.blocks().len(), 2);
    let [a, b] = unknowns(["a", "b"]);
    let none = try_row(Space::new(2), [a, b], &(laplacian(a) - laplacian(a))).unwrap();
    assert!(none.is_zero() && none.dim() == Ok(None));
    assert!(EquationRow::zero(2).is_zero());
}

#[test]
fn mistakes_in_systems_are_errors() {
    let flat = operator(2, laplacian(u()));
    let unknown = OperatorError::Unknown {
        unknown: 2,
        unknowns: 2,
    };
    assert_eq!(flat.on(2, 2).validate(), Err(unknown.clone()));
    // A mistake survives what comes after it.
    assert_eq!(flat.on(2, 2).with(0, flat.clone()).validate(), Err(unknown));
    let mixed = flat.on(0, 2).with(1, operator(3, laplacian(u())));
    assert!(matches!(
        mixed.validate(),
        Err(OperatorError::Basis(BasisError::Dimension { .. }))
    ));
    let (u, points) = plain(2, 7, 3);
    let mut out = Mat::zeros(3, 14);
    for bases in [&[&u as &dyn Basis, &u][..], &[&u as &dyn Basis, &u, &u][..]] {
        let refused = stokes()[0].write_rows(bases, &points, out.as_mut());
        assert!(matches!(
            refused,
            Err(OperatorError::Basis(BasisError::Shape { .. }))
        ));
    }
    let row = EquationRow::new([flat.clone(), flat]);
    assert!(matches!(
        row.apply(&[&u, &u], &[1.0; 13], &points),
        Err(OperatorError::Basis(BasisError::Shape { .. }))
    ));
}
