//! Where is the coil? Magnetostatics of a quadrupole with iron poles and yoke (paper, coil
//! localisation).

use fastlsq_solve::{
    BoxDomain, Expr, Options, Parity, Solution, SolveError, Symmetry, X, Y, div, exp, grad,
    parameters, sqrt, unknown,
};
use ndarray::Array2;

use super::level_lines::{level_lines, on_grid, square_grid};
use crate::optimise::{AdamOptions, LearningRate, Method};
use crate::reference::{GridPotential, with_noise};
use crate::{FitOptions, InverseProblem, Observations, Sought};

/// Half the difference at which pole and yoke blend into each other in the permeability.
const BLEND: f64 = 0.02;
/// The width of a coil.
const WIDTH: f64 = 0.1;

/// ∇·(ν∇A) = −J on [−1, 1]², A = 0 on all sides, B = (∂A/∂y, −∂A/∂x): the position (x, y) of a coil
/// and its three mirror images from B at sensors around the axis.
///
/// ν = 1/μᵣ with μᵣ = 1 + 49 max(pole, yoke), the maximum smoothed so that ∇ν exists everywhere.
/// Readings come from finite volumes.
#[derive(Debug, Clone)]
pub struct Coil {
    /// The true position.
    pub truth: [f64; 2],
    /// Where the search starts.
    pub start: [f64; 2],
    /// The sensors.
    pub sensors: Vec<[f64; 2]>,
    /// Noise as a share of the largest reading of each component.
    pub noise: f64,
    /// How the forward problem is discretised.
    pub options: Options,
}

/// The relative permeability at (x, y).
fn permeability(x: &Expr, y: &Expr) -> Expr {
    let step = |z: Expr| 1.0 / (1.0 + exp(-z));
    let (xx, yy) = (x * x, y * y);
    let h = sqrt((&xx - &yy).powi(2) + 1e-4);
    let r = sqrt(xx + yy + 1e-12);
    let inside = step(40.0 * (0.85 - &r));
    let pole = step(40.0 * (h - 0.35 * 0.35)) * &inside;
    let yoke = step(40.0 * (r - 0.70)) * inside;
    let apart = sqrt((&pole - &yoke).powi(2) + BLEND * BLEND);
    1.0 + 24.5 * (pole + yoke + apart)
}

/// The current density 35 [G(x, y) + G(−x, −y) − G(−x, y) − G(x, −y)] at a point, of coils at (±x, ±y).
fn current(point: [&Expr; 2], coil: [&Expr; 2]) -> Expr {
    let gauss = |x: Expr, y: Expr| {
        let square = (point[0] - x).powi(2) + (point[1] - y).powi(2);
        exp(-square / (2.0 * WIDTH * WIDTH))
    };
    let [x, y] = coil.map(Clone::clone);
    let (left, below) = (-&x, -&y);
    35.0 * (gauss(x.clone(), y.clone()) + gauss(left.clone(), below.clone())
        - gauss(left, y)
        - gauss(x, below))
}

/// The value of a formula whose arguments are all numbers.
fn number(formula: &Expr) -> f64 {
    formula.as_number().unwrap_or(f64::NAN)
}

impl Coil {
    /// The paper's set-up: eight sensors at radius 0.25, noise 1 %.
    #[must_use]
    pub fn paper() -> Self {
        let sensors = (0..8).map(|k| {
            let angle = std::f64::consts::FRAC_PI_4 * f64::from(k);
            [0.25 * angle.cos(), 0.25 * angle.sin()]
        });
        Self {
            truth: [0.45, 0.45],
            start: [0.2, 0.8],
            sensors: sensors.collect(),
            noise: 0.01,
            options: Self::discretisation(2000),
        }
    }

    /// Adam as in the paper, for [`problem`](Self::problem): 40 steps with rate 0.04 in x and y. They end
    /// while the search still oscillates along the valley x + y = const.
    #[must_use]
    pub fn paper_adam() -> FitOptions {
        FitOptions::new()
            .gradient(Method::Adam(AdamOptions::with_rate(0.04)))
            .max_iterations(40)
    }

