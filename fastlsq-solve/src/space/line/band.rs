//! Banded matrices with a few full rows and columns at the end, and the factors of λM − hJ.

use faer::{Mat, c64};
use pulp::Arch;

use crate::dense::Lu;

/// A square matrix with non-zeros within a band, and a border: the last few rows and columns are full.
///
/// Functions on an interval that are joined piece by piece have such matrices; on a circle the functions of the
/// first joint are the border.
#[derive(Debug, Clone)]
pub struct BandMatrix {
    /// Rows before the border.
    size: usize,
    /// Entries (i, j) of the band have |i − j| ≤ width.
    width: usize,
    /// Row i: the entries (i, i − width) … (i, i + width).
    band: Vec<f64>,
    right: Mat<f64>,
    below: Mat<f64>,
    corner: Mat<f64>,
}

impl BandMatrix {
    /// Zeros: `size` rows in the band, `border` more beside it.
    #[must_use]
    pub fn zeros(size: usize, width: usize, border: usize) -> Self {
        Self {
            size,
            width,
            band: vec![0.0; size * (2 * width + 1)],
            right: Mat::zeros(size, border),
            below: Mat::zeros(border, size),
            corner: Mat::zeros(border, border),
        }
    }

    /// The number of rows, border included.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.size + self.corner.nrows()
    }

    /// Adds to an entry; one that lies outside band and border is left out.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        match (i.checked_sub(self.size), j.checked_sub(self.size)) {
            (None, None) => {
                let place = (j + self.width).wrapping_sub(i);
                if place <= 2 * self.width {
                    self.band[i * (2 * self.width + 1) + place] += value;
                }
            }
            (None, Some(j)) => self.right[(i, j)] += value,
            (Some(i), None) => self.below[(i, j)] += value,
            (Some(i), Some(j)) => self.corner[(i, j)] += value,
        }
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        match (i.checked_sub(self.size), j.checked_sub(self.size)) {
            (None, None) => {
                let place = (j + self.width).wrapping_sub(i);
                if place <= 2 * self.width {
                    self.band[i * (2 * self.width + 1) + place]
                } else {
                    0.0
                }
            }
            (None, Some(j)) => self.right[(i, j)],
            (Some(i), None) => self.below[(i, j)],
            (Some(i), Some(j)) => self.corner[(i, j)],
        }
    }

    /// Makes every entry zero.
    pub fn clear(&mut self) {
        self.band.fill(0.0);
        self.right.fill(0.0);
        self.below.fill(0.0);
        self.corner.fill(0.0);
    }

    /// All entries.
    #[must_use]
    pub fn to_dense(&self) -> Mat<f64> {
        Mat::from_fn(self.dim(), self.dim(), |i, j| self.entry(i, j))
    }

    /// A·x.
    #[must_use]
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        Arch::new().dispatch(
            #[inline(always)]
            || self.times_lanes(x),
        )
    }

    #[inline(always)]
    fn times_lanes(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        let row = 2 * self.width + 1;
        let inner = self.size.min(x.len());
        for (i, y) in y.iter_mut().enumerate().take(inner) {
            let first = i.saturating_sub(self.width);
            let last = (i + self.width + 1).min(inner);
            let start = i * row + first + self.width - i;
            let entries = &self.band[start..start + last - first];
            *y = dot(entries, &x[first..last]);
        }
        for (k, i) in (self.size..x.len()).enumerate() {
            for j in 0..inner {
                y[j] += self.right[(j, k)] * x[i];
                y[i] += self.below[(k, j)] * x[j];
            }
            for (l, j) in (self.size..x.len()).enumerate() {
                y[i] += self.corner[(k, l)] * x[j];
            }
        }
        y
    }

    /// The factors of λ·self − h·other, two matrices of one shape.
    #[must_use]
    pub fn shifted(&self, lambda: c64, other: &Self, h: f64) -> BandFactors {
        self.combined(&[(lambda, self), (c64::new(-h, 0.0), other)])
    }

    /// The factors of a sum of matrices of the shape of this one, each times a number.
    #[must_use]
    pub fn combined(&self, terms: &[(c64, &Self)]) -> BandFactors {
        let row = 2 * self.width + 1;
        let wide = 3 * self.width + 1;
        let complex = terms.iter().any(|(factor, _)| factor.im != 0.0);
        let mut re = vec![0.0; self.size * wide];
        let mut im = vec![0.0; if complex { self.size * wide } else { 0 }];
        for (factor, term) in terms {
            let add = |part: f64, out: &mut [f64]| {
                if part == 0.0 {
                    return;
                }
                let rows = out.chunks_exact_mut(wide);
                for (out, own) in rows.zip(term.band.chunks_exact(row)) {
                    for (out, own) in out.iter_mut().zip(own) {
                        *out += part * own;
                    }
                }
            };
            add(factor.re, &mut re);
            add(factor.im, &mut im);
        }
        let mut factors = BandFactors {
            size: self.size,
            width: self.width,
            lower_re: vec![0.0; self.size * self.width],
            lower_im: vec![0.0; if complex { self.size * self.width } else { 0 }],
            re,
            im,
            pivots: vec![0; self.size],
            ends: Vec::new(),
            depths: vec![0; self.size],
            border: None,
        };
        factors.ends = (0..self.size).map(|i| factors.end_of_row(i)).collect();
        Arch::new().dispatch(
            #[inline(always)]
            || factors.eliminate(),
        );
        if self.corner.nrows() > 0 {
            let sum = |part: fn(&Self) -> &Mat<f64>| {
                let shape = part(self);
                Mat::from_fn(shape.nrows(), shape.ncols(), |i, j| {
                    let terms = terms.iter();
                    terms
                        .map(|(factor, term)| factor * part(term)[(i, j)])
                        .sum::<c64>()
                })
            };
            let (right, below) = (sum(|own| &own.right), sum(|own| &own.below));
            let corner = sum(|own| &own.corner);
            factors.border = Some(Border::new(&factors, &right, below, corner));
        }
        factors
    }

    /// The factors of the matrix itself.
    #[must_use]
    pub fn factors(&self) -> BandFactors {
        self.shifted(c64::new(1.0, 0.0), self, 0.0)
    }
}

