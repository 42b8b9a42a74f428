//! Evaluation on blocks: no matter how many points and threads.

use fastlsq_ops::{
    BasisError, Frame, OperatorError, Residual, Sites, Space, Statement, T, X, Y, div, dot, exp,
    grad, laplacian, normal_derivative, parameter, unknowns,
};
use ndarray::{Array2, ShapeBuilder, s};
use proptest::prelude::*;

use crate::tree::{kq, tree, uv};

fn points(count: usize, dim: usize) -> Array2<f64> {
    Array2::from_shape_fn((count, dim), |(i, k)| {
        (0.37 * i as f64 + 1.7 * k as f64).sin()
    })
}

fn table(count: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((count, columns), |(i, k)| {
        (0.11 * i as f64 - 0.9 * k as f64).cos()
    })
}

/// The momentum equations of Navier–Stokes and the continuity equation, in space-time.
fn navier_stokes() -> Vec<Residual> {
    let [u, v, p] = unknowns(["u", "v", "p"]);
    let nu = parameter("nu");
    let frame = Frame::new(Space::new(2).with_time(), [u, v, p]).with_free([nu]);
    let flow = fastlsq_ops::vector([u, v]);
    let momentum = flow.d(T) + dot(grad(&flow), &flow) + grad(p) - nu * laplacian(&flow);
    let mut statements = frame
        .lower(&(momentum + fastlsq_ops::vector([exp(X), X * Y])))
        .expect("no mistake");
    statements.extend(frame.lower(&div(flow)).expect("no mistake"));
    statements.iter().map(Statement::residual).collect()
}

/// Everything that a residual says at the points, as bits.
fn bits(residual: &Residual, points: &Array2<f64>, table: &Array2<f64>) -> Vec<Vec<u64>> {
    let sites = Sites::new(points.view());
    let found = residual
        .evaluate(table.view(), &sites, &[0.01, 0.7])
        .expect("no mistake");
    (0..points.nrows())
        .map(|i| {
            let slopes = found.slopes.row(i).to_vec();
            let parameters = found.parameter_slopes.row(i).to_vec();
            let all = [vec![found.values[i]], slopes, parameters].concat();
            all.into_iter().map(f64::to_bits).collect()
        })
        .collect()
}

#[test]
fn blocks_points_and_threads_give_the_same_bits() {
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
    };
    for residual in navier_stokes() {
        let (points, table) = (points(9001, 3), table(9001, residual.jets().len()));
        let together = pool(1).install(|| bits(&residual, &points, &table));
        for threads in [2, 3] {
            let again = pool(threads).install(|| bits(&residual, &points, &table));
            assert_eq!(again, together);
        }
        // The table in the other order of memory.
        let mut turned = Array2::zeros(table.raw_dim().f());
        turned.assign(&table);
        assert_eq!(bits(&residual, &points, &turned), together);
        for (start, count) in [(0, 1), (255, 1), (256, 1), (100, 257), (8000, 1001)] {
            let part = s![start..start + count, ..];
            let (points, table) = (points.slice(part), table.slice(part));
            let alone = bits(&residual, &points.to_owned(), &table.to_owned());
            assert_eq!(alone, together[start..start + count]);
        }
    }
}

#[test]
fn navier_stokes_is_what_it_should_be() {
    let all = navier_stokes();
    assert_eq!(all.len(), 3);
    let (points, nu) = (points(7, 3), 0.01);
    let sites = Sites::new(points.view());
    for (k, residual) in all.iter().take(2).enumerate() {
        let jets = residual.jets();
        // u_t, u, v, u_x, u_y, p_x, u_xx, u_yy
        assert_eq!(jets.len(), 8);
        let table = table(7, 8);
        let find = |unknown: usize, orders: [u32; 3], i: usize| {
            let mut places = jets.iter();
            let place =
                places.position(|j| j.unknown == unknown && j.action.derivative.orders() == orders);
            table[(i, place.unwrap())]
        };
        let found = residual.evaluate(table.view(), &sites, &[nu]).unwrap();
        for i in 0..7 {
            let own = |orders| find(k, orders, i);
            let (u, v) = (find(0, [0; 3], i), find(1, [0; 3], i));
            let mut along = [0; 3];
            along[k] = 1;
            let force = match k {
                0 => points[(i, 0)].exp(),
                _ => points[(i, 0)] * points[(i, 1)],
            };
            let second = own([2, 0, 0]) + own([0, 2, 0]);
            let expected =
                own([0, 0, 1]) + u * own([1, 0, 0]) + v * own([0, 1, 0]) + find(2, along, i)
                    - nu * second
                    + force;
            assert!((found.values[i] - expected).abs() < 1e-14 * (1.0 + expected.abs()) * 10.0);
            assert!((found.parameter_slopes[(i, 0)] + second).abs() < 1e-14);
        }
    }
}

#[test]
fn what_is_missing_is_an_error_and_not_a_number() {
    let residual = &navier_stokes()[0];
    let (points, table) = (points(4, 3), table(4, 8));
    let refused = |points: &Array2<f64>, table: &Array2<f64>, parameters: &[f64]| {
        let sites = Sites::new(points.view());
        residual
            .evaluate(table.view(), &sites, parameters)
            .unwrap_err()
    };
    let (flat, short) = (self::points(4, 2), self::table(3, 8));
    let narrow = self::table(4, 7);
    assert!(matches!(
        refused(&flat, &table, &[1.0]),
        OperatorError::Basis(BasisError::Dimension { .. })
    ));
    assert!(matches!(
        refused(&points, &short, &[1.0]),
        OperatorError::Basis(BasisError::Shape { .. })
    ));
    assert!(matches!(
        refused(&points, &narrow, &[1.0]),
        OperatorError::Basis(BasisError::Shape { .. })
    ));
    assert!(matches!(
        refused(&points, &table, &[]),
        OperatorError::Basis(BasisError::Shape { .. })
    ));
    let u = uv()[0];
    let frame = Frame::new(Space::new(3), [u]);
    let outward = frame.lower_scalar(&normal_derivative(u)).unwrap();
    assert!(outward.needs_normals());
    let table = self::table(4, 3);
    let refused = outward
        .residual()
        .evaluate(table.view(), &Sites::new(points.view()), &[]);
    assert!(matches!(refused, Err(OperatorError::MissingNormals)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_formulas_do_not_depend_on_the_block(tree in tree(6), count in 1..700usize) {
        let frame = Frame::new(Space::new(2), uv()).with_free(kq());
        let residual = frame.lower_scalar(&tree.expression()).unwrap().residual();
        let (points, table) = (points(count, 2), table(count, residual.jets().len()));
        let together = bits(&residual, &points, &table);
        for i in [0, count / 2, count - 1] {
            let part = s![i..=i, ..];
            let (point, table) = (points.slice(part), table.slice(part));
            let alone = bits(&residual, &point.to_owned(), &table.to_owned());
            prop_assert_eq!(&alone[0], &together[i]);
        }
    }
}