    /// Adam with 40 steps and a rate that falls from 0.08 to 0.008, for
    /// [`rotated_problem`](Self::rotated_problem).
    #[must_use]
    pub fn falling_adam() -> FitOptions {
        let settings = AdamOptions {
            learning_rate: LearningRate::Cosine {
                initial: 0.08,
                last: 0.008,
                steps: 40,
            },
            ..AdamOptions::default()
        };
        FitOptions::new()
            .gradient(Method::Adam(settings))
            .max_iterations(40)
    }

    /// This many features, odd in x and in y as the field is.
    #[must_use]
    pub fn discretisation(features: usize) -> Options {
        Options::new()
            .features(features)
            .bandwidth(30.0)
            .rows(5 * features, features / 2)
            .symmetry(Symmetry::Declared(vec![Parity::Odd, Parity::Odd]))
    }

    /// μᵣ at a point, for figures.
    #[must_use]
    pub fn permeability(x: f64, y: f64) -> f64 {
        number(&permeability(&x.into(), &y.into()))
    }

    /// J at a point for a coil at this position, for figures.
    #[must_use]
    pub fn current(point: [f64; 2], position: [f64; 2]) -> f64 {
        let ([x, y], [cx, cy]) = (point.map(Expr::from), position.map(Expr::from));
        number(&current([&x, &y], [&cx, &cy]))
    }

    /// The readings without noise, all x components first: finite volumes on a quarter of the square
    /// with this many cells along each side.
    #[must_use]
    pub fn reference_readings(&self, cells: usize) -> Vec<f64> {
        let truth = self.truth;
        let grid = GridPotential::solve(
            cells,
            |x, y| 1.0 / Self::permeability(x, y),
            |x, y| Self::current([x, y], truth),
        );
        let gradients: Vec<[f64; 2]> = self
            .sensors
            .iter()
            .map(|[x, y]| grid.gradient(*x, *y))
            .collect();
        let along_x = gradients.iter().map(|g| g[1]);
        along_x.chain(gradients.iter().map(|g| -g[0])).collect()
    }

    /// The deviation of the noise of each component.
    #[must_use]
    pub fn deviations(&self, exact: &[f64]) -> [f64; 2] {
        let (along_x, along_y) = exact.split_at(exact.len() / 2);
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        [self.noise * largest(along_x), self.noise * largest(along_y)]
    }

    /// Readings with noise from this seed.
    #[must_use]
    pub fn readings(&self, exact: &[f64], seed: u64) -> Vec<f64> {
        let [sx, sy] = self.deviations(exact);
        let (along_x, along_y) = exact.split_at(exact.len() / 2);
        let mut readings = with_noise(along_x, sx, 2 * seed);
        readings.extend(with_noise(along_y, sy, 2 * seed + 1));
        readings
    }

