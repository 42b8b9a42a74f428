//! Where each column of the matrix is evaluated.

use std::ops::Range;
use std::sync::Arc;

use fastlsq_basis::{Basis, Parity, SavedBasis, SinusoidalBasis};
use fastlsq_solve::System;

use crate::device::{Buffer, Work};
use crate::error::CudaError;

/// Neighbouring columns of one unknown that are evaluated the same way.
#[derive(Debug)]
pub(crate) struct Columns {
    /// The unknown they belong to.
    pub(crate) unknown: usize,
    /// Their places in the matrix.
    pub(crate) range: Range<usize>,
    pub(crate) features: DeviceFeatures,
}

/// The functions behind some columns.
#[derive(Debug)]
pub(crate) enum DeviceFeatures {
    /// Sinusoidal features: the device evaluates them.
    Waves(Box<DeviceWaves>),
    /// Any other basis: the host evaluates it, and the rows are sent over.
    Host(Arc<dyn Basis>),
}

/// Sinusoidal features, with what never changes about them on the device.
#[derive(Debug)]
pub(crate) struct DeviceWaves {
    pub(crate) basis: SinusoidalBasis,
    pub(crate) frequencies: Buffer<f64>,
    pub(crate) phases: Buffer<f64>,
    pub(crate) parity: Buffer<u32>,
    pub(crate) center: Buffer<f64>,
}

impl DeviceWaves {
    fn new(work: &Work<'_>, basis: SinusoidalBasis) -> Result<Self, CudaError> {
        let frequencies: Vec<f64> = basis.frequencies().iter().copied().collect();
        let parity: Vec<u32> = basis
            .parity()
            .iter()
            .map(|parity| match parity {
                Parity::None => 0,
                Parity::Even => 1,
                Parity::Odd => 2,
            })
            .collect();
        Ok(Self {
            frequencies: work.upload(&frequencies)?,
            phases: work.upload(basis.phases())?,
            parity: work.upload(&parity)?,
            center: work.upload(basis.map().center())?,
            basis,
        })
    }
}

/// The columns of a system, from left to right.
pub(crate) fn columns_of(work: &Work<'_>, system: &System) -> Result<Vec<Columns>, CudaError> {
    let mut all = Vec::new();
    let mut start = 0;
    for (unknown, basis) in system.bases().iter().enumerate() {
        let whole = basis.len();
        match basis.to_saved() {
            Some(saved) => push(work, unknown, &saved, basis, &mut start, &mut all)?,
            None => {
                let features = DeviceFeatures::Host(basis.clone());
                all.push(Columns {
                    unknown,
                    range: start..start + whole,
                    features,
                });
                start += whole;
            }
        }
    }
    Ok(all)
}

/// Adds a basis; bases side by side are taken apart.
fn push(
    work: &Work<'_>,
    unknown: usize,
    saved: &SavedBasis,
    basis: &Arc<dyn Basis>,
    start: &mut usize,
    all: &mut Vec<Columns>,
) -> Result<(), CudaError> {
    let features = match saved {
        SavedBasis::Sinusoidal(waves) => {
            DeviceFeatures::Waves(Box::new(DeviceWaves::new(work, waves.clone())?))
        }
        SavedBasis::Joined(joined) => {
            for part in joined.parts() {
                let basis = part.clone().into_basis();
                push(work, unknown, part, &basis, start, all)?;
            }
            return Ok(());
        }
        _ => DeviceFeatures::Host(basis.clone()),
    };
    let range = *start..*start + basis.len();
    *start = range.end;
    all.push(Columns {
        unknown,
        range,
        features,
    });
    Ok(())
}
