//! Sums, products and powers of expansions.
//!
//! With u = Σ Re[Aⱼ e^{iθⱼ}], everything follows from
//! Re[A e^{iθ}] Re[B e^{iφ}] = ½ Re[AB e^{i(θ+φ)}] + ½ Re[A B̄ e^{i(θ−φ)}].

use super::SinusoidalExpansion;
use super::amplitude::Amplitude;
use crate::BasisError;
use crate::error::require_dim;

impl SinusoidalExpansion {
    /// factor · u.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        for amplitude in &mut scaled.amplitudes {
            *amplitude = amplitude.scaled(factor);
        }
        scaled
    }

    /// u + v.
    ///
    /// # Errors
    /// Expansions of different dimensions.
    pub fn sum(&self, other: &Self) -> Result<Self, BasisError> {
        require_dim("the other expansion", self.dim, other.dim)?;
        let mut sum = self.clone();
        sum.frequencies.extend_from_slice(&other.frequencies);
        sum.amplitudes.extend_from_slice(&other.amplitudes);
        Ok(sum)
    }

    /// u · v: waves at all sums and differences of frequencies.
    ///
    /// # Errors
    /// Expansions of different dimensions.
    pub fn product(&self, other: &Self) -> Result<Self, BasisError> {
        require_dim("the other expansion", self.dim, other.dim)?;
        Ok(self.times(other))
    }

    /// [`product`](Self::product) of expansions of one dimension.
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.dim);
        for (v, a) in self.waves() {
            for (w, b) in other.waves() {
                product.push(&[(1.0, v), (1.0, w)], a.times(b).scaled(0.5));
                product.push(&[(1.0, v), (-1.0, w)], a.times(b.mirrored()).scaled(0.5));
            }
        }
        product
    }

    /// u²: one constant, the double frequencies, and the sums and differences of all pairs.
    ///
    /// With n waves, 1 + n + n(n − 1) come out; sin² x = ½(1 − cos 2x) is the case n = 1.
    #[must_use]
    pub fn square(&self) -> Self {
        let mut square = Self::zero(self.dim);
        let mean = 0.5
            * self
                .amplitudes
                .iter()
                .map(|a| a.squared_size())
                .sum::<f64>();
        square.push(
            &[],
            Amplitude {
                sine: 0.0,
                cosine: mean,
            },
        );
        for (i, (v, a)) in self.waves().enumerate() {
            square.push(&[(2.0, v)], a.times(a).scaled(0.5));
            for (w, b) in self.waves().take(i) {
                square.push(&[(1.0, v), (1.0, w)], a.times(b));
                square.push(&[(1.0, v), (-1.0, w)], a.times(b.mirrored()));
            }
        }
        square
    }

    /// u³: waves at the frequencies themselves, at their triples, at 2v ± w and at u ± v ± w.
    ///
    /// With n waves, 2n + 2n(n − 1) + 4 (n choose 3) come out; sin³ x = ¼(3 sin x − sin 3x) is n = 1.
    #[must_use]
    pub fn cube(&self) -> Self {
        let mut cube = Self::zero(self.dim);
        let energy: f64 = self.amplitudes.iter().map(|a| a.squared_size()).sum();
        for (i, (v, a)) in self.waves().enumerate() {
            cube.push(&[(3.0, v)], a.times(a).times(a).scaled(0.25));
            // ¾|A|²A from the wave itself and 3/2 |B|²A from each other one.
            let own = 1.5 * energy - 0.75 * a.squared_size();
            cube.push(&[(1.0, v)], a.scaled(own));
            for (j, (w, b)) in self.waves().enumerate() {
                if j != i {
                    let square = a.times(a).scaled(0.75);
                    cube.push(&[(2.0, v), (1.0, w)], square.times(b));
                    cube.push(&[(2.0, v), (-1.0, w)], square.times(b.mirrored()));
                }
                if j >= i {
                    continue;
                }
                for (r, c) in self.waves().take(j) {
                    let c = c.scaled(1.5);
                    let (plus, minus) = (a.times(b), a.times(b.mirrored()));
                    cube.push(&[(1.0, v), (1.0, w), (1.0, r)], plus.times(c));
                    cube.push(&[(1.0, v), (1.0, w), (-1.0, r)], plus.times(c.mirrored()));
                    cube.push(&[(1.0, v), (-1.0, w), (1.0, r)], minus.times(c));
                    cube.push(&[(1.0, v), (-1.0, w), (-1.0, r)], minus.times(c.mirrored()));
                }
            }
        }
        cube
    }

    /// Adds a wave at Σ factor · frequency.
    fn push(&mut self, combination: &[(f64, &[f64])], amplitude: Amplitude) {
        let start = self.frequencies.len();
        self.frequencies.resize(start + self.dim, 0.0);
        for (factor, frequency) in combination {
            for (target, w) in self.frequencies[start..].iter_mut().zip(*frequency) {
                *target += factor * w;
            }
        }
        self.amplitudes.push(amplitude);
    }

    /// The same function with waves of equal frequency put together, and vanishing ones left out.
    ///
    /// w and −w count as equal. So do frequencies that differ by at most `tolerance` along every
    /// axis: with 0 the function does not change, otherwise by no more than Σ|Aⱼ| tolerance Σ|xₖ|.
    /// Merged waves are sorted by frequency.
    #[must_use]
    pub fn merged(&self, tolerance: f64) -> Self {
        let mut waves: Vec<(Vec<f64>, Amplitude)> = self
            .waves()
            .map(|(w, a)| match w.iter().find(|w| **w != 0.0) {
                Some(first) if *first < 0.0 => (w.iter().map(|w| 0.0 - w).collect(), a.mirrored()),
                // At zero frequency the sine vanishes.
                None => (vec![0.0; w.len()], Amplitude { sine: 0.0, ..a }),
                _ => (w.iter().map(|w| w + 0.0).collect(), a),
            })
            .collect();
        waves.sort_by(|(v, _), (w, _)| {
            let order = v.iter().zip(w).map(|(v, w)| v.total_cmp(w));
            order.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let mut kept: Vec<(Vec<f64>, Amplitude)> = Vec::new();
        for (w, a) in waves {
            // Candidates lie within the tolerance along the first axis: the end of the sorted list.
            let twin = kept
                .iter_mut()
                .rev()
                .take_while(|(v, _)| w[0] - v[0] <= tolerance)
                .find(|(v, _)| v.iter().zip(&w).all(|(v, w)| (w - v).abs() <= tolerance));
            match twin {
                Some((_, sum)) => *sum = sum.plus(a),
                None => kept.push((w, a)),
            }
        }
        let mut merged = Self::zero(self.dim);
        for (w, a) in kept.into_iter().filter(|(_, a)| !a.is_zero()) {
            merged.frequencies.extend(w);
            merged.amplitudes.push(a);
        }
        merged
    }

    /// The largest |u| can be: Σ|Aⱼ|.
    #[must_use]
    pub fn bound(&self) -> f64 {
        self.amplitudes
            .iter()
            .map(|a| a.squared_size().sqrt())
            .sum()
    }
}
