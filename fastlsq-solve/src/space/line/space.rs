//! Joined pieces with conditions at the ends.

use faer::Mat;
use fastlsq_basis::{InputMap, PiecewiseBasis, PolynomialBasis};
use pulp::Arch;
use std::sync::Arc;

use super::band::{BandFactors, BandMatrix, dot};
use super::element::{Element, legendre};
use crate::dense::{cholesky, product};
use crate::space::SpaceError;
use crate::space::elimination::few;

/// Σ b_{s,d} u_s⁽ᵈ⁾ = g at one end, for functions u_s.
#[derive(Debug, Clone, PartialEq)]
pub struct EndCondition {
    /// Whether it holds at the upper end.
    pub upper: bool,
    /// b: for each function, for each order of derivative; what is missing is zero.
    pub coefficients: Vec<Vec<f64>>,
}

/// One term c(x) u_s⁽ᵈ⁾ in the rate of a function.
#[derive(Debug, Clone, Copy)]
pub struct SlopeTerm<'a> {
    /// The function whose rate it is in.
    pub of: usize,
    /// s.
    pub by: usize,
    /// d.
    pub derivative: usize,
    /// c at the nodes.
    pub values: &'a [f64],
}

/// One piece of the mesh.
#[derive(Debug, Clone)]
struct Piece {
    centre: f64,
    half: f64,
    dofs: Vec<usize>,
    /// Legendre coefficients of all functions, by `dofs`.
    map: Mat<f64>,
    /// For data that reach this piece: their number, and Legendre coefficients.
    lifts: Vec<(usize, Vec<f64>)>,
}

