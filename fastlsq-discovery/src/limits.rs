//! Limits of a call, set in the same words in the options of all discoveries.

/// Setters of the field `control`.
macro_rules! limit_setters {
    () => {
        /// The call ends when this time has passed, with the best law that it has by then.
        #[must_use]
        pub fn time_limit(mut self, limit: std::time::Duration) -> Self {
            self.control = self.control.time_limit(limit);
            self
        }

        /// The most memory, in bytes, that the call may have at a time.
        #[must_use]
        pub fn memory_limit(mut self, bytes: usize) -> Self {
            self.control = self.control.memory_limit(bytes);
            self
        }

        /// Called with the stage and the time, again and again; `Break` ends the call with the best law that it has by
        /// then.
        #[must_use]
        pub fn progress(
            mut self,
            callback: impl FnMut(&fastlsq_solve::Progress) -> std::ops::ControlFlow<()> + Send + 'static,
        ) -> Self {
            self.control = self.control.progress(callback);
            self
        }
    };
}

pub(crate) use limit_setters;
