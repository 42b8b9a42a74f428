//! One function of space and time, known span by span.

mod times;

use std::sync::Arc;

use faer::{Mat, MatMut};
use ndarray::{ArrayView2, Axis, s};

use crate::basis::{Basis, validate_request};
use crate::error::{require_derivative, require_dim, require_finite, require_size, require_some};
use crate::form::{Action, Form};
use crate::saved::{SavedBasis, SavedEvolved};
use crate::{BasisError, MultiIndex};
pub use times::{span_times, span_weights};

/// The most times of a span.
pub(crate) const MOST_TIMES: usize = 64;

/// A function of space and time over one span of time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct EvolvedSpan {
    /// Where the span begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Which of the functions of space it is written in.
    pub space: usize,
    /// The number of times at which it is known: Chebyshev's points, see [`span_times`].
    pub times: usize,
    /// Its coefficients over the functions of space, time by time.
    pub coefficients: Vec<f64>,
}

/// A single function u(x, t) = Σⱼ cⱼ(t) φⱼ(x): over each span of time the cⱼ are polynomials in t, and the φⱼ those of one of
/// several bases in space.
///
/// This is how the result of an evolution is kept in files. Before the first span its polynomial is continued; after the last
/// one nothing is known, and values are NaN. Where two spans meet, the first one answers.
///
/// ```
/// use std::sync::Arc;
/// use fastlsq_basis::{Basis, EvolvedBasis, EvolvedSpan, InputMap, PolynomialBasis};
/// // u = (1 + x) t on 0 ≤ t ≤ 2, by its values at both ends
/// let line = Arc::new(PolynomialBasis::monomials(InputMap::identity(1), 1)?);
/// let span = EvolvedSpan { start: 0.0, end: 2.0, space: 0, times: 2, coefficients: vec![0.0, 0.0, 2.0, 2.0] };
/// let u = EvolvedBasis::new(vec![line], vec![span])?;
/// assert_eq!(u.value_at(&[3.0, 0.5])?, [2.0]);
/// assert_eq!(u.gradient_at(&[3.0, 0.5])?[(1, 0)], 4.0); // u_t
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone)]
pub struct EvolvedBasis {
    spaces: Vec<Arc<dyn Basis>>,
    spans: Arc<[EvolvedSpan]>,
}

/// Checks spans against the numbers of functions of the spaces.
pub(crate) fn check(sizes: &[usize], spans: &[EvolvedSpan]) -> Result<(), BasisError> {
    require_some("the list of spans", spans.len())?;
    let mut before = f64::NEG_INFINITY;
    for span in spans {
        require_finite("the ends of a span", &[span.start, span.end])?;
        if span.start >= span.end || span.start < before {
            return Err(BasisError::Parameter {
                what: "start of a span",
                value: span.start,
                requirement: "below its end, and not before the end of the previous span",
            });
        }
        before = span.end;
        if span.times == 0 || span.times > MOST_TIMES {
            return Err(BasisError::Parameter {
                what: "number of times of a span",
                value: span.times as f64,
                requirement: "between 1 and 64",
            });
        }
        let size = sizes.get(span.space).ok_or(BasisError::Parameter {
            what: "number of the functions of space of a span",
            value: span.space as f64,
            requirement: "below the number of bases",
        })?;
        require_size(
            "the coefficients of a span",
            size.saturating_mul(span.times),
            span.coefficients.len(),
        )?;
        require_finite("the coefficients of a span", &span.coefficients)?;
    }
    Ok(())
}

impl EvolvedBasis {
    /// One function from bases in space and spans of time, in their order.
    ///
    /// # Errors
    /// No bases or spans, bases of different dimensions, spans out of order, coefficients of the wrong number or not finite.
    pub fn new(spaces: Vec<Arc<dyn Basis>>, spans: Vec<EvolvedSpan>) -> Result<Self, BasisError> {
        require_some("the list of bases in space", spaces.len())?;
        for space in &spaces {
            require_dim("a basis in space", spaces[0].dim(), space.dim())?;
        }
        let sizes: Vec<usize> = spaces.iter().map(Basis::len).collect();
        check(&sizes, &spans)?;
        Ok(Self::from_checked(spaces, spans))
    }

    pub(crate) fn from_checked(spaces: Vec<Arc<dyn Basis>>, spans: Vec<EvolvedSpan>) -> Self {
        Self {
            spaces,
            spans: spans.into(),
        }
    }

