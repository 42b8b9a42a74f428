//! Lines of equal value of a function that is known on a grid, for figures.

use std::collections::BTreeMap;

use ndarray::Array2;

/// An edge of the grid: the column and row of its lower left node, and whether it runs along x.
type Edge = (usize, usize, bool);

/// The lines on which the function with `values[(i, j)]` at `(x[i], y[j])` has the value `level`,
/// each a list of points; a closed line ends where it begins.
///
/// Along the edges of the grid the function is taken as linear, and a cell that two lines cross is
/// decided by the mean of its corners. Cells with a value that is not finite, and values beyond the
/// lists `x` and `y`, have no part in any line.
#[must_use]
pub fn level_lines(x: &[f64], y: &[f64], values: &Array2<f64>, level: f64) -> Vec<Vec<[f64; 2]>> {
    let columns = x.len().min(values.nrows());
    let rows = y.len().min(values.ncols());
    // Which edges a line leads to from each edge: at most one on either side.
    let mut neighbours: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
    for i in 1..columns {
        for j in 1..rows {
            for (from, to) in crossings(values, level, i - 1, j - 1) {
                neighbours.entry(from).or_default().push(to);
                neighbours.entry(to).or_default().push(from);
            }
        }
    }
    let place = |(i, j, along_x): Edge| {
        let (k, l) = if along_x { (i + 1, j) } else { (i, j + 1) };
        let (a, b) = (values[(i, j)], values[(k, l)]);
        let share = (level - a) / (b - a);
        [x[i] + share * (x[k] - x[i]), y[j] + share * (y[l] - y[j])]
    };
    let mut lines = Vec::new();
    // Open lines first, from their ends; what is left is closed.
    for open in [true, false] {
        let starts: Vec<Edge> = neighbours.keys().copied().collect();
        for start in starts {
            let ends = neighbours.get(&start).map_or(0, Vec::len);
            if ends == 0 || (open && ends != 1) {
                continue;
            }
            let mut line = vec![place(start)];
            let mut at = start;
            while let Some(next) = neighbours.get_mut(&at).and_then(Vec::pop) {
                if let Some(back) = neighbours.get_mut(&next) {
                    back.retain(|edge| *edge != at);
                }
                line.push(place(next));
                at = next;
            }
            lines.push(line);
        }
    }
    lines
}

/// The pairs of edges that lines through one cell connect.
fn crossings(values: &Array2<f64>, level: f64, i: usize, j: usize) -> Vec<(Edge, Edge)> {
    // Corners and edges in turn around the cell: bottom, right, top, left.
    let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|at| values[at]);
    if corners.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let edges: [Edge; 4] = [
        (i, j, true),
        (i + 1, j, false),
        (i, j + 1, true),
        (i, j, false),
    ];
    let above = corners.map(|value| value >= level);
    let crossed: Vec<usize> = (0..4).filter(|&k| above[k] != above[(k + 1) % 4]).collect();
    match crossed[..] {
        [a, b] => vec![(edges[a], edges[b])],
        [_, _, _, _] => {
            // A saddle: the corner 0 is cut off if the middle is on the other side.
            let middle = 0.25 * corners.iter().sum::<f64>() >= level;
            if middle == above[0] {
                vec![(edges[0], edges[1]), (edges[2], edges[3])]
            } else {
                vec![(edges[3], edges[0]), (edges[1], edges[2])]
            }
        }
        _ => Vec::new(),
    }
}

/// The nodes along a side of the square from `lower` to `upper`, and all nodes, one row each, the second coordinate
/// varying fastest.
pub(super) fn square_grid(lower: f64, upper: f64, nodes: usize) -> (Vec<f64>, Array2<f64>) {
    let last = nodes.max(2) - 1;
    let step = (upper - lower) / last as f64;
    let axis: Vec<f64> = (0..=last).map(|k| lower + step * k as f64).collect();
    let side = axis.len();
    let points = Array2::from_shape_fn((side * side, 2), |(node, column)| {
        axis[if column == 0 {
            node / side
        } else {
            node % side
        }]
    });
    (axis, points)
}

/// Values at the nodes of [`square_grid`] by both coordinates.
pub(super) fn on_grid(values: &[f64], side: usize) -> Array2<f64> {
    let at = |(i, j)| values.get(i * side + j).copied().unwrap_or(f64::NAN);
    Array2::from_shape_fn((side, side), at)
}

#[cfg(test)]
mod tests {
    use super::level_lines;
    use ndarray::Array2;

    fn grid(n: usize) -> Vec<f64> {
        (0..n)
            .map(|k| -1.0 + 2.0 * k as f64 / (n - 1) as f64)
            .collect()
    }

    #[test]
    fn a_circle_is_one_closed_line() {
        let x = grid(41);
        let values = Array2::from_shape_fn((41, 41), |(i, j)| x[i].hypot(x[j]));
        let lines = level_lines(&x, &x, &values, 0.6);
        assert_eq!(lines.len(), 1);
        let line = &lines[0];
        assert_eq!(line.first(), line.last());
        for [a, b] in line {
            assert!((a.hypot(*b) - 0.6).abs() < 2e-3);
        }
        let length: f64 = line
            .windows(2)
            .map(|w| (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1]))
            .sum();
        assert!((length / (1.2 * std::f64::consts::PI) - 1.0).abs() < 5e-3);
    }

    #[test]
    fn a_saddle_gives_two_open_lines() {
        let x = grid(20);
        let values = Array2::from_shape_fn((20, 20), |(i, j)| x[i] * x[j]);
        for level in [0.2, -0.2] {
            let lines = level_lines(&x, &x, &values, level);
            assert_eq!(lines.len(), 2);
            for line in &lines {
                assert!(line.iter().all(|[a, b]| (a * b - level).abs() < 1e-2));
                assert_ne!(line.first(), line.last());
            }
        }
        assert!(level_lines(&x, &x, &values, 2.0).is_empty());
    }

    #[test]
    fn senseless_tables_give_no_lines() {
        let x = grid(3);
        let gaps = Array2::from_elem((3, 3), f64::NAN);
        assert!(level_lines(&x, &x, &gaps, 0.0).is_empty());
        assert!(level_lines(&[], &x, &gaps, 0.0).is_empty());
        let short = Array2::from_shape_fn((2, 9), |(i, _)| i as f64);
        assert_eq!(level_lines(&x, &x, &short, 0.5).len(), 1);
    }
}
