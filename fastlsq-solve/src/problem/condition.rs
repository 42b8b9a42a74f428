//! Conditions: any operator on any part of the boundary, at pairs of points, or at given points.

use fastlsq_ops::EquationRow;
use ndarray::Array2;

use crate::data::{Data, PointFunction};
use crate::domain::PartSelector;

/// Where a condition holds.
#[derive(Debug, Clone)]
pub enum Place {
    /// On a part of the boundary, sampled there.
    Part(PartSelector),
    /// Between opposite faces: (Bu)(lower) − (Bu)(upper) = data at the lower point.
    Opposite {
        /// The axis across which the faces lie.
        axis: usize,
    },
    /// At given points (one row a point), with given values.
    Points {
        /// The points.
        points: Array2<f64>,
        /// The values of Bu there.
        values: Vec<f64>,
    },
}

/// How a condition is imposed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Imposition {
    /// As rows with the solver's default weight.
    #[default]
    Default,
    /// As rows with this factor.
    Weighted(f64),
    /// As equality constraints: the data hold to rounding at the condition's points.
    Exact,
}

/// One condition B u = g.
#[derive(Debug, Clone)]
pub struct Condition {
    pub(crate) label: String,
    pub(crate) operator: EquationRow,
    pub(crate) place: Place,
    pub(crate) data: Data,
    pub(crate) imposition: Imposition,
    pub(crate) rows: Option<usize>,
    /// The standard deviation of each value of a table, if the values are noisy.
    pub(crate) deviations: Option<Vec<f64>>,
}

impl Condition {
    /// B u = g on a part of the boundary.
    pub fn on(
        part: PartSelector,
        operator: impl Into<EquationRow>,
        data: impl PointFunction,
    ) -> Self {
        let label = match &part {
            PartSelector::AllWalls => "walls".to_owned(),
            PartSelector::Initial => "initial".to_owned(),
            PartSelector::Final => "final".to_owned(),
            PartSelector::Everything => "whole boundary".to_owned(),
            PartSelector::Named(name) => name.clone(),
        };
        Self {
            label,
            operator: operator.into(),
            place: Place::Part(part),
            data: Data::new(data),
            imposition: Imposition::Default,
            rows: None,
            deviations: None,
        }
    }

    /// (Bu)(lower face) = (Bu)(upper face) across an axis.
    pub fn opposite(axis: usize, operator: impl Into<EquationRow>) -> Self {
        Self {
            label: format!("periodic x{axis}"),
            operator: operator.into(),
            place: Place::Opposite { axis },
            data: Data::new(|_| 0.0),
            imposition: Imposition::Default,
            rows: None,
            deviations: None,
        }
    }

    /// (Bu)(xᵢ) = vᵢ at given points (one row a point).
    pub fn at(points: Array2<f64>, operator: impl Into<EquationRow>, values: &[f64]) -> Self {
        Self {
            label: "data".to_owned(),
            operator: operator.into(),
            place: Place::Points {
                points,
                values: values.to_vec(),
            },
            data: Data::new(|_| 0.0),
            imposition: Imposition::Default,
            rows: None,
            deviations: None,
        }
    }

    /// The name in reports and errors.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Where the condition holds.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What stands on its left.
    #[must_use]
    pub fn operator(&self) -> &EquationRow {
        &self.operator
    }

    /// What stands on its right.
    #[must_use]
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The name in reports and errors.
    #[must_use]
    pub fn named(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same condition with other data.
    #[must_use]
    pub fn with_data(mut self, data: impl PointFunction) -> Self {
        self.set_data(Data::new(data));
        self
    }

    pub(crate) fn set_data(&mut self, data: Data) {
        if let Place::Points { points, values } = &mut self.place {
            let rows = points.rows().into_iter();
            *values = rows.map(|point| data.at(&point.to_vec())).collect();
        }
        self.data = data;
    }

    /// The factor on the rows of this condition.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.imposition = Imposition::Weighted(weight);
        self
    }

    /// Imposes the condition as equality constraints at its points.
    #[must_use]
    pub fn exact(mut self) -> Self {
        self.imposition = Imposition::Exact;
        self
    }

    /// The number of points this condition is sampled at.
    #[must_use]
    pub fn rows(mut self, rows: usize) -> Self {
        self.rows = Some(rows);
        self
    }

    /// The standard deviation of each value of a condition [`at`](Self::at) given points: rows are
    /// divided by it.
    #[must_use]
    pub fn deviations(mut self, sigmas: &[f64]) -> Self {
        self.deviations = Some(sigmas.to_vec());
        self
    }
}
