//! Short gaps in gridded data, interpolated along the axis on which they are shortest.

/// Longest run of missing values that is interpolated.
const LONGEST: usize = 4;
/// Known values taken on each side of a gap.
const SIDE: usize = 3;

/// The values with short gaps filled; longer ones stay NaN.
pub(crate) fn fill_gaps(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let mut filled = values.to_vec();
    for place in (0..values.len()).filter(|&i| values[i].is_nan()) {
        let best = (0..shape.len())
            .filter_map(|axis| along(values, shape, axis, place))
            .min_by_key(|(gap, _)| *gap);
        if let Some((_, value)) = best {
            filled[place] = value;
        }
    }
    filled
}

/// Length of the gap around a place along an axis, and the interpolated value there.
fn along(values: &[f64], shape: &[usize], axis: usize, place: usize) -> Option<(usize, f64)> {
    let inner: usize = shape[axis + 1..].iter().product();
    let count = shape[axis];
    let here = place / inner % count;
    let base = place - here * inner;
    let known = |i: usize| Some(values[base + i * inner]).filter(|v| !v.is_nan());
    let below: Vec<usize> = (0..here)
        .rev()
        .filter(|&i| known(i).is_some())
        .take(SIDE)
        .collect();
    let above: Vec<usize> = (here + 1..count)
        .filter(|&i| known(i).is_some())
        .take(SIDE)
        .collect();
    let gap = above.first()? - below.first()? - 1;
    if gap > LONGEST {
        return None;
    }
    let near = |i: &&usize| i.abs_diff(here) <= LONGEST + SIDE;
    let nodes: Vec<usize> = below.iter().chain(&above).filter(near).copied().collect();
    let at = here as f64;
    let value = nodes
        .iter()
        .filter_map(|&i| {
            let others = nodes.iter().filter(|&&j| j != i);
            let weight: f64 = others
                .map(|&j| (at - j as f64) / (i as f64 - j as f64))
                .product();
            known(i).map(|v| weight * v)
        })
        .sum();
    Some((gap, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_gaps_are_filled_exactly_for_polynomials_and_long_ones_stay() {
        let f = |i: usize, j: usize| (i as f64).powi(2) - 3.0 * i as f64 * (j as f64).powi(2);
        let whole: Vec<f64> = (0..20 * 30).map(|p| f(p / 30, p % 30)).collect();
        let mut holed = whole.clone();
        for j in 10..13 {
            holed[5 * 30 + j] = f64::NAN;
        }
        let filled = fill_gaps(&holed, &[20, 30]);
        for (a, b) in filled.iter().zip(&whole) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()));
        }
        // A whole corner is missing: nothing is invented there.
        for i in 0..8 {
            for j in 0..8 {
                holed[i * 30 + j] = f64::NAN;
            }
        }
        let filled = fill_gaps(&holed, &[20, 30]);
        assert!(filled[0].is_nan() && filled[3 * 30 + 3].is_nan());
    }
}
