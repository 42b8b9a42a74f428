//! The null space of a few rows, and the smallest vectors that take given values on them.

use faer::Mat;

use super::SpaceError;
use crate::dense::{product, right_singular};

/// A row that is this close to a combination of others says nothing new.
const DEPENDENT: f64 = 1e-9;

/// Z with B·Z = 0 and orthonormal columns, and B⁺.
#[derive(Debug)]
pub(super) struct Elimination {
    pub(super) null: Mat<f64>,
    pub(super) pseudo_inverse: Mat<f64>,
    pub(super) independent: usize,
}

/// Few rows of norm about 1, by Householder reflections of their transpose.
pub(super) fn few(rows: &Mat<f64>) -> Elimination {
    let (count, size) = rows.shape();
    let mut work: Vec<Vec<f64>> = (0..count)
        .map(|i| rows.row(i).iter().copied().collect())
        .collect();
    let mut reflectors: Vec<Vec<f64>> = Vec::new();
    // For each reflector, the row it stands for and its part of the triangle.
    let mut triangle: Vec<(usize, Vec<f64>)> = Vec::new();
    for (row, vector) in work.iter_mut().enumerate() {
        let step = reflectors.len();
        if step >= size {
            break;
        }
        for (k, reflector) in reflectors.iter().enumerate() {
            reflect(reflector, &mut vector[k..]);
        }
        let rest = vector[step..].iter().map(|v| v * v).sum::<f64>().sqrt();
        let whole = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        if rest.is_nan() || rest <= DEPENDENT * whole {
            continue;
        }
        let sign = if vector[step] < 0.0 { -1.0 } else { 1.0 };
        let mut reflector = vector[step..].to_vec();
        reflector[0] += sign * rest;
        let norm = reflector.iter().map(|v| v * v).sum::<f64>().sqrt();
        for v in &mut reflector {
            *v /= norm;
        }
        reflect(&reflector, &mut vector[step..]);
        triangle.push((row, vector[..=step].to_vec()));
        reflectors.push(reflector);
    }
    let rank = reflectors.len();
    let apply = |mut vector: Vec<f64>| {
        for (k, reflector) in reflectors.iter().enumerate().rev() {
            reflect(reflector, &mut vector[k..]);
        }
        vector
    };
    let mut null = Mat::zeros(size, size - rank);
    for j in 0..size - rank {
        let mut unit = vec![0.0; size];
        unit[rank + j] = 1.0;
        for (i, v) in apply(unit).into_iter().enumerate() {
            null[(i, j)] = v;
        }
    }
    // Row `row` of B is Σₖ tₖ qₖ: forward substitution gives the smallest x with B·x = e.
    let mut pseudo_inverse = Mat::zeros(size, count);
    for (own, (row, _)) in triangle.iter().enumerate() {
        let mut x = vec![0.0; size];
        for (k, (_, part)) in triangle.iter().enumerate() {
            let known: f64 = part[..k].iter().zip(&x).map(|(t, x)| t * x).sum();
            x[k] = (f64::from(u8::from(k == own)) - known) / part[k];
        }
        for (i, v) in apply(x).into_iter().enumerate() {
            pseudo_inverse[(i, *row)] = v;
        }
    }
    Elimination {
        null,
        pseudo_inverse,
        independent: rank,
    }
}

/// x − 2v(v·x), for |v| = 1.
fn reflect(v: &[f64], x: &mut [f64]) {
    let twice = 2.0 * v.iter().zip(x.iter()).map(|(v, x)| v * x).sum::<f64>();
    for (x, v) in x.iter_mut().zip(v) {
        *x -= twice * v;
    }
}

/// Many rows with gradually decaying singular values: those below `cut` of the largest are left out.
pub(super) fn many(rows: &Mat<f64>, cut: f64) -> Result<Elimination, SpaceError> {
    let (count, size) = rows.shape();
    let right = right_singular(rows.as_ref()).ok_or(SpaceError::Numerical {
        what: "the singular values of the conditions",
    })?;
    let largest = right.values.first().copied().unwrap_or(0.0);
    let rank = right
        .values
        .iter()
        .take_while(|&&s| s > cut * largest)
        .count();
    let leading = right.v.as_ref().subcols(0, rank);
    // B⁺ = V Σ⁻² (B V)ᵀ.
    let image = product(rows.as_ref(), leading);
    let scaled = Mat::from_fn(rank, count, |k, i| image[(i, k)] / right.values[k].powi(2));
    Ok(Elimination {
        null: right.v.as_ref().subcols(rank, size - rank).to_owned(),
        pseudo_inverse: product(leading, scaled.as_ref()),
        independent: rank,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_eliminations_agree_with_their_definition() {
        let mut rows = Mat::from_fn(4, 9, |i, j| {
            ((i * 5 + j * j + i * i * j) as f64).sin() / 3.0
        });
        // The last row repeats the first.
        for j in 0..9 {
            rows[(3, j)] = rows[(0, j)];
        }
        for elimination in [few(&rows), many(&rows, 1e-10).unwrap()] {
            assert_eq!(elimination.independent, 3);
            let null = &elimination.null;
            assert_eq!(null.shape(), (9, 6));
            assert!(product(rows.as_ref(), null.as_ref()).norm_max() < 1e-14);
            assert!((null.transpose() * null - Mat::<f64>::identity(6, 6)).norm_max() < 1e-14);
            // A consistent right-hand side is reached, by a vector without a component in the null space.
            let g = rows.as_ref() * Mat::from_fn(9, 1, |i, _| i as f64 - 3.0);
            let x = &elimination.pseudo_inverse * &g;
            let reached = rows.as_ref() * &x;
            assert!((reached - g).norm_max() < 1e-12);
            assert!((null.transpose() * x).norm_max() < 1e-12);
        }
    }
}
