//! A law that was found is an equation: it means what was found, and it can be solved.
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;

use fastlsq_discovery::datasets::DataSet;
use fastlsq_discovery::{
    Dictionary, Discovered, Discovery, DiscoveryError, DiscoveryOptions, LikelihoodRefit, Samples,
};
use fastlsq_ops::{Frame, Sites, Space, T, X, sin, unknown};
use fastlsq_solve::{Domain, DomainExt, Interval, LinearProblem};
use ndarray::{Array2, array};

fn discover(data: &DataSet, count: usize, terms: &[&str]) -> Discovered {
    let library = Dictionary::parse(&data.axes, terms).unwrap();
    let options = DiscoveryOptions::new().refit(LikelihoodRefit::Never);
    let search = Discovery::new(library, data.target).unwrap().with(options);
    search.run(&data.sample(count, 0.0, 0).unwrap()).unwrap()
}

#[test]
fn a_linear_law_is_solved_from_another_initial_value() {
    let law = discover(&DataSet::heat(), 500, &["u", "u^2", "u_x", "u u_x", "u_xx"]);
    let found = law.coefficient("u_xx");
    assert_eq!(law.support(), [4], "{}", law.summary());
    assert!((found - 0.1).abs() < 1e-6, "{}", law.summary());

    // In the space of a rod over time it is u_t − c u_xx, with the coefficient that was found.
    let rod = Interval::unit().over(0.0, 1.0).unwrap();
    let frame = Frame::new(rod.coordinates(), [unknown("u")]);
    let row = frame.row(law.equation()).unwrap();
    let mut terms: Vec<(Vec<u32>, f64)> = row.blocks()[0]
        .1
        .terms()
        .iter()
        .map(|term| {
            let orders = term.action().derivative.orders().to_vec();
            (orders, term.coefficient().as_constant().unwrap())
        })
        .collect();
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(terms, [(vec![0, 1], 1.0), (vec![2, 0], -found)]);

    // Neither 4 nor 1 is a mode of the data.
    let u = LinearProblem::on(rod)
        .equation(law.equation(), 0.0)
        .initial_value(sin(PI * X) + 0.5 * sin(4.0 * PI * X))
        .dirichlet(0.0)
        .solve()
        .unwrap();
    for (x, t) in [(0.3, 0.1), (0.5, 0.5), (0.8, 1.0)] {
        let mode = |k: f64| (-0.1 * (k * PI).powi(2) * t).exp() * (k * PI * x).sin();
        let error = u.value(&[x, t]).unwrap() - (mode(1.0) + 0.5 * mode(4.0));
        // |∂u/∂c| ≤ Σ |a| k²π² t e^{−ck²π²t} ≤ Σ |a|/(e c) < 6.
        assert!(
            error.abs() < 1e-7 + 6.0 * (found - 0.1).abs(),
            "{x} {t}: {error:.1e}"
        );
    }
}

#[test]
fn a_nonlinear_law_means_what_was_found() {
    let terms = ["u", "u^2", "u_x", "u_x u", "u_xx", "sin(u)", "x u_x"];
    let law = discover(&DataSet::burgers(), 1000, &terms);
    // A small third term may be taken for real: what counts here is that the equation has it too.
    let (convection, diffusion) = (law.coefficient("u u_x"), law.coefficient("u_xx"));
    assert!(
        (convection + 1.0).abs() < 1e-3 && (diffusion - 0.1).abs() < 1e-4,
        "{law}"
    );
    let printed = law.equation().to_string();
    assert!(
        printed.starts_with("u_t + ") && printed.contains(" u u_x − "),
        "{printed}"
    );

    let frame = Frame::new(Space::new(1).with_time(), [unknown("u")]);
    let statement = frame.lower_scalar(&law.equation()).unwrap();
    assert!(!statement.is_linear() && statement.order() == 2);
    let residual = statement.residual();
    let jet = |orders: &[u32]| match orders {
        [0, 0] => 0.7,
        [1, 0] => -1.3,
        [0, 1] => 0.4,
        _ => 2.1,
    };
    let table = Array2::from_shape_fn((1, residual.jets().len()), |(_, column)| {
        jet(residual.jets()[column].action.derivative.orders())
    });
    let points = array![[0.2, 0.3]];
    let values = residual
        .evaluate(table.view(), &Sites::new(points.view()), &[])
        .unwrap();
    let term = |index: usize| [0.7, 0.49, -1.3, 0.7 * -1.3, 2.1, 0.7_f64.sin(), 0.2 * -1.3][index];
    let right: f64 = law
        .terms
        .iter()
        .map(|t| t.coefficient * term(t.index))
        .sum();
    let expected = 0.4 - right;
    assert!((values.values[0] - expected).abs() < 1e-14);

    // It is the equation of a nonlinear problem, and a linear problem refuses it.
    let linear = LinearProblem::on(Interval::new(-1.0, 1.0).unwrap().over(0.0, 1.0).unwrap())
        .equation(law.equation(), 0.0)
        .initial_value(-sin(PI * X))
        .dirichlet(0.0)
        .solve();
    let error = linear.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("u u_x"), "{error}");
}

