//! The experiments, one file each.
//!
//! To add one: write `items/name.rs` with a type that implements [`Item`], declare it here, and put it
//! into [`registry`]. Everything else (rows on disk, tables, figures, report, bars, `list`) follows.

mod ablation;
mod bandwidth;
mod baselines;
mod caching;
mod coil;
mod dimension;
mod discovery;
pub(crate) mod eigen;
pub(crate) mod evolution;
pub(crate) mod geometry;
mod inverse_heat;
pub(crate) mod laws;
mod linear;
mod newton;
mod nonlinear;
mod patches;
mod posed;
mod regression;
mod shared;
mod solved;
mod solving;
mod source_position;
mod spectral;
mod standard_tables;

use super::item::Item;
pub(crate) use solving::TEST_POINTS;

/// All experiments in the order of the paper.
pub(crate) fn registry() -> Vec<Box<dyn Item>> {
    vec![
        Box::new(linear::Linear),
        Box::new(newton::Newton),
        Box::new(ablation::Ablation),
        Box::new(regression::Regression),
        Box::new(solved::Solved),
        Box::new(spectral::Spectral),
        Box::new(baselines::Baselines),
        Box::new(inverse_heat::InverseHeat),
        Box::new(coil::Coil),
        Box::new(source_position::SourcePosition),
        Box::new(discovery::Discovery),
        Box::new(laws::Laws),
        Box::new(bandwidth::Bandwidth),
        Box::new(caching::Caching),
        Box::new(dimension::Dimension),
        Box::new(geometry::Geometry),
        Box::new(posed::Posed),
        Box::new(evolution::Evolution),
        Box::new(eigen::Eigen),
        Box::new(patches::Patches),
    ]
}

#[cfg(test)]
mod tests {
    use super::registry;
    use crate::commands::reproduce::item::Plan;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_identities_are_unique() {
        for quick in [true, false] {
            let plan = Plan::new(quick, None);
            let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
            for item in registry() {
                assert!(names.insert(item.name()), "{}", item.name());
                let jobs = item.jobs(&plan);
                assert!(!jobs.is_empty(), "{}", item.name());
                for job in jobs {
                    let (item_name, rest) = job.id.split_once('/').unwrap();
                    assert_eq!(item_name, item.name());
                    assert!(rest.contains('/') && job.effort > 0.0, "{}", job.id);
                    assert!(ids.insert(job.id.clone()), "{}", job.id);
                }
            }
        }
    }
}
