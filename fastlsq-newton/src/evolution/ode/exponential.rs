//! Linear equations y′ = A y + b with constant coefficients: any time at the same cost.

use super::OdeError;
use faer::{Mat, c64};
use fastlsq_solve::dense::{Lu, eigen, product, symmetric_eigen};

/// Condition of the eigenvectors up to which they are used: they lose as many digits.
const CONDITION: f64 = 100.0;
/// ‖A‖₁ up to which the Padé approximant of degree 13 is exact to rounding (Higham 2005).
const THETA: f64 = 5.371920351148152;
/// Its coefficients.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];

/// exp(A) by scaling and squaring.
///
/// # Errors
/// A matrix that is not square, or not finite.
pub fn exponential(a: &Mat<f64>) -> Result<Mat<f64>, OdeError> {
    let n = a.nrows();
    if a.ncols() != n || !a.is_all_finite() {
        return Err(OdeError::Exponential);
    }
    let norm = (0..n)
        .map(|j| a.col(j).iter().map(|v| v.abs()).sum::<f64>())
        .fold(0.0, f64::max);
    let squarings = if norm > THETA {
        (norm / THETA).log2().ceil()
    } else {
        0.0
    };
    if squarings.is_nan() || squarings >= 200.0 {
        return Err(OdeError::Exponential);
    }
    let scale = (-squarings).exp2();
    let a = Mat::from_fn(n, n, |i, j| scale * a[(i, j)]);
    let a2 = product(a.as_ref(), a.as_ref());
    let a4 = product(a2.as_ref(), a2.as_ref());
    let a6 = product(a4.as_ref(), a2.as_ref());
    let sum = |c: [f64; 4]| {
        Mat::from_fn(n, n, |i, j| {
            let diagonal = if i == j { c[0] } else { 0.0 };
            diagonal + c[1] * a2[(i, j)] + c[2] * a4[(i, j)] + c[3] * a6[(i, j)]
        })
    };
    let high = |c: [f64; 4], low: [f64; 4]| {
        product(a6.as_ref(), sum([0.0, c[1], c[2], c[3]]).as_ref()) + sum(low)
    };
    let odd = high(
        [0.0, PADE[9], PADE[11], PADE[13]],
        [PADE[1], PADE[3], PADE[5], PADE[7]],
    );
    let odd = product(a.as_ref(), odd.as_ref());
    let even = high(
        [0.0, PADE[8], PADE[10], PADE[12]],
        [PADE[0], PADE[2], PADE[4], PADE[6]],
    );
    let mut result = &even + &odd;
    Lu::new(&even - &odd).solve_in_place(result.as_mut());
    for _ in 0..squarings as usize {
        result = product(result.as_ref(), result.as_ref());
    }
    if result.is_all_finite() {
        Ok(result)
    } else {
        Err(OdeError::Exponential)
    }
}

/// The exact evolution of y′ = A y + b.
///
/// Eigenvectors are used where they are well conditioned: always for a symmetric A, and for
/// the pair (u, v) with u′ = v, v′ = S u with a symmetric S. Matrices of trial spaces are
/// symmetric only as far as quadrature goes; where the operator is symmetric, pass ½(A + Aᵀ).
#[derive(Debug, Clone)]
pub struct Propagator {
    dim: usize,
    form: Form,
}

#[derive(Debug, Clone)]
enum Form {
    /// A = V Λ V⁻¹ with well-conditioned V; b in the same coordinates.
    Spectral {
        values: Vec<c64>,
        vectors: Mat<c64>,
        inverse: Mat<c64>,
        constant: Vec<c64>,
    },
    /// A = V Λ Vᵀ, or the pair y = (u, v), u′ = v, v′ = V Λ Vᵀu + b, with orthonormal V.
    Symmetric {
        values: Vec<f64>,
        vectors: Mat<f64>,
        constant: Vec<f64>,
        pair: bool,
    },
    /// The matrix ((A, b), (0, 0)), whose exponential carries (y, 1).
    Augmented(Mat<f64>),
}

impl Propagator {
    /// Prepares y′ = A y + b.
    ///
    /// # Errors
    /// A matrix that is not square or not finite, or a vector that does not fit.
    pub fn new(a: &Mat<f64>, b: &[f64]) -> Result<Self, OdeError> {
        let dim = a.nrows();
        if a.ncols() != dim
            || b.len() != dim
            || !a.is_all_finite()
            || !b.iter().all(|v| v.is_finite())
        {
            return Err(OdeError::Exponential);
        }
        let form = symmetric(a, b)
            .or_else(|| spectral(a, b))
            .unwrap_or_else(|| {
                Form::Augmented(Mat::from_fn(dim + 1, dim + 1, |i, j| {
                    match (i < dim, j < dim) {
                        (true, true) => a[(i, j)],
                        (true, false) => b[i],
                        _ => 0.0,
                    }
                }))
            });
        Ok(Self { dim, form })
    }

