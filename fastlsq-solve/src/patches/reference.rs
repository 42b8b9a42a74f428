//! The reference leaf [−1, 1]^d: its functions, points and traces, computed once for all leaves.

use std::sync::{Arc, OnceLock};

use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{
    Action, Basis, Coefficient, Form, InputMap, MultiIndex, PolynomialBasis, SinusoidalBasis,
};
use ndarray::Array2;

use super::PatchError;
use super::coefficients::{LocalRow, Values};
use super::compression::Compression;
use super::front::each_chunk;
use super::harmonic::Harmonic;
use super::options::{LeafFeatures, LeafSize};
use super::quadrature::{SideRule, gauss_legendre};
use crate::lsq::{PivotedQr, add_product, pivoted_qr, solve_upper, solve_upper_transpose};

/// Singular directions below this share of the largest are left out of the compressed features.
const COMPRESSION: f64 = 1e-13;
/// Traces below this share of the largest cannot be prescribed.
const TRACE_CUT: f64 = 1e-12;
/// Pivots of the equation below this share of the largest are noise.
const EQUATION_CUT: f64 = 1e-13;

/// Below this many entries a matrix is the work of one thread.
const PARALLEL_ENTRIES: usize = 1 << 17;

/// Least squares for one matrix and many right-hand sides.
#[derive(Debug)]
pub(super) struct LeastSquares {
    qr: PivotedQr,
    rows: usize,
    columns: usize,
}

impl LeastSquares {
    pub(super) fn new(matrix: Mat<f64>, cut: f64) -> Self {
        let columns = matrix.ncols();
        let largest = (0..columns)
            .map(|j| matrix.col(j).norm_l2())
            .fold(0.0, f64::max);
        Self {
            rows: matrix.nrows(),
            columns,
            qr: pivoted_qr(matrix, cut * largest, true),
        }
    }

    /// For the rows of an equation.
    pub(super) fn of_equation(matrix: Mat<f64>) -> Self {
        Self::new(matrix, EQUATION_CUT)
    }

    /// Numbers that are stored.
    pub(super) fn numbers(&self) -> usize {
        (self.rows + self.columns) * self.columns
    }

    pub(super) fn solve(&self, mut rhs: Mat<f64>) -> Mat<f64> {
        let rank = self.qr.rank();
        let wide = self.rows * self.columns > PARALLEL_ENTRIES;
        each_chunk(rhs.as_mut(), wide, |chunk| self.qr.apply_transpose(chunk));
        let mut top = rhs.as_ref().subrows(0, rank).to_owned();
        solve_upper(self.qr.r11(), top.as_mut());
        let mut out = Mat::zeros(self.columns, top.ncols());
        for (place, &unknown) in self.qr.order[..rank].iter().enumerate() {
            for j in 0..top.ncols() {
                out[(unknown, j)] = top[(place, j)];
            }
        }
        out
    }
}

impl LeastSquares {
    /// The transpose of [`solve`](Self::solve).
    pub(super) fn solve_transposed(&self, covectors: &Mat<f64>) -> Mat<f64> {
        let order = &self.qr.order[..self.qr.rank()];
        let mut top = Mat::from_fn(order.len(), covectors.ncols(), |i, j| {
            covectors[(order[i], j)]
        });
        solve_upper_transpose(self.qr.r11(), top.as_mut());
        self.qr.expand(top.as_ref(), false)
    }
}

/// Points of the reference leaf, and the derivatives D^α ψ there once a leaf with varying coefficients needs them.
#[derive(Debug)]
pub(super) struct PointSet {
    pub(super) points: Array2<f64>,
    tables: OnceLock<Vec<Mat<f64>>>,
}

