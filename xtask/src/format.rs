//! Numbers and words as people read them.

use std::time::Duration;

/// A duration with the precision that matters at its size: `0.38 s`, `41.2 s`, `3 min 05 s`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 9.995 {
        format!("{seconds:.2} s")
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        let whole = duration.as_secs() + u64::from(duration.subsec_millis() >= 500);
        format!("{} min {:02} s", whole / 60, whole % 60)
    }
}

/// A count with its noun: `1 crate`, `3 crates`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::{count, duration};
    use std::time::Duration;

    #[test]
    fn durations_round_without_jumping_a_unit() {
        for (seconds, text) in [
            (0.0, "0.00 s"),
            (0.384, "0.38 s"),
            (9.99, "9.99 s"),
            (9.996, "10.0 s"),
            (59.94, "59.9 s"),
            (59.96, "1 min 00 s"),
            (60.4, "1 min 00 s"),
            (119.7, "2 min 00 s"),
            (185.0, "3 min 05 s"),
            (7200.0, "120 min 00 s"),
        ] {
            assert_eq!(duration(Duration::from_secs_f64(seconds)), text);
        }
    }

    #[test]
    fn counts_agree_in_number() {
        assert_eq!(count(0, "crate"), "0 crates");
        assert_eq!(count(1, "crate"), "1 crate");
        assert_eq!(count(2, "crate"), "2 crates");
    }
}
