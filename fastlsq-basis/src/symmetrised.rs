//! Exact symmetry of any basis, by averaging over reflections.

use std::sync::Arc;

use faer::{Mat, MatMut};
use ndarray::{Array2, ArrayView2, s};

use crate::BasisError;
use crate::basis::{Basis, row_blocks, validate_request};
use crate::error::{require_dim, require_finite};
use crate::form::{Action, AxisIntegral, Coefficient, Form, Multiplier, UpperLimit};
use crate::saved::{SavedBasis, SavedSymmetrised};
use crate::sinusoidal::Parity;

/// Each symmetric axis doubles the work.
const MAX_AXES: usize = 16;
/// Points handled together: the reflected points and their rows are held for this many.
const BLOCK: usize = 256;

/// The features of another basis, made even or odd along chosen axes:
///
/// φˢ(x) = 2^{−|S|} Σ_R χ(R) φ(R x),
///
/// over all reflections R of the axes S about a centre c, with χ(R) = −1 for each reflected odd axis.
/// Any action passes through: D^α gains the sign Π (±1)^{αₖ}, an integral along a reflected axis gets
/// reflected limits, a Fourier multiplier a reflected symbol.
///
/// For sinusoids the average factorises: with y = w_a(x_a − c_a) and the rest r of the phase, an even
/// axis gives cos y · sin r and an odd axis sin y · cos r. A [`SinusoidalBasis`] with declared
/// [`Parity`] evaluates that product directly, at the cost of one sine-cosine pair per axis instead of
/// 2^{|S|} of them. It writes sin r for every axis, so its feature with phase b is this average at
/// phase b − m π/2 for m odd axes: the same functions, and for uniform phases the same law. With
/// every axis in S, r is the bare phase, a constant which the product form replaces by 1.
///
/// [`SinusoidalBasis`]: crate::SinusoidalBasis
///
/// ```
/// use std::sync::Arc;
/// use fastlsq_basis::{Basis, Parity, SymmetrisedBasis, TanhBasis};
/// let tanh = Arc::new(TanhBasis::builder(1, 10).build()?);
/// let odd = SymmetrisedBasis::new(tanh, &[Parity::Odd], &[0.5])?;
/// let (left, right) = (odd.value_at(&[0.2])?, odd.value_at(&[0.8])?);
/// assert!(left.iter().zip(&right).all(|(l, r)| (l + r).abs() < 1e-15));
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SymmetrisedBasis {
    inner: Arc<dyn Basis>,
    parity: Vec<Parity>,
    center: Vec<f64>,
}

impl SymmetrisedBasis {
    /// Symmetrises a basis about a centre.
    ///
    /// # Errors
    /// Lists of the wrong length, a centre that is not finite, more than 16 symmetric axes.
    pub fn new(
        inner: Arc<dyn Basis>,
        parity: &[Parity],
        center: &[f64],
    ) -> Result<Self, BasisError> {
        validate(inner.dim(), parity, center)?;
        Ok(Self {
            inner,
            parity: parity.to_vec(),
            center: center.to_vec(),
        })
    }

    pub(crate) fn from_checked(
        inner: Arc<dyn Basis>,
        parity: Vec<Parity>,
        center: Vec<f64>,
    ) -> Self {
        Self {
            inner,
            parity,
            center,
        }
    }

    /// The basis whose features are averaged.
    #[must_use]
    pub fn inner(&self) -> &Arc<dyn Basis> {
        &self.inner
    }

    /// The symmetry along each axis.
    #[must_use]
    pub fn parity(&self) -> &[Parity] {
        &self.parity
    }

    /// The point about which axes are reflected.
    #[must_use]
    pub fn center(&self) -> &[f64] {
        &self.center
    }

    /// For each reflection: which axes it reverses, and χ(R)/2^{|S|}.
    fn reflections(&self) -> Vec<(Vec<bool>, f64)> {
        let mut all = vec![(vec![false; self.parity.len()], 1.0)];
        for (axis, parity) in self.parity.iter().enumerate() {
            let sign = match parity {
                Parity::None => continue,
                Parity::Even => 1.0,
                Parity::Odd => -1.0,
            };
            let mirrored: Vec<_> = all
                .iter()
                .map(|(reversed, weight)| {
                    let mut reversed = reversed.clone();
                    reversed[axis] = true;
                    (reversed, weight * sign)
                })
                .collect();
            all.extend(mirrored);
        }
        let share = 1.0 / all.len() as f64;
        for (_, weight) in &mut all {
            *weight *= share;
        }
        all
    }

