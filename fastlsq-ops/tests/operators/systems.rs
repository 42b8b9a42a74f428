//! Several unknowns and several equations.

use faer::Mat;
use fastlsq_ops::{
    Basis, BlockOperator, EquationRow, Field, OperatorError, Sites, identity, laplacian,
    normal_derivative, partial, zero,
};

use crate::support::{assert_close, plain, rows};

fn stokes() -> BlockOperator {
    BlockOperator::new(3)
        .equation([Some(-laplacian(2)), None, Some(partial(2, 0))])
        .equation([None, Some(-laplacian(2)), Some(partial(2, 1))])
        .equation([Some(partial(2, 0)), Some(partial(2, 1)), None])
}

#[test]
fn rows_stand_side_by_side() {
    let (u, points) = plain(2, 7, 600);
    let (v, _) = plain(2, 5, 0);
    let (p, _) = plain(2, 11, 0);
    let bases: [&dyn Basis; 3] = [&u, &v, &p];
    let system = stokes();
    for equation in 0..3 {
        let mut out = Mat::from_fn(600, 23, |_, _| f64::NAN);
        system
            .write_rows(equation, &bases, &points, out.as_mut())
            .unwrap();
        let mut parallel = Mat::from_fn(600, 23, |_, _| f64::NAN);
        system
            .assemble_into(equation, &bases, &points, parallel.as_mut())
            .unwrap();
        assert_close(&out, &parallel, 0.0);
        let mut offset = 0;
        for (k, basis) in bases.iter().enumerate() {
            let absent = zero(2);
            let operator = system.rows()[equation].block(k).unwrap_or(&absent);
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
    let c = Field::new("c", |x| x[0]);
    let row = laplacian(2).on(0, 2) - (&c * partial(2, 1)).on(1, 2) + 2.0 * identity(2).on(1, 2);
    let mut out = Mat::zeros(300, 11);
    row.write_rows(&bases, &points, out.as_mut()).unwrap();
    let values = row.apply(&bases, &beta, &points).unwrap();
    let sizes = row.term_magnitudes(&bases, &beta, &points).unwrap();
    for i in 0..300 {
        let expected: f64 = (0..11).map(|j| out[(i, j)] * beta[j]).sum();
        assert!((values[i] - expected).abs() < 1e-12);
        assert!(sizes[i] >= values[i].abs() * (1.0 - 1e-12));
    }
}

#[test]
fn a_single_unknown_is_a_system_too() {
    let (basis, points) = plain(2, 6, 9);
    let system = BlockOperator::from(laplacian(2) + 1.0);
    let mut out = Mat::zeros(9, 6);
    system
        .write_rows(0, &[&basis], &points, out.as_mut())
        .unwrap();
    assert_close(&out, &rows(&(laplacian(2) + 1.0), &basis, &points), 0.0);
    let row = EquationRow::from(normal_derivative(2));
    assert!(row.needs_normals());
    let refused = row.write_rows(&[&basis], &points, out.as_mut());
    assert_eq!(refused, Err(OperatorError::MissingNormals));
    let normals = points.clone();
    let sites = Sites::new(points.view()).with_normals(normals.view());
    row.write_rows(&[&basis], sites, out.as_mut()).unwrap();
}

#[test]
fn rows_know_their_operators() {
    let row = EquationRow::new([laplacian(2), partial(2, 0)]) * 3.0;
    assert_eq!(
        (row.unknowns(), row.order(), row.dim()),
        (2, 2, Ok(Some(2)))
    );
    assert_eq!(row.blocks().len(), 2);
    assert!((row.clone() - row).is_zero());
    assert!(EquationRow::zero(2).is_zero());
    assert_eq!(EquationRow::zero(2).dim(), Ok(None));
}

#[test]
fn mistakes_in_systems_are_errors() {
    let unknown = OperatorError::Unknown {
        unknown: 2,
        unknowns: 2,
    };
    assert_eq!(laplacian(2).on(2, 2).validate(), Err(unknown.clone()));
    // A mistake survives arithmetic on either side.
    let sum = laplacian(2).on(0, 2) + laplacian(2).on(2, 2);
    assert_eq!((-sum).validate(), Err(unknown));
    let mixed = laplacian(2).on(0, 2) + laplacian(3).on(1, 2);
    assert!(matches!(
        mixed.validate(),
        Err(OperatorError::Dimension { .. })
    ));
    let uneven = laplacian(2).on(0, 2) + laplacian(2).on(0, 3);
    assert!(matches!(
        uneven.validate(),
        Err(OperatorError::Shape { .. })
    ));
    let short = BlockOperator::new(2).equation([laplacian(2)]);
    assert!(matches!(short.validate(), Err(OperatorError::Shape { .. })));
    let spaces = BlockOperator::new(1)
        .equation([laplacian(2)])
        .equation([laplacian(3)]);
    assert!(matches!(
        spaces.validate(),
        Err(OperatorError::Dimension { .. })
    ));

    let (u, points) = plain(2, 7, 3);
    let mut out = Mat::zeros(3, 14);
    let missing = OperatorError::Equation {
        equation: 3,
        equations: 3,
    };
    assert_eq!(
        stokes().write_rows(3, &[&u, &u, &u], &points, out.as_mut()),
        Err(missing)
    );
    for bases in [&[&u as &dyn Basis, &u][..], &[&u as &dyn Basis, &u, &u][..]] {
        let refused = stokes().write_rows(0, bases, &points, out.as_mut());
        assert!(matches!(refused, Err(OperatorError::Shape { .. })));
    }
    let row = EquationRow::new([laplacian(2), laplacian(2)]);
    assert!(matches!(
        row.apply(&[&u, &u], &[1.0; 13], &points),
        Err(OperatorError::Shape { .. })
    ));
}
