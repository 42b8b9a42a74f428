//! One scalar equation R = 0, or condition, made concrete: linear or not, its operator, its slopes.

use std::sync::Arc;

use ndarray::{Array2, ArrayView2, s};

use super::graph::{Graph, Id, Jet};
use super::linear::Degree;
use super::program::Program;
use crate::{EquationRow, Field, Operator, OperatorError, Sites, StatementError, Term};

/// A scalar expression in one space, with its derivatives by the unknowns and by the parameters.
#[derive(Debug, Clone)]
pub struct Statement {
    graph: Arc<Graph>,
    root: Id,
    /// The jets that occur, as numbers of the graph, with ∂R/∂jet for each, which may be 0 everywhere.
    jets: Vec<(usize, Id)>,
    /// The parameters that occur, with ∂R/∂parameter for each.
    parameters: Vec<(usize, Id)>,
    /// What is left where all unknowns vanish, if the expression is linear.
    rest: Option<Id>,
}

impl Statement {
    /// Statements for these nodes of one graph.
    pub(crate) fn all(mut graph: Graph, roots: &[Id]) -> Result<Vec<Self>, StatementError> {
        let mut parts = Vec::with_capacity(roots.len());
        for root in roots {
            let gradient = graph.gradient(*root)?;
            let slopes = gradient.jets.iter().chain(&gradient.parameters);
            let slopes = slopes.map(|(_, slope)| *slope);
            let all: Vec<Id> = std::iter::once(*root).chain(slopes).collect();
            graph.require_finite(&all)?;
            let rest = match graph.degree(*root) {
                Degree::Nonlinear => None,
                Degree::Free | Degree::Linear => Some(graph.without_jets(*root)),
            };
            parts.push((*root, gradient.jets, gradient.parameters, rest));
        }
        let graph = Arc::new(graph);
        let statement = |(root, jets, parameters, rest)| Self {
            graph: graph.clone(),
            root,
            jets,
            parameters,
            rest,
        };
        Ok(parts.into_iter().map(statement).collect())
    }

    /// The number of unknowns of the system.
    #[must_use]
    pub fn unknowns(&self) -> usize {
        self.graph.unknowns.len()
    }

