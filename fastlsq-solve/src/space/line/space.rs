//! The space of joined pieces: how it is put together from its pieces and joints.

use std::sync::Arc;

use super::band::{BandFactors, BandMatrix};
use super::element::Element;
use super::joint::Joint;
use super::piece::Piece;
use crate::dense::product;
use crate::space::SpaceError;

/// Σ b_{s,d} u_s⁽ᵈ⁾ = g at one end, for functions u_s.
#[derive(Debug, Clone, PartialEq)]
pub struct EndCondition {
    /// Whether it holds at the upper end.
    pub upper: bool,
    /// b: for each function, for each order of derivative; what is missing is zero.
    pub coefficients: Vec<Vec<f64>>,
}

/// Several functions on an interval or a circle, as joined polynomials with conditions.
///
/// Coefficients c stand for u = Σ cⱼ φⱼ + Σ gₖ ℓₖ, where the ℓₖ carry the data g and are orthogonal to all φⱼ.
#[derive(Debug, Clone)]
pub struct LineSpace {
    pub(super) element: Arc<Element>,
    pub(super) breaks: Vec<f64>,
    pub(super) functions: usize,
    pub(super) periodic: bool,
    pub(super) pieces: Vec<Piece>,
    pub(super) mass: Arc<BandMatrix>,
    pub(super) mass_factors: Arc<BandFactors>,
    /// Coefficients of what makes ℓₖ orthogonal, for each datum.
    pub(super) shifts: Vec<Vec<f64>>,
    pub(super) nodes: Vec<f64>,
    pub(super) weights: Vec<f64>,
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
}