impl PointSet {
    pub(super) fn new(points: Array2<f64>) -> Self {
        Self {
            points,
            tables: OnceLock::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.points.nrows()
    }
}

/// The reference leaf: functions ψ = Tᵀφ that are orthonormal on its points, and what leaves need of them.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) dim: usize,
    /// The functions in words.
    pub(super) description: String,
    /// The features φ.
    pub(super) basis: Arc<dyn Basis>,
    /// β = T c: coefficients of the features from those of the compressed functions.
    pub(super) compression: Compression,
    /// All multi-indices up to order 2, the function itself first.
    pub(super) derivatives: Vec<MultiIndex>,
    /// Points of the equation, one row each.
    pub(super) inner: PointSet,
    /// How many of them along an axis.
    pub(super) inner_along: usize,
    /// Fresh points that measure the residual.
    pub(super) check: PointSet,
    /// ψ there.
    pub(super) check_values: Mat<f64>,
    /// The nodes of every side, the lower and the upper one along each axis.
    pub(super) sides: Vec<PointSet>,
    /// ψ there.
    pub(super) node_values: Vec<Mat<f64>>,
    /// The traces of ψ on every side.
    pub(super) side_values: Vec<Mat<f64>>,
    pub(super) rule: SideRule,
    /// c of least norm with given traces.
    pub(super) lift: Mat<f64>,
    /// Orthonormal columns: all c with vanishing traces.
    pub(super) kernel: Mat<f64>,
    /// The size of a second derivative of the features: what rounding in a residual is proportional to.
    pub(super) residual_size: f64,
    /// Waves that the functions resolve, as k·h with h half the width of the leaf.
    pub(super) resolution: f64,
    /// Where the functions are orthonormal.
    pub(super) grid: Array2<f64>,
    /// Values there → coefficients.
    projection: Mat<f64>,
    harmonic: OnceLock<Harmonic>,
}

impl Reference {
    pub(super) fn new(dim: usize, size: &LeafSize, seed: u64) -> Result<Self, PatchError> {
        let basis = features(dim, size, seed)?;
        let rule = SideRule::new(dim - 1, if dim == 1 { 1 } else { size.side_nodes });
        let Functions {
            compression,
            grid,
            weights,
        } = Functions::new(basis.as_ref(), dim, size)?;
        let check_count = [16, 60, 150][dim - 1];
        let mut check = UnitSampler::halton(seed).points(check_count, dim);
        check.mapv_inplace(|t| 2.0 * t - 1.0);
        let values = |points: &Array2<f64>| -> Result<Mat<f64>, PatchError> {
            Ok(compression.table(basis.values(points.view())?))
        };
        let check_values = values(&check)?;
        let on_grid = values(&grid)?;
        let projection = Mat::from_fn(on_grid.ncols(), on_grid.nrows(), |j, i| {
            weights[i] * on_grid[(i, j)]
        });
        let sides: Vec<Array2<f64>> = (0..2 * dim)
            .map(|side| side_points(dim, side, &rule))
            .collect();
        let node_values = sides.iter().map(values).collect::<Result<Vec<_>, _>>()?;
        let side_values: Vec<Mat<f64>> =
            node_values.iter().map(|v| rule.trace(v.clone())).collect();
        let (lift, kernel) = traces(&side_values);
        if kernel.ncols() + lift.ncols() != compression.rank() {
            return Err(PatchError::Option {
                option: "side_nodes",
                value: size.side_nodes as f64,
                requirement: "the leaf's functions do not have so many independent traces; \
                              ask for fewer nodes or for more functions",
            });
        }
        let derivatives = MultiIndex::up_to_order(dim, 2);
        let mut residual_size: f64 = 0.0;
        for alpha in derivatives.iter().filter(|alpha| alpha.order() == 2) {
            let raw = basis.derivatives(check.view(), alpha)?;
            let entries = (raw.nrows() * raw.ncols()) as f64;
            residual_size = residual_size.max(raw.norm_l2() / entries.sqrt());
        }
        Ok(Self {
            dim,
            description: size.features.to_string(),
            basis,
            compression,
            derivatives,
            inner: PointSet::new(chebyshev_grid(dim, size.inner_points)),
            inner_along: size.inner_points,
            check: PointSet::new(check),
            check_values,
            sides: sides.into_iter().map(PointSet::new).collect(),
            node_values,
            side_values,
            rule,
            lift,
            kernel,
            residual_size,
            resolution: match size.features {
                LeafFeatures::Waves { bandwidth, .. } => 0.7 * bandwidth,
                LeafFeatures::Legendre { degree } => 0.19 * f64::from(degree),
            },
            grid,
            projection,
            harmonic: OnceLock::new(),
        })
    }

    /// Compressed functions of one unknown.
    pub(super) fn rank(&self) -> usize {
        self.compression.rank()
    }

    /// Numbers in the trace of one unknown on one side.
    pub(super) fn side_nodes(&self) -> usize {
        self.rule.size()
    }

    /// Where a multi-index stands among the derivatives.
    pub(super) fn index(&self, alpha: &MultiIndex) -> Option<usize> {
        self.derivatives.iter().position(|known| known == alpha)
    }

