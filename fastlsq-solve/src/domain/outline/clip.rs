//! Pieces of curves where something holds, and their ends brought together.

use super::{Curve, GAP, Outline, distance};
use crate::domain::DomainError;

/// Points of a curve that are judged, at least.
const SAMPLES: usize = 512;
/// Points close to each end that are judged as well.
const END_SAMPLES: i32 = 18;

/// What becomes of a piece of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Keep,
    /// Keep it, traversed the other way.
    Flip,
    Drop,
}

/// The verdict on a point of a curve and its outward normal.
pub(crate) type Judge<'a> = dyn Fn([f64; 2], [f64; 2]) -> Verdict + 'a;

fn verdict(curve: &Curve, judge: &Judge<'_>, s: f64) -> Verdict {
    let (position, [x, y]) = curve.at(s);
    judge(position, [y, -x])
}

/// The lengths along a curve at which the verdict changes.
pub(crate) fn changes(curve: &Curve, judge: &Judge<'_>) -> Vec<f64> {
    let length = curve.length();
    let samples = SAMPLES.max(4 * curve.panels());
    // Evenly, and ever closer to the ends: the curves of the other outline often pass near a vertex.
    let even = (0..samples).map(|k| (k as f64 + 0.5) / samples as f64);
    let near = (0..END_SAMPLES).map(|k| 0.25 / samples as f64 * 0.5_f64.powi(k));
    let mut places: Vec<f64> = near
        .clone()
        .rev()
        .chain(even)
        .chain(near.map(|u| 1.0 - u))
        .collect();
    for place in &mut places {
        *place *= length;
    }
    let verdicts: Vec<Verdict> = places.iter().map(|&s| verdict(curve, judge, s)).collect();
    let mut found = Vec::new();
    for k in 1..places.len() {
        if verdicts[k] == verdicts[k - 1] {
            continue;
        }
        let (mut before, mut after) = (places[k - 1], places[k]);
        for _ in 0..60 {
            let middle = 0.5 * (before + after);
            if verdict(curve, judge, middle) == verdicts[k - 1] {
                before = middle;
            } else {
                after = middle;
            }
        }
        found.push(before);
    }
    found
}

/// The pieces of a curve that are kept when it is cut at these lengths; cuts closer than `reach` are one.
pub(crate) fn pieces(
    curve: &Curve,
    mut cuts: Vec<f64>,
    judge: &Judge<'_>,
    reach: f64,
) -> Vec<Curve> {
    let length = curve.length();
    cuts.retain(|&s| s > reach && s < length - reach);
    cuts.push(length);
    cuts.sort_by(f64::total_cmp);
    let mut kept: Vec<(Verdict, f64, f64)> = Vec::new();
    let mut start = 0.0;
    for end in cuts {
        if end - start <= reach && end < length {
            continue;
        }
        let own = verdict(curve, judge, 0.5 * (start + end));
        match kept.last_mut() {
            Some((last, _, until)) if *last == own => *until = end,
            _ => kept.push((own, start, end)),
        }
        start = end;
    }
    let piece = |(verdict, start, end): (Verdict, f64, f64)| match verdict {
        Verdict::Keep => Some(curve.piece(start, end)),
        Verdict::Flip => Some(curve.piece(start, end).reversed()),
        Verdict::Drop => None,
    };
    kept.into_iter().filter_map(piece).collect()
}

/// An outline of pieces whose ends nearly meet: those ends are moved to where the curves cross.
pub(crate) fn join(
    parts: &[String],
    mut curves: Vec<(usize, Curve)>,
) -> Result<Outline, DomainError> {
    let size = {
        let all = Outline::unchecked(parts.to_vec(), curves.clone());
        if all.curves.is_empty() {
            return Err(DomainError::EmptyShape);
        }
        all.size()
    };
    let reach = GAP * size;
    curves.retain(|(_, curve)| curve.length() > reach);
    for i in 0..curves.len() {
        for j in 0..curves.len() {
            let gap = distance(curves[i].1.end().0, curves[j].1.start().0);
            if i == j || gap > reach || gap == 0.0 {
                continue;
            }
            let (mut first, mut second) = (curves[i].1.clone(), curves[j].1.clone());
            first.meet(&mut second, reach);
            (curves[i].1, curves[j].1) = (first, second);
        }
    }
    compact(parts, curves)
}

/// An outline of the parts that have curves.
pub(crate) fn compact(
    parts: &[String],
    mut curves: Vec<(usize, Curve)>,
) -> Result<Outline, DomainError> {
    let used: Vec<usize> = (0..parts.len())
        .filter(|part| curves.iter().any(|(own, _)| own == part))
        .collect();
    let names = used.iter().map(|&part| parts[part].clone()).collect();
    for (part, _) in &mut curves {
        *part = used.iter().position(|old| old == part).unwrap_or(0);
    }
    Outline::of_parts(names, curves)
}
