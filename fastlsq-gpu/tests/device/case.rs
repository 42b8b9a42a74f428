//! What a case is.

/// The outcome of a case: what does not hold.
pub(crate) type Verdict = Result<(), String>;

/// Something to be tested in a process of its own.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) run: Box<dyn Fn() -> Verdict + Send + Sync>,
    /// Settings of the emulator.
    pub(crate) settings: String,
    /// Libraries that are there.
    pub(crate) libraries: &'static [&'static str],
    /// Whether it makes sense on a real device.
    pub(crate) on_hardware: bool,
    /// Whether the emulator must have seen nothing wrong, and everything must be given back.
    pub(crate) must_be_clean: bool,
    /// A case that passes only if it fails when this is `false`.
    pub(crate) must_pass: bool,
}

/// All three libraries.
pub(crate) const ALL: &[&str] = &["cuda", "cublas", "cusolver"];

impl Case {
    pub(crate) fn new(
        name: impl Into<String>,
        run: impl Fn() -> Verdict + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
            settings: String::new(),
            libraries: ALL,
            on_hardware: true,
            must_be_clean: true,
            must_pass: true,
        }
    }

    /// A case that only the emulator can play, with these settings.
    pub(crate) fn emulated(mut self, settings: impl Into<String>) -> Self {
        self.settings = settings.into();
        self.on_hardware = false;
        self
    }

    pub(crate) fn libraries(mut self, libraries: &'static [&'static str]) -> Self {
        self.libraries = libraries;
        self.on_hardware = false;
        self
    }

    /// The same case, which must find something wrong.
    pub(crate) fn must_fail(mut self) -> Self {
        self.must_pass = false;
        self
    }
}

/// Fails with a message unless something holds.
pub(crate) fn require(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}

/// An error as text.
pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
