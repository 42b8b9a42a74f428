//! Whatever is written, the answer comes in bounded time, memory and stack.

use fastlsq_ops::{
    Coordinate, Expr, Frame, Space, StatementError, T, Vocabulary, X, antiderivative, call, dot,
    fractional_laplacian, grad, laplacian, sin, transpose, unknown, vector,
};

fn frame() -> Frame {
    Frame::new(Space::new(2), [unknown("u"), unknown("v")])
}

/// On a stack that is half as large as that of a thread.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(work);
    thread.expect("no mistake").join().expect("no mistake");
}

type Step = fn(Expr) -> Expr;

/// Ways to put an expression into another one.
fn steps() -> Vec<Step> {
    vec![
        |e| sin(e),
        |e| e.d(X),
        |e| e.d(Coordinate::Time),
        |e| laplacian(e),
        |e| grad(e),
        |e| transpose(e),
        |e| e.powf(1.5),
        |e| 1.0 / e,
        |e| e / unknown("v"),
        |e| 2.0 * (1.0 + e),
        |e| unknown("v") * (1.0 - e),
        |e| dot(unknown("v"), e),
        |e| vector([e]),
        |e| fractional_laplacian(e, 0.5),
        |e| antiderivative(e, T, 0.0),
        |e| call("f", [e], |a| a[0]),
        |e| grad(laplacian(e)),
        |e| sin(e).d(X).powi(2),
    ]
}

#[test]
fn nesting_of_100_000_is_a_typed_error() {
    on_a_small_stack(|| {
        for step in steps() {
            let deep = (0..100_000).fold(Expr::from(unknown("u")), |e, _| step(e));
            let refused = frame().lower(&deep);
            assert!(
                matches!(refused, Err(StatementError::TooLarge { .. })),
                "{refused:?}"
            );
            assert!(frame().first_nonlinear(&deep).is_none());
            assert!(deep.to_string().contains('…') && format!("{deep:?}").contains('…'));
            assert!(Expr::parse_with(&deep.to_string(), &deep.vocabulary()).is_err());
            assert!(serde_json::to_string(&deep).is_err());
            assert_eq!(deep, deep.clone());
            drop(deep);
        }
    });
}

/// As deep as it is allowed, everything works on a small stack.
#[test]
fn the_deepest_expressions_are_printed_and_read() {
    on_a_small_stack(|| {
        for step in steps() {
            let mut deepest = Expr::from(unknown("u"));
            loop {
                let next = step(deepest.clone());
                // What is too deep prints as less.
                if next.to_string().contains('…') {
                    break;
                }
                deepest = next;
            }
            // A typed error or a result, but neither an overflow nor an endless loop.
            let _ = frame().lower(&deepest);
            if !deepest.has_closures() {
                let read = Expr::parse_with(&deepest.to_string(), &deepest.vocabulary());
                assert_eq!(read.as_ref(), Ok(&deepest));
            }
        }
    });
}

/// Trees of 2⁶⁰ nodes that share their parts.
#[test]
fn sixty_doublings_cost_sixty_steps() {
    let u = unknown("u");
    let doublings: [fn(&Expr) -> Expr; 5] = [
        |e| e * e,
        |e| e + e,
        |e| 1.0 + e * e,
        |e| e / (2.0 + e),
        |e| sin(e) * sin(2.0 * e),
    ];
    for double in doublings {
        let build = || (0..60).fold(Expr::from(u), |e, _| double(&e));
        let (huge, again) = (build(), build());
        assert!(huge == again && huge != huge.d(X));
        assert_eq!(huge.to_string(), "…");
        assert_eq!((huge.unknowns(), huge.has_closures()), (vec![u], false));
        assert!(serde_json::to_string(&huge).is_err());
        for e in [
            huge.clone(),
            huge.d(X),
            laplacian(&huge),
            huge.d(X).d(X).d(X).d(X),
        ] {
            match frame().lower_scalar(&e) {
                Ok(statement) => assert_eq!(statement.unknowns(), 2),
                Err(error) => assert!(
                    matches!(
                        error,
                        StatementError::TooLarge { .. } | StatementError::NotFinite { .. }
                    ),
                    "{error}"
                ),
            }
        }
        let _ = frame().first_nonlinear(&huge);
    }
    // Linear: 2⁶⁰ u.
    let sum = (0..60).fold(Expr::from(u), |e, _| &e + &e);
    let row = frame().lower_scalar(&sum).unwrap().row().unwrap();
    let coefficient = row.block(0).unwrap().terms()[0].coefficient().as_constant();
    assert_eq!(coefficient, Some(2f64.powi(60)));
}

