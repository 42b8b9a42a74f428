//! Structure in words.

use super::Part;

/// Sets that are listed one by one.
const LISTED: usize = 8;

/// "additive in x₀ … x₉ with pairs (x₀, x₁), (x₂, x₃)", "depends on one direction of x₀ … x₇".
pub(super) fn describe(parts: &[Part], names: &[&str], dim: usize) -> String {
    let name = |axis: usize| names.get(axis).copied().unwrap_or("?");
    let mut sentences = Vec::new();
    for part in parts.iter().filter(|part| !part.is_along_axes()) {
        let directions = match part.directions.len() {
            1 => "one direction".to_owned(),
            n => format!("{n} directions"),
        };
        sentences.push(format!(
            "depends on {directions} of {}",
            range(&part.axes, &name)
        ));
    }
    let single: Vec<usize> = parts
        .iter()
        .filter(|part| part.directions.len() == 1 && part.axes.len() == 1)
        .flat_map(|part| part.axes.clone())
        .collect();
    if !single.is_empty() {
        let mut sentence = format!("additive in {}", range(&single, &name));
        let mut kinds = Vec::new();
        for size in 2..=dim {
            let sets = parts
                .iter()
                .filter(|part| part.is_along_axes() && part.axes.len() == size);
            let sets: Vec<String> = sets
                .map(|part| {
                    let members: Vec<&str> = part.axes.iter().map(|&axis| name(axis)).collect();
                    format!("({})", members.join(", "))
                })
                .collect();
            if sets.is_empty() {
                continue;
            }
            let kind = match (size, sets.len()) {
                (2, 1) => "the pair".to_owned(),
                (2, _) => "pairs".to_owned(),
                (3, 1) => "the triple".to_owned(),
                (3, _) => "triples".to_owned(),
                (_, 1) => "the set".to_owned(),
                _ => format!("sets of {size}"),
            };
            let rest = match sets.len() {
                n if n > LISTED => format!(" and {} more", n - LISTED),
                _ => String::new(),
            };
            let listed = sets[..sets.len().min(LISTED)].join(", ");
            kinds.push(format!("{kind} {listed}{rest}"));
        }
        if !kinds.is_empty() {
            sentence = format!("{sentence} with {}", kinds.join(", "));
        }
        sentences.push(sentence);
    }
    let absent = (0..dim).filter(|axis| parts.iter().all(|part| !part.axes.contains(axis)));
    let absent: Vec<usize> = absent.collect();
    if !absent.is_empty() {
        sentences.push(format!("without {}", range(&absent, &name)));
    }
    sentences.join("; ")
}

/// "x₀ … x₉, t": neighbours are joined.
fn range<'n>(axes: &[usize], name: &impl Fn(usize) -> &'n str) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &axis in axes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == axis && alike(name(*last), name(axis)) => *last = axis,
            _ => runs.push((axis, axis)),
        }
    }
    let words = runs.iter().map(|&(first, last)| match last - first {
        0 => name(first).to_owned(),
        1 => format!("{}, {}", name(first), name(last)),
        _ => format!("{} … {}", name(first), name(last)),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Whether two names differ by their number only: x₀ and x₁, not x₉ and t.
fn alike(one: &str, other: &str) -> bool {
    one.chars().next() == other.chars().next()
}
