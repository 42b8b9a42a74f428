//! How a computation runs: with or without tasks, and until when.

use crate::control::Control;

/// Whether to use tasks, and who may stop the work.
///
/// Kernels that are stopped return early with results that mean nothing. A control that is over stays over, so
/// whoever uses a result asks the control once more first.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) parallel: bool,
    pub(crate) control: &'a Control,
}

impl Work<'_> {
    /// The same work on the calling thread alone.
    pub(crate) fn alone(self) -> Self {
        Self {
            parallel: false,
            ..self
        }
    }

    /// Whether to give up.
    pub(crate) fn is_over(self) -> bool {
        self.control.is_over()
    }
}

impl From<bool> for Work<'static> {
    /// With tasks or without, and nobody to stop it.
    fn from(parallel: bool) -> Self {
        static FREE: Control = Control::new();
        Self {
            parallel,
            control: &FREE,
        }
    }
}
