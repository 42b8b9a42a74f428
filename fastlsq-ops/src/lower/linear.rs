//! Linear or not, by structure.

use super::graph::{Graph, Id, Op};

/// How unknowns enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Degree {
    /// Not at all.
    Free,
    /// As a sum of terms with one unknown each, and perhaps terms with none.
    Linear,
    Nonlinear,
}

impl Graph {
    pub(crate) fn degree(&self, id: Id) -> Degree {
        let mut degrees = vec![Degree::Free; self.len()];
        for node in self.reachable(&[id]) {
            let of = |id: &Id| degrees[id.index()];
            degrees[node.index()] = match self.op(node) {
                Op::Jet(_) => Degree::Linear,
                Op::Add(a, b) => of(a).max(of(b)),
                Op::Mul(a, b) => match (of(a), of(b)) {
                    (Degree::Free, other) | (other, Degree::Free) => other,
                    _ => Degree::Nonlinear,
                },
                Op::Div(a, b) => match of(b) {
                    Degree::Free => of(a),
                    _ => Degree::Nonlinear,
                },
                Op::Power(a, _) | Op::Elementary(_, a) => match of(a) {
                    Degree::Free => Degree::Free,
                    _ => Degree::Nonlinear,
                },
                Op::Call(_, arguments, _) => {
                    if arguments.iter().all(|a| of(a) == Degree::Free) {
                        Degree::Free
                    } else {
                        Degree::Nonlinear
                    }
                }
                Op::Number(_)
                | Op::Coordinate(_)
                | Op::Normal(_)
                | Op::Parameter(_)
                | Op::Given(_) => Degree::Free,
            };
        }
        degrees[id.index()]
    }
}