/// Several functions on an interval or a circle, as joined polynomials with conditions.
///
/// Coefficients c stand for u = Σ cⱼ φⱼ + Σ gₖ ℓₖ, where the ℓₖ carry the data g and are orthogonal to all φⱼ.
#[derive(Debug, Clone)]
pub struct LineSpace {
    element: Arc<Element>,
    breaks: Vec<f64>,
    functions: usize,
    periodic: bool,
    pieces: Vec<Piece>,
    mass: Arc<BandMatrix>,
    mass_factors: Arc<BandFactors>,
    /// Coefficients of what makes ℓₖ orthogonal, for each datum.
    shifts: Vec<Vec<f64>>,
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

/// The functions of one joint: derivatives there by free coefficients, and by data.
struct Joint {
    free: Mat<f64>,
    lift: Mat<f64>,
    data: Vec<usize>,
    first: usize,
}

impl LineSpace {
    /// `functions` functions on the pieces between the breaks.
    ///
    /// # Errors
    /// Breaks that do not increase, conditions at an end that depend on each other or involve derivatives that are not joined.
    pub fn new(
        element: Arc<Element>,
        breaks: &[f64],
        functions: usize,
        periodic: bool,
        conditions: &[EndCondition],
    ) -> Result<Self, SpaceError> {
        let sound = breaks
            .windows(2)
            .all(|pair| pair[0] < pair[1] && (pair[1] - pair[0]).is_finite());
        if breaks.len() < 2 || !sound || functions == 0 {
            return Err(SpaceError::Option {
                option: "number of breaks",
                value: breaks.len() as f64,
                requirement: "at least two, rising and finite",
            });
        }
        let count = breaks.len() - 1;
        let halves: Vec<f64> = breaks
            .windows(2)
            .map(|ends| 0.5 * (ends[1] - ends[0]))
            .collect();
        let joints = if periodic { count } else { count + 1 };
        let bubbles = element.bubbles.ncols() * functions;
        // Joint 0 comes first on an interval, last, as the border, on a circle.
        let mut all: Vec<Joint> = Vec::with_capacity(joints);
        for joint in 0..joints {
            let left = if joint > 0 {
                Some(joint - 1)
            } else if periodic {
                Some(count - 1)
            } else {
                None
            };
            let right = (joint < count).then_some(joint);
            let own: Vec<(usize, &EndCondition)> = conditions
                .iter()
                .enumerate()
                .filter(|(_, c)| !periodic && if c.upper { joint == count } else { joint == 0 })
                .collect();
            let left = left.map(|k| halves[k]);
            let right = right.map(|k| halves[k]);
            all.push(Joint::new(&element, functions, left, right, &own)?);
        }
        let mut next = 0;
        let mut bubble_starts = Vec::with_capacity(count);
        for (piece, joint) in all.iter_mut().enumerate().take(count) {
            if piece > 0 || !periodic {
                joint.first = next;
                next += joint.free.ncols();
            }
            bubble_starts.push(next);
            next += bubbles;
        }
        let border = if periodic {
            all[0].first = next;
            all[0].free.ncols()
        } else {
            all[count].first = next;
            next += all[count].free.ncols();
            0
        };
        let pieces: Vec<Piece> = (0..count)
            .map(|k| {
                let ends = [&all[k], &all[(k + 1) % joints]];
                Piece::new(
                    &element,
                    functions,
                    (breaks[k], breaks[k + 1]),
                    ends,
                    bubble_starts[k],
                )
            })
            .collect();
        let width = pieces
            .iter()
            .map(|piece| {
                let inner = piece.dofs.iter().filter(|&&dof| dof < next);
                let (lo, hi) =
                    inner.fold((usize::MAX, 0), |(lo, hi), &dof| (lo.min(dof), hi.max(dof)));
                hi.saturating_sub(lo)
            })
            .max()
            .unwrap_or(0);
        let mut mass = BandMatrix::zeros(next, width, border);
        for piece in &pieces {
            let gram = product(piece.map.transpose(), piece.map.as_ref());
            piece.scatter(&gram, &mut mass);
        }
        let mass_factors = mass.factors();
        let data = if periodic { 0 } else { conditions.len() };
        let mut shifts = vec![vec![0.0; mass.dim()]; data];
        for piece in &pieces {
            for (datum, lift) in &piece.lifts {
                for (local, &dof) in piece.dofs.iter().enumerate() {
                    let seen: f64 = lift
                        .iter()
                        .enumerate()
                        .map(|(i, v)| v * piece.map[(i, local)])
                        .sum();
                    shifts[*datum][dof] -= seen;
                }
            }
        }
        for shift in &mut shifts {
            mass_factors.solve_real(shift);
        }
        let q = element.nodes.len();
        let mut nodes = Vec::with_capacity(count * q);
        let mut weights = Vec::with_capacity(count * q);
        for piece in &pieces {
            nodes.extend(element.nodes.iter().map(|x| piece.centre + piece.half * x));
            weights.extend(element.weights.iter().map(|w| w * piece.half));
        }
        Ok(Self {
            element,
            breaks: breaks.to_vec(),
            functions,
            periodic,
            pieces,
            mass: Arc::new(mass),
            mass_factors: Arc::new(mass_factors),
            shifts,
            nodes,
            weights,
        })
    }

    /// The number of coefficients.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.mass.dim()
    }