    /// Whether every term has at most one unknown, to the first power.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.rest.is_some()
    }

    /// Whether no unknown occurs, terms that cancel aside.
    #[must_use]
    pub fn is_free_of_unknowns(&self) -> bool {
        self.is_linear() && self.slopes().next().is_none()
    }

    /// Whether a parameter without a value occurs.
    #[must_use]
    pub fn has_free_parameters(&self) -> bool {
        !self.parameters.is_empty()
    }

    /// The highest order of a derivative; integrals and multipliers do not count.
    #[must_use]
    pub fn order(&self) -> u32 {
        let orders = self.slopes().map(|(jet, _)| jet.action.derivative.order());
        orders.max().unwrap_or(0)
    }

    /// The derivatives of unknowns that occur.
    pub fn jets(&self) -> impl ExactSizeIterator<Item = &Jet> {
        self.jets.iter().map(|(jet, _)| &self.graph.jets[*jet])
    }

    /// The jets with their slopes, where these do not vanish identically.
    fn slopes(&self) -> impl Iterator<Item = (&Jet, Id)> {
        let graph = &self.graph;
        let some = self.jets.iter().filter(|(_, slope)| !graph.is_zero(*slope));
        some.map(|(jet, slope)| (&graph.jets[*jet], *slope))
    }

    /// Whether points must come with normals.
    #[must_use]
    pub fn needs_normals(&self) -> bool {
        self.graph.needs_normals(self.root)
    }

    /// The linear operator on the left of L u = f; `None` if the expression is not linear.
    #[must_use]
    pub fn row(&self) -> Option<EquationRow> {
        self.rest?;
        Some(self.row_of(|_, _| true))
    }

    /// The part of the linear operator whose coefficients contain no free parameters.
    #[must_use]
    pub fn fixed_row(&self) -> EquationRow {
        self.row_of(|graph, slope| !graph.has_parameters(slope))
    }

    fn row_of(&self, keep: impl Fn(&Graph, Id) -> bool) -> EquationRow {
        let mut terms: Vec<Vec<Term>> = vec![Vec::new(); self.unknowns()];
        for (jet, slope) in self.slopes() {
            if keep(&self.graph, slope) {
                let term = Term::new(self.field(slope), jet.action.clone());
                terms[jet.unknown].push(term);
            }
        }
        let mut row = EquationRow::zero(self.unknowns());
        for (unknown, terms) in terms.into_iter().enumerate() {
            if !terms.is_empty() {
                row = row.with(unknown, Operator::from_terms(self.graph.dim, terms));
            }
        }
        row
    }

    /// The right-hand side f of L u = f; `None` if the expression is not linear.
    #[must_use]
    pub fn source(&self) -> Option<Field> {
        self.rest.map(|rest| self.field(rest).negated())
    }

    fn field(&self, id: Id) -> Field {
        match self.graph.as_number(id) {
            Some(value) => Field::constant(value),
            None => Field::of_node(self.graph.clone(), id),
        }
    }

    /// The terms c(x; θ) T u of a linear expression whose coefficients depend on free parameters; unknowns and
    /// derivatives with the same coefficient are one T.
    ///
    /// # Errors
    /// A function given as code that would have to be differentiated three times.
    pub fn dependent_terms(&self) -> Result<Vec<(EquationRow, Dependent)>, StatementError> {
        let mut coefficients: Vec<(Id, EquationRow)> = Vec::new();
        for (jet, slope) in self.slopes() {
            if !self.graph.has_parameters(slope) {
                continue;
            }
            let term = Term::new(1.0, jet.action.clone());
            let operator = Operator::from_terms(self.graph.dim, [term]);
            match coefficients.iter_mut().find(|(own, _)| *own == slope) {
                Some((_, row)) => *row = row.clone().with(jet.unknown, operator),
                None => coefficients.push((slope, operator.on(jet.unknown, self.unknowns()))),
            }
        }
        let mut graph = self.graph.as_ref().clone();
        let mut with_slopes = |(id, row)| Ok((row, Dependent::new(&mut graph, id, 1.0)?));
        coefficients.into_iter().map(&mut with_slopes).collect()
    }

    /// The right-hand side f(x; θ) of a linear expression, if it depends on free parameters.
    ///
    /// # Errors
    /// As [`dependent_terms`](Self::dependent_terms).
    pub fn dependent_source(&self) -> Result<Option<Dependent>, StatementError> {
        match self.rest.filter(|rest| self.graph.has_parameters(*rest)) {
            Some(rest) => Dependent::new(&mut self.graph.as_ref().clone(), rest, -1.0).map(Some),
            None => Ok(None),
        }
    }

    /// The expression as Newton's method needs it: values and slopes at given unknowns.
    #[must_use]
    pub fn residual(&self) -> Residual {
        self.residual_with_slopes(|_| true)
    }

    /// The same with slopes by some of the jets only; those by the others are zero, and cost nothing.
    #[must_use]
    pub fn residual_with_slopes(&self, wanted: impl Fn(&Jet) -> bool) -> Residual {
        let mut graph = self.graph.as_ref().clone();
        let zero = graph.number(0.0);
        let mut columns = vec![usize::MAX; self.graph.jets.len()];
        for (column, (jet, _)) in self.jets.iter().enumerate() {
            columns[*jet] = column;
        }
        let mut outputs = vec![self.root];
        let slopes = self.jets.iter().map(|(jet, slope)| {
            if wanted(&self.graph.jets[*jet]) {
                *slope
            } else {
                zero
            }
        });
        outputs.extend(slopes);
        outputs.extend(self.parameters.iter().map(|(_, slope)| *slope));
        Residual {
            program: Arc::new(Program::new(&graph, &outputs, &columns)),
            jets: self.jets().cloned().collect(),
            parameters: self.parameters.iter().map(|(p, _)| *p).collect(),
            free: self.graph.parameters.len(),
            unknowns: self.unknowns(),
            dim: self.graph.dim,
        }
    }
}

/// A function of the point and of the free parameters.
#[derive(Debug, Clone)]
pub struct Dependent {
    program: Arc<Program>,
    parameters: usize,
    sign: f64,
}

