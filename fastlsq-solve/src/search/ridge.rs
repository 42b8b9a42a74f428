//! The ridge of a fit, which may rise with the frequency.
//!
//! Samples are where they are. With a few of them per feature, waves that are larger than they need to be cancel at the
//! samples and swing between them; a ridge keeps them small. The spectrum of a smooth function falls exponentially, so that
//! high waves have less right to be large than low ones:
//!
//! ‖Aβ − b‖² + μ Σⱼ (βⱼ/aⱼ)² with aⱼ = exp(−s |wⱼ|/max |w|),
//!
//! which is a plain ridge μ for columns times aⱼ. With 5000 samples of a breather of the sine-Gordon equation, errors for ten
//! draws are 1e-4 … 1.5e-4; with a ridge that is the same for all frequencies they are 2e-4 … 5e-4.

use std::sync::Arc;

use faer::MatMut;
use fastlsq_basis::{Basis, BasisError, Form, SavedBasis};
use ndarray::ArrayView2;

/// What is added to ‖Aβ − b‖².
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Ridge {
    /// μ, beyond the ridge of the options.
    pub size: f64,
    /// s: how much it rises from the lowest frequency to the highest.
    pub slope: f64,
}

impl Ridge {
    pub(super) const fn new(size: f64, slope: f64) -> Self {
        Self { size, slope }
    }

    /// The words of a report; none where there is no ridge.
    pub(super) fn words(&self) -> Option<String> {
        let size = self.size;
        match (size > 0.0, self.slope > 0.0) {
            (false, _) => None,
            (true, false) => Some(format!("with a ridge of {size:.0e}")),
            (true, true) => Some(format!(
                "with a ridge of {size:.0e} that rises with the frequency"
            )),
        }
    }
}

/// The features of another basis, each times a number.
#[derive(Debug)]
pub(super) struct Scaled {
    inner: Arc<dyn Basis>,
    factors: Vec<f64>,
}

impl Scaled {
    /// aⱼφⱼ; `None` where nothing rises, or where features are not waves.
    pub(super) fn new(inner: &Arc<dyn Basis>, ridge: Ridge) -> Option<Self> {
        if ridge.size == 0.0 || ridge.slope == 0.0 {
            return None;
        }
        match inner.to_saved() {
            Some(SavedBasis::Sinusoidal(waves)) => Some(Self {
                inner: inner.clone(),
                factors: amplitudes(waves.frequencies().view(), ridge.slope),
            }),
            _ => None,
        }
    }

    /// The coefficients of φⱼ from those of aⱼφⱼ.
    pub(super) fn undone(&self, beta: &mut [f64]) {
        for (coefficient, factor) in beta.iter_mut().zip(&self.factors) {
            *coefficient *= factor;
        }
    }
}

impl Basis for Scaled {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        self.inner.write_rows(points, form, out.as_mut())?;
        for (column, factor) in out.col_iter_mut().zip(&self.factors) {
            column.iter_mut().for_each(|entry| *entry *= factor);
        }
        Ok(())
    }
}

/// aⱼ for waves with these frequencies, one row per wave. Each axis is measured by the largest frequency along it.
fn amplitudes(frequencies: ArrayView2<'_, f64>, slope: f64) -> Vec<f64> {
    let largest: Vec<f64> = frequencies
        .columns()
        .into_iter()
        .map(|along| along.iter().fold(0.0, |a: f64, b| a.max(b.abs())))
        .collect();
    let length = |row: ndarray::ArrayView1<'_, f64>| -> f64 {
        let shares = row.iter().zip(&largest).filter(|(_, most)| **most > 0.0);
        shares.map(|(w, most)| (w / most).powi(2)).sum::<f64>()
    };
    let lengths: Vec<f64> = frequencies
        .rows()
        .into_iter()
        .map(|row| length(row).sqrt())
        .collect();
    let longest = lengths.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let amplitude = |length: &f64| (-slope * length / longest).exp();
    lengths.iter().map(amplitude).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastlsq_basis::{FrequencyLaw, SinusoidalBasis};

    #[test]
    fn amplitudes_fall_from_the_lowest_frequency_to_the_highest_whatever_the_units() {
        let basis =
            SinusoidalBasis::random(2, 50, &FrequencyLaw::PerAxis(vec![1.0, 1e3]), 3).unwrap();
        let own = amplitudes(basis.frequencies().view(), 7.0);
        let smallest = own.iter().copied().fold(1.0, f64::min);
        assert!((smallest - (-7.0f64).exp()).abs() < 1e-15);
        assert!(own.iter().all(|a| (smallest..=1.0).contains(a)));
        let other = basis.frequencies() * &ndarray::array![1.0, 1e-3];
        for (a, b) in own.iter().zip(amplitudes(other.view(), 7.0)) {
            assert!((a - b).abs() < 1e-13);
        }
        assert_eq!(amplitudes(basis.frequencies().view(), 0.0), [1.0; 50]);
    }
}