    /// The number of functions.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.functions
    }

    /// Whether the ends are joined.
    #[must_use]
    pub fn is_periodic(&self) -> bool {
        self.periodic
    }

    /// The ends of the pieces.
    #[must_use]
    pub fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    /// The polynomials of a piece.
    #[must_use]
    pub fn element(&self) -> &Arc<Element> {
        &self.element
    }

    /// The points at which functions are sampled, in rising order.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Their weights in integrals.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// M, the inner products of the basis functions.
    #[must_use]
    pub fn mass(&self) -> &Arc<BandMatrix> {
        &self.mass
    }

    /// Legendre coefficients, orthonormal on each piece, of u = Σ cⱼφⱼ + Σ gₖℓₖ: piece by piece, function by function.
    /// Coefficients or data that are missing count as zero.
    #[must_use]
    pub fn expansion(&self, coefficients: &[f64], data: &[f64]) -> Vec<f64> {
        Arch::new().dispatch(
            #[inline(always)]
            || self.expanded(coefficients, data),
        )
    }

    #[inline(always)]
    fn expanded(&self, coefficients: &[f64], data: &[f64]) -> Vec<f64> {
        let mut whole = coefficients.to_vec();
        whole.resize(self.dim(), 0.0);
        for (shift, g) in self.shifts.iter().zip(data).filter(|(_, g)| **g != 0.0) {
            for (c, s) in whole.iter_mut().zip(shift) {
                *c += g * s;
            }
        }
        let height = self.functions * self.element.size();
        let mut all = vec![0.0; self.pieces.len() * height];
        for (piece, out) in self.pieces.iter().zip(all.chunks_exact_mut(height)) {
            for (local, &dof) in piece.dofs.iter().enumerate() {
                let c = whole[dof];
                for (out, m) in out.iter_mut().zip(piece.map.col_as_slice(local)) {
                    *out += c * m;
                }
            }
            for (datum, lift) in &piece.lifts {
                let g = data.get(*datum).copied().unwrap_or(0.0);
                for (out, m) in out.iter_mut().zip(lift) {
                    *out += g * m;
                }
            }
        }
        all
    }

    /// The derivative of order d of a function at the nodes.
    #[must_use]
    pub fn sample(&self, expansion: &[f64], function: usize, d: usize) -> Vec<f64> {
        Arch::new().dispatch(
            #[inline(always)]
            || self.sampled(expansion, function, d),
        )
    }

    #[inline(always)]
    fn sampled(&self, expansion: &[f64], function: usize, d: usize) -> Vec<f64> {
        let size = self.element.size();
        let height = self.functions * size;
        let mut values = Vec::with_capacity(self.nodes.len());
        let Some(table) = self.element.tables.get(d) else {
            let at = |&x: &f64| self.value(expansion, function, d, x);
            return self.nodes.iter().map(at).collect();
        };
        let q = table.nrows();
        for (piece, own) in self.pieces.iter().zip(expansion.chunks_exact(height)) {
            let scale = piece.half.powi(-(d as i32)) / piece.half.sqrt();
            let start = values.len();
            values.resize(start + q, 0.0);
            let target = &mut values[start..];
            for (k, a) in own[function * size..(function + 1) * size]
                .iter()
                .enumerate()
            {
                let a = a * scale;
                for (target, t) in target.iter_mut().zip(table.col_as_slice(k)) {
                    *target += a * t;
                }
            }
        }
        values
    }

    /// The piece that holds x; the nearest if none does.
    fn piece_of(&self, x: f64) -> usize {
        let after = self.breaks.partition_point(|b| *b <= x);
        after.saturating_sub(1).min(self.pieces.len() - 1)
    }

    /// The derivative of order d of a function at x.
    #[must_use]
    pub fn value(&self, expansion: &[f64], function: usize, d: usize, x: f64) -> f64 {
        let k = self.piece_of(x);
        let size = self.element.size();
        let start = (k * self.functions + function) * size;
        let Some(own) = expansion.get(start..start + size) else {
            return f64::NAN;
        };
        let row = self.row(k, d, x);
        own.iter().zip(row).map(|(a, r)| a * r).sum()
    }

    /// Legendre polynomials on every piece, for functions that are kept.
    ///
    /// # Errors
    /// Pieces that cannot be put side by side.
    pub fn polynomials(&self) -> Result<PiecewiseBasis, SpaceError> {
        let degree = u32::try_from(self.element.degree()).unwrap_or(u32::MAX);
        let local = PolynomialBasis::legendre(InputMap::identity(1), degree)?;
        let boxes = self.pieces.iter();
        let boxes = boxes
            .map(|piece| InputMap::from_center(vec![piece.centre], vec![piece.half]))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(PiecewiseBasis::new(Arc::new(local), boxes)?)
    }

    /// A function as coefficients of these [polynomials](Self::polynomials).
    #[must_use]
    pub fn over_polynomials(&self, expansion: &[f64], function: usize) -> Vec<f64> {
        let size = self.element.size();
        let own = expansion.chunks_exact(size).skip(function);
        let pieces = own.step_by(self.functions).zip(&self.pieces);
        // Orthonormal ones are √((k + ½)/h) Pₖ.
        pieces
            .flat_map(|(own, piece)| {
                let one = |(k, a): (usize, &f64)| a * ((k as f64 + 0.5) / piece.half).sqrt();
                own.iter().enumerate().map(one)
            })
            .collect()
    }

    /// As [`value`](Self::value), for a sum of expansions with weights.
    #[must_use]
    pub fn combined<'a>(
        &self,
        terms: impl Iterator<Item = (&'a f64, &'a Vec<f64>)>,
        function: usize,
        d: usize,
        x: f64,
    ) -> f64 {
        let k = self.piece_of(x);
        let size = self.element.size();
        let start = (k * self.functions + function) * size;
        let row = self.row(k, d, x);
        let value = |expansion: &[f64]| match expansion.get(start..start + size) {
            Some(own) => own.iter().zip(&row).map(|(a, r)| a * r).sum(),
            None => f64::NAN,
        };
        terms
            .map(|(weight, expansion)| weight * value(expansion))
            .sum()
    }

    /// Values at x of the derivatives of order d of the orthonormal polynomials of piece k.
    fn row(&self, k: usize, d: usize, x: f64) -> Vec<f64> {
        let piece = &self.pieces[k];
        let scale = piece.half.powi(-(d as i32)) / piece.half.sqrt();
        let mut row = legendre(self.element.degree(), d, (x - piece.centre) / piece.half);
        for value in &mut row {
            *value *= scale;
        }
        row
    }

    /// L2 projection of functions given at the nodes, one list for each.
    #[must_use]
    pub fn project(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let mut rhs = Arch::new().dispatch(
            #[inline(always)]
            || self.products(values),
        );
        self.mass_factors.solve_real(&mut rhs);
        rhs
    }

    /// ⟨φᵢ, f⟩.
    #[inline(always)]
    fn products(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let size = self.element.size();
        let q = self.element.nodes.len();
        let table = &self.element.tables[0];
        let mut rhs = vec![0.0; self.dim()];
        let mut own = vec![0.0; self.functions * size];
        let mut weighted = vec![0.0; q];
        for (k, piece) in self.pieces.iter().enumerate() {
            let scale = piece.half.sqrt();
            for (function, values) in values.iter().enumerate().take(self.functions) {
                let values = &values[k * q..(k + 1) * q];
                for ((t, v), w) in weighted.iter_mut().zip(values).zip(&self.element.weights) {
                    *t = v * w * scale;
                }
                for (i, own) in own[function * size..(function + 1) * size]
                    .iter_mut()
                    .enumerate()
                {
                    *own = dot(table.col_as_slice(i), &weighted);
                }
            }
            for (local, &dof) in piece.dofs.iter().enumerate() {
                rhs[dof] += dot(piece.map.col_as_slice(local), &own);
            }
        }
        rhs
    }

    /// Legendre coefficients of functions given at the nodes, on each piece by itself: no joints, no conditions.
    #[must_use]
    pub fn unjoined(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let size = self.element.size();
        let q = self.element.nodes.len();
        let table = &self.element.tables[0];
        let mut all = Vec::with_capacity(self.pieces.len() * self.functions * size);
        for (k, piece) in self.pieces.iter().enumerate() {
            let scale = piece.half.sqrt();
            for values in values.iter().take(self.functions) {
                let values = &values[k * q..(k + 1) * q];
                for i in 0..size {
                    let products = table.col(i).iter().zip(values).zip(&self.element.weights);
                    all.push(scale * products.map(|((t, v), w)| t * v * w).sum::<f64>());
                }
            }
        }
        all
    }

    /// The matrix ⟨φᵢ, Σ terms φⱼ⟩.
    #[must_use]
    pub fn matrix(&self, terms: &[SlopeTerm<'_>]) -> BandMatrix {
        let (size, functions) = (self.element.size(), self.functions);
        let q = self.element.nodes.len();
        let mut out = self.mass.as_ref().clone();
        out.clear();
        for (k, piece) in self.pieces.iter().enumerate() {
            let mut local = Mat::zeros(functions * size, functions * size);
            for of in 0..functions {
                for by in 0..functions {
                    let mut applied = Mat::<f64>::zeros(q, size);
                    let mut any = false;
                    let own = terms.iter().filter(|term| term.of == of && term.by == by);
                    for term in own {
                        let Some(table) = self.element.tables.get(term.derivative) else {
                            continue;
                        };
                        any = true;
                        let scale = piece.half.powi(-(term.derivative as i32));
                        let factors: Vec<f64> = term.values[k * q..(k + 1) * q]
                            .iter()
                            .zip(&self.element.weights)
                            .map(|(v, w)| v * w * scale)
                            .collect();
                        for j in 0..size {
                            let column = applied.col_mut(j);
                            for ((a, t), f) in
                                column.iter_mut().zip(table.col(j).iter()).zip(&factors)
                            {
                                *a += f * t;
                            }
                        }
                    }
                    if any {
                        let block = product(self.element.tables[0].transpose(), applied.as_ref());
                        local
                            .as_mut()
                            .submatrix_mut(of * size, by * size, size, size)
                            .copy_from(&block);
                    }
                }
            }
            let half = product(local.as_ref(), piece.map.as_ref());
            piece.scatter(&product(piece.map.transpose(), half.as_ref()), &mut out);
        }
        out
    }

    /// The function that each coefficient belongs to most.
    #[must_use]
    pub fn function_of(&self) -> Vec<usize> {
        let size = self.element.size();
        let mut owners = vec![0; self.dim()];
        for piece in &self.pieces {
            for (local, &dof) in piece.dofs.iter().enumerate() {
                let column: Vec<f64> = piece.map.col(local).iter().copied().collect();
                let sizes = column
                    .chunks_exact(size)
                    .map(|own| own.iter().map(|v| v * v).sum::<f64>());
                let largest = sizes.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
                owners[dof] = largest.map_or(0, |(function, _)| function);
            }
        }
        owners
    }

    /// What joining pieces k and k + 1, halves of one, would lose of each function, and the tail of the whole.
    #[must_use]
    pub fn joined(&self, expansion: &[f64], k: usize) -> Vec<(f64, f64)> {
        let size = self.element.size();
        let height = self.functions * size;
        let one = |function: usize| {
            let start = |piece: usize| piece * height + function * size;
            let halves = [k, k + 1].map(|piece| expansion.get(start(piece)..start(piece) + size));
            let [Some(left), Some(right)] = halves else {
                return (f64::INFINITY, f64::INFINITY);
            };
            let mut whole = vec![0.0; size];
            for (matrix, own) in self.element.halves.iter().zip([left, right]) {
                for (l, a) in own.iter().enumerate() {
                    for (w, j) in whole.iter_mut().zip(matrix.col(l).iter()) {
                        *w += a * j;
                    }
                }
            }
            let mut lost = 0.0;
            for (matrix, own) in self.element.halves.iter().zip([left, right]) {
                for (l, a) in own.iter().enumerate() {
                    let back: f64 = matrix.col(l).iter().zip(&whole).map(|(j, w)| j * w).sum();
                    lost += (a - back).powi(2);
                }
            }
            let tail = whole[size - 2..].iter().map(|a| a * a).sum::<f64>();
            (lost.sqrt(), tail.sqrt())
        };
        (0..self.functions).map(one).collect()
    }

    /// The L2 norm of each function.
    #[must_use]
    pub fn norms(&self, expansion: &[f64]) -> Vec<f64> {
        let size = self.element.size();
        let mut sums = vec![0.0; self.functions];
        for own in expansion.chunks_exact(self.functions * size) {
            for (sum, own) in sums.iter_mut().zip(own.chunks_exact(size)) {
                *sum += own.iter().map(|a| a * a).sum::<f64>();
            }
        }
        sums.into_iter().map(f64::sqrt).collect()
    }

    /// For each piece and function, the L2 distance between two expansions.
    #[must_use]
    pub fn distances(&self, one: &[f64], other: &[f64]) -> Vec<Vec<f64>> {
        let size = self.element.size();
        let pairs = one.chunks_exact(size).zip(other.chunks_exact(size));
        let all: Vec<f64> = pairs
            .map(|(a, b)| {
                a.iter()
                    .zip(b)
                    .map(|(a, b)| (a - b).powi(2))
                    .sum::<f64>()
                    .sqrt()
            })
            .collect();
        all.chunks_exact(self.functions)
            .map(<[f64]>::to_vec)
            .collect()
    }

    /// For each piece and function, the size of its last two Legendre coefficients: what the next ones would be is
    /// smaller still where the function is resolved.
    #[must_use]
    pub fn tails(&self, expansion: &[f64]) -> Vec<Vec<f64>> {
        let size = self.element.size();
        expansion
            .chunks_exact(self.functions * size)
            .map(|own| {
                let tail = |own: &[f64]| own[size - 2..].iter().map(|a| a * a).sum::<f64>().sqrt();
                own.chunks_exact(size).map(tail).collect()
            })
            .collect()
    }
}