/// L and U of a banded matrix, by elimination with row exchanges; real and imaginary parts apart.
#[derive(Debug, Clone)]
pub struct BandFactors {
    size: usize,
    width: usize,
    /// Row i: columns i − width … i + 2·width; those of L are kept apart.
    re: Vec<f64>,
    /// The same, or nothing for a real matrix.
    im: Vec<f64>,
    /// Column k of L below its diagonal, `width` numbers each.
    lower_re: Vec<f64>,
    lower_im: Vec<f64>,
    pivots: Vec<usize>,
    /// One past the last column of each row of U, and the last row of each column of L: pieces see only their own joints, so
    /// that most of the band stays empty.
    ends: Vec<usize>,
    depths: Vec<usize>,
    border: Option<Border>,
}

/// What is left of the border once the band is eliminated.
#[derive(Debug, Clone)]
struct Border {
    /// B⁻¹C.
    right: Mat<c64>,
    below: Mat<c64>,
    rest: Lu<c64>,
}

impl Border {
    fn new(band: &BandFactors, right: &Mat<c64>, below: Mat<c64>, corner: Mat<c64>) -> Self {
        let (size, count) = right.shape();
        let mut solved = Mat::zeros(size, count);
        for k in 0..count {
            let mut re: Vec<f64> = right.col(k).iter().map(|v| v.re).collect();
            let mut im: Vec<f64> = right.col(k).iter().map(|v| v.im).collect();
            band.solve_band(&mut re, &mut im);
            for i in 0..size {
                solved[(i, k)] = c64::new(re[i], im[i]);
            }
        }
        let rest = Lu::new(corner - &below * &solved);
        Self {
            right: solved,
            below,
            rest,
        }
    }
}

impl BandFactors {
    fn wide(&self) -> usize {
        3 * self.width + 1
    }

    /// One past the last column in which row i is not zero, before elimination.
    fn end_of_row(&self, i: usize) -> usize {
        let (wide, row) = (self.wide(), 2 * self.width + 1);
        let last = |part: &[f64]| {
            let own = part.get(i * wide..i * wide + row)?;
            own.iter().rposition(|a| *a != 0.0)
        };
        let last = last(&self.re).max(last(&self.im));
        let end = last.map_or(i + 1, |k| (i + k + 1).saturating_sub(self.width));
        end.clamp(i + 1, self.size)
    }

