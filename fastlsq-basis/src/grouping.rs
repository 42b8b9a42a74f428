//! Terms of a form put together by their coefficient function.

use crate::form::{Action, Coefficient, Form};

/// Terms that share one coefficient function: source(x) Σ c T.
pub(crate) struct Group<'a> {
    /// The coefficient at each point; `None` stands for 1.
    pub(crate) source: Option<&'a [f64]>,
    /// Constant factors and actions.
    pub(crate) terms: Vec<(f64, &'a Action)>,
}

/// The coefficient as a function (`None` for constants) and a constant factor.
pub(crate) fn split<'a>(coefficient: Coefficient<'a>) -> (f64, Option<&'a [f64]>) {
    match coefficient {
        Coefficient::Constant(c) => (c, None),
        Coefficient::PerPoint(values) => (1.0, Some(values)),
    }
}

/// Whether two coefficient functions are the same array.
pub(crate) fn same_source(a: Option<&[f64]>, b: Option<&[f64]>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => std::ptr::eq(a, b),
        _ => false,
    }
}

/// The groups of a form, in order of first appearance.
pub(crate) fn group_by_coefficient<'a>(form: &Form<'a>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for term in form.terms() {
        let (constant, source) = split(term.coefficient);
        match groups
            .iter_mut()
            .find(|group| same_source(group.source, source))
        {
            Some(group) => group.terms.push((constant, term.action)),
            None => groups.push(Group {
                source,
                terms: vec![(constant, term.action)],
            }),
        }
    }
    groups
}

impl Group<'_> {
    /// The coefficient at one point of the block.
    pub(crate) fn weight(&self, point: usize) -> f64 {
        self.source.map_or(1.0, |values| values[point])
    }
}