    /// The bases in space.
    #[must_use]
    pub fn spaces(&self) -> &[Arc<dyn Basis>] {
        &self.spaces
    }

    /// The spans.
    #[must_use]
    pub fn spans(&self) -> &[EvolvedSpan] {
        &self.spans
    }

    /// Points in rising order of time, as pairs of span and place; none beyond the last span.
    fn sorted(&self, times: &[f64]) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = times
            .iter()
            .enumerate()
            .map(|(i, t)| (self.spans.partition_point(|span| span.end < *t), i))
            .filter(|(span, _)| *span < self.spans.len())
            .collect();
        pairs.sort_by(|a, b| a.0.cmp(&b.0).then(times[a.1].total_cmp(&times[b.1])));
        pairs
    }
}

impl EvolvedSpan {
    /// The coefficients at one of its times.
    fn at(&self, time: usize) -> &[f64] {
        let size = self.coefficients.len() / self.times.max(1);
        &self.coefficients[time * size..(time + 1) * size]
    }

    /// Σ weightₖ cₖ.
    fn combined(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.coefficients.len() / self.times.max(1)];
        for (k, weight) in weights.iter().enumerate() {
            for (sum, c) in sum.iter_mut().zip(self.at(k)) {
                *sum += weight * c;
            }
        }
        sum
    }

    /// The derivatives by `forms` in space and of order dt in time at points of this span, whose times rise.
    fn sums(
        &self,
        space: &dyn Basis,
        points: ArrayView2<'_, f64>,
        forms: &[Form<'_>],
        dt: usize,
    ) -> Result<Mat<f64>, BasisError> {
        let axes = space.dim();
        let mut out = Mat::zeros(points.nrows(), forms.len());
        let times = points.column(axes).to_vec();
        let mut first = 0;
        for group in times.chunk_by(|a, b| a == b) {
            let count = group.len();
            let weights = span_weights((self.start, self.end), self.times, group[0], dt);
            let own = points.slice(s![first..first + count, ..axes]);
            let block = out.as_mut().subrows_mut(first, count);
            space.sums(own, forms, &self.combined(&weights), block)?;
            first += count;
        }
        Ok(out)
    }
}

const KIND: &str = "function that was evolved in time";

impl Basis for EvolvedBasis {
    fn dim(&self) -> usize {
        self.spaces.first().map_or(0, Basis::dim) + 1
    }

    fn len(&self) -> usize {
        1
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        out.fill(0.0);
        let axes = self.dim() - 1;
        // Each term as an action on space and an order in time.
        let mut terms: Vec<(Action, usize)> = Vec::new();
        for term in form.terms() {
            require_derivative(KIND, term.action)?;
            let orders = term.action.derivative.orders();
            let space = MultiIndex::new(orders[..axes].to_vec());
            terms.push((Action::derivative(space), orders[axes] as usize));
        }
        let pairs = self.sorted(&points.column(axes).to_vec());
        let known: Vec<bool> = {
            let mut known = vec![false; points.nrows()];
            pairs.iter().for_each(|(_, i)| known[*i] = true);
            known
        };
        for i in (0..points.nrows()).filter(|i| !known[*i] && !terms.is_empty()) {
            out[(i, 0)] = f64::NAN;
        }
        let mut orders: Vec<usize> = terms.iter().map(|(_, dt)| *dt).collect();
        orders.sort_unstable();
        orders.dedup();
        for own in pairs.chunk_by(|a, b| a.0 == b.0) {
            let places: Vec<usize> = own.iter().map(|(_, i)| *i).collect();
            let Some(span) = own.first().and_then(|(k, _)| self.spans.get(*k)) else {
                continue;
            };
            let here = points.select(Axis(0), &places);
            for dt in &orders {
                let chosen: Vec<usize> = (0..terms.len()).filter(|k| terms[*k].1 == *dt).collect();
                let forms: Vec<Form<'_>> =
                    chosen.iter().map(|k| Form::action(&terms[*k].0)).collect();
                let values = span.sums(&*self.spaces[span.space], here.view(), &forms, *dt)?;
                for (column, k) in chosen.iter().enumerate() {
                    for (row, i) in places.iter().enumerate() {
                        let factor = form.terms()[*k].coefficient.at(*i);
                        out[(*i, 0)] += factor * values[(row, column)];
                    }
                }
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        let spaces = self.spaces.iter().map(Basis::to_saved);
        Some(SavedBasis::Evolved(SavedEvolved {
            spaces: spaces.collect::<Option<_>>()?,
            spans: self.spans.to_vec(),
        }))
    }
}
