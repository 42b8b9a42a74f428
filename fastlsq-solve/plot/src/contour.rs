//! Lines of equal value on a grid, by marching squares.

/// A piece of a line of equal value.
pub(crate) type Segment = [(f64, f64); 2];

/// The lines on which the function that is linear along the edges of the grid has the value `level`. `values` has one row for each
/// place along x; cells with a value that is not finite have no lines.
pub(crate) fn segments(x: &[f64], y: &[f64], values: &[f64], level: f64) -> Vec<Segment> {
    let mut found = Vec::new();
    for i in 0..x.len().saturating_sub(1) {
        for j in 0..y.len().saturating_sub(1) {
            let at = |i: usize, j: usize| values[i * y.len() + j] - level;
            // Around the cell, counter-clockwise.
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let heights = corners.map(|(i, j)| at(i, j));
            if heights.iter().any(|height| !height.is_finite()) {
                continue;
            }
            let mut crossings = Vec::with_capacity(4);
            for k in 0..4 {
                let (a, b) = (heights[k], heights[(k + 1) % 4]);
                if (a < 0.0) != (b < 0.0) {
                    let share = a / (a - b);
                    let ((ia, ja), (ib, jb)) = (corners[k], corners[(k + 1) % 4]);
                    crossings.push((
                        x[ia] + share * (x[ib] - x[ia]),
                        y[ja] + share * (y[jb] - y[ja]),
                    ));
                }
            }
            match crossings[..] {
                [a, b] => found.push([a, b]),
                // A saddle: the mean decides which corners belong together.
                [a, b, c, d] => {
                    let middle: f64 = heights.iter().sum();
                    if (middle < 0.0) == (heights[0] < 0.0) {
                        found.extend([[a, b], [c, d]]);
                    } else {
                        found.extend([[a, d], [b, c]]);
                    }
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::segments;

    #[test]
    fn the_level_lines_of_a_cone_are_circles() {
        let axis: Vec<f64> = (0..=80).map(|k| -1.0 + f64::from(k) / 40.0).collect();
        let values: Vec<f64> = axis
            .iter()
            .flat_map(|x| axis.iter().map(move |y| x.hypot(*y)))
            .collect();
        let circle = segments(&axis, &axis, &values, 0.7);
        let length: f64 = circle
            .iter()
            .map(|[a, b]| (a.0 - b.0).hypot(a.1 - b.1))
            .sum();
        assert!((length / (1.4 * std::f64::consts::PI) - 1.0).abs() < 1e-3);
        for (x, y) in circle.into_iter().flatten() {
            assert!((x.hypot(y) - 0.7).abs() < 1e-3);
        }
    }

    #[test]
    fn holes_have_no_lines_and_saddles_two() {
        let values = [0.0, 1.0, 1.0, 0.0];
        assert_eq!(segments(&[0.0, 1.0], &[0.0, 1.0], &values, 0.4).len(), 2);
        let values = [0.0, 1.0, f64::NAN, 0.0];
        assert!(segments(&[0.0, 1.0], &[0.0, 1.0], &values, 0.4).is_empty());
    }
}
