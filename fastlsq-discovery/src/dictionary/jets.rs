//! The derivatives of u that a law needs, each once, and terms evaluated on them.

use faer::Mat;
use fastlsq_basis::MultiIndex;
use fastlsq_ops::ResidualValues;
use ndarray::ArrayView2;

use super::{Dictionary, Term};
use crate::DiscoveryError;

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
        let name = || library.derivative(target).to_string();
        if library.is_empty() {
            return Err(DiscoveryError::EmptyDictionary { target: name() });
        }
        let mut alphas = vec![target.clone()];
        let mut arguments = Vec::with_capacity(library.len());
        for term in library.terms() {
            if term.affine().and_then(|affine| affine.derivative()) == Some(target) {
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
        let mut columns = Mat::zeros(points.nrows(), library.len());
        for (k, (term, places)) in library.terms().iter().zip(&self.arguments).enumerate() {
            let found = evaluate(term, places, points, values)?.values;
            for (i, value) in found.into_iter().enumerate() {
                columns[(i, k)] = term.defined(value, i)?;
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
    ) -> Result<Vec<(usize, Vec<f64>)>, DiscoveryError> {
        let slopes = evaluate(term, places, points, values)?.slopes;
        let columns = slopes.columns().into_iter().map(|column| column.to_vec());
        Ok(places.iter().copied().zip(columns).collect())
    }
}

/// One term with its slopes, from the derivatives at these places.
pub(crate) fn evaluate(
    term: &Term,
    places: &[usize],
    points: ArrayView2<'_, f64>,
    values: &[Vec<f64>],
) -> Result<ResidualValues, DiscoveryError> {
    let jets: Vec<&[f64]> = places.iter().map(|&a| values[a].as_slice()).collect();
    term.evaluate(points, &jets)
}
