//! Whether a point lies inside an outline, to rounding.

use super::{Curve, Outline};

/// A piece of a curve on which y is monotone.
#[derive(Clone, Debug)]
struct Arc {
    curve: usize,
    /// Lengths along the curve, and the heights there.
    lengths: [f64; 2],
    heights: [f64; 2],
    /// The range of x, widened by how far the curve may bulge.
    reach: [f64; 2],
}

/// Counts how often a ray to the right crosses the curves.
#[derive(Clone, Debug)]
pub(crate) struct Inside {
    curves: Vec<Curve>,
    arcs: Vec<Arc>,
}

impl Inside {
    pub(crate) fn new(outline: &Outline) -> Self {
        let curves: Vec<Curve> = outline.curves().cloned().collect();
        let mut arcs = Vec::new();
        for (index, curve) in curves.iter().enumerate() {
            let panels = curve.panels();
            let place = |k: usize| curve.length() * k as f64 / panels as f64;
            for k in 0..panels {
                let (start, end) = (place(k), place(k + 1));
                let rises = |s: f64| curve.at(s).1[1] > 0.0;
                // Just inside the panel: at its ends the tangent may be level.
                let nudge = 1e-9 * (end - start);
                let (first, last) = (rises(start + nudge), rises(end - nudge));
                if first == last {
                    arcs.push(arc(curve, index, start, end));
                    continue;
                }
                let (mut before, mut after) = (start, end);
                for _ in 0..60 {
                    let middle = 0.5 * (before + after);
                    if rises(middle) == first {
                        before = middle;
                    } else {
                        after = middle;
                    }
                }
                arcs.push(arc(curve, index, start, before));
                arcs.push(arc(curve, index, before, end));
            }
        }
        Self { curves, arcs }
    }

    pub(crate) fn contains(&self, [x, y]: [f64; 2]) -> bool {
        let crossings = self.arcs.iter().filter(|arc| {
            let [a, b] = arc.heights;
            // Half open, so that a ray through a joint counts once.
            if (a > y) == (b > y) || x > arc.reach[1] {
                return false;
            }
            if x < arc.reach[0] {
                return true;
            }
            let Some(curve) = self.curves.get(arc.curve) else {
                return false;
            };
            let [mut before, mut after] = arc.lengths;
            for _ in 0..60 {
                let middle = 0.5 * (before + after);
                if (curve.at(middle).0[1] > y) == (a > y) {
                    before = middle;
                } else {
                    after = middle;
                }
            }
            x <= curve.at(before).0[0]
        });
        crossings.count() % 2 == 1
    }
}

fn arc(curve: &Curve, index: usize, start: f64, end: f64) -> Arc {
    let ((p, _), (q, _)) = (curve.at(start), curve.at(end));
    // An arc is no longer than its length, so it cannot bulge further than that.
    let bulge = 0.5 * (end - start);
    Arc {
        curve: index,
        lengths: [start, end],
        heights: [p[1], q[1]],
        reach: [p[0].min(q[0]) - bulge, p[0].max(q[0]) + bulge],
    }
}
