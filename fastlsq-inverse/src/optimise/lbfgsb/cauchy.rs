//! The generalised Cauchy point: the first local minimiser of the quadratic model
//! q(z) = gᵀ(z − x) + ½ (z − x)ᵀB(z − x) along the projected steepest-descent path
//! z(t) = P(x − t g) (Byrd, Lu, Nocedal and Zhu 1995, section 4).

use super::compact::CompactMemory;
use crate::optimise::bounds::Bounds;
use crate::optimise::vector::{add_scaled, dot};

/// Where the path stops, and c = Wᵀ(z − x) there.
#[derive(Debug)]
pub(super) struct CauchyPoint {
    pub(super) point: Vec<f64>,
    pub(super) projection: Vec<f64>,
}

impl CauchyPoint {
    /// The path that does not move: z = x, c = 0.
    pub(super) fn at(x: &[f64], memory: &CompactMemory) -> Self {
        Self {
            point: x.to_vec(),
            projection: vec![0.0; 2 * memory.len()],
        }
    }
}

/// A variable reaches its side at this path parameter.
struct Breakpoint {
    time: f64,
    index: usize,
    side: f64,
}

/// Follows the path from breakpoint to breakpoint, keeping the first and second derivative of the
/// model along the current piece up to date, until the model would rise.
pub(super) fn cauchy_point(
    x: &[f64],
    gradient: &[f64],
    bounds: &Bounds,
    memory: &CompactMemory,
) -> CauchyPoint {
    let mut cauchy = CauchyPoint::at(x, memory);
    let (mut direction, breakpoints) = path(x, gradient, bounds);

    let mut p = memory.w_transpose_times(&direction);
    let theta = memory.theta();
    let mut slope = -dot(&direction, &direction);
    if slope == 0.0 {
        return cauchy;
    }
    let initial_curvature = -theta * slope;
    let mut curvature = initial_curvature - dot(&p, &memory.middle_times(&p));
    let mut moving = direction.iter().filter(|&&d| d != 0.0).count();
    let mut time = 0.0;
    let mut to_minimum = -slope / curvature;

    for Breakpoint {
        time: next,
        index,
        side,
    } in breakpoints
    {
        let piece = next - time;
        if to_minimum < piece {
            break;
        }
        time = next;
        add_scaled(&mut cauchy.projection, piece, &p);
        cauchy.point[index] = side;
        let velocity = direction[index];
        direction[index] = 0.0;

        let w = memory.w_row(index);
        let mw = memory.middle_times(&w);
        slope += piece * curvature + velocity * velocity - theta * velocity * (side - x[index])
            + velocity * dot(&mw, &cauchy.projection);
        curvature += -theta * velocity * velocity + 2.0 * velocity * dot(&mw, &p)
            - velocity * velocity * dot(&mw, &w);
        // Exactly computed it stays positive; rounding must not let it vanish.
        curvature = curvature.max(f64::EPSILON * initial_curvature);
        add_scaled(&mut p, -velocity, &w);
        to_minimum = -slope / curvature;
        moving -= 1;
        if moving == 0 {
            to_minimum = 0.0;
            break;
        }
    }

    let rest = to_minimum.max(0.0);
    add_scaled(&mut cauchy.projection, rest, &p);
    let end = time + rest;
    for ((z, start), d) in cauchy.point.iter_mut().zip(x).zip(&direction) {
        if *d != 0.0 {
            *z = start + end * d;
        }
    }
    bounds.clamp(&mut cauchy.point);
    cauchy
}

/// The direction of the first piece of the path, and its breakpoints in order. Variables on a
/// side that −g pushes against do not move.
fn path(x: &[f64], gradient: &[f64], bounds: &Bounds) -> (Vec<f64>, Vec<Breakpoint>) {
    let mut direction = vec![0.0; x.len()];
    let mut breakpoints = Vec::new();
    for (index, (((d, &start), &g), (lower, upper))) in direction
        .iter_mut()
        .zip(x)
        .zip(gradient)
        .zip(bounds.sides())
        .enumerate()
    {
        let side = if g > 0.0 { lower } else { upper };
        let room = (side - start).abs();
        if g == 0.0 || room == 0.0 {
            continue;
        }
        *d = -g;
        if side.is_finite() {
            breakpoints.push(Breakpoint {
                time: room / g.abs(),
                index,
                side,
            });
        }
    }
    breakpoints.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.index.cmp(&b.index)));
    (direction, breakpoints)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(memory: &CompactMemory, x: &[f64], g: &[f64], z: &[f64]) -> f64 {
        let s: Vec<f64> = z.iter().zip(x).map(|(a, b)| a - b).collect();
        let c = memory.w_transpose_times(&s);
        dot(g, &s) + 0.5 * (memory.theta() * dot(&s, &s) - dot(&c, &memory.middle_times(&c)))
    }

    fn some_memory(n: usize) -> CompactMemory {
        let mut memory = CompactMemory::new(4);
        for k in 0..3 {
            let step: Vec<f64> = (0..n)
                .map(|i| (f64::from(2 * k + 1) * i as f64).cos())
                .collect();
            let change: Vec<f64> = step
                .iter()
                .enumerate()
                .map(|(i, s)| s * (0.5 + i as f64))
                .collect();
            memory.update(step, change);
        }
        memory
    }

    /// Walks the path on a fine grid and compares.
    #[test]
    fn stops_at_the_first_local_minimiser_of_the_model_on_the_path() {
        let n = 5;
        let memory = some_memory(n);
        let bounds = Bounds::new(
            vec![-0.3, -1.0, f64::NEG_INFINITY, -0.05, 0.0],
            vec![1.0, 0.02, 1.0, 1.0, 0.0],
        )
        .unwrap();
        let x = [0.0; 5];
        let g = [1.0, -2.0, 0.7, 3.0, -1.0];
        let cauchy = cauchy_point(&x, &g, &bounds, &memory);
        assert!(bounds.contains(&cauchy.point));

        let at = |t: f64| {
            let mut z: Vec<f64> = g.iter().map(|gi| -t * gi).collect();
            bounds.clamp(&mut z);
            z
        };
        let value = |t: f64| model(&memory, &x, &g, &at(t));
        let mut t = 0.0;
        while value(t + 1e-6) < value(t) {
            t += 1e-6;
        }
        for (a, b) in cauchy.point.iter().zip(at(t)) {
            assert!((a - b).abs() < 1e-5, "{:?} {:?}", cauchy.point, at(t));
        }
        let expected = memory.w_transpose_times(&cauchy.point);
        for (a, b) in cauchy.projection.iter().zip(expected) {
            assert!((a - b).abs() < 1e-12, "c = Wᵀ(z − x)");
        }
    }

    #[test]
    fn a_vertex_that_the_gradient_pushes_into_is_kept() {
        let memory = CompactMemory::new(2);
        let bounds = Bounds::uniform(2, 0.0, 1.0).unwrap();
        let cauchy = cauchy_point(&[0.0, 1.0], &[1.0, -1.0], &bounds, &memory);
        assert_eq!(cauchy.point, [0.0, 1.0]);
        // Without memory the model is ½‖z − x + g‖² and the Cauchy point the projection of x − g.
        let cauchy = cauchy_point(&[0.5, 0.5], &[9.0, -0.25], &bounds, &memory);
        assert_eq!(cauchy.point[0], 0.0);
        assert!((cauchy.point[1] - 0.75).abs() < 1e-12);
    }
}
