//! Levenberg–Marquardt on regression problems with certified answers, exact fits and bounds.

use faer::MatMut;
use fastlsq_inverse::optimise::{
    Bounds, ConvergenceTest, EvaluationError, LevenbergMarquardtOptions, Minimum, OptimiseError,
    Residuals, SquaresOptions, Status, minimise_squares, minimise_squares_from_starts,
};

/// r = model(x; parameters) − y, with the gradient of the model.
struct Regression<'a, M> {
    data: &'a [(f64, f64)],
    parameters: usize,
    model: M,
}

impl<M: Fn(f64, &[f64], &mut [f64]) -> f64> Residuals for Regression<'_, M> {
    fn dimension(&self) -> usize {
        self.parameters
    }

    fn count(&self) -> usize {
        self.data.len()
    }

    fn residuals(&self, b: &[f64], r: &mut [f64]) -> Result<(), EvaluationError> {
        let mut ignored = vec![0.0; b.len()];
        for (r, &(y, x)) in r.iter_mut().zip(self.data) {
            *r = (self.model)(x, b, &mut ignored) - y;
        }
        Ok(())
    }

    fn jacobian(&self, b: &[f64], mut j: MatMut<'_, f64>) -> Result<(), EvaluationError> {
        let mut gradient = vec![0.0; b.len()];
        for (i, &(_, x)) in self.data.iter().enumerate() {
            (self.model)(x, b, &mut gradient);
            for (k, g) in gradient.iter().enumerate() {
                j[(i, k)] = *g;
            }
        }
        Ok(())
    }
}

fn fit(problem: &impl Residuals, start: &[f64]) -> Minimum {
    let bounds = Bounds::unbounded(start.len());
    minimise_squares(problem, start, &bounds, &SquaresOptions::new()).expect("a fit")
}

/// Relative to the certified values of the NIST reference data sets, given to 11 digits.
fn assert_certified(minimum: &Minimum, parameters: &[f64], sum_of_squares: f64) {
    assert!(minimum.status.is_converged(), "{minimum}");
    for (found, certified) in minimum.parameters.iter().zip(parameters) {
        assert!(
            (found / certified - 1.0).abs() < 1e-7,
            "{found} {certified}: {minimum}"
        );
    }
    assert!(
        (2.0 * minimum.value / sum_of_squares - 1.0).abs() < 1e-9,
        "{minimum}"
    );
}

/// Misra1a: y = b₁ (1 − exp(−b₂ x)).
#[test]
fn nist_misra1a_from_both_starts() {
    const DATA: [(f64, f64); 14] = [
        (10.07, 77.6),
        (14.73, 114.9),
        (17.94, 141.1),
        (23.93, 190.8),
        (29.61, 239.9),
        (35.18, 289.0),
        (40.02, 332.8),
        (44.82, 378.4),
        (50.76, 434.8),
        (55.05, 477.3),
        (61.01, 536.8),
        (66.40, 593.1),
        (75.47, 689.1),
        (81.78, 760.0),
    ];
    let model = |x: f64, b: &[f64], g: &mut [f64]| {
        let decay = (-b[1] * x).exp();
        g[0] = 1.0 - decay;
        g[1] = b[0] * x * decay;
        b[0] * (1.0 - decay)
    };
    let problem = Regression {
        data: &DATA,
        parameters: 2,
        model,
    };
    for start in [[500.0, 0.0001], [250.0, 0.0005]] {
        let minimum = fit(&problem, &start);
        assert_certified(
            &minimum,
            &[238.942_129_18, 5.501_564_318_1e-4],
            0.124_551_388_94,
        );
    }
}

