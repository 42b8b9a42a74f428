//! A front that several members of a team factor together.
//!
//! The owner has the matrix K of the eliminated unknowns e and of those they are tied to, b. Its columns are cut into chunks,
//! which are dealt out in turn:
//!
//! 1. K_be goes from the owner to all, the columns of K_ee, K_eb and K_bb to the member that has them.
//! 2. K_ee is factored by panels. The member that has a panel factors it and passes it on to all; each brings its own later
//!    ones up to date. In the end all have the factors.
//! 3. Each member eliminates its columns: those of K_ee⁻¹ K_eb and of K_bb − K_be K_ee⁻¹ K_eb go back to the owner.
//!
//! What is done to a chunk does not depend on who does it, so that the owner has what it would have computed alone, to the last
//! bit, and solves with it, transposed or not, as if it had. [`FrontCost`](super::FrontCost) says when this is faster.

use std::ops::Range;

use faer::{Mat, MatMut, MatRef};

use super::PatchError;
use super::front::{Front, FrontMatrix, Lu, Share};
use super::front_cost::{Deal, width};
use crate::lsq::{flat, unflat};
use crate::team::{Team, spread};

/// Members that factor a front, as one of them sees it.
#[derive(Debug)]
pub(super) struct Joint<'a> {
    team: &'a dyn Team,
    /// The owner first.
    members: &'a [usize],
    place: usize,
    deal: Deal,
}

impl<'a> Joint<'a> {
    /// The front of this many eliminated unknowns and of those they are tied to; `None` for processes that are not members.
    pub(super) fn new(
        team: &'a dyn Team,
        members: &'a [usize],
        size: (usize, usize),
    ) -> Option<Self> {
        Some(Self {
            team,
            members,
            place: members.iter().position(|&member| member == team.rank())?,
            deal: Deal {
                size,
                members: members.len(),
            },
        })
    }

    /// Operations of this member.
    pub(super) fn flops(&self) -> f64 {
        self.deal.flops(self.place)
    }

    /// The owner's part: the front and its Schur complement.
    pub(super) fn lead(&self, k: FrontMatrix) -> Result<(Front, Mat<f64>), PatchError> {
        let (e, b) = self.deal.size;
        let FrontMatrix {
            own,
            mut inward,
            mut open,
        } = k;
        let (inner, outward) = own.as_ref().split_at_row(e);
        let largest = inner.norm_max();
        let mut to_all = flat(outward);
        to_all.push(largest);
        spread(self.team, self.members, 0, &mut to_all);
        for place in 1..self.members.len() {
            let mut share = flat(taken(inner, &self.deal.inner(place)).as_ref());
            for part in [&inward, &open] {
                let outer = taken(part.as_ref(), &self.deal.outer(place));
                share.extend(flat(outer.as_ref()));
            }
            if !share.is_empty() {
                self.team.send(self.members[place], &share);
            }
        }
        let lu = Lu::by_panels(own, largest, self)?;
        let chunks = self.deal.outer(0);
        let mut own = [&inward, &open].map(|part| taken(part.as_ref(), &chunks));
        let [own_inward, own_open] = &mut own;
        lu.eliminate(own_inward.as_mut(), own_open.as_mut());
        let mut put_back = |[own_inward, own_open]: [Mat<f64>; 2], chunks: &[Range<usize>]| {
            put(own_inward.as_ref(), chunks, inward.as_mut());
            put(own_open.as_ref(), chunks, open.as_mut());
        };
        put_back(own, &chunks);
        for place in 1..self.members.len() {
            let chunks = self.deal.outer(place);
            let mut numbers = vec![0.0; (e + b) * width(&chunks)];
            if !numbers.is_empty() {
                self.team.receive(self.members[place], &mut numbers);
                put_back(unflat_columns(&numbers, (e, b), width(&chunks)), &chunks);
            }
        }
        Ok((Front::of(lu, inward), open))
    }

