//! What was measured: any linear expression of the solution, at any points, with noise levels.

use faer::Mat;
use fastlsq_solve::{Domain, Expr, Frame, Parameter, Sites, StatementError, System};
use ndarray::Array2;

use crate::InverseError;

/// Measured values of an expression of the unknowns at points, each with the standard deviation of its
/// noise.
///
/// ```
/// use fastlsq_inverse::{Observations, X, unknown};
/// use ndarray::array;
/// let u = unknown("u");
/// let points = array![[0.2, 0.3], [0.7, 0.4]];
/// let temperatures = Observations::of(u, points.clone(), &[1.0, 1.5]).deviation(0.01);
/// let fluxes = Observations::of(-2.0 * u.d(X), points, &[0.1, 0.2]).deviations(&[0.05, 0.02]);
/// # let _ = (temperatures, fluxes);
/// ```
#[derive(Debug, Clone)]
pub struct Observations {
    pub(crate) label: String,
    expression: Expr,
    points: Array2<f64>,
    normals: Option<Array2<f64>>,
    values: Vec<f64>,
    deviations: Option<Vec<f64>>,
}

/// All observations on given bases: d = H β + offsets.
pub(crate) struct Observed {
    /// H, one row per observation.
    pub(crate) rows: Mat<f64>,
    /// What the expressions contain besides the unknowns.
    pub(crate) offsets: Vec<f64>,
    pub(crate) values: Vec<f64>,
    /// 1 where none were given.
    pub(crate) deviations: Vec<f64>,
    /// Whether all were given (or are to be estimated).
    pub(crate) noise_known: bool,
}

/// Writes the rows of all observations.
pub(crate) fn observe(
    all: &[Observations],
    frame: &Frame,
    sought: &[Parameter],
    system: &System,
) -> Result<Observed, InverseError> {
    let bases = system.basis_refs();
    let count = all.iter().map(Observations::len).sum();
    let columns = bases.iter().map(|basis| basis.len()).sum();
    let mut observed = Observed {
        rows: Mat::zeros(count, columns),
        offsets: Vec::with_capacity(count),
        values: Vec::with_capacity(count),
        deviations: Vec::with_capacity(count),
        noise_known: true,
    };
    for observations in all {
        let wrong = |source| InverseError::Observed {
            label: observations.label.clone(),
            source,
        };
        let expression = &observations.expression;
        if let Some(name) = expression
            .parameters()
            .into_iter()
            .find(|p| sought.contains(p))
        {
            return Err(InverseError::SoughtInObservations {
                label: observations.label.clone(),
                name: name.to_string(),
            });
        }
        let statement = frame.lower_scalar(expression).map_err(wrong)?;
        let (Some(row), Some(source)) = (statement.row(), statement.source()) else {
            let term = frame.first_nonlinear(expression);
            return Err(wrong(StatementError::Nonlinear {
                expression: term.as_ref().unwrap_or(expression).to_string(),
            }));
        };
        let (first, own) = (observed.values.len(), observations.len());
        let target = observed.rows.as_mut().subrows_mut(first, own);
        row.assemble_into(&bases, observations.sites(), target)?;
        let sources = source.evaluate(observations.sites())?;
        observed.offsets.extend(sources.iter().map(|f| -f));
        observed.values.extend(&observations.values);
        match &observations.deviations {
            Some(sigmas) => observed.deviations.extend(sigmas),
            None => {
                observed.noise_known = false;
                observed.deviations.extend(vec![1.0; own]);
            }
        }
    }
    Ok(observed)
}

impl Observations {
    /// Values of an expression that is linear in the unknowns, at points (one row per point).
    pub fn of(expression: impl Into<Expr>, points: Array2<f64>, values: &[f64]) -> Self {
        Self {
            label: "observations".to_owned(),
            expression: expression.into(),
            points,
            normals: None,
            values: values.to_vec(),
            deviations: None,
        }
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

    /// A normal for each point, for expressions that need them.
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

    /// The points, one row per point.
    #[must_use]
    pub fn points(&self) -> &Array2<f64> {
        &self.points
    }

    fn sites(&self) -> Sites<'_> {
        let sites = Sites::new(self.points.view());
        match &self.normals {
            Some(normals) => sites.with_normals(normals.view()),
            None => sites,
        }
    }

    pub(crate) fn validate(&self, domain: &dyn Domain) -> Result<(), InverseError> {
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
        shape("coordinates per point", domain.dim(), self.points.ncols())?;
        shape("values", self.points.nrows(), self.values.len())?;
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