/// MGH09: y = b₁ (x² + x b₂) / (x² + x b₃ + b₄), of higher difficulty.
#[test]
fn nist_mgh09_from_the_second_start() {
    const DATA: [(f64, f64); 11] = [
        (0.1957, 4.0),
        (0.1947, 2.0),
        (0.1735, 1.0),
        (0.16, 0.5),
        (0.0844, 0.25),
        (0.0627, 0.167),
        (0.0456, 0.125),
        (0.0342, 0.1),
        (0.0323, 0.0833),
        (0.0235, 0.0714),
        (0.0246, 0.0625),
    ];
    let model = |x: f64, b: &[f64], g: &mut [f64]| {
        let numerator = x * x + x * b[1];
        let denominator = x * x + x * b[2] + b[3];
        let ratio = numerator / denominator;
        g[0] = ratio;
        g[1] = b[0] * x / denominator;
        g[2] = -b[0] * ratio * x / denominator;
        g[3] = -b[0] * ratio / denominator;
        b[0] * ratio
    };
    let problem = Regression {
        data: &DATA,
        parameters: 4,
        model,
    };
    let minimum = fit(&problem, &[0.25, 0.39, 0.415, 0.39]);
    let certified = [
        0.192_806_934_58,
        0.191_282_328_73,
        0.123_056_506_93,
        0.136_062_330_68,
    ];
    assert_certified(&minimum, &certified, 3.075_056_038_5e-4);
}

/// A sum of two exponentials, with data without noise.
fn two_decays(x: f64, b: &[f64], g: &mut [f64]) -> f64 {
    let (e1, e2) = ((-b[1] * x).exp(), (-b[3] * x).exp());
    g.copy_from_slice(&[e1, -b[0] * x * e1, e2, -b[2] * x * e2]);
    b[0] * e1 + b[2] * e2
}

fn exact_decays() -> Vec<(f64, f64)> {
    let truth = [2.0, 0.5, -1.0, 3.0];
    (0..20)
        .map(|i| {
            let x = 0.2 * f64::from(i);
            (two_decays(x, &truth, &mut [0.0; 4]), x)
        })
        .collect()
}

#[test]
fn an_exact_fit_is_found_to_machine_precision() {
    let data = exact_decays();
    let problem = Regression {
        data: &data,
        parameters: 4,
        model: two_decays,
    };
    let minimum = fit(&problem, &[1.0, 1.0, -0.5, 2.0]);
    assert!(minimum.status.is_converged(), "{minimum}");
    assert!(minimum.value < 1e-25, "{minimum}");
    for (found, exact) in minimum.parameters.iter().zip([2.0, 0.5, -1.0, 3.0]) {
        assert!((found - exact).abs() < 1e-10, "{:?}", minimum.parameters);
    }
    // Quadratic convergence: a dozen steps, not hundreds.
    assert!(minimum.iterations < 30, "{minimum}");
    assert_eq!(minimum.gradient_evaluations, minimum.history.len() as u64);
}

#[test]
fn a_bound_that_cuts_off_the_fit_becomes_active_and_the_rest_adapts() {
    let data = exact_decays();
    let problem = Regression {
        data: &data,
        parameters: 4,
        model: two_decays,
    };
    let bounds =
        Bounds::from_pairs(&[(0.0, 1.8), (0.0, 10.0), (-5.0, 0.0), (0.0, f64::INFINITY)]).unwrap();
    let minimum = minimise_squares(
        &problem,
        &[1.0, 1.0, -0.5, 2.0],
        &bounds,
        &SquaresOptions::new(),
    )
    .unwrap();
    assert!(minimum.status.is_converged(), "{minimum}");
    assert_eq!(minimum.at_bounds, [0]);
    assert!(
        minimum.gradient[0] < 0.0,
        "the multiplier pushes against the side"
    );
    assert!(
        minimum.gradient[1..].iter().all(|g| g.abs() < 1e-9),
        "{:?}",
        minimum.gradient
    );
    assert!(minimum.value > 1e-4);
}

#[test]
fn fewer_residuals_than_parameters_still_fit() {
    let data = [(1.0, 0.5)];
    let line = |x: f64, b: &[f64], g: &mut [f64]| {
        g.copy_from_slice(&[1.0, x, 0.0]);
        b[0] + b[1] * x
    };
    let minimum = fit(
        &Regression {
            data: &data,
            parameters: 3,
            model: line,
        },
        &[0.0, 0.0, 7.0],
    );
    assert!(minimum.value < 1e-25, "{minimum}");
    assert_eq!(
        minimum.parameters[2], 7.0,
        "a parameter without influence stays"
    );
}