impl Joint {
    /// The functions of a joint between pieces of these half lengths.
    fn new(
        element: &Element,
        functions: usize,
        left: Option<f64>,
        right: Option<f64>,
        conditions: &[(usize, &EndCondition)],
    ) -> Result<Self, SpaceError> {
        let order = element.order();
        // Inner products of the functions with one derivative 1.
        let gram = Mat::from_fn(order, order, |c, d| {
            let side = |half: Option<f64>, first: usize| {
                half.map_or(0.0, |half| {
                    let columns = element
                        .nodal
                        .col(first + c)
                        .iter()
                        .zip(element.nodal.col(first + d).iter());
                    half.powi((c + d + 1) as i32) * columns.map(|(a, b)| a * b).sum::<f64>()
                })
            };
            side(left, order) + side(right, 0)
        });
        let scales: Vec<f64> = (0..order).map(|d| 1.0 / gram[(d, d)].sqrt()).collect();
        let size = functions * order;
        let mut rows = Mat::zeros(conditions.len(), size);
        let mut norms = Vec::with_capacity(conditions.len());
        for (k, (_, condition)) in conditions.iter().enumerate() {
            for (s, own) in condition.coefficients.iter().enumerate() {
                for (d, b) in own.iter().enumerate().filter(|(_, b)| **b != 0.0) {
                    if s >= functions || d >= order {
                        return Err(SpaceError::Option {
                            option: "order of a derivative at an end",
                            value: d as f64,
                            requirement: "below the order of the equation",
                        });
                    }
                    rows[(k, s * order + d)] = b * scales[d];
                }
            }
            let norm = rows.row(k).norm_l2();
            norms.push(norm);
            for j in 0..size {
                rows[(k, j)] /= norm;
            }
        }
        // Functions that no condition connects are dealt with apart: those with the same conditions get the same functions.
        let mut null = Mat::zeros(size, size);
        let mut pseudo_inverse = Mat::zeros(size, conditions.len());
        let (mut independent, mut count) = (0, 0);
        for (own_functions, own_rows) in connected(functions, conditions) {
            let place = |j: usize| own_functions[j / order] * order + j % order;
            let split = few(&Mat::from_fn(
                own_rows.len(),
                own_functions.len() * order,
                |k, j| rows[(own_rows[k], place(j))],
            ));
            independent += split.independent;
            for i in 0..split.null.nrows() {
                for j in 0..split.null.ncols() {
                    null[(place(i), count + j)] = split.null[(i, j)];
                }
                for (k, row) in own_rows.iter().enumerate() {
                    pseudo_inverse[(place(i), *row)] = split.pseudo_inverse[(i, k)];
                }
            }
            count += split.null.ncols();
        }
        if independent < conditions.len() {
            let upper = conditions.first().is_some_and(|(_, c)| c.upper);
            return Err(SpaceError::EndConditions {
                end: if upper { "upper" } else { "lower" },
                given: conditions.len(),
                independent,
            });
        }
        let unscaled = |i: usize| scales[i % order];
        // Orthonormal combinations of the free ones.
        let free = Mat::from_fn(size, count, |i, j| unscaled(i) * null[(i, j)]);
        let full = Mat::from_fn(size, size, |i, j| {
            if i / order == j / order {
                gram[(i % order, j % order)]
            } else {
                0.0
            }
        });
        let inner = product(
            free.transpose(),
            product(full.as_ref(), free.as_ref()).as_ref(),
        );
        let factor = cholesky(inner).ok_or(SpaceError::Numerical {
            what: "the functions of a joint",
        })?;
        // free·L⁻ᵀ, column by column: xLᵀ = row.
        let mut orthonormal = Mat::zeros(size, count);
        for i in 0..size {
            for j in 0..count {
                let known: f64 = (0..j).map(|k| orthonormal[(i, k)] * factor[(j, k)]).sum();
                orthonormal[(i, j)] = (free[(i, j)] - known) / factor[(j, j)];
            }
        }
        Ok(Self {
            free: orthonormal,
            lift: Mat::from_fn(size, conditions.len(), |i, k| {
                unscaled(i) * pseudo_inverse[(i, k)] / norms[k]
            }),
            data: conditions.iter().map(|(datum, _)| *datum).collect(),
            first: 0,
        })
    }
}

