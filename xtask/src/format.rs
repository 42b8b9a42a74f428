//! Numbers and words as people read them, and the median that stands for many.

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

/// A small number with two digits: `4.8e-7`, `0`.
pub(crate) fn scientific(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:.1e}")
    }
}

/// Three significant digits without an exponent where that is short: `0.0714`, `12.3`, `453`.
pub(crate) fn significant(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if size < 1e-3 {
        format!("{value:.2e}")
    } else if size < 0.995 {
        format!(
            "{value:.*}",
            if size < 0.00995 {
                5
            } else if size < 0.0995 {
                4
            } else {
                3
            }
        )
    } else if size < 99.95 {
        format!("{value:.*}", if size < 9.995 { 2 } else { 1 })
    } else {
        format!("{value:.0}")
    }
}

/// A ratio: `0.0123×`, `0.43×`, `27×`, `2.4e5×`.
pub(crate) fn times(ratio: f64) -> String {
    if ratio >= 9_999.5 || ratio < 1e-3 && ratio > 0.0 {
        format!("{ratio:.1e}×")
    } else if ratio >= 9.95 {
        format!("{ratio:.0}×")
    } else if ratio >= 0.0995 {
        format!("{ratio:.2}×")
    } else {
        format!("{}×", significant(ratio))
    }
}

/// The median; the mean of the middle two for an even count.
pub(crate) fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let upper = values.get(half).copied()?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = values.get(half.checked_sub(1)?).copied()?;
    Some(0.5 * (lower + upper))
}

#[cfg(test)]
mod tests {
    use super::{count, duration, middle, scientific, significant, times};
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

    #[test]
    fn medians() {
        assert_eq!(middle(vec![]), None);
        assert_eq!(middle(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(middle(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        assert_eq!(scientific(4.8e-7), "4.8e-7");
        assert_eq!(scientific(0.0), "0");
        for (value, text) in [
            (0.0, "0"),
            (0.000_071, "7.10e-5"),
            (0.0714, "0.0714"),
            (0.5, "0.500"),
            (12.34, "12.3"),
            (453.2, "453"),
        ] {
            assert_eq!(significant(value), text);
        }
        for (ratio, text) in [
            (0.0123, "0.0123×"),
            (0.43, "0.43×"),
            (9.94, "9.94×"),
            (27.3, "27×"),
            (2.4e5, "2.4e5×"),
            (1.2e-5, "1.2e-5×"),
        ] {
            assert_eq!(times(ratio), text);
        }
    }
}
