//! Sine series on the unit square, summed to rounding.

use std::f64::consts::PI;

/// Coefficients F_mn = 4 ∫∫ f sin mπx sin nπy, by Gauss–Legendre panels.
#[derive(Debug, Clone)]
struct Coefficients {
    modes: usize,
    /// Row m − 1, column n − 1.
    values: Vec<f64>,
}

impl Coefficients {
    fn new(modes: usize, f: impl Fn(f64, f64) -> f64) -> Self {
        // At least eight points for each half wave of the fastest mode.
        let (nodes, weights) = panels(modes);
        let table: Vec<f64> = (1..=modes)
            .flat_map(|m| nodes.iter().map(move |x| (m as f64 * PI * x).sin()))
            .collect();
        let count = nodes.len();
        // First along y, then along x.
        let mut inner = vec![0.0; count * modes];
        for (i, x) in nodes.iter().enumerate() {
            let values: Vec<f64> = nodes
                .iter()
                .zip(&weights)
                .map(|(y, w)| w * f(*x, *y))
                .collect();
            for n in 0..modes {
                let sines = &table[n * count..(n + 1) * count];
                inner[i * modes + n] = values.iter().zip(sines).map(|(v, s)| v * s).sum();
            }
        }
        let mut coefficients = vec![0.0; modes * modes];
        for m in 0..modes {
            let sines = &table[m * count..(m + 1) * count];
            for i in 0..count {
                let factor = 4.0 * weights[i] * sines[i];
                for n in 0..modes {
                    coefficients[m * modes + n] += factor * inner[i * modes + n];
                }
            }
        }
        Self {
            modes,
            values: coefficients,
        }
    }

    /// Σ F_mn g(λ_mn) sin mπx sin nπy with λ_mn = π²(m² + n²).
    fn sum(&self, x: f64, y: f64, g: impl Fn(f64) -> f64) -> f64 {
        let sines = |x: f64| -> Vec<f64> {
            (1..=self.modes)
                .map(|m| (m as f64 * PI * x).sin())
                .collect()
        };
        let (along_x, along_y) = (sines(x), sines(y));
        let mut total = 0.0;
        for (m, sx) in along_x.iter().enumerate() {
            for (n, sy) in along_y.iter().enumerate() {
                let squares = ((m + 1) * (m + 1) + (n + 1) * (n + 1)) as f64;
                total += self.values[m * self.modes + n] * g(PI * PI * squares) * sx * sy;
            }
        }
        total
    }
}

/// Nodes and weights of an eight-point Gauss–Legendre rule on each of `panels` equal parts of [0, 1].
fn panels(panels: usize) -> (Vec<f64>, Vec<f64>) {
    const NODES: [f64; 4] = [
        0.183_434_642_495_649_8,
        0.525_532_409_916_329,
        0.796_666_477_413_626_7,
        0.960_289_856_497_536_2,
    ];
    const WEIGHTS: [f64; 4] = [
        0.362_683_783_378_362,
        0.313_706_645_877_887_3,
        0.222_381_034_453_374_5,
        0.101_228_536_290_376_3,
    ];
    let panels = panels.max(1);
    let half = 0.5 / panels as f64;
    let (mut nodes, mut weights) = (Vec::new(), Vec::new());
    for panel in 0..panels {
        let centre = (2 * panel + 1) as f64 * half;
        for (node, weight) in NODES.iter().zip(WEIGHTS) {
            for sign in [-1.0, 1.0] {
                nodes.push(centre + sign * half * node);
                weights.push(half * weight);
            }
        }
    }
    (nodes, weights)
}

/// The solution of −Δu = f on the unit square with u = 0 around it.
#[derive(Debug, Clone)]
pub struct PoissonSeries(Coefficients);

impl PoissonSeries {
    /// The series with this many modes along each axis.
    pub fn new(modes: usize, source: impl Fn(f64, f64) -> f64) -> Self {
        Self(Coefficients::new(modes, source))
    }

    /// u(x, y).
    #[must_use]
    pub fn value(&self, x: f64, y: f64) -> f64 {
        self.0.sum(x, y, |lambda| 1.0 / lambda)
    }
}

/// The solution of u_t − αΔu = f(x, y) on the unit square with u = 0 around it and at t = 0.
#[derive(Debug, Clone)]
pub struct HeatSeries {
    coefficients: Coefficients,
    diffusivity: f64,
}

impl HeatSeries {
    /// The series with this many modes along each axis.
    pub fn new(modes: usize, diffusivity: f64, source: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            coefficients: Coefficients::new(modes, source),
            diffusivity,
        }
    }

    /// u(x, y, t) = Σ F_mn (1 − e^{−αλt})/(αλ) sin mπx sin nπy.
    #[must_use]
    pub fn value(&self, x: f64, y: f64, t: f64) -> f64 {
        self.coefficients.sum(x, y, |lambda| {
            let rate = self.diffusivity * lambda;
            -(-rate * t).exp_m1() / rate
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_modes_are_exact() {
        let source = |x: f64, y: f64| (PI * x).sin() * (2.0 * PI * y).sin();
        let poisson = PoissonSeries::new(8, source);
        let exact = source(0.3, 0.2) / (5.0 * PI * PI);
        assert!((poisson.value(0.3, 0.2) - exact).abs() < 1e-14);
        let heat = HeatSeries::new(8, 0.05, source);
        let rate = 0.05 * 5.0 * PI * PI;
        let exact = source(0.3, 0.2) * (1.0 - (-rate * 0.7_f64).exp()) / rate;
        assert!((heat.value(0.3, 0.2, 0.7) - exact).abs() < 1e-13);
    }

    #[test]
    fn narrow_gaussians_are_resolved() {
        // The source is 0.14 at the wall y = 0, so coefficients fall only like 1/n, and the sum like
        // 1/n³. With the 64 modes in use the rest is below 1e-6; times the amplitude 80 of the
        // strongest heat source that is a twentieth of its noise.
        let source = |x: f64, y: f64| {
            (-0.5 * ((14.0 * (x - 0.22)).powi(2) + (9.0 * (y - 0.22)).powi(2))).exp()
        };
        let (coarse, fine) = (
            HeatSeries::new(64, 0.05, source),
            HeatSeries::new(128, 0.05, source),
        );
        for (x, y, t) in [(0.12, 0.15, 0.05), (0.88, 0.18, 1.5), (0.5, 0.5, 0.4)] {
            let (a, b) = (coarse.value(x, y, t), fine.value(x, y, t));
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}
