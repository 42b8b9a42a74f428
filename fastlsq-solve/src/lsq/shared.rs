//! Streamed QR by several processes.
//!
//! The streams of the [`Layout`] are shared out; each process reduces its own with the kernels of `streamed`, and the
//! triangles go up the same tree as in a single process, from the owner of the right half to that of the left one. A triangle
//! travels packed, N(N+1)/2 + Nk + k numbers. In the end all processes have the root's.
//!
//! Q stays where it was made: Qᵀb and Q·c follow the same tree, up and down, with N×k numbers for each merge.

use super::block::BlockReflectors;
use super::error::LsqError;
use super::failure::agree;
use super::kernels::{column, column_mut};
use super::methods::Task;
use super::reflected::QNode;
use super::streamed::{Context, Layout, Streamed, stream_qr};
use super::work::Work;
use crate::team::{Plan, Purpose, Team, fingerprint, meet, own_parts};
use faer::{Mat, MatRef};
use std::sync::Arc;

/// Streams the rows of a task, here or shared out.
pub(crate) fn stream_task(task: Task<'_>) -> Result<Streamed, LsqError> {
    let keep_q = task.options.keep_q;
    match task.team() {
        Some(team) => stream_shared(task, keep_q, team),
        None => stream_qr(task.source, task.rhs, keep_q, task.work),
    }
}

fn stream_shared(task: Task<'_>, keep_q: bool, team: &Arc<dyn Team>) -> Result<Streamed, LsqError> {
    let (m, n, k) = (task.source.nrows(), task.source.ncols(), task.rhs.ncols());
    let layout = Layout::new(m, n);
    let plan = Plan::new(layout.streams, team.size());
    let me = team.rank();
    let apart = task.work.control.apart();
    let mut context = Context {
        source: task.source,
        rhs: task.rhs,
        layout,
        keep_q,
        work: Work {
            control: &apart,
            ..task.work
        },
        tally: Some(team.tally()),
    };
    let own = own_parts(team.as_ref(), &plan, |part| {
        context.reduce_streams(part.from, part.to)
    });
    let mut parts = agree(task.work.control, team.as_ref(), own)?;
    context.work = task.work;

    let mut merges = Vec::with_capacity(plan.merges().len());
    for &[left, right] in plan.merges() {
        let (into, from) = (plan.owner(left), plan.owner(right));
        if from == me && into != me {
            if let Some(part) = &parts[right] {
                team.send(into, &pack(&part.r, &part.residual_squares, n));
            }
            merges.push(None);
            continue;
        }
        let other = match &mut parts[right] {
            Some(part) => {
                let r = std::mem::replace(&mut part.r, Mat::zeros(0, 0));
                Some((r, std::mem::take(&mut part.residual_squares)))
            }
            None if into == me => {
                let mut numbers = vec![0.0; packed_len(n, k)];
                team.receive(from, &mut numbers);
                Some(unpack(&numbers, n, k))
            }
            None => None,
        };
        let merged = parts[left]
            .as_mut()
            .zip(other)
            .and_then(|(part, (r, squares))| {
                context.merge(&mut part.r, &mut part.residual_squares, r, &squares)
            });
        merges.push(merged);
    }

    let mut numbers = match &parts[0] {
        Some(root) if me == plan.owner(0) => pack(&root.r, &root.residual_squares, n),
        _ => vec![0.0; packed_len(n, k)],
    };
    team.broadcast(plan.owner(0), &mut numbers);
    let (r, residual_squares) = unpack(&numbers, n, k);
    let q = keep_q.then(|| {
        RowFactor::Shared(Box::new(SharedFactor {
            team: Arc::clone(team),
            cuts: (0..=layout.streams).map(|s| layout.cut(m, s)).collect(),
            n,
            parts: parts.into_iter().map(|part| part?.q).collect(),
            merges,
            plan,
        }))
    });
    Ok(Streamed {
        r,
        residual_squares,
        q,
    })
}

/// Numbers of a packed triangle of order n with k carried columns.
fn packed_len(n: usize, k: usize) -> usize {
    n * (n + 1) / 2 + n * k + k
}

/// The triangle column by column without its zeros, the carried columns, and the squares.
fn pack(r: &Mat<f64>, squares: &[f64], n: usize) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(packed_len(n, squares.len()));
    for j in 0..r.ncols() {
        let rows = if j < n { j + 1 } else { n };
        numbers.extend_from_slice(&column(r.as_ref(), j)[..rows]);
    }
    numbers.extend_from_slice(squares);
    numbers
}

fn unpack(numbers: &[f64], n: usize, k: usize) -> (Mat<f64>, Vec<f64>) {
    let mut r = Mat::zeros(n, n + k);
    let mut at = 0;
    for j in 0..n + k {
        let rows = if j < n { j + 1 } else { n };
        column_mut(r.as_mut(), j)[..rows].copy_from_slice(&numbers[at..at + rows]);
        at += rows;
    }
    (r, numbers[at..].to_vec())
}

/// The orthogonal factor of streamed rows.
#[derive(Clone, Debug)]
pub(crate) enum RowFactor {
    /// All of it is here.
    Own(QNode),
    /// Each process has that of its rows.
    Shared(Box<SharedFactor>),
}