    /// The part of another member.
    pub(super) fn help(&self) -> Result<(), PatchError> {
        let (e, b) = self.deal.size;
        let mut from_owner = vec![0.0; b * e + 1];
        spread(self.team, self.members, 0, &mut from_owner);
        let largest = from_owner.pop().unwrap_or(f64::NAN);
        let outward = unflat(&from_owner, b, e);
        drop(from_owner);
        let (inner_chunks, outer_chunks) =
            (self.deal.inner(self.place), self.deal.outer(self.place));
        let inner_numbers = e * width(&inner_chunks);
        let mut share = vec![0.0; inner_numbers + (e + b) * width(&outer_chunks)];
        if !share.is_empty() {
            self.team.receive(self.members[0], &mut share);
        }
        let (inner_share, outer_share) = share.split_at(inner_numbers);
        let mut left = Mat::zeros(e + b, e);
        let (inner, mut below) = left.as_mut().split_at_row_mut(e);
        below.copy_from(&outward);
        let own = unflat(inner_share, e, width(&inner_chunks));
        put(own.as_ref(), &inner_chunks, inner);
        let [mut inward, mut open] = unflat_columns(outer_share, (e, b), width(&outer_chunks));
        drop((own, outward, share));
        let lu = Lu::by_panels(left, largest, self)?;
        if inward.ncols() > 0 {
            lu.eliminate(inward.as_mut(), open.as_mut());
            let done = [flat(inward.as_ref()), flat(open.as_ref())].concat();
            self.team.send(self.members[0], &done);
        }
        Ok(())
    }
}

impl Share for Joint<'_> {
    fn has(&self, panel: usize) -> bool {
        self.deal.place_of(panel) == self.place
    }

    fn complete(&self, panel: usize, mut columns: MatMut<'_, f64>, order: &mut [usize]) {
        let rows = columns.nrows();
        let mut numbers: Vec<f64> = order.iter().map(|&row| row as f64).collect();
        for j in 0..columns.ncols() {
            numbers.extend(columns.as_ref().col(j).iter());
        }
        let from = self.deal.place_of(panel);
        spread(self.team, self.members, from, &mut numbers);
        if from != self.place {
            let (moves, entries) = numbers.split_at(order.len());
            for (row, number) in order.iter_mut().zip(moves) {
                *row = *number as usize;
            }
            columns.copy_from(unflat(entries, rows, columns.ncols()));
        }
    }
}

/// Columns of K_eb, and then those of K_bb, from what was sent.
fn unflat_columns(numbers: &[f64], (e, b): (usize, usize), columns: usize) -> [Mat<f64>; 2] {
    let (inward, open) = numbers.split_at(e * columns);
    [unflat(inward, e, columns), unflat(open, b, columns)]
}

/// Some columns of a matrix, beside each other.
fn taken(a: MatRef<'_, f64>, chunks: &[Range<usize>]) -> Mat<f64> {
    let mut own = Mat::zeros(a.nrows(), width(chunks));
    let mut start = 0;
    for chunk in chunks {
        let mut target = own.as_mut().subcols_mut(start, chunk.len());
        target.copy_from(a.subcols(chunk.start, chunk.len()));
        start += chunk.len();
    }
    own
}

/// Columns back to their places.
fn put(own: MatRef<'_, f64>, chunks: &[Range<usize>], mut to: MatMut<'_, f64>) {
    let mut start = 0;
    for chunk in chunks {
        let mut target = to.as_mut().subcols_mut(chunk.start, chunk.len());
        target.copy_from(own.subcols(start, chunk.len()));
        start += chunk.len();
    }
}