/// Derivatives of high order of nonlinear terms grow until they are refused.
#[test]
fn derivatives_that_explode_are_refused() {
    let u = unknown("u");
    let wild = (0..40).fold(sin(u * X) / (2.0 + sin(u)), |e: Expr, _| e.d(X));
    let refused = frame().lower(&wild).unwrap_err();
    assert!(
        matches!(refused, StatementError::TooLarge { .. }),
        "{refused}"
    );
    // Many components, too.
    let many = vector((0..2000).map(|_| u));
    let product = dot(vector([many.clone()]).d(X), many.clone());
    assert!(frame().lower(&product).is_ok());
    let outer = dot(transpose(vector([many.clone()])), vector([many]));
    let refused = frame().lower(&outer).unwrap_err();
    assert!(
        matches!(refused, StatementError::TooLarge { .. }),
        "{refused}"
    );
}

/// Sums of very many terms are no deeper than they need be.
#[test]
fn long_sums_are_fine() {
    let u = unknown("u");
    let long = (0..20_000).fold(Expr::from(0.0), |sum, k| sum + f64::from(k) * u.d(X));
    let row = frame().lower_scalar(&long).unwrap().row().unwrap();
    assert_eq!(row.to_string(), "199990000 ∂/∂x₀ u₀");
    let product: Expr = (0..20_000).map(|_| Expr::from(u)).product();
    assert!(!frame().lower_scalar(&product).unwrap().is_linear());
}

#[test]
fn long_texts_end_in_time() {
    on_a_small_stack(|| {
        for part in [
            "(",
            "[",
            "−",
            "-",
            "Δ",
            "∇",
            "∇·",
            "Δ²",
            "(−Δ)^0.5 ",
            "sin(",
            "`",
            "``",
            "_",
            "u_",
            "^",
            "u^2 ",
            "²",
            "ᵀ",
            "∫[0, 1](",
            "1/",
            "u/",
            "u·",
            "u ",
            "u + ",
            "u − (",
            ",",
            "=",
            "1e",
            ".",
            "9",
            "₀",
            "x₁",
            " ",
            "(u)(",
            "u^(",
            "{",
            "\u{0}",
            "é",
            "u_x",
        ] {
            let text = part.repeat(30_000);
            for text in [
                text.clone(),
                format!("u{text}"),
                format!("{text}u"),
                format!("u_x{text}"),
            ] {
                match Expr::parse(&text) {
                    Ok(e) => drop(frame().lower(&e)),
                    Err(error) => assert!(error.to_string().len() < 3000),
                }
            }
        }
        // One hundred thousand derivatives.
        assert!(Expr::parse(&format!("u_{}", "x".repeat(100_000))).is_err());
    });
}

#[test]
fn random_texts_are_read_or_refused() {
    let alphabet: Vec<char> =
        "uvwxyztnIdpiabc0123456789.,+-−*/^_²³⁰()[]{}`Δ∇·∫πᵀ=₀₁… \n'sincosexplnkνeE\u{300}😀"
            .chars()
            .collect();
    let words = Vocabulary::default()
        .with_parameters(["k", "ν"])
        .with_coordinates(["a"]);
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        // xorshift64
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut read = 0;
    for _ in 0..200_000 {
        let length = 1 + next(12);
        let text: String = (0..length)
            .map(|_| alphabet[next(alphabet.len())])
            .collect();
        if let Ok(e) = Expr::parse_with(&text, &words) {
            read += 1;
            let printed = e.to_string();
            if !printed.contains("inf") && !printed.contains("NaN") {
                assert_eq!(Expr::parse_with(&printed, &e.vocabulary()), Ok(e), "{text}");
            }
        }
    }
    // Enough of them mean something for the test to mean something.
    assert!(read > 1000, "{read}");
}