impl Dependent {
    /// A node without unknowns, with its slopes.
    fn new(graph: &mut Graph, id: Id, sign: f64) -> Result<Self, StatementError> {
        let parameters = graph.parameters.len();
        let zero = graph.number(0.0);
        let mut outputs = vec![zero; 1 + parameters];
        outputs[0] = id;
        for (parameter, slope) in graph.gradient(id)?.parameters {
            outputs[1 + parameter] = slope;
        }
        Ok(Self {
            program: Arc::new(Program::new(graph, &outputs, &[])),
            parameters,
            sign,
        })
    }

    /// Values and slopes by all free parameters: one row per point, the value first.
    ///
    /// # Errors
    /// Points, normals or parameters that are missing or do not fit.
    pub fn sample(
        &self,
        sites: &Sites<'_>,
        parameters: &[f64],
    ) -> Result<Array2<f64>, OperatorError> {
        let mut sampled = self.program.run(sites, None, parameters)?;
        if self.sign < 0.0 {
            sampled.mapv_inplace(|value| -value);
        }
        Ok(sampled)
    }

    /// The number of free parameters.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.parameters
    }
}

/// A residual R(x, u, ∇u, …; θ) with its exact slopes, evaluated at many points at once.
#[derive(Debug, Clone)]
pub struct Residual {
    program: Arc<Program>,
    jets: Vec<Jet>,
    parameters: Vec<usize>,
    free: usize,
    unknowns: usize,
    dim: usize,
}

/// Values and slopes of a [`Residual`] at many points.
#[derive(Debug, Clone)]
pub struct ResidualValues {
    /// R(xᵢ).
    pub values: Vec<f64>,
    /// ∂R/∂(jet) at xᵢ: one row per point, one column per jet.
    pub slopes: Array2<f64>,
    /// ∂R/∂θ at xᵢ: one row per point, one column per free parameter.
    pub parameter_slopes: Array2<f64>,
}

impl Residual {
    /// The derivatives of unknowns that it needs, in the order of the columns of its table.
    #[must_use]
    pub fn jets(&self) -> &[Jet] {
        &self.jets
    }

    /// One row for each jet, which evaluates it.
    #[must_use]
    pub fn jet_rows(&self) -> Vec<EquationRow> {
        let row = |jet: &Jet| {
            let term = Term::new(1.0, jet.action.clone());
            Operator::from_terms(self.dim, [term]).on(jet.unknown, self.unknowns)
        };
        self.jets.iter().map(row).collect()
    }

    /// The linearised residual as an operator Σ cₜ(x) Tₜ: column t of the table of the sites is cₜ. `keep` selects the jets.
    #[must_use]
    pub fn linearised(&self, keep: impl Fn(&Jet) -> bool) -> EquationRow {
        let mut row = EquationRow::zero(self.unknowns);
        for (column, jet) in self.jets.iter().enumerate().filter(|(_, jet)| keep(jet)) {
            let coefficient = Field::tabulated(format!("c{column}"), column);
            let term = Term::new(coefficient, jet.action.clone());
            row = row.with(jet.unknown, Operator::from_terms(self.dim, [term]));
        }
        row
    }

    /// Values and slopes, given the jets at the points (one row per point) and the free parameters.
    ///
    /// # Errors
    /// Points, normals, jets or parameters that are missing or do not fit.
    pub fn evaluate(
        &self,
        table: ArrayView2<'_, f64>,
        sites: &Sites<'_>,
        parameters: &[f64],
    ) -> Result<ResidualValues, OperatorError> {
        let all = self.program.run(sites, Some(table), parameters)?;
        let jets = self.jets.len();
        let mut parameter_slopes = Array2::zeros((sites.len(), self.free));
        for (column, parameter) in self.parameters.iter().enumerate() {
            let source = all.column(1 + jets + column);
            parameter_slopes.column_mut(*parameter).assign(&source);
        }
        Ok(ResidualValues {
            values: all.column(0).to_vec(),
            slopes: all.slice_move(s![.., 1..=jets]),
            parameter_slopes,
        })
    }
}
