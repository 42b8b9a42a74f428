//! Where the experiments assemble and factor their systems: the CPU, or a CUDA device on request.

use std::sync::{Arc, OnceLock};

use anyhow::{Context as _, Result};
use fastlsq_gpu::Cuda;
use fastlsq_newton::NewtonOptions;
use fastlsq_solve::{Backend, Options};
use serde::{Deserialize, Serialize};

/// The backends on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Choice {
    /// The processor
    #[default]
    Cpu,
    /// The first CUDA device
    Cuda,
}

impl Choice {
    /// As people read it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "processor",
            Self::Cuda => "CUDA device",
        }
    }
}

static CHOSEN: OnceLock<Arc<dyn Backend>> = OnceLock::new();

/// Takes up the choice for the whole run. There is no silent fall-back: without a device this fails.
pub(crate) fn choose(choice: Choice) -> Result<()> {
    if choice == Choice::Cuda {
        let device = Cuda::new().context("--backend cuda needs an NVIDIA device")?;
        // A second choice in one process would be a mistake of this program; the first one stands.
        let _ = CHOSEN.set(Arc::new(device));
    }
    Ok(())
}

/// The options with the chosen backend.
pub(crate) fn on_backend(mut options: Options) -> Options {
    if let Some(backend) = CHOSEN.get() {
        options.backend = backend.clone();
    }
    options
}

/// The options of a nonlinear solve with the chosen backend.
pub(crate) fn newton_on_backend(mut options: NewtonOptions) -> NewtonOptions {
    options.solve = on_backend(options.solve);
    options
}

#[cfg(test)]
mod tests {
    use super::{Choice, choose};

    #[test]
    fn a_missing_device_is_named() {
        assert!(choose(Choice::Cpu).is_ok());
        // Where there is a device, taking it up is right too.
        if let Err(error) = choose(Choice::Cuda) {
            let text = format!("{error:#}");
            assert!(
                text.contains("--backend cuda") && text.contains(": "),
                "{text}"
            );
        }
    }
}
