//! What is printed is read again, as text and from files.

use fastlsq_ops::{
    Coordinate, Expr, Multiplier, T, Vocabulary, X, Y, Z, abs, acos, antiderivative, asin, atan,
    axis, biharmonic, call, coordinate, cos, cosh, div, dot, exp, fractional_laplacian, given,
    grad, identity_matrix, integral, laplacian, ln, multiplier, normal, parameter, sech, sign, sin,
    sinh, sqrt, strain, tan, tanh, transpose, unknown, vector,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Names that are words, look like something else, or need backticks.
const UNKNOWNS: [&str; 8] = ["u", "v", "p'", "n", "sin", "u 1", "a`b", "ν"];
const PARAMETERS: [&str; 9] = ["k", "I", "pi", "μ₀", "x₃", "Δ", "t", "2", ""];
const COORDINATES: [&str; 4] = ["theta", "r", "x", "x y"];

fn along() -> impl Strategy<Value = Coordinate> {
    let mut all = vec![X, Y, Z, T];
    all.extend((0..6).map(axis));
    all.push(axis(12));
    all.extend(COORDINATES.map(coordinate));
    select(all)
}

fn number() -> impl Strategy<Value = f64> {
    let numbers = vec![
        0.0,
        1.0,
        -1.0,
        2.0,
        -2.5,
        1e-7,
        -3e20,
        0.1,
        std::f64::consts::PI,
    ];
    prop_oneof![select(numbers), -10.0..10.0f64]
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        number().prop_map(Expr::from),
        along().prop_map(Expr::from),
        select(UNKNOWNS.to_vec()).prop_map(|name| unknown(name).into()),
        select(PARAMETERS.to_vec()).prop_map(|name| parameter(name).into()),
        Just(normal()),
        Just(identity_matrix()),
    ]
}

fn expression() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(7, 40, 3, |inner| {
        let functions: Vec<fn(Expr) -> Expr> = vec![
            |e| sin(e),
            |e| cos(e),
            |e| tan(e),
            |e| asin(e),
            |e| acos(e),
            |e| atan(e),
            |e| sinh(e),
            |e| cosh(e),
            |e| tanh(e),
            |e| sech(e),
            |e| exp(e),
            |e| ln(e),
            |e| sqrt(e),
            |e| abs(e),
            |e| sign(e),
            |e| laplacian(e),
            |e| biharmonic(e),
            |e| grad(e),
            |e| div(e),
            |e| transpose(e),
            |e| strain(e),
            |e| -e,
        ];
        let powers = select(vec![0.0, 2.0, 3.0, 9.0, 10.0, -1.0, -2.5, 0.5, 1e-7]);
        let orders = select(vec![0.0, 0.5, 1.0, 2.0, 1e-9]);
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| a + b),
            pair.clone().prop_map(|(a, b)| a - b),
            pair.clone().prop_map(|(a, b)| a * b),
            pair.clone().prop_map(|(a, b)| a / b),
            pair.prop_map(|(a, b)| dot(a, b)),
            vec(inner.clone(), 1..4).prop_map(|parts| parts.into_iter().sum()),
            vec(inner.clone(), 1..4).prop_map(|parts| parts.into_iter().product()),
            vec(inner.clone(), 0..4).prop_map(vector),
            (inner.clone(), select(functions)).prop_map(|(e, f)| f(e)),
            (inner.clone(), powers).prop_map(|(e, p)| e.powf(p)),
            (inner.clone(), along()).prop_map(|(e, c)| e.d(c)),
            (inner.clone(), orders).prop_map(|(e, s)| fractional_laplacian(e, s)),
            (inner.clone(), along(), number(), number())
                .prop_map(|(e, c, a, b)| integral(e, c, a, b)),
            (inner, along(), number()).prop_map(|(e, c, a)| antiderivative(e, c, a)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_printed_is_read_again(e in expression()) {
        let text = e.to_string();
        // Constants are folded as they are written: ln(−1), 1/0.
        prop_assume!(!text.contains("NaN") && !text.contains("inf"));
        let read = Expr::parse_with(&text, &e.vocabulary());
        prop_assert_eq!(read.as_ref(), Ok(&e), "{}", text);
        prop_assert_eq!(read.unwrap().to_string(), text);
    }

    #[test]
    fn what_is_written_to_a_file_is_read_again(e in expression()) {
        prop_assume!(!e.to_string().contains("NaN") && !e.to_string().contains("inf"));
        let json = serde_json::to_string(&e).unwrap();
        prop_assert_eq!(serde_json::from_str::<Expr>(&json).unwrap(), e);
    }
}

#[test]
fn people_write_it_in_more_than_one_way() {
    let u = unknown("u");
    let same = |text: &str, e: Expr| assert_eq!(Expr::parse(text), Ok(e), "{text}");
    same(
        "u_t + u*u_x = 0.01 u_xx",
        u.d(T) + u * u.d(X) - 0.01 * u.d(X).d(X),
    );
    same("  u_t+u u_x  ", u.d(T) + u * u.d(X));
    same("u^2 - u² + u^(-1)", u.powi(2) - u.powi(2) + u.powi(-1));
    same("-Δu = 1", -laplacian(u) - 1.0);
    same("∇·((1 + x^2) ∇u)", div((1.0 + X.powi(2)) * grad(u)));
    same("u / 2 / u", u / 2.0 / u);
    same("2 (u + 1)(u - 1)", 2.0 * (u + 1.0) * (u - 1.0));
    same("1/2 u", 0.5 * u);
    same("u_{x,t}", u.d(X).d(T));
    same(
        "sin(pi x) + sin(π x)",
        sin(std::f64::consts::PI * X) + sin(std::f64::consts::PI * X),
    );
    same(
        "∫[0, 1](u) dx + ∫[-1, t](u) dt",
        integral(u, X, 0.0, 1.0) + antiderivative(u, T, -1.0),
    );
    same("(-Δ)^0.5 u", fractional_laplacian(u, 0.5));
    same("Δ²u", biharmonic(u));
    same("n·∇u", dot(normal(), grad(u)));
    same("1e-3 u + 1.5E2 u + .5 u", 1e-3 * u + 1.5e2 * u + 0.5 * u);
    same("u^(x)", exp(X * ln(u)));
}

#[test]
fn vocabularies_decide_what_words_mean() {
    let k = parameter("k");
    let words = Vocabulary::empty()
        .with_unknowns(["n", "rho"])
        .with_parameters(["k"])
        .with_coordinates(["r", "x"])
        .with_function("speed", 2.0 * k);
    let read = |text: &str| Expr::parse_with(text, &words);
    let (n, rho) = (unknown("n"), unknown("rho"));
    // The user's n, not the normal; the user's x, not the first coordinate.
    assert_eq!(
        read("n_r + speed rho"),
        Ok(n.d(coordinate("r")) + 2.0 * k * rho)
    );
    assert_eq!(read("rho_x"), Ok(rho.d(coordinate("x"))));
    assert_eq!(read("rho_y"), Ok(rho.d(Y)));
    let error = read("k rho + u").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("u is neither an unknown nor a parameter"),
        "{error}"
    );
    assert_eq!(error.rest, "u");
}

