//! Functions of the point and of the parameters, with their derivatives by dual numbers.

use std::fmt;
use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::Dual;
use fastlsq_solve::EquationRow;
use ndarray::ArrayView2;
use rayon::prelude::*;

use crate::InverseError;

/// A function of the point and the parameters: any closure `|x, p| …` that computes with the
/// parameters as dual numbers.
pub trait ParameterFunction<const K: usize>:
    Fn(&[f64], &[Dual<K>; K]) -> Dual<K> + Send + Sync + 'static
{
}

impl<const K: usize, F> ParameterFunction<K> for F where
    F: Fn(&[f64], &[Dual<K>; K]) -> Dual<K> + Send + Sync + 'static
{
}

/// A shared [`ParameterFunction`].
#[derive(Clone)]
pub(crate) struct Function<const K: usize>(Arc<dyn ParameterFunction<K>>);

impl<const K: usize> fmt::Debug for Function<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function(closure)")
    }
}

/// Values of a function at points, and their derivatives by the parameters, one row a point.
pub(crate) struct Samples {
    pub(crate) values: Vec<f64>,
    pub(crate) slopes: Mat<f64>,
}

impl<const K: usize> Function<K> {
    pub(crate) fn new(function: impl ParameterFunction<K>) -> Self {
        Self(Arc::new(function))
    }

    /// The value at one point for fixed parameters.
    pub(crate) fn at(&self, point: &[f64], parameters: &[f64; K]) -> f64 {
        (self.0)(point, &parameters.map(Dual::constant)).value()
    }

    /// Values and derivatives at many points, in parallel.
    pub(crate) fn sample(
        &self,
        what: &'static str,
        label: &str,
        points: ArrayView2<'_, f64>,
        parameters: &[f64; K],
    ) -> Result<Samples, InverseError> {
        let variables: [Dual<K>; K] = std::array::from_fn(|k| Dual::variable(parameters[k], k));
        let count = points.nrows();
        let numbers: Vec<Dual<K>> = (0..count)
            .into_par_iter()
            .with_min_len(64)
            .map_init(Vec::new, |copy, i| {
                copy.clear();
                copy.extend(points.row(i).iter().copied());
                (self.0)(copy, &variables)
            })
            .collect();
        if let Some(i) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(InverseError::NotFinite {
                what,
                label: label.to_owned(),
                point: points.row(i).to_vec(),
                parameters: parameters.to_vec(),
            });
        }
        Ok(Samples {
            values: numbers.iter().map(Dual::value).collect(),
            slopes: Mat::from_fn(count, K, |i, k| numbers[i].slope(k)),
        })
    }
}

/// The data of one block as a function of the parameters.
#[derive(Debug, Clone)]
pub(crate) struct DataDependence<const K: usize> {
    pub(crate) label: String,
    pub(crate) function: Function<K>,
}

/// A term c(x; θ) T on the left of one block.
#[derive(Debug, Clone)]
pub(crate) struct TermDependence<const K: usize> {
    pub(crate) label: String,
    pub(crate) operator: EquationRow,
    pub(crate) coefficient: Function<K>,
}
