//! Finite volumes for ∇·(ν∇A) = −J on [0, 1]², A = 0 around it.

/// The potential at the nodes of a uniform grid, by conservative differences of second order and
/// conjugate gradients.
#[derive(Debug, Clone)]
pub struct GridPotential {
    cells: usize,
    /// Nodes (i, j), i + 1 running along x; boundary nodes are left out.
    values: Vec<f64>,
}

impl GridPotential {
    /// Solves on `cells` × `cells` cells.
    #[must_use]
    pub fn solve(
        cells: usize,
        nu: impl Fn(f64, f64) -> f64,
        current: impl Fn(f64, f64) -> f64,
    ) -> Self {
        let cells = cells.max(4);
        let n = cells - 1;
        let h = 1.0 / cells as f64;
        let at = |i: usize| i as f64 * h;
        // Conductances of the faces between nodes (harmonic means of ν over the face's link).
        let link = |x: f64, y: f64, dx: f64, dy: f64| {
            let samples = [-0.375, -0.125, 0.125, 0.375];
            let resistance: f64 = samples
                .iter()
                .map(|s| 0.25 / nu(x + s * dx, y + s * dy))
                .sum();
            1.0 / resistance
        };
        let mut east = vec![0.0; (n + 1) * n];
        let mut north = vec![0.0; (n + 1) * n];
        for j in 0..n {
            for i in 0..=n {
                east[j * (n + 1) + i] = link(at(i) + 0.5 * h, at(j + 1), h, 0.0);
                north[j * (n + 1) + i] = link(at(j + 1), at(i) + 0.5 * h, 0.0, h);
            }
        }
        let right: Vec<f64> = (0..n * n)
            .map(|k| h * h * current(at(k % n + 1), at(k / n + 1)))
            .collect();
        let diagonal: Vec<f64> = (0..n * n)
            .map(|k| {
                let (i, j) = (k % n, k / n);
                east[j * (n + 1) + i]
                    + east[j * (n + 1) + i + 1]
                    + north[i * (n + 1) + j]
                    + north[i * (n + 1) + j + 1]
            })
            .collect();
        let apply = |u: &[f64], out: &mut [f64]| {
            for j in 0..n {
                for i in 0..n {
                    let k = j * n + i;
                    let mut sum = diagonal[k] * u[k];
                    if i > 0 {
                        sum -= east[j * (n + 1) + i] * u[k - 1];
                    }
                    if i + 1 < n {
                        sum -= east[j * (n + 1) + i + 1] * u[k + 1];
                    }
                    if j > 0 {
                        sum -= north[i * (n + 1) + j] * u[k - n];
                    }
                    if j + 1 < n {
                        sum -= north[i * (n + 1) + j + 1] * u[k + n];
                    }
                    out[k] = sum;
                }
            }
        };
        let values = conjugate_gradients(&right, &diagonal, apply);
        Self { cells, values }
    }

    /// The potential at a node; zero outside the interior.
    fn node(&self, i: isize, j: isize) -> f64 {
        let n = self.cells as isize - 1;
        // Odd about x = 0 and y = 0.
        let sign = if (i < 0) == (j < 0) { 1.0 } else { -1.0 };
        let (i, j) = (i.abs(), j.abs());
        if i < 1 || j < 1 || i > n || j > n {
            return 0.0;
        }
        sign * self.values[((j - 1) * n + i - 1) as usize]
    }

    /// ∇A, extended as an odd function of x and of y, by interpolation of order four.
    #[must_use]
    pub fn gradient(&self, x: f64, y: f64) -> [f64; 2] {
        let scale = self.cells as f64;
        let (i, wx, dx) = stencil(x * scale);
        let (j, wy, dy) = stencil(y * scale);
        let mut gradient = [0.0; 2];
        for a in 0..6 {
            for b in 0..6 {
                let value = self.node(i + a as isize, j + b as isize);
                gradient[0] += dx[a] * wy[b] * value * scale;
                gradient[1] += wx[a] * dy[b] * value * scale;
            }
        }
        gradient
    }
}

/// The first of six nodes around a coordinate, with weights for value and slope.
fn stencil(s: f64) -> (isize, [f64; 6], [f64; 6]) {
    let first = s.floor() as isize - 2;
    let u = s - first as f64;
    let (mut weights, mut slopes) = ([0.0; 6], [0.0; 6]);
    for a in 0..6 {
        let others = || (0..6).filter(move |&b| b != a);
        let denominator: f64 = others().map(|b| a as f64 - b as f64).product();
        weights[a] = others().map(|b| u - b as f64).product::<f64>() / denominator;
        slopes[a] = others()
            .map(|skip| {
                others()
                    .filter(|&b| b != skip)
                    .map(|b| u - b as f64)
                    .product::<f64>()
            })
            .sum::<f64>()
            / denominator;
    }
    (first, weights, slopes)
}

/// Solves A u = b for a positive definite A, preconditioned by its diagonal.
fn conjugate_gradients(
    right: &[f64],
    diagonal: &[f64],
    apply: impl Fn(&[f64], &mut [f64]),
) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut u = vec![0.0; right.len()];
    let mut residual = right.to_vec();
    let precondition =
        |r: &[f64]| -> Vec<f64> { r.iter().zip(diagonal).map(|(r, d)| r / d).collect() };
    let mut z = precondition(&residual);
    let mut direction = z.clone();
    let mut product = vec![0.0; right.len()];
    let mut rho = dot(&residual, &z);
    let target = 1e-20 * rho;
    for _ in 0..20 * (right.len() as f64).sqrt() as usize + 100 {
        if rho <= target {
            break;
        }
        apply(&direction, &mut product);
        let step = rho / dot(&direction, &product);
        for k in 0..u.len() {
            u[k] += step * direction[k];
            residual[k] -= step * product[k];
        }
        z = precondition(&residual);
        let next = dot(&residual, &z);
        let ratio = next / rho;
        rho = next;
        for (d, z) in direction.iter_mut().zip(&z) {
            *d = z + ratio * *d;
        }
    }
    u
}

#[cfg(test)]
mod tests {
    use super::GridPotential;
    use std::f64::consts::PI;

    #[test]
    fn second_order_on_a_manufactured_solution() {
        // A = sin πx sin πy, ν = 1/(1 + x): −∇·(ν∇A) in closed form.
        let nu = |x: f64, _: f64| 1.0 / (1.0 + x);
        let current = |x: f64, y: f64| {
            2.0 * PI * PI * (PI * x).sin() * (PI * y).sin() / (1.0 + x)
                + PI * (PI * x).cos() * (PI * y).sin() / (1.0 + x).powi(2)
        };
        let error = |cells: usize| {
            let grid = GridPotential::solve(cells, nu, current);
            let [ax, ay] = grid.gradient(0.31, 0.62);
            let exact = [
                PI * (PI * 0.31_f64).cos() * (PI * 0.62_f64).sin(),
                PI * (PI * 0.31_f64).sin() * (PI * 0.62_f64).cos(),
            ];
            (ax - exact[0]).abs().max((ay - exact[1]).abs())
        };
        let (coarse, fine) = (error(32), error(64));
        assert!(fine < 2e-3 && coarse / fine > 3.0, "{coarse} {fine}");
    }
}