    /// The action T′ with T(φ∘R) = ±(T′φ)∘R, and that sign.
    fn reflect(&self, action: &Action, reversed: &[bool]) -> (f64, Action) {
        let mut sign = 1.0;
        for (n, reversed) in action.derivative.orders().iter().zip(reversed) {
            if *reversed && n % 2 == 1 {
                sign = -sign;
            }
        }
        let integrals = action
            .integrals
            .iter()
            .map(|integral| {
                if !reversed[integral.axis] {
                    return *integral;
                }
                // ∫ₐᵗ g(2c − x) dx = −∫_{2c−a}^{2c−t} g(y) dy
                sign = -sign;
                let twice = 2.0 * self.center[integral.axis];
                AxisIntegral {
                    axis: integral.axis,
                    from: twice - integral.from,
                    to: match integral.to {
                        UpperLimit::Coordinate => UpperLimit::Coordinate,
                        UpperLimit::Fixed(to) => UpperLimit::Fixed(twice - to),
                    },
                }
            })
            .collect();
        let multiplier = action.multiplier.as_ref().map(|multiplier| {
            let (symbol, reversed) = (multiplier.clone(), reversed.to_vec());
            Multiplier::new(multiplier.name(), move |w| {
                let mirrored: Vec<f64> = w
                    .iter()
                    .zip(&reversed)
                    .map(|(w, r)| if *r { -w } else { *w })
                    .collect();
                symbol.symbol(&mirrored)
            })
        });
        let reflected = Action {
            derivative: action.derivative.clone(),
            integrals,
            multiplier,
        };
        (sign, reflected)
    }

    /// Adds one reflection's share to a block of rows.
    fn add_reflection(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        (reversed, share): &(Vec<bool>, f64),
        scratch: MatMut<'_, f64>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        let mirrored = Array2::from_shape_fn(points.dim(), |(i, axis)| {
            let x = points[(i, axis)];
            if reversed[axis] {
                2.0 * self.center[axis] - x
            } else {
                x
            }
        });
        let reflected: Vec<_> = form
            .terms()
            .iter()
            .map(|term| self.reflect(term.action, reversed))
            .collect();
        let mut scratch = scratch;
        // One sum for the terms of each sign: coefficients stay the arrays they are.
        for sign in [1.0, -1.0] {
            let mut part = Form::new();
            for (term, (term_sign, action)) in form.terms().iter().zip(&reflected) {
                match term.coefficient {
                    Coefficient::Constant(c) if sign > 0.0 => {
                        part.push(Coefficient::Constant(c * term_sign), action);
                    }
                    Coefficient::PerPoint(_) if *term_sign == sign => {
                        part.push(term.coefficient, action);
                    }
                    _ => {}
                }
            }
            if part.terms().is_empty() {
                continue;
            }
            self.inner
                .write_rows(mirrored.view(), &part, scratch.as_mut())?;
            let weight = sign * share;
            for j in 0..out.ncols() {
                for i in 0..out.nrows() {
                    out[(i, j)] += weight * scratch[(i, j)];
                }
            }
        }
        Ok(())
    }
}

/// Checks the choices against the dimension of the basis.
pub(crate) fn validate(dim: usize, parity: &[Parity], center: &[f64]) -> Result<(), BasisError> {
    require_dim("the list of parities", dim, parity.len())?;
    require_dim("the centre of symmetry", dim, center.len())?;
    require_finite("the centre of symmetry", center)?;
    let axes = parity.iter().filter(|p| **p != Parity::None).count();
    if axes > MAX_AXES {
        return Err(BasisError::Parameter {
            what: "number of symmetric axes",
            value: axes as f64,
            requirement: "at most 16 (sinusoidal features have a product form without this limit)",
        });
    }
    Ok(())
}

impl Basis for SymmetrisedBasis {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn len(&self) -> usize {
        self.inner.len()
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let reflections = self.reflections();
        let mut scratch = Mat::zeros(BLOCK.min(out.nrows()), out.ncols());
        for (start, mut block) in row_blocks(out, BLOCK) {
            let count = block.nrows();
            let points = points.slice(s![start..start + count, ..]);
            let form = form.restrict(start, count);
            block.fill(0.0);
            for reflection in &reflections {
                let scratch = scratch.as_mut().subrows_mut(0, count);
                self.add_reflection(points, &form, reflection, scratch, block.as_mut())?;
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        Some(SavedBasis::Symmetrised(SavedSymmetrised {
            inner: Box::new(self.inner.to_saved()?),
            parity: self.parity.clone(),
            center: self.center.clone(),
        }))
    }
}