    /// The sensors, one row per point.
    #[must_use]
    pub fn sensor_points(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.sensors.len(), 2), |(i, axis)| self.sensors[i][axis])
    }

    /// The inverse problem with these readings, in the coordinates (x, y) of the coil.
    ///
    /// # Errors
    /// None for the set-ups of this module.
    pub fn problem(
        &self,
        readings: &[f64],
        deviations: [f64; 2],
    ) -> Result<InverseProblem, SolveError> {
        let [cx, cy] = parameters(["cx", "cy"]);
        let [x, y] = self.start;
        let stated = self.state(readings, deviations, &[cx.into(), cy.into()])?;
        Ok(stated
            .find(Sought::new(cx, x).within(0.1, 0.9).unit(1.0))
            .find(Sought::new(cy, y).within(0.1, 0.9).unit(1.0)))
    }

    /// The inverse problem in the mean (x + y)/2 and the half difference (x − y)/2. The readings
    /// determine the mean twenty times better, and methods that scale each parameter by itself (Adam)
    /// do not have to creep along a diagonal valley.
    ///
    /// # Errors
    /// None for the set-ups of this module.
    pub fn rotated_problem(
        &self,
        readings: &[f64],
        deviations: [f64; 2],
    ) -> Result<InverseProblem, SolveError> {
        let [mean, difference] = parameters(["mean", "half difference"]);
        let [x, y] = self.start;
        let position = [mean + difference, mean - difference];
        let stated = self.state(readings, deviations, &position)?;
        Ok(stated
            .find(Sought::new(mean, 0.5 * (x + y)).within(0.1, 0.9).unit(1.0))
            .find(
                Sought::new(difference, 0.5 * (x - y))
                    .within(-0.4, 0.4)
                    .unit(1.0),
            ))
    }

    /// (x, y) for the parameters of [`rotated_problem`](Self::rotated_problem).
    #[must_use]
    pub fn position(rotated: &[f64]) -> [f64; 2] {
        match rotated {
            [mean, difference] => [mean + difference, mean - difference],
            _ => [f64::NAN; 2],
        }
    }

    /// Everything but what is sought, for a coil at this position.
    fn state(
        &self,
        readings: &[f64],
        deviations: [f64; 2],
        position: &[Expr; 2],
    ) -> Result<InverseProblem, SolveError> {
        let a = unknown("A");
        let (x, y) = (Expr::from(X), Expr::from(Y));
        let mu = permeability(&x, &y);
        let current = current([&x, &y], position.each_ref());
        let (along_x, along_y) = readings.split_at(readings.len() / 2);
        let points = self.sensor_points();
        Ok(
            InverseProblem::on(BoxDomain::new(&[-1.0, -1.0], &[1.0, 1.0])?)
                // Divided by ν, so that iron and air count alike.
                .equation(&mu * div(grad(a) / &mu), -mu * current)
                .dirichlet(0.0)
                .observe(
                    Observations::of(a.d(Y), points.clone(), along_x)
                        .deviation(deviations[0])
                        .named("B along x"),
                )
                .observe(
                    Observations::of(-a.d(X), points, along_y)
                        .deviation(deviations[1])
                        .named("B along y"),
                )
                .options(self.options.clone()),
        )
    }

    /// What a map of the field needs, on a grid with this many nodes along each side of the square.
    ///
    /// # Errors
    /// A solution of another dimension.
    pub fn map(solution: &Solution, nodes: usize) -> Result<CoilMap, SolveError> {
        let (axis, points) = square_grid(-1.0, 1.0, nodes);
        let side = axis.len();
        let values = solution.values(points.view())?;
        Ok(CoilMap {
            potential: on_grid(&values, side),
            permeability: Array2::from_shape_fn((side, side), |(i, j)| {
                Self::permeability(axis[i], axis[j])
            }),
            axis,
        })
    }

    /// B = (∂A/∂y, −∂A/∂x) of a solution at points, one row per point, for figures.
    ///
    /// # Errors
    /// Points of another dimension.
    pub fn field(solution: &Solution, points: &Array2<f64>) -> Result<Array2<f64>, SolveError> {
        let gradients = solution.gradients(points.view())?;
        Ok(Array2::from_shape_fn((points.nrows(), 2), |(i, axis)| {
            if axis == 0 {
                gradients[(i, 1)]
            } else {
                -gradients[(i, 0)]
            }
        }))
    }
}

/// The potential A and the permeability μᵣ on a grid over the square.
#[derive(Debug, Clone)]
pub struct CoilMap {
    /// The coordinates of the nodes along either side.
    pub axis: Vec<f64>,
    /// A at (x, y), by x and y.
    pub potential: Array2<f64>,
    /// μᵣ at (x, y), by x and y.
    pub permeability: Array2<f64>,
}

impl CoilMap {
    /// Lines of the field B = (∂A/∂y, −∂A/∂x), which is tangent to the lines of equal A: `count` levels
    /// on either side of zero, with equal flux between neighbours. A = 0 itself, on the walls and the
    /// axes, is left out.
    #[must_use]
    pub fn field_lines(&self, count: usize) -> Vec<Vec<[f64; 2]>> {
        let largest = self.potential.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        let level = |k: usize| largest * (k as f64 + 0.5) / count as f64;
        (0..count)
            .flat_map(|k| [level(k), -level(k)])
            .flat_map(|level| level_lines(&self.axis, &self.axis, &self.potential, level))
            .collect()
    }

    /// The outline of the iron: where μᵣ is halfway between that of air and its largest value.
    #[must_use]
    pub fn iron_outline(&self) -> Vec<Vec<[f64; 2]>> {
        let largest = self.permeability.iter().fold(1.0_f64, |m, mu| m.max(*mu));
        level_lines(
            &self.axis,
            &self.axis,
            &self.permeability,
            0.5 * (1.0 + largest),
        )
    }
}
