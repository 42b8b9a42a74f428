//! The functions of space, of either kind, behind one interface.

use std::sync::Arc;

use faer::Mat;
use fastlsq_basis::{Action, Basis, MultiIndex};
use fastlsq_solve::dense::{product, times};
use fastlsq_solve::space::product::{Axis, FaceCondition, ProductSpace, ProductTerm};
use fastlsq_solve::space::{SpaceBuilder, SpaceCondition, SpaceError, TrialSpace};
use fastlsq_solve::{Field, Operator, Term};
use ndarray::{Array2, ArrayView2};

use super::problem::{FieldProblem, Wall};
use crate::NewtonError;

/// The maximum number of coefficients that a dense matrix is made of.
pub(crate) const MOST_DENSE: usize = 1600;
/// The maximum number of coefficients of one function, where there is no matrix.
const MOST_PRODUCT: usize = 20_000;

/// How many functions there are: along each axis of a box, or the degree of polynomials on any other domain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Resolution {
    Axes(Vec<usize>),
    Degree(usize),
}

impl Resolution {
    /// Enough for a first look.
    pub(crate) fn first(problem: &FieldProblem, more: usize) -> Self {
        if problem.faces.is_some() {
            // The work of the first look should be small in any dimension.
            let count = if problem.form.dim == 2 { 16 } else { 11 };
            Self::Axes(vec![count + more; problem.form.dim])
        } else {
            Self::Degree(if problem.form.dim == 2 { 12 } else { 8 } + more)
        }
    }

    /// More where they are asked for: one mark for each axis, or one for all.
    pub(crate) fn finer(&self, marked: &[bool]) -> Self {
        let more = |count: usize| (1.25 * count as f64) as usize + 2;
        match self {
            Self::Axes(counts) => Self::Axes(
                counts
                    .iter()
                    .zip(marked)
                    .map(|(count, marked)| if *marked { more(*count) } else { *count })
                    .collect(),
            ),
            Self::Degree(degree) if marked.contains(&true) => Self::Degree(more(*degree)),
            Self::Degree(degree) => Self::Degree(*degree),
        }
    }

    /// The largest degree.
    pub(crate) fn degree(&self) -> usize {
        match self {
            Self::Axes(counts) => counts.iter().copied().max().map_or(0, |count| count - 1),
            Self::Degree(degree) => *degree,
        }
    }
}

/// Polynomials on any domain, with dense matrices.
#[derive(Debug)]
pub(crate) struct Dense {
    /// For each state.
    spaces: Vec<Arc<TrialSpace>>,
    /// D^α of the modes at the nodes, for each sample that the equations need.
    tables: Vec<(Vec<u32>, Mat<f64>)>,
    /// Where the coefficients of each state begin, and where they end.
    starts: Vec<usize>,
    /// Modes that tell how well the others resolve the solution.
    tail: usize,
}

/// The functions of all states.
#[derive(Debug)]
pub(crate) enum FieldSpace {
    Product(ProductSpace),
    Dense(Dense),
}