    #[inline(always)]
    fn eliminate(&mut self) {
        let (n, width, wide) = (self.size, self.width, self.wide());
        let complex = !self.im.is_empty();
        for k in 0..n {
            let last_row = (k + width + 1).min(n);
            let mut pivot = (k, -1.0);
            for r in k..last_row {
                let place = r * wide + k + width - r;
                let size = self.re[place].abs() + self.im.get(place).map_or(0.0, |v| v.abs());
                if size > pivot.1 {
                    pivot = (r, size);
                }
            }
            let pivot = pivot.0;
            self.pivots[k] = pivot;
            let own = k * wide + width;
            if pivot != k {
                let other = pivot * wide + k + width - pivot;
                let both = self.ends[k].max(self.ends[pivot]) - k;
                self.ends.swap(k, pivot);
                // A row that moves up keeps its own end; one that moves down may end before its diagonal.
                self.ends[pivot] = self.ends[pivot].max(pivot + 1);
                for j in 0..both {
                    self.re.swap(own + j, other + j);
                    if complex {
                        self.im.swap(own + j, other + j);
                    }
                }
            }
            let (pivot_re, pivot_im) = (self.re[own], self.im.get(own).copied().unwrap_or(0.0));
            let inverse = c64::new(1.0, 0.0) / c64::new(pivot_re, pivot_im);
            let end = self.ends[k];
            let count = end - k;
            self.depths[k] = k;
            for r in k + 1..last_row {
                let start = r * wide + k + width - r;
                let (head, tail) = self.re.split_at_mut(r * wide);
                let upper_re = &head[own + 1..own + count];
                let lower_re = &mut tail[k + width - r..k + width - r + count];
                if complex {
                    let value = c64::new(lower_re[0], self.im[start]);
                    if value.re == 0.0 && value.im == 0.0 {
                        continue;
                    }
                    (self.ends[r], self.depths[k]) = (self.ends[r].max(end), r);
                    let factor = value * inverse;
                    let (head, tail) = self.im.split_at_mut(r * wide);
                    let upper_im = &head[own + 1..own + count];
                    let lower_im = &mut tail[k + width - r..k + width - r + count];
                    let place = k * width + r - k - 1;
                    (self.lower_re[place], self.lower_im[place]) = (factor.re, factor.im);
                    let upper = upper_re.iter().zip(upper_im);
                    let lower = lower_re[1..].iter_mut().zip(&mut lower_im[1..]);
                    for ((x, y), (a, b)) in lower.zip(upper) {
                        *x -= factor.re * a - factor.im * b;
                        *y -= factor.re * b + factor.im * a;
                    }
                } else {
                    let factor = lower_re[0] * inverse.re;
                    self.lower_re[k * width + r - k - 1] = factor;
                    if factor != 0.0 {
                        (self.ends[r], self.depths[k]) = (self.ends[r].max(end), r);
                        for (x, a) in lower_re[1..].iter_mut().zip(upper_re) {
                            *x -= factor * a;
                        }
                    }
                }
            }
        }
    }

    fn entry(&self, i: usize, j: usize) -> c64 {
        let place = i * self.wide() + j + self.width - i;
        c64::new(self.re[place], self.im.get(place).copied().unwrap_or(0.0))
    }

    fn solve_band(&self, re: &mut [f64], im: &mut [f64]) {
        Arch::new().dispatch(
            #[inline(always)]
            || self.solve_band_lanes(re, im),
        );
    }

    #[inline(always)]
    fn solve_band_lanes(&self, re: &mut [f64], im: &mut [f64]) {
        let (n, width, wide) = (self.size, self.width, self.wide());
        let complex = !self.im.is_empty() || im.iter().any(|v| *v != 0.0);
        if !complex {
            return self.solve_band_real(re);
        }
        for k in 0..n {
            re.swap(k, self.pivots[k]);
            im.swap(k, self.pivots[k]);
            let count = self.depths[k] - k;
            let start = k * width;
            let (x, y) = (re[k], im[k]);
            let below = re[k + 1..=k + count].iter_mut();
            let below = below.zip(&mut im[k + 1..=k + count]);
            let lower = &self.lower_re[start..start + count];
            if self.im.is_empty() {
                for ((re, im), a) in below.zip(lower) {
                    *re -= a * x;
                    *im -= a * y;
                }
            } else {
                let lower = lower.iter().zip(&self.lower_im[start..start + count]);
                for ((re, im), (a, b)) in below.zip(lower) {
                    *re -= a * x - b * y;
                    *im -= a * y + b * x;
                }
            }
        }
        for k in (0..n).rev() {
            let count = self.ends[k] - k - 1;
            let start = k * wide + width + 1;
            let upper = &self.re[start..start + count];
            let (x, y) = (&re[k + 1..=k + count], &im[k + 1..=k + count]);
            let mut sum = c64::new(dot(upper, x), dot(upper, y));
            if !self.im.is_empty() {
                let upper = &self.im[start..start + count];
                sum += c64::new(-dot(upper, y), dot(upper, x));
            }
            let value = (c64::new(re[k], im[k]) - sum) / self.entry(k, k);
            (re[k], im[k]) = (value.re, value.im);
        }
    }

