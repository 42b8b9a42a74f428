//! The document, its checks, and the way to and from a [`Solution`].

use std::sync::Arc;

use fastlsq_basis::{Basis, Parity, SavedBasis, SinusoidalBasis};
use fastlsq_ops::Space;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::SaveError;
use crate::report::Report;
use crate::solution::Solution;

const FORMAT: &str = "fastlsq-solution";
const VERSION: u64 = 2;
/// A file of ours names its format within so many bytes.
const HEAD: usize = 256;

/// Enough to tell whether the rest can be understood.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    #[serde(default)]
    coordinates: Coordinates,
    unknowns: Box<RawValue>,
    report: Report,
}

/// The names of the axes, and whether the last one is time.
#[derive(Serialize, Deserialize, Default)]
struct Coordinates {
    names: Vec<String>,
    time: bool,
}

impl Coordinates {
    fn of(space: &Space) -> Self {
        Self {
            names: space.names().into_iter().map(str::to_owned).collect(),
            time: space.has_time(),
        }
    }

    fn space(&self) -> Space {
        let axes = self.names.len();
        let space = if self.time {
            Space::new(axes.saturating_sub(1)).with_time()
        } else {
            Space::new(axes)
        };
        space.renamed(self.names.iter().map(String::as_str))
    }
}

#[derive(Serialize, Deserialize)]
struct Unknown {
    name: String,
    beta: Vec<f64>,
    basis: SavedBasis,
    /// For other programs; loading goes by `basis`.
    #[serde(default, skip_deserializing, skip_serializing_if = "Option::is_none")]
    arrays: Option<Arrays>,
}

/// Sinusoidal features as plain arrays in physical coordinates.
#[derive(Serialize)]
struct Arrays {
    #[serde(rename = "W")]
    frequencies: Vec<Vec<f64>>,
    #[serde(rename = "b")]
    phases: Vec<f64>,
    scale: f64,
    parity: Vec<&'static str>,
    center: Vec<f64>,
}

impl Arrays {
    fn of(basis: &SinusoidalBasis) -> Self {
        Self {
            frequencies: (0..basis.len())
                .map(|j| basis.frequency(j).to_vec())
                .collect(),
            phases: basis.phases().to_vec(),
            scale: basis.scale(),
            parity: basis
                .parity()
                .iter()
                .map(|parity| match parity {
                    Parity::None => "none",
                    Parity::Even => "even",
                    Parity::Odd => "odd",
                })
                .collect(),
            center: basis.map().center().to_vec(),
        }
    }
}

pub(super) fn encode(solution: &Solution) -> Result<String, SaveError> {
    let mut rest = solution.coefficients();
    let mut unknowns = Vec::with_capacity(solution.unknowns().len());
    for (unknown, basis) in solution.unknowns().iter().zip(solution.bases()) {
        let name = unknown.to_string();
        let (own, others) = rest.split_at(basis.len().min(rest.len()));
        rest = others;
        if let Some(index) = own.iter().position(|value| !value.is_finite()) {
            return Err(SaveError::NotFinite {
                unknown: name,
                index,
                value: own[index],
            });
        }
        let saved = basis.to_saved().ok_or_else(|| SaveError::UnsavableBasis {
            unknown: name.clone(),
        })?;
        unknowns.push(Unknown {
            name,
            beta: own.to_vec(),
            arrays: match &saved {
                SavedBasis::Sinusoidal(basis) => Some(Arrays::of(basis)),
                _ => None,
            },
            basis: saved,
        });
    }
    let unknowns =
        serde_json::value::to_raw_value(&unknowns).map_err(|cause| SaveError::corrupted(&cause))?;
    let document = Document {
        format: FORMAT.to_owned(),
        version: VERSION,
        checksum: Some(checksum(unknowns.get())),
        coordinates: Coordinates::of(solution.space()),
        unknowns,
        report: solution.report().clone(),
    };
    serde_json::to_string(&document).map_err(|cause| SaveError::corrupted(&cause))
}

pub(super) fn decode(bytes: &[u8]) -> Result<Solution, SaveError> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    if bytes.is_empty() {
        return Err(SaveError::Truncated);
    }
    let ours = head.contains(FORMAT);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(if ours {
            SaveError::corrupted(&"it holds bytes that are no text")
        } else {
            foreign(&"it is no text")
        });
    };
    let header: Header = serde_json::from_str(text).map_err(|cause| match cause.classify() {
        _ if !ours => foreign(&cause),
        Category::Eof => SaveError::Truncated,
        _ => SaveError::corrupted(&cause),
    })?;
    if header.format != FORMAT {
        return Err(foreign(&format!("its format is {:?}", header.format)));
    }
    if header.version != VERSION {
        return Err(SaveError::Version {
            found: header.version,
            supported: VERSION,
        });
    }
    let document: Document =
        serde_json::from_str(text).map_err(|cause| SaveError::corrupted(&cause))?;
    let found = checksum(document.unknowns.get());
    if let Some(stated) = document.checksum
        && stated != found
    {
        return Err(SaveError::corrupted(&format!(
            "its checksum is {found}, but {stated} was written"
        )));
    }
    let unknowns: Vec<Unknown> = serde_json::from_str(document.unknowns.get())
        .map_err(|cause| SaveError::corrupted(&cause))?;
    assemble(&document.coordinates.space(), unknowns, document.report)
}

/// A solution from parts that were each read soundly, if they fit together.
fn assemble(space: &Space, unknowns: Vec<Unknown>, report: Report) -> Result<Solution, SaveError> {
    let (mut bases, mut names, mut beta) = (Vec::new(), Vec::new(), Vec::new());
    for unknown in unknowns {
        let basis: Arc<dyn Basis> = unknown.basis.into_basis();
        if basis.len() != unknown.beta.len() {
            return Err(SaveError::corrupted(&format!(
                "unknown {:?} has {} coefficients for {} features",
                unknown.name,
                unknown.beta.len(),
                basis.len()
            )));
        }
        bases.push(basis);
        names.push(fastlsq_ops::unknown(&unknown.name));
        beta.extend(unknown.beta);
    }
    Solution::from_parts((space.clone(), names), bases, beta, report)
        .map_err(|cause| SaveError::corrupted(&cause))
}

fn foreign(reason: &impl ToString) -> SaveError {
    SaveError::Foreign {
        reason: reason.to_string(),
    }
}

/// The 64-bit FNV-1a hash of a text without its white space.
fn checksum(text: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("fnv1a64:{hash:016x}")
}
