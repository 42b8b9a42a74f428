//! What was measured: any operator of the solution, at any points, with noise levels.

use fastlsq_solve::{Domain, EquationRow, Sites, identity};
use ndarray::Array2;

use crate::InverseError;

/// Measured values of B u at points, each with the standard deviation of its noise.
///
/// ```
/// use fastlsq_inverse::Observations;
/// use fastlsq_inverse::partial;
/// use ndarray::array;
/// let points = array![[0.2, 0.3], [0.7, 0.4]];
/// let temperatures = Observations::of_values(points.clone(), &[1.0, 1.5]).deviation(0.01);
/// let fluxes = Observations::of(partial(2, 0), points, &[0.1, 0.2]).deviations(&[0.05, 0.02]);
/// # let _ = (temperatures, fluxes);
/// ```
#[derive(Debug, Clone)]
pub struct Observations {
    pub(crate) label: String,
    pub(crate) operator: EquationRow,
    pub(crate) points: Array2<f64>,
    pub(crate) normals: Option<Array2<f64>>,
    pub(crate) values: Vec<f64>,
    pub(crate) deviations: Option<Vec<f64>>,
}

impl Observations {
    /// Values of an operator of the solution at points (one row a point).
    pub fn of(operator: impl Into<EquationRow>, points: Array2<f64>, values: &[f64]) -> Self {
        Self {
            label: "observations".to_owned(),
            operator: operator.into(),
            points,
            normals: None,
            values: values.to_vec(),
            deviations: None,
        }
    }

    /// Values of u itself at points (one row a point).
    #[must_use]
    pub fn of_values(points: Array2<f64>, values: &[f64]) -> Self {
        Self::of(identity(points.ncols().max(1)), points, values)
    }

    /// The name in messages.
    #[must_use]
    pub fn named(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// One standard deviation for all values.
    #[must_use]
    pub fn deviation(self, sigma: f64) -> Self {
        let count = self.values.len();
        self.deviations(&vec![sigma; count])
    }

    /// One standard deviation for each value. Without any, all values count alike and the noise level
    /// is estimated from how well they are met.
    #[must_use]
    pub fn deviations(mut self, sigmas: &[f64]) -> Self {
        self.deviations = Some(sigmas.to_vec());
        self
    }

    /// A normal for each point, for operators that need them.
    #[must_use]
    pub fn normals(mut self, normals: Array2<f64>) -> Self {
        self.normals = Some(normals);
        self
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The points, one row a point.
    #[must_use]
    pub fn points(&self) -> &Array2<f64> {
        &self.points
    }

    pub(crate) fn sites(&self) -> Sites<'_> {
        let sites = Sites::new(self.points.view());
        match &self.normals {
            Some(normals) => sites.with_normals(normals.view()),
            None => sites,
        }
    }

    pub(crate) fn validate(
        &self,
        domain: &dyn Domain,
        unknowns: usize,
    ) -> Result<(), InverseError> {
        let shape = |what, expected, found| {
            if expected == found {
                return Ok(());
            }
            Err(InverseError::Shape {
                label: self.label.clone(),
                what,
                expected,
                found,
            })
        };
        shape("coordinates a point", domain.dim(), self.points.ncols())?;
        shape("values", self.points.nrows(), self.values.len())?;
        shape("unknowns", unknowns, self.operator.unknowns())?;
        self.operator.validate()?;
        let bad = |index, what, value, requirement| {
            Err(InverseError::Observation {
                label: self.label.clone(),
                index,
                what,
                value,
                requirement,
            })
        };
        if let Some(sigmas) = &self.deviations {
            shape("standard deviations", self.values.len(), sigmas.len())?;
            if let Some(i) = sigmas.iter().position(|s| !(s.is_finite() && *s > 0.0)) {
                return bad(
                    i,
                    "standard deviation",
                    sigmas[i],
                    "it must be positive and finite",
                );
            }
        }
        if let Some(i) = self.values.iter().position(|v| !v.is_finite()) {
            return bad(i, "value", self.values[i], "it must be finite");
        }
        for (index, point) in self.points.rows().into_iter().enumerate() {
            let point = point.to_vec();
            if let Some(&value) = point.iter().find(|x| !x.is_finite()) {
                return bad(index, "coordinate", value, "it must be finite");
            }
            if !domain.contains(&point) {
                return Err(InverseError::Outside {
                    label: self.label.clone(),
                    index,
                    point,
                });
            }
        }
        self.sites().validate(domain.dim())?;
        Ok(())
    }
}