    /// Whether eigenvectors are used; otherwise each time costs an exponential of the matrix.
    #[must_use]
    pub fn is_spectral(&self) -> bool {
        !matches!(self.form, Form::Augmented(_))
    }

    /// The solution a time `t` after y. Where it overflows, or y has another length, NaN.
    #[must_use]
    pub fn apply(&self, t: f64, y: &[f64]) -> Vec<f64> {
        if y.len() != self.dim {
            return vec![f64::NAN; self.dim];
        }
        match &self.form {
            Form::Spectral {
                values,
                vectors,
                inverse,
                constant,
            } => {
                let start = Mat::from_fn(self.dim, 1, |i, _| c64::new(y[i], 0.0));
                let mut w = inverse * start;
                for (i, (&value, &constant)) in values.iter().zip(constant).enumerate() {
                    w[(i, 0)] = (value * t).exp() * w[(i, 0)] + t * phi(value * t) * constant;
                }
                let result = vectors * w;
                (0..self.dim).map(|i| result[(i, 0)].re).collect()
            }
            Form::Symmetric {
                values,
                vectors,
                constant,
                pair,
            } => evolve_symmetric(t, y, values, vectors, constant, *pair),
            Form::Augmented(matrix) => {
                let n = self.dim;
                let scaled = Mat::from_fn(n + 1, n + 1, |i, j| t * matrix[(i, j)]);
                let Ok(flow) = exponential(&scaled) else {
                    return vec![f64::NAN; n];
                };
                let last = |i: usize| flow[(i, n)];
                (0..n)
                    .map(|i| last(i) + (0..n).map(|j| flow[(i, j)] * y[j]).sum::<f64>())
                    .collect()
            }
        }
    }
}

/// (eᶻ − 1)/z, by its series where the difference would cancel.
pub(crate) fn phi(z: c64) -> c64 {
    if z.norm() < 0.1 {
        let mut sum = c64::new(0.0, 0.0);
        for k in (1..12).rev() {
            sum = (sum * z + 1.0) / f64::from(k + 1);
        }
        sum * z + 1.0
    } else {
        (z.exp() - 1.0) / z
    }
}

/// Asymmetry, relative to the norm, up to which a matrix counts as symmetric: no more than rounding, since a
/// weak advection beside a stiff diffusion is small in the norm and matters nevertheless.
const SYMMETRIC: f64 = 1e-14;

/// The symmetric form, for a symmetric matrix or the pair of a symmetric one.
fn symmetric(a: &Mat<f64>, b: &[f64]) -> Option<Form> {
    let size = a.nrows();
    let half = size / 2;
    let is_pair = size > 0
        && size.is_multiple_of(2)
        && b[..half].iter().all(|v| *v == 0.0)
        && (0..half).all(|i| {
            (0..half).all(|j| {
                a[(i, j)] == 0.0
                    && a[(i, half + j)] == f64::from(u8::from(i == j))
                    && a[(half + i, half + j)] == 0.0
            })
        });
    let (n, first) = if is_pair { (half, half) } else { (size, 0) };
    let block = a.as_ref().submatrix(first, 0, n, n);
    if (block - block.transpose()).norm_l2() > SYMMETRIC * block.norm_l2() {
        return None;
    }
    let mean = Mat::from_fn(n, n, |i, j| 0.5 * (block[(i, j)] + block[(j, i)]));
    let (values, vectors) = symmetric_eigen(mean.as_ref())?;
    let source = Mat::from_fn(n, 1, |i, _| b[first + i]);
    let constant = product(vectors.transpose(), source.as_ref());
    Some(Form::Symmetric {
        constant: constant.col(0).iter().copied().collect(),
        values,
        vectors,
        pair: is_pair,
    })
}

