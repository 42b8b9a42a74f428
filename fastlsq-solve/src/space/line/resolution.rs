//! How large functions are on the pieces, and how well these resolve them.

use super::space::LineSpace;

impl LineSpace {
    /// What joining pieces k and k + 1, halves of one, would lose of each function, and the tail of the whole.
    #[must_use]
    pub fn joined(&self, expansion: &[f64], k: usize) -> Vec<(f64, f64)> {
        let size = self.element.size();
        let height = self.functions * size;
        let one = |function: usize| {
            let start = |piece: usize| piece * height + function * size;
            let halves = [k, k + 1].map(|piece| expansion.get(start(piece)..start(piece) + size));
            let [Some(left), Some(right)] = halves else {
                return (f64::INFINITY, f64::INFINITY);
            };
            let mut whole = vec![0.0; size];
            for (matrix, own) in self.element.halves.iter().zip([left, right]) {
                for (l, a) in own.iter().enumerate() {
                    for (w, j) in whole.iter_mut().zip(matrix.col(l).iter()) {
                        *w += a * j;
                    }
                }
            }
            let mut lost = 0.0;
            for (matrix, own) in self.element.halves.iter().zip([left, right]) {
                for (l, a) in own.iter().enumerate() {
                    let back: f64 = matrix.col(l).iter().zip(&whole).map(|(j, w)| j * w).sum();
                    lost += (a - back).powi(2);
                }
            }
            let tail = whole[size - 2..].iter().map(|a| a * a).sum::<f64>();
            (lost.sqrt(), tail.sqrt())
        };
        (0..self.functions).map(one).collect()
    }

    /// The L2 norm of each function.
    #[must_use]
    pub fn norms(&self, expansion: &[f64]) -> Vec<f64> {
        let size = self.element.size();
        let mut sums = vec![0.0; self.functions];
        for own in expansion.chunks_exact(self.functions * size) {
            for (sum, own) in sums.iter_mut().zip(own.chunks_exact(size)) {
                *sum += own.iter().map(|a| a * a).sum::<f64>();
            }
        }
        sums.into_iter().map(f64::sqrt).collect()
    }

    /// For each piece and function, the L2 distance between two expansions.
    #[must_use]
    pub fn distances(&self, one: &[f64], other: &[f64]) -> Vec<Vec<f64>> {
        let size = self.element.size();
        let pairs = one.chunks_exact(size).zip(other.chunks_exact(size));
        let all: Vec<f64> = pairs
            .map(|(a, b)| {
                a.iter()
                    .zip(b)
                    .map(|(a, b)| (a - b).powi(2))
                    .sum::<f64>()
                    .sqrt()
            })
            .collect();
        all.chunks_exact(self.functions)
            .map(<[f64]>::to_vec)
            .collect()
    }

    /// For each piece and function, the size of its last two Legendre coefficients: what the next ones would be is
    /// smaller still where the function is resolved.
    #[must_use]
    pub fn tails(&self, expansion: &[f64]) -> Vec<Vec<f64>> {
        let size = self.element.size();
        expansion
            .chunks_exact(self.functions * size)
            .map(|own| {
                let tail = |own: &[f64]| own[size - 2..].iter().map(|a| a * a).sum::<f64>().sqrt();
                own.chunks_exact(size).map(tail).collect()
            })
            .collect()
    }
}
