//! Numbers in formulas.

/// The number with a proper minus sign; very large and very small ones with an exponent.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    let text = if size == 0.0 || (1e-4..1e16).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    };
    match text.strip_prefix('-') {
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}