/// The functions in groups that no condition connects, each with the numbers of its conditions.
fn connected(
    functions: usize,
    conditions: &[(usize, &EndCondition)],
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut groups: Vec<(Vec<usize>, Vec<usize>)> =
        (0..functions).map(|s| (vec![s], Vec::new())).collect();
    for (row, (_, condition)) in conditions.iter().enumerate() {
        let coefficients = condition.coefficients.iter();
        let touches = |s: &usize| {
            let own = coefficients.as_slice().get(*s);
            own.is_some_and(|own| own.iter().any(|b| *b != 0.0))
        };
        let (touched, mut others): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(own, _)| own.iter().any(touches));
        let mut joined = (Vec::new(), vec![row]);
        for (own, rows) in touched {
            joined.0.extend(own);
            joined.1.extend(rows);
        }
        joined.0.sort_unstable();
        joined.1.sort_unstable();
        others.push(joined);
        others.sort_by_key(|(own, _)| own.first().copied());
        groups = others;
    }
    groups
}

impl Piece {
    fn new(
        element: &Element,
        functions: usize,
        (lo, hi): (f64, f64),
        ends: [&Joint; 2],
        bubble_start: usize,
    ) -> Self {
        let (centre, half) = (0.5 * (lo + hi), 0.5 * (hi - lo));
        let (size, order) = (element.size(), element.order());
        let bubbles = element.bubbles.ncols();
        let count = ends[0].free.ncols() + ends[1].free.ncols() + functions * bubbles;
        let mut map = Mat::zeros(functions * size, count);
        let mut dofs = Vec::with_capacity(count);
        let mut lifts = Vec::new();
        // Legendre coefficients of derivatives at an end.
        let from_end = |side: usize, column: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let mut out = vec![0.0; functions * size];
            for s in 0..functions {
                for d in 0..order {
                    let value = column(s * order + d) * half.powi(d as i32) * half.sqrt();
                    for i in 0..size {
                        out[s * size + i] += value * element.nodal[(i, side * order + d)];
                    }
                }
            }
            out
        };
        for (side, joint) in ends.into_iter().enumerate() {
            for j in 0..joint.free.ncols() {
                for (i, v) in from_end(side, &|row| joint.free[(row, j)])
                    .into_iter()
                    .enumerate()
                {
                    map[(i, dofs.len())] = v;
                }
                dofs.push(joint.first + j);
            }
            for (k, &datum) in joint.data.iter().enumerate() {
                lifts.push((datum, from_end(side, &|row| joint.lift[(row, k)])));
            }
            if side == 0 {
                for s in 0..functions {
                    for j in 0..bubbles {
                        for i in 0..size {
                            map[(s * size + i, dofs.len())] = element.bubbles[(i, j)];
                        }
                        dofs.push(bubble_start + s * bubbles + j);
                    }
                }
            }
        }
        Self {
            centre,
            half,
            dofs,
            map,
            lifts,
        }
    }

    /// Adds a matrix over the piece's own coefficients to the whole.
    fn scatter(&self, local: &Mat<f64>, out: &mut BandMatrix) {
        for (j, &column) in self.dofs.iter().enumerate() {
            for (i, &row) in self.dofs.iter().enumerate() {
                out.add(row, column, local[(i, j)]);
            }
        }
    }
}
