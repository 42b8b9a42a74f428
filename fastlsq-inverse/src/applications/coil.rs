//! Where is the coil? Magnetostatics of a quadrupole with iron poles and yoke (paper, coil
//! localisation).

use fastlsq_basis::Dual;
use fastlsq_solve::{
    BoxDomain, Field, LinearProblem, Operator, Options, Parity, Solution, SolveError, Symmetry,
    diffusion, partial,
};
use ndarray::Array2;

use super::level_lines::{level_lines, on_grid, square_grid};
use crate::optimise::{AdamOptions, LearningRate, Method};
use crate::reference::{GridPotential, with_noise};
use crate::{FitOptions, InverseProblem, Observations, Parameter};

/// Half the difference at which pole and yoke blend into each other in the permeability.
const BLEND: f64 = 0.02;
/// The width of a coil.
const WIDTH: f64 = 0.1;

/// ∇·(ν∇A) = −J on [−1, 1]², A = 0 on all sides, B = (∂A/∂y, −∂A/∂x): the position (x, y) of a coil
/// and its three mirror images from B at sensors around the axis.
///
/// ν = 1/μᵣ with μᵣ = 1 + 49 max(pole, yoke), the maximum smoothed so that ∇ν exists everywhere; it
/// comes in closed form from dual numbers. Readings come from finite volumes.
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

/// The relative permeability at a point.
fn permeability<const K: usize>(x: Dual<K>, y: Dual<K>) -> Dual<K> {
    let step = |z: Dual<K>| 1.0 / (1.0 + (-z).exp());
    let (xx, yy) = (x * x, y * y);
    let h = ((xx - yy).powi(2) + 1e-4).sqrt();
    let r = (xx + yy + 1e-12).sqrt();
    let inside = step(40.0 * (0.85 - r));
    let pole = step(40.0 * (h - 0.35 * 0.35)) * inside;
    let yoke = step(40.0 * (r - 0.70)) * inside;
    let largest = 0.5 * (pole + yoke + ((pole - yoke).powi(2) + BLEND * BLEND).sqrt());
    1.0 + 49.0 * largest
}

/// The current density 35 [G(x, y) + G(−x, −y) − G(−x, y) − G(x, −y)] of coils at (±x, ±y).
fn current<const K: usize>(point: &[f64], x: Dual<K>, y: Dual<K>) -> Dual<K> {
    let gauss = |cx: Dual<K>, cy: Dual<K>| {
        let square = (point[0] - cx).powi(2) + (point[1] - cy).powi(2);
        (-square / (2.0 * WIDTH * WIDTH)).exp()
    };
    35.0 * (gauss(x, y) + gauss(-x, -y) - gauss(-x, y) - gauss(x, -y))
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
    /// while the search still swings along the valley x + y = const.
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

    /// So many features, odd in x and in y as the field is.
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
        permeability::<1>(Dual::constant(x), Dual::constant(y)).value()
    }

    /// J at a point for a coil at this position, for figures.
    #[must_use]
    pub fn current(point: [f64; 2], position: [f64; 2]) -> f64 {
        let [x, y] = position.map(Dual::<1>::constant);
        current(&point, x, y).value()
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

    /// The sensors, one row a point.
    #[must_use]
    pub fn sensor_points(&self) -> Array2<f64> {
        Array2::from_shape_fn((self.sensors.len(), 2), |(i, axis)| self.sensors[i][axis])
    }

    /// ∇·(ν∇A)/ν: the equation divided by ν, so that iron and air count alike.
    fn operator() -> Operator {
        let nu = |x: &[f64]| {
            let mu = permeability(Dual::<2>::variable(x[0], 0), Dual::variable(x[1], 1));
            // ∇ν/ν = −∇μ/μ
            (
                mu.value(),
                -mu.slope(0) / mu.value(),
                -mu.slope(1) / mu.value(),
            )
        };
        diffusion(
            Field::constant(1.0),
            [
                Field::new("∂ν/ν∂x", move |x| nu(x).1),
                Field::new("∂ν/ν∂y", move |x| nu(x).2),
            ],
        )
    }

    /// The inverse problem with these readings, in the coordinates (x, y) of the coil.
    ///
    /// # Errors
    /// None for the set-ups of this module.
    pub fn problem(
        &self,
        readings: &[f64],
        deviations: [f64; 2],
    ) -> Result<InverseProblem<2>, SolveError> {
        let [x, y] = self.start;
        let parameters = [
            Parameter::new("x", x).within(0.1, 0.9).unit(1.0),
            Parameter::new("y", y).within(0.1, 0.9).unit(1.0),
        ];
        self.state(readings, deviations, parameters, |p| (p[0], p[1]))
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
    ) -> Result<InverseProblem<2>, SolveError> {
        let [x, y] = self.start;
        let parameters = [
            Parameter::new("mean", 0.5 * (x + y))
                .within(0.1, 0.9)
                .unit(1.0),
            Parameter::new("half difference", 0.5 * (x - y))
                .within(-0.4, 0.4)
                .unit(1.0),
        ];
        self.state(readings, deviations, parameters, |p| {
            (p[0] + p[1], p[0] - p[1])
        })
    }

    /// (x, y) for the parameters of [`rotated_problem`](Self::rotated_problem).
    #[must_use]
    pub fn position(rotated: &[f64; 2]) -> [f64; 2] {
        [rotated[0] + rotated[1], rotated[0] - rotated[1]]
    }

    fn state(
        &self,
        readings: &[f64],
        deviations: [f64; 2],
        parameters: [Parameter; 2],
        position: fn(&[Dual<2>; 2]) -> (Dual<2>, Dual<2>),
    ) -> Result<InverseProblem<2>, SolveError> {
        let forward = LinearProblem::on(BoxDomain::new(&[-1.0, -1.0], &[1.0, 1.0])?)
            .equation(Self::operator(), |_| 0.0)
            .dirichlet(|_| 0.0);
        let (along_x, along_y) = readings.split_at(readings.len() / 2);
        let points = self.sensor_points();
        Ok(InverseProblem::of(forward, parameters)
            .source(0, move |point, p| {
                let (x, y) = position(p);
                -Self::permeability(point[0], point[1]) * current(point, x, y)
            })
            .observe(
                Observations::of(partial(2, 1), points.clone(), along_x)
                    .deviation(deviations[0])
                    .named("B along x"),
            )
            .observe(
                Observations::of(-partial(2, 0), points, along_y)
                    .deviation(deviations[1])
                    .named("B along y"),
            )
            .options(self.options.clone()))
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

    /// B = (∂A/∂y, −∂A/∂x) of a solution at points, one row a point, for figures.
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
