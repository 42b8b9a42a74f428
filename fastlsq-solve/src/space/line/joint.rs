//! Where two pieces meet, or one ends: the functions that live on both sides, and the conditions they take.

use faer::Mat;

use super::element::Element;
use super::space::EndCondition;
use crate::dense::{cholesky, product};
use crate::space::SpaceError;
use crate::space::elimination::few;

/// The functions of one joint: derivatives there by free coefficients, and by data.
pub(super) struct Joint {
    pub(super) free: Mat<f64>,
    pub(super) lift: Mat<f64>,
    pub(super) data: Vec<usize>,
    pub(super) first: usize,
}

impl Joint {
    /// The functions of a joint between pieces of these half lengths.
    pub(super) fn new(
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
