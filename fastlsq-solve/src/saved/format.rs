//! The document, its checks, and the way to and from a [`Solution`].

use std::sync::Arc;

use fastlsq_basis::{Basis, BasisOutline, Parity, SavedBasis, SinusoidalBasis};
use fastlsq_ops::Space;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::SaveError;
use crate::domain::BoxDomain;
use crate::error::SolveError;
use crate::report::Report;
use crate::solution::Solution;

const FORMAT: &str = "fastlsq-solution";
const VERSION: u64 = 3;
/// Files of solutions are no larger than this.
pub(super) const MOST_BYTES: u64 = 1 << 30;
/// A file of ours names its format within this many bytes.
const HEAD: usize = 256;

/// Enough to tell whether the rest can be understood.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
}

/// The whole file; what it holds is read only after the checksum has been found to agree with it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u64,
    checksum: String,
    coordinates: Box<RawValue>,
    unknowns: Box<RawValue>,
    report: Box<RawValue>,
}

impl Document {
    /// What the checksum should be.
    fn expected_checksum(&self) -> String {
        let mut hash = Hash::new();
        hash.add(&self.format);
        hash.add(&self.version.to_string());
        for part in [&self.coordinates, &self.unknowns, &self.report] {
            hash.add(part.get());
        }
        hash.finish()
    }
}

/// The names of the axes, and whether the last one is time.
#[derive(Serialize, Deserialize)]
struct Coordinates {
    names: Vec<String>,
    time: bool,
    /// Lower and upper corner of the box around the domain, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bounds: Option<[Vec<f64>; 2]>,
}

impl Coordinates {
    fn of(solution: &Solution) -> Self {
        let space = solution.space();
        let bounds = solution
            .domain()
            .and_then(|domain| domain.bounding_box().ok());
        Self {
            bounds: bounds.map(|bounds| [bounds.lo().to_vec(), bounds.hi().to_vec()]),
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

#[derive(Serialize)]
struct Unknown<'a> {
    name: String,
    beta: &'a [f64],
    basis: SavedBasis,
    /// For other programs; loading goes by `basis`.
    #[serde(skip_serializing_if = "Option::is_none")]
    arrays: Option<Arrays>,
}

/// An unknown as it stands in a file, its basis not yet built.
#[derive(Deserialize)]
struct StoredUnknown {
    name: String,
    beta: Vec<f64>,
    basis: Box<RawValue>,
}

impl StoredUnknown {
    /// The basis, unless the file says that it has more features than there are coefficients.
    fn basis(&self) -> Result<Arc<dyn Basis>, SaveError> {
        let outline: BasisOutline = read(&self.basis)?;
        if outline.generated() > self.beta.len() as f64 {
            return Err(self.misfit(outline.generated()));
        }
        let basis = read::<SavedBasis>(&self.basis)?.into_basis();
        if basis.len() != self.beta.len() {
            return Err(self.misfit(basis.len() as f64));
        }
        Ok(basis)
    }

    fn misfit(&self, features: f64) -> SaveError {
        SaveError::corrupted(&format!(
            "unknown {:?} has {} coefficients for {features} features",
            self.name,
            self.beta.len(),
        ))
    }
}

fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, SaveError> {
    serde_json::from_str(raw.get()).map_err(|cause| SaveError::corrupted(&cause))
}

fn write(value: &impl Serialize) -> Result<Box<RawValue>, SaveError> {
    serde_json::value::to_raw_value(value).map_err(|cause| SaveError::corrupted(&cause))
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
            beta: own,
            arrays: match &saved {
                SavedBasis::Sinusoidal(basis) => Some(Arrays::of(basis)),
                _ => None,
            },
            basis: saved,
        });
    }
    let mut document = Document {
        format: FORMAT.to_owned(),
        version: VERSION,
        checksum: String::new(),
        coordinates: write(&Coordinates::of(solution))?,
        unknowns: write(&unknowns)?,
        report: write(solution.report())?,
    };
    document.checksum = document.expected_checksum();
    let text = serde_json::to_string(&document).map_err(|cause| SaveError::corrupted(&cause))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(SaveError::TooLarge { limit: MOST_BYTES });
    }
    Ok(text)
}

pub(super) fn decode(bytes: &[u8]) -> Result<Solution, SaveError> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    if bytes.is_empty() {
        return Err(SaveError::Truncated);
    }
    let ours = head.contains(FORMAT);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(if ours {
            SaveError::corrupted(&"it contains bytes that are not text")
        } else {
            foreign(&"it is not text")
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
    let (found, stated) = (document.expected_checksum(), &document.checksum);
    if *stated != found {
        return Err(SaveError::corrupted(&format!(
            "its checksum is {found}, but {stated:?} was written"
        )));
    }
    let coordinates = read::<Coordinates>(&document.coordinates)?;
    let space = coordinates.space();
    let report: Report = read(&document.report)?;
    let (mut bases, mut names, mut beta) = (Vec::new(), Vec::new(), Vec::new());
    for unknown in read::<Vec<StoredUnknown>>(&document.unknowns)? {
        bases.push(unknown.basis()?);
        names.push(fastlsq_ops::unknown(&unknown.name));
        beta.extend(unknown.beta);
    }
    let damaged = |cause: SolveError| SaveError::corrupted(&cause);
    let solution = Solution::from_parts((space, names), bases, beta, report).map_err(damaged)?;
    match coordinates.bounds {
        None => Ok(solution),
        Some([lo, hi]) => {
            let bounds = BoxDomain::new(&lo, &hi).map_err(|cause| damaged(cause.into()))?;
            solution.on_domain(Arc::new(bounds)).map_err(damaged)
        }
    }
}

fn foreign(reason: &impl ToString) -> SaveError {
    SaveError::Foreign {
        reason: reason.to_string(),
    }
}

/// The 64-bit FNV-1a hash of several texts, without the white space between their tokens; a zero byte ends each.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        let (mut in_string, mut escaped) = (false, false);
        for byte in text.bytes() {
            if in_string || !byte.is_ascii_whitespace() {
                self.add_byte(byte);
            }
            in_string ^= byte == b'"' && !escaped;
            escaped = in_string && byte == b'\\' && !escaped;
        }
        self.add_byte(0);
    }

    fn add_byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    fn finish(&self) -> String {
        format!("fnv1a64:{:016x}", self.0)
    }
}
