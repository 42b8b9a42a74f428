//! The derivatives of u that a law needs, each once, and terms evaluated on them.

use faer::Mat;
use fastlsq_basis::MultiIndex;
use ndarray::ArrayView2;

use super::{Dictionary, Term};
use crate::DiscoveryError;
use crate::samples::rms;

/// The distinct derivatives behind a target and a dictionary.
#[derive(Debug, Clone)]
pub(crate) struct Jets {
    /// Distinct multi-indices; the target is the first.
    pub(crate) alphas: Vec<MultiIndex>,
    /// For each term the places of its arguments in `alphas`.
    pub(crate) arguments: Vec<Vec<usize>>,
}

impl Jets {
    /// Lists the derivatives; fails on empty dictionaries and on the target among the terms.
    pub(crate) fn new(library: &Dictionary, target: &MultiIndex) -> Result<Self, DiscoveryError> {
        let name = || library.variables().derivative_name(target);
        if library.is_empty() {
            return Err(DiscoveryError::EmptyDictionary { target: name() });
        }
        let mut alphas = vec![target.clone()];
        let mut arguments = Vec::with_capacity(library.len());
        for term in library.terms() {
            if term.linear() == Some(target) {
                return Err(DiscoveryError::TargetInDictionary { name: name() });
            }
            let places = term.arguments().iter().map(|alpha| {
                alphas
                    .iter()
                    .position(|known| known == alpha)
                    .unwrap_or_else(|| {
                        alphas.push(alpha.clone());
                        alphas.len() - 1
                    })
            });
            arguments.push(places.collect());
        }
        Ok(Self { alphas, arguments })
    }

    /// T(u) of every term at every point; `values[a][i]` is D^{αₐ}u(xᵢ).
    pub(crate) fn columns(
        &self,
        library: &Dictionary,
        points: ArrayView2<'_, f64>,
        values: &[Vec<f64>],
    ) -> Result<Mat<f64>, DiscoveryError> {
        let rows = points.nrows();
        let mut columns = Mat::zeros(rows, library.len());
        for (k, (term, places)) in library.terms().iter().zip(&self.arguments).enumerate() {
            let mut jet = vec![0.0; places.len()];
            for i in 0..rows {
                gather(values, places, i, &mut jet);
                let value = term.value(&points.row(i).to_vec(), &jet);
                if !value.is_finite() {
                    return Err(DiscoveryError::TermNotFinite {
                        name: term.name().to_owned(),
                        index: i,
                        value,
                    });
                }
                columns[(i, k)] = value;
            }
        }
        Ok(columns)
    }

    /// ∂T/∂j of one term: for each argument its place in `alphas` and the slopes at the points.
    pub(crate) fn slopes(
        &self,
        term: &Term,
        places: &[usize],
        points: ArrayView2<'_, f64>,
        values: &[Vec<f64>],
    ) -> Vec<(usize, Vec<f64>)> {
        let rows = points.nrows();
        let scales: Vec<f64> = places.iter().map(|&a| rms(&values[a])).collect();
        let mut slopes: Vec<(usize, Vec<f64>)> =
            places.iter().map(|&a| (a, vec![0.0; rows])).collect();
        let (mut jet, mut out) = (vec![0.0; places.len()], vec![0.0; places.len()]);
        for i in 0..rows {
            gather(values, places, i, &mut jet);
            term.gradient(&points.row(i).to_vec(), &jet, &scales, &mut out);
            for ((_, column), slope) in slopes.iter_mut().zip(&out) {
                column[i] = *slope;
            }
        }
        slopes
    }
}

fn gather(values: &[Vec<f64>], places: &[usize], row: usize, jet: &mut [f64]) {
    for (slot, &a) in jet.iter_mut().zip(places) {
        *slot = values[a][row];
    }
}