#[test]
fn axes_go_by_their_names() {
    // u″ = −4.25 u − u′ in a variable called t, which is not time on an interval.
    let t: Vec<f64> = (0..400).map(|i| 0.015 * f64::from(i)).collect();
    let u: Vec<f64> = t
        .iter()
        .map(|t| (-0.5 * t).exp() * (2.0 * t).sin())
        .collect();
    let library = Dictionary::parse(&["t"], &["u", "u_t", "u^2"]).unwrap();
    assert_eq!(library.names(), ["u", "u_t", "u²"]);
    let search = Discovery::new(library, "u_tt").unwrap();
    let law = search.run(&Samples::on_line(&t, &u).unwrap()).unwrap();
    assert_eq!(law.to_string(), "u_tt = −4.25 u − 1.00 u_t");

    let (u, t) = (unknown("u"), T);
    let domain = Interval::new(0.0, 3.0).unwrap().with_coordinates(["t"]);
    let u = LinearProblem::on(domain)
        .equation(law.equation(), 0.0)
        .condition(t.lo(), u, 1.0)
        .condition(t.lo(), u.d(t), 0.0)
        .solve()
        .unwrap();
    let exact = |t: f64| (-0.5 * t).exp() * ((2.0 * t).cos() + 0.25 * (2.0 * t).sin());
    for t in [0.5, 1.7, 3.0] {
        assert!((u.value(&[t]).unwrap() - exact(t)).abs() < 1e-6);
    }

    // Whatever stands first keeps its own name, and letters of other axes mean nothing.
    let library = Dictionary::parse(&["t", "x"], &["u_tx", "x u_x", "t u_t"]).unwrap();
    assert_eq!(library.names(), ["u_tx", "x u_x", "t u_t"]);
    let orders = |k: usize| library.terms()[k].arguments()[0].orders().to_vec();
    assert_eq!((orders(1), orders(2)), (vec![0, 1], vec![1, 0]));
    for text in ["u_x", "x u", "u_y"] {
        let refused = Dictionary::parse(&["z"], &[text]);
        assert!(
            matches!(refused, Err(DiscoveryError::Term { .. })),
            "{text}"
        );
    }
}

#[test]
fn terms_are_expressions_of_the_field_alone() {
    let library = || Dictionary::new(&["x", "y"]).unwrap();
    let (u, v) = (unknown("u"), unknown("v"));
    // Over space: two derivatives, taken together in closed form.
    let laplacian = library().with_term(fastlsq_ops::laplacian(u)).unwrap();
    assert_eq!(laplacian.names(), ["Δu"]);
    assert_eq!(laplacian.terms()[0].arguments().len(), 2);
    let flat = library().with("sign(u_x)").unwrap();
    assert_eq!(flat.terms()[0].arguments().len(), 1);
    for bad in [
        u.d(X) * v,
        fastlsq_ops::grad(u),
        fastlsq_ops::normal_derivative(u),
        fastlsq_ops::integral(u, X, 0.0, 1.0),
        fastlsq_ops::parameter("k") * u,
        3.0 * u,
        fastlsq_ops::Expr::from(0.0),
        u - u,
    ] {
        let refused = library().with_term(&bad);
        assert!(matches!(refused, Err(DiscoveryError::Term { .. })), "{bad}");
    }
}