/// ‖u‖ in L2: modes are orthonormal.
pub(crate) fn norm(modal: &[f64]) -> f64 {
    modal.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The walls of a state, with whether their data are velocities.
pub(crate) fn walls_of(problem: &FieldProblem, state: usize) -> (Vec<usize>, bool) {
    let (unknown, time) = problem.form.states[state];
    let walls = problem.walls.iter().enumerate();
    let own = walls.filter(|(_, wall)| wall.unknown == unknown);
    (own.map(|(k, _)| k).collect(), time > 0)
}

impl FieldSpace {
    pub(crate) fn new(
        problem: &FieldProblem,
        resolution: &Resolution,
    ) -> Result<Self, NewtonError> {
        match (resolution, &problem.faces) {
            (Resolution::Axes(counts), Some(faces)) => {
                Ok(Self::Product(product_space(problem, counts, faces)?))
            }
            (Resolution::Degree(degree), _) => Ok(Self::Dense(Dense::new(problem, *degree)?)),
            (Resolution::Axes(_), None) => Err(NewtonError::NoEvolution {
                reason: "space is not a box".to_owned(),
            }),
        }
    }

    pub(crate) fn dim(&self) -> usize {
        match self {
            Self::Product(space) => space.dim(),
            Self::Dense(dense) => dense.starts.last().copied().unwrap_or(0),
        }
    }

    /// Where the coefficients of a state begin and end.
    pub(crate) fn range(&self, state: usize) -> std::ops::Range<usize> {
        match self {
            Self::Product(space) => {
                let size = |k: usize| space.sizes(k).iter().product::<usize>();
                let start = (0..state).map(size).sum();
                start..start + size(state)
            }
            Self::Dense(dense) => dense.starts[state]..dense.starts[state + 1],
        }
    }

    /// The state that each coefficient belongs to.
    pub(crate) fn state_of(&self) -> Vec<usize> {
        match self {
            Self::Product(space) => space.function_of(),
            Self::Dense(dense) => {
                let states = dense.starts.windows(2).enumerate();
                states
                    .flat_map(|(k, ends)| std::iter::repeat_n(k, ends[1] - ends[0]))
                    .collect()
            }
        }
    }

    pub(crate) fn nodes(&self) -> ArrayView2<'_, f64> {
        match self {
            Self::Product(space) => space.nodes().view(),
            Self::Dense(dense) => dense.spaces[0].nodes(),
        }
    }

    pub(crate) fn weights(&self) -> &[f64] {
        match self {
            Self::Product(space) => space.weights(),
            Self::Dense(dense) => dense.spaces[0].weights(),
        }
    }

    /// Points and normals at which the data of the walls of a state are asked for.
    pub(crate) fn data_sites(
        &self,
        problem: &FieldProblem,
        state: usize,
    ) -> Vec<(Array2<f64>, Array2<f64>)> {
        match self {
            Self::Product(space) => {
                let (walls, _) = walls_of(problem, state);
                let faces = walls.iter().filter_map(|k| problem.faces.as_ref()?.get(*k));
                faces
                    .map(|face| {
                        let points = space.face_nodes(face.axis, face.row.upper);
                        let mut normals = Array2::zeros(points.dim());
                        let sign = if face.row.upper { 1.0 } else { -1.0 };
                        normals.column_mut(face.axis).fill(sign);
                        (points, normals)
                    })
                    .collect()
            }
            Self::Dense(dense) => dense.spaces[state]
                .data_sites()
                .map(|(_, points, normals)| (points.clone(), normals.clone()))
                .collect(),
        }
    }

    /// Modal coefficients of the function that carries the data of a state.
    pub(crate) fn lift(&self, state: usize, data: &[Vec<f64>]) -> Result<Vec<f64>, NewtonError> {
        match self {
            Self::Product(space) => Ok(space.lift(state, data)),
            Self::Dense(dense) => {
                let space = &dense.spaces[state];
                Ok(space.modal(&vec![0.0; space.dim()], &data.concat())?)
            }
        }
    }

    /// Modal coefficients of a state.
    pub(crate) fn expansion(&self, state: usize, y: &[f64], lift: &[f64]) -> Vec<f64> {
        match self {
            Self::Product(space) => space.expansion(state, y, lift),
            Self::Dense(dense) => {
                let space = &dense.spaces[state];
                let own = &y[dense.starts[state]..dense.starts[state + 1]];
                let none = vec![0.0; space.data_len()];
                let mut modal = space.modal(own, &none).unwrap_or_default();
                for (modal, lift) in modal.iter_mut().zip(lift) {
                    *modal += lift;
                }
                modal
            }
        }
    }

    /// D^α u at the nodes.
    pub(crate) fn sample(&self, modal: &[f64], alpha: &[u32]) -> Vec<f64> {
        match self {
            Self::Product(space) => space.sample(modal, alpha),
            Self::Dense(dense) => {
                let table = dense.tables.iter().find(|(own, _)| own == alpha);
                let mut values = vec![f64::NAN; dense.spaces[0].weights().len()];
                if let Some((_, table)) = table {
                    times(table.as_ref(), modal, &mut values);
                }
                values
            }
        }
    }

    /// u at the nodes.
    pub(crate) fn nodal(&self, modal: &[f64]) -> Vec<f64> {
        self.sample(modal, &vec![0; self.nodes().ncols()])
    }

    /// u at the nodes of another space.
    pub(crate) fn at_nodes_of(&self, other: &Self, modal: &[f64]) -> Vec<f64> {
        match (self, other) {
            (Self::Product(own), Self::Product(other)) => {
                let nodes: Vec<&[f64]> = other.axes().iter().map(|axis| axis.nodes()).collect();
                own.on_grid(modal, &vec![0; nodes.len()], &nodes)
            }
            _ => self.values(modal, &vec![0; self.nodes().ncols()], other.nodes()),
        }
    }

    /// D^α u at any points.
    pub(crate) fn values(
        &self,
        modal: &[f64],
        alpha: &[u32],
        points: ArrayView2<'_, f64>,
    ) -> Vec<f64> {
        match self {
            Self::Product(space) => space.values(modal, alpha, points),
            Self::Dense(dense) => {
                let modes = dense.spaces[0].modes();
                let found = modes.apply(&derivative(alpha), modal, points);
                found.unwrap_or_else(|_| vec![f64::NAN; points.nrows()])
            }
        }
    }

    /// The functions in which saved steps are expressed; `None` if they cannot be put side by side.
    pub(crate) fn features(&self) -> Option<Arc<dyn Basis>> {
        match self {
            Self::Product(space) => Some(Arc::new(space.products().ok()?)),
            Self::Dense(dense) => Some(Arc::new(dense.spaces[0].modes().features().ok()?)),
        }
    }

    /// Modal coefficients as coefficients of these [features](Self::features).
    pub(crate) fn over_features(&self, modal: &[f64]) -> Vec<f64> {
        match self {
            Self::Product(_) => modal.to_vec(),
            Self::Dense(dense) => dense.spaces[0].modes().over_features(modal),
        }
    }

    /// Coefficients of the orthogonal projection of values at the nodes.
    pub(crate) fn project(&self, state: usize, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Product(space) => space.project(state, values),
            Self::Dense(dense) => {
                let space = &dense.spaces[state];
                let mut coefficients = vec![0.0; space.dim()];
                times(space.projection(), values, &mut coefficients);
                coefficients
            }
        }
    }

    /// ⟨vᵢ, Σ c D^α vⱼ⟩ for terms (of, by, α, c at the nodes).
    pub(crate) fn matrix(&self, terms: &[(usize, usize, &[u32], &[f64])]) -> Mat<f64> {
        match self {
            Self::Product(space) => {
                let terms: Vec<ProductTerm<'_>> = terms
                    .iter()
                    .map(|(of, by, alpha, values)| ProductTerm {
                        of: *of,
                        by: *by,
                        alpha,
                        values,
                    })
                    .collect();
                space.matrix(&terms)
            }
            Self::Dense(dense) => dense.matrix(terms),
        }
    }

    /// The norms of what the last functions contribute: along each axis, or altogether.
    pub(crate) fn tails(&self, modal: &[f64]) -> Vec<f64> {
        match self {
            Self::Product(space) => space.tails(modal),
            Self::Dense(dense) => {
                let first = modal.len().saturating_sub(dense.tail);
                vec![norm(&modal[first..])]
            }
        }
    }

    /// Modal coefficients of values at the nodes, conditions aside.
    pub(crate) fn modal(&self, values: &[f64]) -> Vec<f64> {
        match self {
            Self::Product(space) => space.modal(values),
            Self::Dense(dense) => {
                // Modes are orthonormal over the rule.
                let zero = vec![0; self.nodes().ncols()];
                let weighted: Vec<f64> = values
                    .iter()
                    .zip(self.weights())
                    .map(|(v, w)| v * w)
                    .collect();
                let Some((_, table)) = dense.tables.iter().find(|(own, _)| *own == zero) else {
                    return Vec::new();
                };
                let mut modal = vec![0.0; table.ncols()];
                times(table.transpose(), &weighted, &mut modal);
                modal
            }
        }
    }
}

