//! Reproducible points in the open unit cube, the source of every random draw.
//!
//! A [`UnitSampler`] turns a [`Sequence`] and a seed into points of (0, 1)^d, or through
//! [`normal_quantile`] into standard normal vectors. Only integer arithmetic, + − × ÷, correctly
//! rounded square roots and software elementary functions are involved: a seed means the same bits
//! on every platform.
//!
//! ```
//! use fastlsq_basis::sampling::UnitSampler;
//! let mut sampler = UnitSampler::halton(7);
//! let points = sampler.points(1000, 2);
//! let inside = points.rows().into_iter().filter(|p| p[0] * p[0] + p[1] * p[1] < 1.0).count();
//! assert!((4.0 * inside as f64 / 1000.0 - std::f64::consts::PI).abs() < 0.03);
//! ```

mod halton;
mod quantile;
mod random;
mod sphere;

pub use quantile::normal_quantile;

use halton::Halton;
use ndarray::Array2;
use rand_chacha::ChaCha8Rng;

/// Purpose label of the independent points' generator.
const INDEPENDENT_LABEL: u64 = 0;

/// How successive points relate to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Sequence {
    /// Independent and uniformly distributed (ChaCha8); averages converge like n^(−1/2).
    Independent,
    /// Scrambled Halton points: evenly spread, averages of smooth functions converge almost like 1/n.
    Halton,
}

/// A reproducible source of points in (0, 1)^d.
///
/// Successive calls continue the sequence: `points(a, d)` then `points(b, d)` are together
/// `points(a + b, d)`. The dimension may change from call to call. No coordinate is ever 0 or 1.
#[derive(Clone, Debug)]
pub struct UnitSampler {
    seed: u64,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    Independent(Box<ChaCha8Rng>),
    Halton(Halton),
}

impl UnitSampler {
    /// A sampler of the given kind, at the start of the sequence that `seed` determines.
    #[must_use]
    pub fn new(sequence: Sequence, seed: u64) -> Self {
        Self::on_stream(sequence, seed, 0)
    }

    /// Independent uniform points.
    #[must_use]
    pub fn independent(seed: u64) -> Self {
        Self::new(Sequence::Independent, seed)
    }

    /// Scrambled Halton points.
    #[must_use]
    pub fn halton(seed: u64) -> Self {
        Self::new(Sequence::Halton, seed)
    }

    /// The sampler number `stream` of a seed: streams of one seed are independent of each other, so
    /// that, say, training and held-out points can share a seed without sharing points.
    /// Stream 0 is what [`UnitSampler::new`] gives.
    #[must_use]
    pub fn on_stream(sequence: Sequence, seed: u64, stream: u64) -> Self {
        let source = match sequence {
            Sequence::Independent => {
                Source::Independent(Box::new(random::keyed(seed, stream, INDEPENDENT_LABEL)))
            }
            Sequence::Halton => Source::Halton(Halton::new(seed, stream)),
        };
        Self { seed, source }
    }

    /// The kind of sequence.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        match self.source {
            Source::Independent(_) => Sequence::Independent,
            Source::Halton(_) => Sequence::Halton,
        }
    }

    /// The seed it was made from.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The next `count` points of (0, 1)^dim, one per row.
    #[must_use]
    pub fn points(&mut self, count: usize, dim: usize) -> Array2<f64> {
        let mut points = Array2::zeros((count, dim));
        match &mut self.source {
            Source::Independent(rng) => {
                points
                    .iter_mut()
                    .for_each(|value| *value = random::open_unit(rng));
            }
            Source::Halton(halton) => {
                halton.prepare(dim);
                for mut row in points.rows_mut() {
                    halton.next_point(row.iter_mut());
                }
            }
        }
        points
    }

    /// The next `count` standard normal vectors of R^dim, one per row: [`UnitSampler::points`] sent
    /// through [`normal_quantile`] coordinate by coordinate.
    #[must_use]
    pub fn normals(&mut self, count: usize, dim: usize) -> Array2<f64> {
        let mut points = self.points(count, dim);
        points.mapv_inplace(normal_quantile);
        points
    }

    /// Draws the next `count` points piece by piece: their first `dim` coordinates are returned, and
    /// `further` draws the coordinates after these.
    ///
    /// Two calls of [`UnitSampler::points`] would not do for a low-discrepancy sequence: both would
    /// start from its first coordinate, and combining them into one point puts all points on a few
    /// lines. If `further` draws more than `count` points, the sequence continues after them.
    ///
    /// ```
    /// use fastlsq_basis::sampling::UnitSampler;
    /// let whole = UnitSampler::halton(1).points(5, 3);
    /// let (first, others) = UnitSampler::halton(1).leading(5, 1, |sampler| sampler.points(5, 2));
    /// assert_eq!(first.column(0), whole.column(0));
    /// assert_eq!(others.column(1), whole.column(2));
    /// ```
    pub fn leading<T>(
        &mut self,
        count: usize,
        dim: usize,
        further: impl FnOnce(&mut Self) -> T,
    ) -> (Array2<f64>, T) {
        let before = match &self.source {
            Source::Independent(_) => None,
            Source::Halton(halton) => Some(halton.position()),
        };
        let first = self.points(count, dim);
        if let (Source::Halton(halton), Some(position)) = (&mut self.source, before) {
            halton.enter_piece(position, dim);
        }
        let rest = further(self);
        if let (Source::Halton(halton), Some(position)) = (&mut self.source, before) {
            halton.leave_piece(position, count, dim);
        }
        (first, rest)
    }
}