    #[inline(always)]
    fn solve_band_real(&self, x: &mut [f64]) {
        let (n, width, wide) = (self.size, self.width, self.wide());
        for k in 0..n {
            x.swap(k, self.pivots[k]);
            let (own, count) = (x[k], self.depths[k] - k);
            let lower = &self.lower_re[k * width..k * width + count];
            for (x, a) in x[k + 1..=k + count].iter_mut().zip(lower) {
                *x -= a * own;
            }
        }
        for k in (0..n).rev() {
            let count = self.ends[k] - k - 1;
            let start = k * wide + width + 1;
            let known = dot(&self.re[start..start + count], &x[k + 1..=k + count]);
            x[k] = (x[k] - known) / self.re[start - 1];
        }
    }

    /// Solves in place; the imaginary part of the right-hand side may be zero. Slices whose length is not that of the
    /// matrix are left alone.
    pub fn solve(&self, re: &mut [f64], im: &mut [f64]) {
        let border = self.border.as_ref().map_or(0, |b| b.below.nrows());
        if re.len() != self.size + border || im.len() != re.len() {
            return;
        }
        let (re, re_border) = re.split_at_mut(self.size);
        let (im, im_border) = im.split_at_mut(self.size);
        self.solve_band(re, im);
        let Some(border) = &self.border else { return };
        let count = re_border.len();
        let mut rest = Mat::from_fn(count, 1, |k, _| {
            let seen: c64 = (0..self.size)
                .map(|j| border.below[(k, j)] * c64::new(re[j], im[j]))
                .sum();
            c64::new(re_border[k], im_border[k]) - seen
        });
        border.rest.solve_in_place(rest.as_mut());
        for k in 0..count {
            let x = rest[(k, 0)];
            (re_border[k], im_border[k]) = (x.re, x.im);
            for j in 0..self.size {
                let change = border.right[(j, k)] * x;
                re[j] -= change.re;
                im[j] -= change.im;
            }
        }
    }

    /// Solves a real system in place.
    pub fn solve_real(&self, x: &mut [f64]) {
        let mut im = vec![0.0; x.len()];
        self.solve(x, &mut im);
    }
}

/// Partial sums of a scalar product, so that it becomes vector code.
const LANES: usize = 8;

/// aᵀb, for callers inside of a dispatch.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_what_the_matrix_multiplies() {
        for (size, width, border) in [(1, 0, 0), (7, 2, 0), (12, 3, 2), (9, 8, 1)] {
            let (mut a, mut m) = (
                BandMatrix::zeros(size, width, border),
                BandMatrix::zeros(size, width, border),
            );
            for i in 0..size + border {
                for j in 0..size + border {
                    // Small diagonals: row exchanges are needed.
                    let value = ((1 + 3 * i + 5 * j * j + i * j) as f64).sin()
                        * if i == j { 1e-3 } else { 1.0 };
                    a.add(i, j, value);
                    m.add(i, j, f64::from(u8::from(i == j)) + 0.1 * value.abs());
                }
            }
            let x: Vec<f64> = (0..size + border).map(|i| i as f64 - 2.5).collect();
            let dense = a.to_dense() * Mat::from_fn(x.len(), 1, |i, _| x[i]);
            let mut b = a.times(&x);
            assert!((0..x.len()).all(|i| (b[i] - dense[(i, 0)]).abs() < 1e-12));
            a.factors().solve_real(&mut b);
            assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-9), "{b:?}");

            let lambda = c64::new(0.7, 1.3);
            let (mx, ax) = (m.times(&x), a.times(&x));
            let mut re: Vec<f64> = mx.iter().zip(&ax).map(|(m, a)| 0.7 * m - 0.2 * a).collect();
            let mut im: Vec<f64> = mx.iter().map(|m| 1.3 * m).collect();
            m.shifted(lambda, &a, 0.2).solve(&mut re, &mut im);
            assert!(re.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-9));
            assert!(im.iter().all(|b| b.abs() < 1e-9));
        }
    }
}