fn product_space(
    problem: &FieldProblem,
    counts: &[usize],
    faces: &[FaceCondition],
) -> Result<ProductSpace, NewtonError> {
    let states = problem.form.states.len();
    let needed = counts.iter().fold(1.0, |all, n| all * *n as f64);
    if needed > MOST_PRODUCT as f64 {
        return Err(SpaceError::TooLarge {
            needed: needed as usize,
            limit: MOST_PRODUCT,
        }
        .into());
    }
    let (lo, hi) = &problem.form.bounds;
    let axes = counts.iter().enumerate().map(|(k, count)| {
        let order = problem.form.samples.iter().map(|(_, x)| x[k]).max();
        let order = order.unwrap_or(0) as usize;
        Ok(Arc::new(Axis::new(
            (lo[k], hi[k]),
            problem.periodic[k],
            *count,
            order,
        )?))
    });
    let axes = axes.collect::<Result<Vec<_>, SpaceError>>()?;
    let conditions: Vec<Vec<FaceCondition>> = (0..states)
        .map(|state| {
            let (walls, _) = walls_of(problem, state);
            walls
                .iter()
                .filter_map(|k| faces.get(*k).cloned())
                .collect()
        })
        .collect();
    Ok(ProductSpace::new(axes, &conditions)?)
}

