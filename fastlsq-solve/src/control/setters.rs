//! Limits of a call, set in the same words in the options of every crate.

/// Setters that hand limits on to the field that holds them, a [`Control`](crate::Control) or options that contain one.
#[doc(hidden)]
#[macro_export]
macro_rules! limit_setters {
    ($field:ident) => {
        /// The call ends when this time has passed, with the best that it has by then (default: no limit).
        #[must_use]
        pub fn time_limit(mut self, limit: std::time::Duration) -> Self {
            self.$field = self.$field.time_limit(limit);
            self
        }

        /// The most memory, in bytes, that the call may use at a time, points and data included; where more would be needed, it
        /// ends with the best that it has (default: what the machine has available). What does not grow with the problem, such as
        /// tables and reports, 8 MB at most, is not counted.
        #[must_use]
        pub fn memory_limit(mut self, bytes: usize) -> Self {
            self.$field = self.$field.memory_limit(bytes);
            self
        }

        /// Called with the stage, the best score and the time, again and again; `Break` ends the call with the best that it has
        /// by then (see [`Control`]($crate::Control)).
        #[must_use]
        pub fn progress(
            mut self,
            callback: impl FnMut(&$crate::Progress) -> std::ops::ControlFlow<()> + Send + 'static,
        ) -> Self {
            self.$field = self.$field.progress(callback);
            self
        }
    };
}