#[test]
fn mistakes_are_typed_and_say_where() {
    for text in [
        "",
        "u +",
        "(u",
        "u)",
        "u_",
        "u_q",
        "u_{x",
        "u_{q}",
        "[u, v",
        "sin u",
        "sin(u",
        "`u",
        "u^",
        "u^k",
        "u = v = w",
        "∫[0, 1](u)",
        "∫[0, 1] u dx",
        "∫[0, y](u) dx",
        "d",
        "…",
        "u..2",
        "u ** v",
        "1.2.3",
        "∇",
        "Δ²",
        "(−Δ)^ u",
        "u $ v",
        "u, v",
        "=",
        "−",
        "u·",
        "²",
    ] {
        let error = Expr::parse(text).expect_err(text);
        assert_eq!(error.text, text);
        assert!(
            text.ends_with(&error.rest) || error.rest.chars().count() == 30,
            "{error}"
        );
    }
    let error = Expr::parse("u_t + k u").unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read “u_t + k u”: k is neither an unknown nor a parameter nor a coordinate here (at “k u”)"
    );
}

#[test]
fn closures_cannot_be_written_down() {
    let u = unknown("u");
    let sign = Multiplier::new("H", |w| w[0].signum());
    for e in [
        given("c", |x| x[0]) * u,
        call("f", [u.into()], |a| a[0]),
        multiplier(u, sign),
        laplacian(u) + Expr::from(|x: &[f64]| x[0]),
    ] {
        assert!(e.has_closures());
        let error = serde_json::to_string(&e).unwrap_err().to_string();
        assert!(error.contains("functions given as code"), "{error}");
    }
    // One name for two things cannot be told apart in a text.
    let twice = unknown("k") * parameter("k");
    assert!(serde_json::to_string(&twice).is_err());
    let garbage = r#"{"text": "u +", "unknowns": ["u"]}"#;
    assert!(serde_json::from_str::<Expr>(garbage).is_err());
}