/// D^α.
fn derivative(alpha: &[u32]) -> Operator {
    let action = Action::derivative(MultiIndex::new(alpha.to_vec()));
    Operator::from_terms(alpha.len(), [Term::new(1.0, action)])
}

impl Dense {
    fn new(problem: &FieldProblem, degree: usize) -> Result<Self, NewtonError> {
        let form = &problem.form;
        let builder = SpaceBuilder::new(Arc::clone(&problem.space))
            .order(form.order as u32)
            .tolerance(1e-10);
        let modes = Arc::new(builder.of_degree(degree)?);
        let mut by_unknown: Vec<Arc<TrialSpace>> = Vec::new();
        for unknown in 0..form.unknowns() {
            let walls = problem.walls.iter().filter(|wall| wall.unknown == unknown);
            let conditions: Vec<SpaceCondition> =
                walls.map(|wall| condition(problem, wall)).collect();
            let space = TrialSpace::new(Arc::clone(&modes), &conditions, form.order as u32)?;
            by_unknown.push(Arc::new(space));
        }
        let spaces: Vec<Arc<TrialSpace>> = form
            .states
            .iter()
            .map(|(unknown, _)| Arc::clone(&by_unknown[*unknown]))
            .collect();
        let mut starts = vec![0];
        for space in &spaces {
            starts.push(starts.last().copied().unwrap_or(0) + space.dim());
        }
        let zero = vec![0; form.dim];
        let mut tables: Vec<(Vec<u32>, Mat<f64>)> = Vec::new();
        for alpha in form.samples.iter().map(|(_, x)| x).chain([&zero]) {
            if !tables.iter().any(|(own, _)| own == alpha) {
                tables.push((alpha.clone(), modes.at_nodes(&derivative(alpha))?));
            }
        }
        // The polynomials of the last two degrees.
        let share = 1.0
            - (1.0 - 2.0 / (degree as f64 + 1.0))
                .max(0.0)
                .powi(form.dim as i32);
        Ok(Self {
            tail: ((share * modes.len() as f64) as usize).max(2),
            spaces,
            tables,
            starts,
        })
    }

    fn matrix(&self, terms: &[(usize, usize, &[u32], &[f64])]) -> Mat<f64> {
        let dim = self.starts.last().copied().unwrap_or(0);
        let mut matrix = Mat::zeros(dim, dim);
        let states = self.spaces.len();
        for of in 0..states {
            for by in 0..states {
                // All terms of a block at once: Σ c D^α over the modes.
                let mut sum: Option<Mat<f64>> = None;
                for (_, _, alpha, values) in terms.iter().filter(|t| (t.0, t.1) == (of, by)) {
                    let Some((_, table)) = self.tables.iter().find(|(own, _)| own == alpha) else {
                        continue;
                    };
                    let sum = sum.get_or_insert_with(|| Mat::zeros(table.nrows(), table.ncols()));
                    for j in 0..table.ncols() {
                        for (i, c) in values.iter().enumerate() {
                            sum[(i, j)] += c * table[(i, j)];
                        }
                    }
                }
                let Some(sum) = sum else { continue };
                let block = product(self.spaces[of].projection(), sum.as_ref());
                let block = product(block.as_ref(), self.spaces[by].null());
                matrix
                    .as_mut()
                    .submatrix_mut(
                        self.starts[of],
                        self.starts[by],
                        block.nrows(),
                        block.ncols(),
                    )
                    .copy_from(&block);
            }
        }
        matrix
    }
}

/// A wall as a condition of a trial space.
fn condition(problem: &FieldProblem, wall: &Wall) -> SpaceCondition {
    let dim = problem.form.dim;
    let terms = wall.jets.iter().enumerate().map(|(column, alpha)| {
        let coefficient = Field::tabulated(format!("c{column}"), column);
        Term::new(
            coefficient,
            Action::derivative(MultiIndex::new(alpha.clone())),
        )
    });
    let operator = Operator::from_terms(dim, terms);
    let (form, own) = (problem.form.clone(), wall.clone());
    SpaceCondition::new(wall.label.clone(), wall.part.1.clone(), operator).with_coefficients(
        Arc::new(move |at| {
            let found = own.evaluate(&form, form.times.0, at.points.view(), at.normals.view());
            found
                .map(|(_, slopes)| slopes)
                .map_err(|_| SpaceError::Numerical {
                    what: "the coefficients of a condition",
                })
        }),
    )
}
