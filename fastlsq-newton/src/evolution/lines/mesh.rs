//! Pieces of an interval: halves of halves.

/// The pieces of an interval, each 2^−level of the whole.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mesh {
    interval: (f64, f64),
    /// Level and number of each piece, from left to right.
    cells: Vec<(u32, u64)>,
}

/// Pieces are not halved more often than this.
const DEEPEST: u32 = 18;

impl Mesh {
    /// 2^level pieces of equal length.
    pub(crate) fn uniform(interval: (f64, f64), level: u32) -> Self {
        Self {
            interval,
            cells: (0..1 << level.min(DEEPEST)).map(|k| (level, k)).collect(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The ends of the pieces.
    pub(crate) fn breaks(&self) -> Vec<f64> {
        let (lo, hi) = self.interval;
        let at = |level: u32, k: u64| {
            let share = k as f64 / f64::from(level).exp2();
            lo + share * (hi - lo)
        };
        let starts = self.cells.iter().map(|(level, k)| at(*level, *k));
        starts.chain([hi]).collect()
    }

    /// Whether a piece may be halved.
    pub(crate) fn divisible(&self, k: usize) -> bool {
        self.cells.get(k).is_some_and(|(level, _)| *level < DEEPEST)
    }

    /// With the marked pieces halved.
    pub(crate) fn halved(&self, marked: &[bool]) -> Self {
        let mut cells = Vec::with_capacity(2 * self.cells.len());
        for ((level, k), marked) in self.cells.iter().zip(marked) {
            if *marked && *level < DEEPEST {
                cells.extend([(level + 1, 2 * k), (level + 1, 2 * k + 1)]);
            } else {
                cells.push((*level, *k));
            }
        }
        Self {
            cells,
            ..self.clone()
        }
    }

    /// Whether pieces k and k + 1 are the halves of one.
    pub(crate) fn are_halves(&self, k: usize) -> bool {
        match (self.cells.get(k), self.cells.get(k + 1)) {
            (Some((a, i)), Some((b, j))) => a == b && i % 2 == 0 && *j == i + 1,
            _ => false,
        }
    }

    /// With pieces k and k + 1 joined for every marked k.
    pub(crate) fn joined(&self, marked: &[bool]) -> Self {
        let mut cells = Vec::with_capacity(self.cells.len());
        let mut k = 0;
        while let Some((level, number)) = self.cells.get(k) {
            if marked.get(k) == Some(&true) && self.are_halves(k) {
                cells.push((level - 1, number / 2));
                k += 2;
            } else {
                cells.push((*level, *number));
                k += 1;
            }
        }
        Self {
            cells,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Mesh;

    #[test]
    fn halving_and_joining_are_inverse() {
        let mesh = Mesh::uniform((0.0, 4.0), 1);
        let finer = mesh.halved(&[false, true]).halved(&[false, true, false]);
        assert_eq!(finer.breaks(), [0.0, 2.0, 2.5, 3.0, 4.0]);
        let halves: Vec<bool> = (0..finer.len()).map(|k| finer.are_halves(k)).collect();
        assert_eq!(halves, [false, true, false, false]);
        let back = finer.joined(&halves);
        assert_eq!(back.breaks(), [0.0, 2.0, 3.0, 4.0]);
        assert_eq!(back.joined(&[false, true, false]), mesh);
    }
}