/// This process's part of an orthogonal factor.
#[derive(Clone, Debug)]
pub(crate) struct SharedFactor {
    team: Arc<dyn Team>,
    plan: Plan,
    /// The first row of each stream, and the end of the last.
    cuts: Vec<usize>,
    n: usize,
    /// The reflectors of the parts that are here.
    parts: Vec<Option<QNode>>,
    /// Those of the merges that were made here.
    merges: Vec<Option<BlockReflectors>>,
}

impl RowFactor {
    /// The first N rows of Qᵀ c, for c with all rows.
    pub(crate) fn project(&self, n: usize, c: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        match self {
            Self::Own(q) => q.project(n, c, parallel),
            Self::Shared(q) => q.project(c, parallel),
        }
    }

    /// Q [top; 0] for `top` with N rows: all rows.
    pub(crate) fn expand(&self, top: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        match self {
            Self::Own(q) => q.expand(top, parallel),
            Self::Shared(q) => q.expand(top, parallel),
        }
    }
}

impl SharedFactor {
    /// The members begin a product, with the same numbers.
    fn begin(&self, with: MatRef<'_, f64>) {
        let numbers = (0..with.ncols()).flat_map(|j| column(with, j).to_vec());
        let print = fingerprint(numbers.map(f64::to_bits));
        meet(self.team.as_ref(), Purpose::Solve, print, [0; 4]);
    }

    /// Rows of a part.
    fn rows(&self, part: usize) -> std::ops::Range<usize> {
        let part = self.plan.parts()[part];
        self.cuts[part.from]..self.cuts[part.to]
    }

    fn project(&self, c: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        self.begin(c);
        let (me, k) = (self.team.rank(), c.ncols());
        let own = |(place, q): (usize, &Option<QNode>)| {
            let rows = self.rows(place);
            let c = c.subrows(rows.start, rows.len());
            q.as_ref().map(|q| q.project(self.n, c, parallel))
        };
        let mut tops: Vec<Option<Mat<f64>>> = self.parts.iter().enumerate().map(own).collect();
        for (&[left, right], merge) in self.plan.merges().iter().zip(&self.merges) {
            let (into, from) = (self.plan.owner(left), self.plan.owner(right));
            if from == me && into != me {
                if let Some(top) = &tops[right] {
                    self.team.send(into, &flat(top.as_ref()));
                }
            } else if let Some(merge) = merge {
                let mut other = match tops[right].take() {
                    Some(top) => top,
                    None => self.received(from, k),
                };
                if let Some(top) = &mut tops[left] {
                    merge.apply_transpose(top.as_mut(), other.as_mut());
                }
            }
        }
        let root = self.plan.owner(0);
        let mut numbers = match &tops[0] {
            Some(top) if root == me => flat(top.as_ref()),
            _ => vec![0.0; self.n * k],
        };
        self.team.broadcast(root, &mut numbers);
        unflat(&numbers, self.n, k)
    }

    fn expand(&self, top: MatRef<'_, f64>, parallel: bool) -> Mat<f64> {
        self.begin(top);
        let (me, k) = (self.team.rank(), top.ncols());
        let mut tops: Vec<Option<Mat<f64>>> = vec![None; self.parts.len()];
        tops[0] = (self.plan.owner(0) == me).then(|| top.to_owned());
        for (&[left, right], merge) in self.plan.merges().iter().zip(&self.merges).rev() {
            let (into, from) = (self.plan.owner(left), self.plan.owner(right));
            if from == me && into != me {
                tops[right] = Some(self.received(into, k));
            } else if let (Some(merge), Some(top)) = (merge, &mut tops[left]) {
                let mut other = Mat::zeros(self.n, k);
                merge.apply(top.as_mut(), other.as_mut());
                if from == me {
                    tops[right] = Some(other);
                } else {
                    self.team.send(from, &flat(other.as_ref()));
                }
            }
        }
        let total = self.cuts.last().copied().unwrap_or(0);
        let mut out = Mat::zeros(total, k);
        for (place, top) in tops.iter().enumerate() {
            let rows = self.rows(place);
            let own = self.parts[place].as_ref().zip(top.as_ref());
            let own = own.map(|(q, top)| q.expand(top.as_ref(), parallel));
            let mut numbers = match &own {
                Some(own) => flat(own.as_ref()),
                None => vec![0.0; rows.len() * k],
            };
            self.team.broadcast(self.plan.owner(place), &mut numbers);
            let part = unflat(&numbers, rows.len(), k);
            out.as_mut()
                .subrows_mut(rows.start, rows.len())
                .copy_from(&part);
        }
        out
    }

    fn received(&self, from: usize, k: usize) -> Mat<f64> {
        let mut numbers = vec![0.0; self.n * k];
        self.team.receive(from, &mut numbers);
        unflat(&numbers, self.n, k)
    }
}

/// Entries column by column.
pub(crate) fn flat(a: MatRef<'_, f64>) -> Vec<f64> {
    let columns = (0..a.ncols()).map(|j| column(a, j));
    columns.flat_map(|column| column.to_vec()).collect()
}

/// The matrix with these entries, column by column.
pub(crate) fn unflat(numbers: &[f64], rows: usize, columns: usize) -> Mat<f64> {
    Mat::from_fn(rows, columns, |i, j| numbers[j * rows + i])
}
