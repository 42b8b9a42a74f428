//! Which of many boxes holds a point.

use crate::InputMap;

/// Points that lie outside by no more than this share of the whole still belong to the nearest box: rounding.
const SLACK: f64 = 1e-12;

/// A binary tree of bounding boxes over the boxes.
#[derive(Debug)]
pub(super) struct BoxSearch {
    /// Node 0 is the root.
    nodes: Vec<Node>,
    slack: Vec<f64>,
}

#[derive(Debug)]
struct Node {
    lo: Vec<f64>,
    hi: Vec<f64>,
    below: Below,
}

#[derive(Debug)]
enum Below {
    Box(usize),
    Nodes([usize; 2]),
}

impl BoxSearch {
    pub(super) fn new(boxes: &[InputMap]) -> Self {
        let mut search = Self {
            nodes: Vec::with_capacity(2 * boxes.len()),
            slack: Vec::new(),
        };
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        search.build(boxes, &mut order);
        if let Some(root) = search.nodes.last() {
            let extents = root.lo.iter().zip(&root.hi);
            search.slack = extents.map(|(lo, hi)| SLACK * (hi - lo)).collect();
        }
        search
    }

    /// The node over these boxes, halved by their centres along the longest extent.
    fn build(&mut self, boxes: &[InputMap], order: &mut [usize]) -> Option<usize> {
        let (&first, rest) = order.split_first()?;
        let (mut lo, mut hi) = corners(&boxes[first]);
        for &index in rest {
            let (own_lo, own_hi) = corners(&boxes[index]);
            for axis in 0..lo.len() {
                lo[axis] = lo[axis].min(own_lo[axis]);
                hi[axis] = hi[axis].max(own_hi[axis]);
            }
        }
        let below = if rest.is_empty() {
            Below::Box(first)
        } else {
            let length = |axis: &usize| hi[*axis] - lo[*axis];
            let axes = 0..lo.len();
            let axis = axes
                .max_by(|a, b| length(a).total_cmp(&length(b)))
                .unwrap_or(0);
            let centre = |index: &usize| boxes[*index].center().get(axis).copied();
            let key = |index: &usize| centre(index).unwrap_or(0.0);
            order.sort_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
            let (left, right) = order.split_at_mut(order.len() / 2);
            Below::Nodes([self.build(boxes, left)?, self.build(boxes, right)?])
        };
        self.nodes.push(Node { lo, hi, below });
        Some(self.nodes.len() - 1)
    }

    /// The first box that holds the point, or the first that does but for rounding.
    pub(super) fn find(&self, boxes: &[InputMap], point: &[f64]) -> Option<usize> {
        let mut near: Option<usize> = None;
        let mut pending = vec![self.nodes.len().checked_sub(1)?];
        let mut inside: Option<usize> = None;
        while let Some(node) = pending.pop().and_then(|index| self.nodes.get(index)) {
            let within = |slack: bool| {
                let slack = |axis: usize| if slack { self.slack[axis] } else { 0.0 };
                (0..point.len()).all(|axis| {
                    point[axis] >= node.lo[axis] - slack(axis)
                        && point[axis] <= node.hi[axis] + slack(axis)
                })
            };
            if !within(true) {
                continue;
            }
            match node.below {
                Below::Nodes(both) => pending.extend(both),
                Below::Box(index) => {
                    let best = if within(false) {
                        &mut inside
                    } else {
                        &mut near
                    };
                    *best = Some(best.map_or(index, |known| known.min(index)));
                }
            }
        }
        inside.or(near).filter(|index| *index < boxes.len())
    }
}

fn corners(map: &InputMap) -> (Vec<f64>, Vec<f64>) {
    let pairs = || map.center().iter().zip(map.half());
    (
        pairs().map(|(c, h)| c - h).collect(),
        pairs().map(|(c, h)| c + h).collect(),
    )
}
