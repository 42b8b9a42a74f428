//! Numbers as sub- and superscripts.

/// The number as subscript digits.
pub(crate) fn subscript(n: usize) -> String {
    spell(n, ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'])
}

/// The number as superscript digits.
pub(crate) fn superscript(n: usize) -> String {
    spell(n, ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'])
}

fn spell(n: usize, digits: [char; 10]) -> String {
    n.to_string()
        .bytes()
        .filter_map(|b| digits.get(usize::from(b.wrapping_sub(b'0'))))
        .collect()
}

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
