//! Finding the emulator's library, and asking it questions.

use std::path::{Path, PathBuf};

use fastlsq_gpu_emulator::DEVICE_NAME;

use crate::case::{ALL, text};

/// The emulator's library, which cargo builds beside the tests.
fn library() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(text)?;
    let name = format!(
        "{}fastlsq_gpu_emulator{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let beside = program.parent().map(|folder| folder.join(&name));
    match beside {
        Some(file) if file.is_file() => Ok(file),
        _ => Err(format!("{name} is not beside {}", program.display())),
    }
}

/// Endings under which a library may be found.
const ENDINGS: [&str; 8] = ["", ".1", ".9", ".10", ".11", ".12", ".13", ".14"];

/// A folder with the emulator under the names of these libraries. The others are there as files that cannot
/// be loaded, so that none is found elsewhere on a machine that has them.
pub(crate) fn folder(libraries: &[&str]) -> Result<PathBuf, String> {
    let library = library()?;
    let name = format!("emulated-{}", libraries.join("-"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).map_err(text)?;
    for own in ALL.iter().copied().chain(["nvrtc"]) {
        for ending in ENDINGS {
            let file = folder.join(format!("lib{own}.so{ending}"));
            let hollow = format!("{own}-without-functions");
            if libraries.contains(&hollow.as_str()) {
                link(&some_other_library()?, &file)?;
            } else if !libraries.contains(&own) {
                if !file.is_file() {
                    std::fs::write(&file, "").map_err(text)?;
                }
            } else if ending.is_empty() {
                link(&library, &file)?;
            }
        }
    }
    Ok(folder)
}

/// Makes `file` a link to `target`, unless it is one.
fn link(target: &Path, file: &Path) -> Result<(), String> {
    if std::fs::read_link(file).is_ok_and(|found| found == target) {
        return Ok(());
    }
    let _ = std::fs::remove_file(file);
    std::os::unix::fs::symlink(target, file).map_err(text)
}

/// A library that has none of the functions: the system's own.
fn some_other_library() -> Result<PathBuf, String> {
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(text)?;
    let mut files = maps
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    let found = files.find(|file| file.contains("/libc.so") || file.contains("/libc-"));
    found
        .map(PathBuf::from)
        .ok_or_else(|| "no libc in this process".to_owned())
}

/// The emulator as it is loaded in this process; `None` on a real device.
pub(crate) struct Control(libloading::Library);

#[allow(unsafe_code)]
impl Control {
    pub(crate) fn find() -> Option<Self> {
        // SAFETY: the library has been loaded under this name already, or is one of NVIDIA's.
        let library = unsafe { libloading::Library::new("libcuda.so") }.ok()?;
        let control = Self(library);
        control.count("fastlsq_emulator_live").map(|_| control)
    }

    fn count(&self, name: &str) -> Option<u64> {
        // SAFETY: the emulator's functions of these names take nothing and return a count.
        unsafe {
            let function = self.0.get::<extern "C" fn() -> u64>(name).ok()?;
            Some(function())
        }
    }

    /// Objects that were not given back.
    pub(crate) fn live(&self) -> u64 {
        self.count("fastlsq_emulator_live").unwrap_or(u64::MAX)
    }

    /// What a device would not have survived.
    pub(crate) fn violations(&self) -> u64 {
        self.count("fastlsq_emulator_violations")
            .unwrap_or(u64::MAX)
    }

    /// Kernels launched.
    pub(crate) fn launches(&self) -> u64 {
        self.count("fastlsq_emulator_launches").unwrap_or(0)
    }

    /// Calls that can fail.
    pub(crate) fn calls(&self) -> u64 {
        self.count("fastlsq_emulator_calls").unwrap_or(0)
    }

    /// Whether the call that was told to fail made the context current.
    pub(crate) fn failed_while_entering(&self) -> bool {
        self.count("fastlsq_emulator_failed_while_entering") == Some(1)
    }

    /// Makes the call of this number fail, counted from now.
    pub(crate) fn fail_at(&self, number: u64) {
        // SAFETY: the emulator's function of this name takes a number.
        unsafe {
            if let Ok(function) = self.0.get::<extern "C" fn(u64)>("fastlsq_emulator_fail_at") {
                function(number);
            }
        }
    }
}

/// Whether this is the emulated device.
pub(crate) fn is_emulated(name: &str) -> bool {
    name == DEVICE_NAME
}