fn evolve_symmetric(
    t: f64,
    y: &[f64],
    values: &[f64],
    vectors: &Mat<f64>,
    constant: &[f64],
    pair: bool,
) -> Vec<f64> {
    let n = values.len();
    let columns = if pair { 2 } else { 1 };
    let start = Mat::from_fn(n, columns, |i, j| y[j * n + i]);
    let mut w = product(vectors.transpose(), start.as_ref());
    for (i, (&value, &source)) in values.iter().zip(constant).enumerate() {
        if pair {
            // w″ = λw + β: with w + β/λ it is homogeneous; λ = 0 is the limit.
            let root = c64::new(value, 0.0).sqrt();
            let z = root * t;
            let (even, odd) = if z.norm() < 1e-4 {
                (1.0 + 0.5 * value * t * t, t * (1.0 + value * t * t / 6.0))
            } else {
                (z.cosh().re, (z.sinh() / root).re)
            };
            let drift = if z.norm() < 1e-4 {
                0.5 * t * t
            } else {
                (even - 1.0) / value
            };
            let (u, v) = (w[(i, 0)], w[(i, 1)]);
            w[(i, 0)] = even * u + odd * v + drift * source;
            w[(i, 1)] = value * odd * u + even * v + odd * source;
        } else {
            let z = c64::new(value * t, 0.0);
            w[(i, 0)] = z.exp().re * w[(i, 0)] + t * phi(z).re * source;
        }
    }
    let result = product(vectors.as_ref(), w.as_ref());
    (0..columns)
        .flat_map(|j| (0..n).map(move |i| (i, j)))
        .map(|place| result[place])
        .collect()
}

fn spectral(a: &Mat<f64>, b: &[f64]) -> Option<Form> {
    let (values, vectors) = eigen(a.as_ref())?;
    let dim = a.nrows();
    let mut inverse = Mat::<c64>::identity(dim, dim);
    Lu::new(vectors.clone()).solve_in_place(inverse.as_mut());
    // Columns of V have norm 1, so ‖V⁻¹‖ in the Frobenius norm is an honest condition number.
    let condition = inverse.norm_l2() / (dim.max(1) as f64).sqrt();
    if condition.is_nan() || condition > CONDITION {
        return None;
    }
    let start = Mat::from_fn(dim, 1, |i, _| c64::new(b[i], 0.0));
    let constant = &inverse * start;
    Some(Form::Spectral {
        values,
        constant: constant.col(0).iter().copied().collect(),
        vectors,
        inverse,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_of_known_matrices() {
        // A nilpotent, a rotation by many turns, a defective and a stiff one.
        let e = exponential(&Mat::from_fn(3, 3, |i, j| f64::from(u8::from(j == i + 1)))).unwrap();
        let exact = faer::mat![[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]];
        assert!((e - exact).norm_max() < 1e-15);
        let turns = 40.0 * std::f64::consts::PI;
        let e = exponential(&faer::mat![[0.0, -turns], [turns, 0.0]]).unwrap();
        assert!((e - Mat::<f64>::identity(2, 2)).norm_max() < 1e-12);
        let e = exponential(&faer::mat![[-2.0, 1.0], [0.0, -2.0]]).unwrap();
        assert!((e[(0, 1)] - (-2.0_f64).exp()).abs() < 1e-16);
        let e = exponential(&faer::mat![[-1e6, 1.0], [0.0, -1.0]]).unwrap();
        assert!((e[(0, 1)] * (1e6 - 1.0) / (-1.0_f64).exp() - 1.0).abs() < 1e-9);
        assert!(exponential(&Mat::<f64>::zeros(2, 3)).is_err());
        assert!(exponential(&faer::mat![[f64::NAN]]).is_err());
        assert!(exponential(&faer::mat![[1e300]]).is_err());
    }

    #[test]
    fn both_forms_evolve_with_a_constant_source() {
        // y′ = −λy + b: y = b/λ + (y₀ − b/λ) e^{−λt}.
        let normal = Propagator::new(&faer::mat![[-3.0, 0.0], [0.0, -1e-9]], &[6.0, 1.0]).unwrap();
        assert!(normal.is_spectral());
        let y = normal.apply(0.7, &[1.0, 5.0]);
        assert!((y[0] - (2.0 - (-2.1_f64).exp())).abs() < 1e-14);
        assert!((y[1] - 5.7).abs() < 1e-8);
        let defective =
            Propagator::new(&faer::mat![[-1.0, 1.0], [0.0, -1.0]], &[0.0, 1.0]).unwrap();
        assert!(!defective.is_spectral());
        // y₂ = 1 + (y₂₀ − 1)e^{−t}, y₁ = 1 + (y₁₀ − 1 + (y₂₀ − 1) t) e^{−t}.
        let y = defective.apply(2.0, &[0.5, 3.0]);
        let decay = (-2.0_f64).exp();
        assert!((y[1] - (1.0 + 2.0 * decay)).abs() < 1e-14);
        assert!((y[0] - (1.0 + (-0.5 + 4.0) * decay)).abs() < 1e-14);
    }
}