/// The seconds that a front with made-up entries takes, by the first member alone and by all together; `None` if the bits are
/// not the same.
#[cfg(feature = "conformance")]
pub(crate) fn joint_front_seconds(
    team: &dyn Team,
    e: usize,
    b: usize,
    clock: impl Fn() -> f64,
) -> Option<[f64; 2]> {
    use crate::team::{Purpose, meet};

    let entry = |i: usize, j: usize| {
        let other = ((i * 37 + j * 101) % 89) as f64 / 89.0 - 0.5;
        other + if i == j { (e + b) as f64 } else { 0.0 }
    };
    let k = || FrontMatrix::split(Mat::from_fn(e + b, e + b, entry).as_ref(), e);
    let members: Vec<usize> = (0..team.size()).collect();
    let joint = Joint::new(team, &members, (e, b))?;
    let timed = |work: &mut dyn FnMut() -> Option<(Front, Mat<f64>)>| {
        meet(team, Purpose::Patches, 0, [0; 4]);
        let begin = clock();
        let done = work();
        (done, clock() - begin)
    };
    let leads = team.rank() == 0;
    let mut matrix = leads.then(k);
    let (alone, seconds_alone) = timed(&mut || Front::new(matrix.take()?).ok());
    let mut matrix = leads.then(k);
    let (together, seconds_together) = timed(&mut || match matrix.take() {
        Some(matrix) => joint.lead(matrix).ok(),
        None => joint.help().ok().and(None),
    });
    let bits = |made: Option<(Front, Mat<f64>)>| -> Option<Vec<u64>> {
        let (front, schur) = made?;
        let mut solved = Mat::from_fn(e, 1, |i, _| (i as f64).sin());
        let outward = front.forward(solved.as_mut());
        let all = [schur, solved, outward].map(|part| flat(part.as_ref()));
        Some(all.concat().into_iter().map(f64::to_bits).collect())
    };
    (bits(alone) == bits(together)).then_some([seconds_alone, seconds_together])
}

#[cfg(all(test, feature = "conformance"))]
#[allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]
mod tests {
    use super::*;
    use crate::conformance::as_team;
    use crate::patches::FrontCost;

    fn matrix(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| {
            let t = ((i * 37 + j * 101) % 89) as f64 / 89.0 - 0.5;
            t + if i == (j + 3) % n { 4.0 } else { 0.0 }
        })
    }

    fn bits(a: &Mat<f64>) -> Vec<u64> {
        flat(a.as_ref()).into_iter().map(f64::to_bits).collect()
    }

    #[test]
    fn several_members_compute_the_bits_of_one_as_the_costs_say() {
        let sizes = [(1, 0), (40, 11), (96, 97), (300, 0), (250, 520), (400, 70)];
        for (size, count) in sizes
            .into_iter()
            .flat_map(|size| [(size, 2), (size, 3), (size, 5)])
        {
            let (e, b) = size;
            let r = Mat::from_fn(e, 1, |i, _| (i as f64).sin());
            let solved = |(front, schur): (Front, Mat<f64>)| {
                let (mut forth, mut back) = (r.clone(), r.clone());
                let outward = front.forward(forth.as_mut());
                front.forward_transposed(back.as_mut(), outward.as_ref());
                [bits(&schur), bits(&forth), bits(&outward), bits(&back)]
            };
            let split = || FrontMatrix::split(matrix(e + b).as_ref(), e);
            let alone = solved(Front::new(split()).unwrap());
            // The owner need not be the first of the team, nor need all of the team be members.
            let members: Vec<usize> = (0..count).map(|place| (place + 1) % (count + 1)).collect();
            let counts = as_team(count + 1, |team| {
                if let Some(joint) = Joint::new(team.as_ref(), &members, size) {
                    if team.rank() == members[0] {
                        assert_eq!(solved(joint.lead(split()).unwrap()), alone);
                    } else {
                        joint.help().unwrap();
                    }
                }
                team.tally().counts()
            });
            let cost = FrontCost::new(e, b, count);
            assert_eq!(
                counts.iter().map(|c| c.messages).sum::<u64>(),
                cost.messages
            );
            assert_eq!(counts.iter().map(|c| c.bytes).sum::<u64>(), cost.bytes);
        }
    }

    #[test]
    fn a_singular_front_is_one_for_all_members() {
        let k = Mat::from_fn(200, 200, |i, j| ((i + j) % 7) as f64);
        let outcomes = as_team(3, |team| {
            let joint = Joint::new(team.as_ref(), &[0, 1, 2], (150, 50)).unwrap();
            match team.rank() {
                0 => joint.lead(FrontMatrix::split(k.as_ref(), 150)).map(|_| ()),
                _ => joint.help(),
            }
        });
        assert!(
            outcomes
                .iter()
                .all(|o| matches!(o, Err(PatchError::Singular)))
        );
    }
}