    /// Adds the rows of an operator: one for each point, the unknowns' compressed functions side by side.
    ///
    /// With constant coefficients the features are combined before they are compressed, one product for each unknown.
    pub(super) fn add_rows(
        &self,
        row: &LocalRow,
        at: &PointSet,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), PatchError> {
        let rank = self.rank();
        let unknowns = out.ncols() / rank.max(1);
        for unknown in 0..unknowns {
            let terms = || row.terms.iter().filter(|term| term.unknown == unknown);
            let mut target = out.rb_mut().subcols_mut(unknown * rank, rank);
            let constants: Option<Vec<(f64, Action)>> = terms()
                .map(|term| match term.values {
                    Values::Constant(c) => {
                        Some((c, Action::derivative(self.derivatives[term.alpha].clone())))
                    }
                    Values::Each(_) => None,
                })
                .collect();
            if let Some(constants) = constants {
                let mut form = Form::new();
                for (c, action) in &constants {
                    form.push(Coefficient::Constant(*c), action);
                }
                let raw = self.basis.assemble(at.points.view(), &form)?;
                self.compression.add_table(target, raw.as_ref());
                continue;
            }
            let tables = self.tables(at)?;
            for term in terms() {
                term.add_times(tables[term.alpha].as_ref(), target.rb_mut());
            }
        }
        Ok(())
    }

    /// The lifts and the kernel of the traces, seen by Laplace's operator; made when a leaf first needs them.
    pub(super) fn harmonic(&self) -> Result<&Harmonic, PatchError> {
        if let Some(known) = self.harmonic.get() {
            return Ok(known);
        }
        let made = Harmonic::new(self)?;
        Ok(self.harmonic.get_or_init(|| made))
    }

    /// The coefficients of a function that is known on the grid.
    pub(super) fn project(&self, values: &[f64]) -> Vec<f64> {
        super::leaf::apply(self.projection.as_ref(), values)
    }

    /// D^α ψ at a set of points, for every α.
    pub(super) fn tables<'a>(&self, at: &'a PointSet) -> Result<&'a [Mat<f64>], PatchError> {
        if let Some(tables) = at.tables.get() {
            return Ok(tables);
        }
        let tables = self
            .derivatives
            .iter()
            .map(|alpha| {
                let raw = self.basis.derivatives(at.points.view(), alpha)?;
                Ok(self.compression.table(raw))
            })
            .collect::<Result<Vec<_>, PatchError>>()?;
        Ok(at.tables.get_or_init(|| tables))
    }
}

/// A·B on the calling thread.
pub(super) fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut c = Mat::zeros(a.nrows(), b.ncols());
    add_product(c.as_mut(), 1.0, a, b, false);
    c
}

fn features(dim: usize, size: &LeafSize, seed: u64) -> Result<Arc<dyn Basis>, PatchError> {
    Ok(match size.features {
        LeafFeatures::Legendre { degree } => {
            Arc::new(PolynomialBasis::legendre(InputMap::identity(dim), degree)?)
        }
        LeafFeatures::Waves { count, bandwidth } => {
            let mut sampler = UnitSampler::independent(seed);
            let mut frequencies = sampler.normals(count, dim);
            let radii = sampler.points(count, 2);
            for (mut w, u) in frequencies.rows_mut().into_iter().zip(radii.rows()) {
                let length = w
                    .iter()
                    .map(|w| w * w)
                    .sum::<f64>()
                    .sqrt()
                    .max(f64::MIN_POSITIVE);
                let radius = bandwidth * u[0].powf(1.0 / dim as f64);
                w.mapv_inplace(|w| w * radius / length);
            }
            let turn = 2.0 * std::f64::consts::PI;
            let phases: Vec<f64> = radii.column(1).iter().map(|u| turn * u).collect();
            Arc::new(SinusoidalBasis::explicit(frequencies.view(), &phases)?)
        }
    })
}

/// All points of a tensor grid of Chebyshev points of the first kind.
fn chebyshev_grid(dim: usize, count: usize) -> Array2<f64> {
    let angle = |i: usize| std::f64::consts::PI * (i as f64 + 0.5) / count as f64;
    let x: Vec<f64> = (0..count).map(|i| -angle(i).cos()).collect();
    tensor_grid(dim, &x)
}

pub(super) fn tensor_grid(dim: usize, x: &[f64]) -> Array2<f64> {
    let mut stride = vec![1; dim + 1];
    for axis in 0..dim {
        stride[axis + 1] = stride[axis] * x.len();
    }
    Array2::from_shape_fn((stride[dim], dim), |(i, axis)| {
        x[i / stride[axis] % x.len()]
    })
}

fn side_points(dim: usize, side: usize, rule: &SideRule) -> Array2<f64> {
    let axis = side / 2;
    Array2::from_shape_fn((rule.nodes.len(), dim), |(i, k)| match k.cmp(&axis) {
        std::cmp::Ordering::Less => rule.nodes[i][k],
        std::cmp::Ordering::Equal => [-1.0, 1.0][side % 2],
        std::cmp::Ordering::Greater => rule.nodes[i][k - 1],
    })
}

