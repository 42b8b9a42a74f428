//! Wrong requests are typed errors.

use faer::Mat;
use ndarray::Array2;

use super::{Verdict, points, require};
use crate::form::{Action, AxisIntegral, Coefficient, Form, UpperLimit};
use crate::{Basis, BasisError, MultiIndex};

/// Wrong dimensions and sizes, and numbers that are not finite, are typed errors; nothing panics.
///
/// # Errors
/// The first [`Violation`](super::Violation).
pub fn wrong_requests(basis: &dyn Basis) -> Verdict {
    let (dim, len) = (basis.dim(), basis.len());
    // Few points go the sequential way, many the parallel one.
    for count in [6, 700 + (1 << 15) / len.max(1)] {
        let good = points(basis, count);
        let identity = Action::identity(dim);
        let value = Form::action(&identity);
        let dimension = |e: &BasisError| matches!(e, BasisError::Dimension { .. });
        let shape = |e: &BasisError| matches!(e, BasisError::Shape { .. });
        let not_finite = |e: &BasisError| matches!(e, BasisError::NotFinite { .. });

        let wide = Array2::zeros((count, dim + 1));
        refuses(
            basis,
            "points of another dimension",
            &wide,
            &value,
            (count, len),
            dimension,
        )?;
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut spoilt = good.clone();
            spoilt[(count - 1, dim - 1)] = bad;
            refuses(
                basis,
                "a point that is not finite",
                &spoilt,
                &value,
                (count, len),
                not_finite,
            )?;
            let form = Form::new().with(Coefficient::Constant(bad), &identity);
            refuses(
                basis,
                "a constant that is not finite",
                &good,
                &form,
                (count, len),
                not_finite,
            )?;
            let mut values = vec![1.0; count];
            values[count / 2] = bad;
            let form = Form::new().with(Coefficient::PerPoint(&values), &identity);
            refuses(
                basis,
                "a coefficient that is not finite",
                &good,
                &form,
                (count, len),
                not_finite,
            )?;
        }
        for rows in [count - 1, count + 1] {
            refuses(
                basis,
                "an output of wrong height",
                &good,
                &value,
                (rows, len),
                shape,
            )?;
            let values = vec![1.0; rows];
            let form = Form::new().with(Coefficient::PerPoint(&values), &identity);
            refuses(
                basis,
                "a coefficient vector of wrong length",
                &good,
                &form,
                (count, len),
                shape,
            )?;
        }
        refuses(
            basis,
            "an output that is too wide",
            &good,
            &value,
            (count, len + 1),
            shape,
        )?;
        let longer = Action::identity(dim + 1);
        let form = Form::action(&longer);
        refuses(
            basis,
            "a multi-index of another dimension",
            &good,
            &form,
            (count, len),
            dimension,
        )?;
        let astray = Action {
            integrals: vec![AxisIntegral {
                axis: dim,
                from: 0.0,
                to: UpperLimit::Coordinate,
            }],
            ..Action::identity(dim)
        };
        refuses(
            basis,
            "an integral along an axis that does not exist",
            &good,
            &Form::action(&astray),
            (count, len),
            |e| matches!(e, BasisError::Axis { .. } | BasisError::Unsupported { .. }),
        )?;
    }
    let short = vec![0.0; dim + 1];
    require(
        matches!(basis.value_at(&short), Err(BasisError::Dimension { .. })),
        "a point of another dimension",
        || "value_at accepts it".into(),
    )?;
    // An order far beyond any use is answered or refused, but does not panic.
    for orders in [vec![u32::MAX; dim], vec![1000; dim]] {
        let _ = basis.derivative_at(&vec![0.5; dim], &MultiIndex::new(orders));
    }
    Ok(())
}

fn refuses(
    basis: &dyn Basis,
    what: &'static str,
    points: &Array2<f64>,
    form: &Form<'_>,
    (rows, columns): (usize, usize),
    expected: impl Fn(&BasisError) -> bool,
) -> Verdict {
    let mut out = Mat::zeros(rows, columns);
    let answers = [
        basis.write_rows(points.view(), form, out.as_mut()),
        basis.assemble_into(points.view(), form, out.as_mut()),
    ];
    for answer in answers {
        require(answer.as_ref().is_err_and(&expected), what, || {
            format!("the answer is {answer:?}")
        })?;
    }
    Ok(())
}