#[test]
fn undefined_residuals_shorten_the_step() {
    // ln b is undefined where the first Gauss–Newton step from 0.01 would go for the target 2.
    let data = [(0.5_f64.ln(), 0.0)];
    let log = |_: f64, b: &[f64], g: &mut [f64]| {
        g[0] = 1.0 / b[0];
        b[0].ln()
    };
    let problem = Regression {
        data: &data,
        parameters: 1,
        model: log,
    };
    let minimum = fit(&problem, &[10.0]);
    assert!((minimum.parameters[0] - 0.5).abs() < 1e-12, "{minimum}");
    assert!(
        minimum.evaluations > minimum.gradient_evaluations,
        "some trial was refused"
    );
}

#[test]
fn several_starts_report_every_run() {
    let data = exact_decays();
    let problem = Regression {
        data: &data,
        parameters: 4,
        model: two_decays,
    };
    let starts = [
        vec![1.0, 1.0, -0.5, 2.0],
        vec![f64::NAN, 0.0, 0.0, 0.0],
        vec![1.0, 0.4, -2.0, 5.0],
    ];
    let bounds = Bounds::unbounded(4);
    let result =
        minimise_squares_from_starts(&problem, &starts, &bounds, &SquaresOptions::new()).unwrap();
    assert_eq!(result.runs.len(), 3);
    assert!(matches!(
        result.runs[1],
        Err(OptimiseError::NonFiniteStart { index: 0, .. })
    ));
    assert_eq!(result.agreeing(1e-12), 2);
    assert!(result.best.value < 1e-25);
}

#[test]
fn bad_input_is_named() {
    let data = [(1.0, 0.0)];
    let broken = |_: f64, _: &[f64], g: &mut [f64]| {
        g[0] = f64::NAN;
        1.5
    };
    let problem = Regression {
        data: &data,
        parameters: 1,
        model: broken,
    };
    let free = Bounds::unbounded(1);
    let error = minimise_squares(&problem, &[0.0], &free, &SquaresOptions::new()).unwrap_err();
    assert!(
        matches!(
            error,
            OptimiseError::NonFiniteJacobian {
                row: 0,
                column: 0,
                ..
            }
        ),
        "{error}"
    );

    let undefined = |_: f64, _: &[f64], g: &mut [f64]| {
        g[0] = 1.0;
        f64::INFINITY
    };
    let problem = Regression {
        data: &data,
        parameters: 1,
        model: undefined,
    };
    let error = minimise_squares(&problem, &[0.0], &free, &SquaresOptions::new()).unwrap_err();
    assert!(
        matches!(error, OptimiseError::NonFiniteValue { .. }),
        "{error}"
    );

    let problem = Regression {
        data: &[],
        parameters: 1,
        model: undefined,
    };
    let error = minimise_squares(&problem, &[0.0], &free, &SquaresOptions::new()).unwrap_err();
    assert!(
        matches!(error, OptimiseError::Empty { what: "residuals" }),
        "{error}"
    );

    let options = SquaresOptions::new().method(LevenbergMarquardtOptions {
        initial_damping: 0.0,
        ..LevenbergMarquardtOptions::default()
    });
    let error = minimise_squares(&problem, &[0.0], &free, &options).unwrap_err();
    assert!(
        matches!(
            error,
            OptimiseError::Option {
                name: "initial_damping",
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_start_at_the_minimum_converges_at_once() {
    let data = exact_decays();
    let problem = Regression {
        data: &data,
        parameters: 4,
        model: two_decays,
    };
    let minimum = fit(&problem, &[2.0, 0.5, -1.0, 3.0]);
    assert_eq!(
        minimum.status,
        Status::Converged(ConvergenceTest::ProjectedGradient)
    );
    assert_eq!((minimum.iterations, minimum.evaluations), (0, 1));
}