/// T with ψ = Tᵀφ, points where the ψ are orthonormal, and the weights of these.
struct Functions {
    compression: Compression,
    grid: Array2<f64>,
    weights: Vec<f64>,
}

impl Functions {
    fn new(basis: &dyn Basis, dim: usize, size: &LeafSize) -> Result<Self, PatchError> {
        match size.features {
            LeafFeatures::Legendre { degree } => Ok(Self::legendre(dim, degree)),
            LeafFeatures::Waves { .. } => Self::compressed(basis, dim, size.inner_points),
        }
    }

    /// Legendre polynomials are orthogonal: Gauss' rule of one more node than their degree is exact for their products.
    fn legendre(dim: usize, degree: u32) -> Self {
        let (x, w) = gauss_legendre(degree as usize + 1);
        let norms = MultiIndex::up_to_order(dim, degree);
        let norm = |n: &MultiIndex| {
            let each = n.orders().iter().map(|&n| f64::from(2 * n + 1));
            each.product::<f64>().sqrt()
        };
        let index: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
        let numbers = tensor_grid(dim, &index);
        let weight = |row: ndarray::ArrayView1<'_, f64>| -> f64 {
            row.iter().map(|i| 0.5 * w[*i as usize]).product()
        };
        Self {
            compression: Compression::Scales(norms.iter().map(norm).collect()),
            grid: tensor_grid(dim, &x),
            weights: numbers.rows().into_iter().map(weight).collect(),
        }
    }

    /// T = R⁻¹ of the pivoted QR of the features on a grid: combinations that are orthonormal there, up to the cut.
    fn compressed(basis: &dyn Basis, dim: usize, inner: usize) -> Result<Self, PatchError> {
        // Somewhat denser than the equation's points, and with the boundary, where traces are taken.
        let count = inner + if dim == 3 { 1 } else { 4 };
        let angle = |i: usize| std::f64::consts::PI * i as f64 / (count - 1) as f64;
        let x: Vec<f64> = (0..count).map(|i| -angle(i).cos()).collect();
        let grid = tensor_grid(dim, &x);
        let mut values = basis.values(grid.view())?;
        values /= faer::Scale((grid.nrows() as f64).sqrt());
        let largest = (0..values.ncols())
            .map(|j| values.col(j).norm_l2())
            .fold(0.0, f64::max);
        let qr = pivoted_qr(values, COMPRESSION * largest, true);
        let rank = qr.rank();
        let mut inverse = Mat::<f64>::identity(rank, rank);
        solve_upper(qr.r11(), inverse.as_mut());
        let mut compression = Mat::zeros(basis.len(), rank);
        for (place, &feature) in qr.order[..rank].iter().enumerate() {
            for j in 0..rank {
                compression[(feature, j)] = inverse[(place, j)];
            }
        }
        let weights = vec![1.0 / grid.nrows() as f64; grid.nrows()];
        Ok(Self {
            compression: Compression::Combinations(compression),
            grid,
            weights,
        })
    }
}

/// The least-norm lift of traces and the kernel of the traces.
fn traces(side_values: &[Mat<f64>]) -> (Mat<f64>, Mat<f64>) {
    let nodes: usize = side_values.iter().map(Mat::nrows).sum();
    let rank = side_values.first().map_or(0, Mat::ncols);
    // Bᵀ = Q·[R; 0]·Pᵀ: the first columns of Q span what traces see, the others the kernel.
    let mut transposed = Mat::zeros(rank, nodes);
    let mut start = 0;
    for values in side_values {
        let mut part = transposed.as_mut().subcols_mut(start, values.nrows());
        part.copy_from(values.transpose());
        start += values.nrows();
    }
    let rows = transposed.transpose().to_owned();
    let largest = (0..nodes)
        .map(|j| transposed.col(j).norm_l2())
        .fold(0.0, f64::max);
    let qr = pivoted_qr(transposed, TRACE_CUT * largest, false);
    let seen = qr.rank();
    let identity = Mat::<f64>::identity(rank, rank);
    let q = qr.expand(identity.as_ref(), false);
    let range = q.as_ref().subcols(0, seen);
    let kernel = q.as_ref().subcols(seen, rank - seen).to_owned();
    let onto = times(rows.as_ref(), range);
    let inverse = LeastSquares::new(onto, TRACE_CUT).solve(Mat::identity(nodes, nodes));
    (times(range, inverse.as_ref()), kernel)
}
