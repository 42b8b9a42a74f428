//! Who works on which piece, and how the pieces come together.

/// Neighbouring pieces that one member combines on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The first piece.
    pub from: usize,
    /// The piece after the last.
    pub to: usize,
    /// The member.
    pub owner: usize,
}

/// Pieces 0 .. count, combined along a binary tree that is halved from the top, shared out among members.
///
/// The tree depends on the number of pieces only. A member has neighbouring pieces; the largest subtrees that lie in one
/// member's pieces are [parts](Self::parts), and the rest of the tree consists of [merges](Self::merges) of two parts into the
/// place of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    parts: Vec<Part>,
    merges: Vec<[usize; 2]>,
}

impl Plan {
    /// This many pieces for this many members.
    #[must_use]
    pub fn new(pieces: usize, members: usize) -> Self {
        let mut plan = Self {
            parts: Vec::new(),
            merges: Vec::new(),
        };
        let owner = |piece: usize| piece * members.min(pieces) / pieces.max(1);
        plan.add(0, pieces, &owner);
        plan
    }

    /// Adds the subtree of these pieces; the answer is the place of its root.
    fn add(&mut self, from: usize, to: usize, owner: &dyn Fn(usize) -> usize) -> usize {
        if to - from <= 1 || owner(from) == owner(to - 1) {
            self.parts.push(Part {
                from,
                to,
                owner: owner(from),
            });
            return self.parts.len() - 1;
        }
        let middle = usize::midpoint(from, to);
        let left = self.add(from, middle, owner);
        let right = self.add(middle, to, owner);
        self.merges.push([left, right]);
        left
    }

    /// Subtrees that belong to one member, from left to right.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Pairs of parts that are combined, in the place of the first; children before their parents. The last one is the root,
    /// in the place of part 0.
    #[must_use]
    pub fn merges(&self) -> &[[usize; 2]] {
        &self.merges
    }

    /// The member that has a part.
    #[must_use]
    pub fn owner(&self, part: usize) -> usize {
        self.parts.get(part).map_or(0, |part| part.owner)
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;

    #[test]
    fn every_piece_has_one_owner_and_all_come_together_in_the_first_place() {
        for pieces in [1, 2, 4, 8, 16, 64] {
            for members in 1..20 {
                let plan = Plan::new(pieces, members);
                let mut next = 0;
                for part in plan.parts() {
                    assert_eq!(part.from, next);
                    assert!(part.owner < members && part.to > part.from);
                    next = part.to;
                }
                assert_eq!(next, pieces);
                let mut alive = vec![true; plan.parts().len()];
                for &[left, right] in plan.merges() {
                    assert!(left < right && alive[left] && alive[right]);
                    alive[right] = false;
                }
                assert_eq!(alive.iter().filter(|alive| **alive).count(), 1);
                assert!(alive[0]);
                // As even as neighbouring pieces can be.
                let most = (0..members)
                    .map(|member| {
                        let own = plan.parts().iter().filter(|part| part.owner == member);
                        own.map(|part| part.to - part.from).sum::<usize>()
                    })
                    .max();
                assert_eq!(most, Some(pieces.div_ceil(members.min(pieces))));
            }
        }
    }
}
