//! Coefficients c(x) of operators: numbers, columns of a table, or parts of an expression.

use std::fmt;
use std::sync::Arc;

use crate::lower::{Graph, Id, Program};
use crate::{OperatorError, Sites};

/// A coefficient c(x), or a right-hand side.
#[derive(Clone)]
pub struct Field(Kind);

#[derive(Clone)]
enum Kind {
    Constant(f64),
    /// A column of the table that comes with the points, with its name.
    Column(Arc<str>, usize),
    /// Part of an expression, times ±1.
    Expression {
        graph: Arc<Graph>,
        id: Id,
        program: Arc<Program>,
        sign: f64,
    },
}

impl Field {
    /// The same number everywhere.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self(Kind::Constant(value))
    }

    /// A coefficient whose values come with the points, as a column of
    /// [`Sites::with_table`](crate::Sites::with_table).
    pub fn tabulated(name: impl AsRef<str>, column: usize) -> Self {
        Self(Kind::Column(name.as_ref().into(), column))
    }

    pub(crate) fn of_node(graph: Arc<Graph>, id: Id) -> Self {
        let program = Arc::new(Program::new(&graph, &[id], &[]));
        Self(Kind::Expression {
            graph,
            id,
            program,
            sign: 1.0,
        })
    }

    /// The number that it is everywhere, if it is one.
    #[must_use]
    pub fn as_constant(&self) -> Option<f64> {
        match self.0 {
            Kind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Whether this is a number.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.as_constant().is_some()
    }

    /// Whether a component of the normal is needed.
    #[must_use]
    pub fn needs_normals(&self) -> bool {
        match &self.0 {
            Kind::Expression { program, .. } => program.needs_normals(),
            _ => false,
        }
    }

    /// Whether both take the same values by construction.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Kind::Constant(a), Kind::Constant(b)) => a == b,
            (Kind::Column(_, a), Kind::Column(_, b)) => a == b,
            (
                Kind::Expression {
                    graph, id, sign, ..
                },
                Kind::Expression {
                    graph: other_graph,
                    id: other_id,
                    sign: other_sign,
                    ..
                },
            ) => Arc::ptr_eq(graph, other_graph) && id == other_id && sign == other_sign,
            _ => false,
        }
    }

    pub(crate) fn negated(self) -> Self {
        Self(match self.0 {
            Kind::Constant(value) => Kind::Constant(-value),
            Kind::Expression {
                graph,
                id,
                program,
                sign,
            } => Kind::Expression {
                graph,
                id,
                program,
                sign: -sign,
            },
            // Never negated: columns are coefficients of linearised equations.
            column @ Kind::Column(..) => column,
        })
    }

    /// The values at all points; the first that is not finite is an error.
    ///
    /// # Errors
    /// A value that is not finite; missing normals or a missing table.
    pub fn evaluate<'a>(&self, sites: impl Into<Sites<'a>>) -> Result<Vec<f64>, OperatorError> {
        let sites = sites.into();
        let values: Vec<f64> = match &self.0 {
            Kind::Constant(value) => vec![*value; sites.len()],
            Kind::Column(name, index) => sites
                .table()
                .filter(|table| *index < table.ncols())
                .map(|table| table.column(*index).to_vec())
                .ok_or_else(|| OperatorError::MissingColumn {
                    field: name.to_string(),
                    column: *index,
                    available: sites.table().map_or(0, |table| table.ncols()),
                })?,
            Kind::Expression { program, sign, .. } => {
                let values = program.run(&sites, None, &[])?;
                values.iter().map(|value| sign * value).collect()
            }
        };
        self.finite(values, &sites)
    }

    /// The values of several fields; what parts of one expression have in common is evaluated once.
    pub(crate) fn evaluate_all(
        fields: &[&Self],
        sites: &Sites<'_>,
    ) -> Result<Vec<Vec<f64>>, OperatorError> {
        let mut columns: Vec<Option<Vec<f64>>> = vec![None; fields.len()];
        for (first, field) in fields.iter().enumerate() {
            if columns[first].is_some() {
                continue;
            }
            let group: Vec<usize> = (first..fields.len())
                .filter(|&k| k == first || field.graph_of(fields[k]).is_some())
                .collect();
            let (graph, ids) = match (field.graph_of(field), group.len()) {
                (Some(graph), 2..) => {
                    let ids: Vec<Id> = group.iter().filter_map(|&k| fields[k].node()).collect();
                    (graph, ids)
                }
                _ => {
                    columns[first] = Some(field.evaluate(sites)?);
                    continue;
                }
            };
            let values = Program::new(graph, &ids, &[]).run(sites, None, &[])?;
            for (&k, values) in group.iter().zip(values.columns()) {
                let sign = fields[k].sign();
                let values = values.iter().map(|value| sign * value).collect();
                columns[k] = Some(fields[k].finite(values, sites)?);
            }
        }
        Ok(columns.into_iter().flatten().collect())
    }

    /// The graph that both are parts of.
    fn graph_of(&self, other: &Self) -> Option<&Graph> {
        match (&self.0, &other.0) {
            (Kind::Expression { graph, .. }, Kind::Expression { graph: same, .. }) => {
                Arc::ptr_eq(graph, same).then_some(graph)
            }
            _ => None,
        }
    }

    fn node(&self) -> Option<Id> {
        match &self.0 {
            Kind::Expression { id, .. } => Some(*id),
            _ => None,
        }
    }

    fn sign(&self) -> f64 {
        match &self.0 {
            Kind::Expression { sign, .. } => *sign,
            _ => 1.0,
        }
    }

    /// The values, or the first that is not finite as an error.
    fn finite(&self, values: Vec<f64>, sites: &Sites<'_>) -> Result<Vec<f64>, OperatorError> {
        match values.iter().position(|value| !value.is_finite()) {
            Some(i) => Err(OperatorError::FieldValue {
                field: self.to_string(),
                value: values[i],
                point: sites.points().row(i).to_vec(),
            }),
            None => Ok(values),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Constant(value) => f.write_str(&crate::typography::number(*value)),
            Kind::Column(name, _) => f.write_str(name),
            Kind::Expression {
                graph, id, sign, ..
            } => {
                let expression = graph.expression(*id);
                if *sign < 0.0 {
                    write!(f, "{}", -expression)
                } else {
                    write!(f, "{expression}")
                }
            }
        }
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field({self})")
    }
}

impl From<f64> for Field {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}
