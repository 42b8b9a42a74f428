//! Unknowns that share their coefficients.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use fastlsq_basis::Basis;

use crate::SolveError;

/// Where the columns of each unknown stand when some unknowns share theirs.
#[derive(Debug, Clone)]
pub(super) struct Sharing {
    /// For each unknown its number of features, and the first of its columns.
    places: Vec<(usize, usize)>,
    columns: usize,
}

impl Sharing {
    /// Unknown k has the coefficients of unknown `owners[k]`; nothing if each has its own.
    pub(super) fn new(
        bases: &[Arc<dyn Basis>],
        owners: &[usize],
    ) -> Result<Option<Self>, SolveError> {
        let misfit = |what, expected, found| SolveError::Table {
            label: "the sharing of coefficients".to_owned(),
            what,
            expected,
            found,
        };
        if owners.len() != bases.len() {
            return Err(misfit("unknowns", bases.len(), owners.len()));
        }
        let mut columns = 0;
        let mut places: Vec<(usize, usize)> = Vec::with_capacity(bases.len());
        for (unknown, (basis, &owner)) in bases.iter().zip(owners).enumerate() {
            if owner == unknown {
                places.push((basis.len(), columns));
                columns += basis.len();
                continue;
            }
            match places.get(owner) {
                Some(&(length, start)) if owners[owner] == owner => {
                    if basis.len() != length {
                        return Err(misfit("features", length, basis.len()));
                    }
                    places.push((length, start));
                }
                _ => {
                    return Err(SolveError::Option {
                        option: "owner of shared coefficients",
                        value: owner as f64,
                        requirement: "it must be an earlier unknown with coefficients of its own",
                    });
                }
            }
        }
        let shared = owners.iter().enumerate().any(|(k, owner)| k != *owner);
        Ok(shared.then_some(Self { places, columns }))
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Adds the columns that are one.
    pub(super) fn fold(&self, full: MatRef<'_, f64>, mut out: MatMut<'_, f64>) {
        out.fill(0.0);
        let mut start = 0;
        for &(length, target) in &self.places {
            let mut own = out.as_mut().subcols_mut(target, length);
            own += full.subcols(start, length);
            start += length;
        }
    }

    /// The coefficients of all unknowns, one after the other.
    pub(super) fn spread(&self, columns: &[f64]) -> Vec<f64> {
        let own = |&(length, start): &(usize, usize)| columns.iter().skip(start).take(length);
        self.places.iter().flat_map(own).copied().collect()
    }
}
