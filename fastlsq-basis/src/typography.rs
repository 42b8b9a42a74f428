//! Numbers as sub- and superscripts.

const SUBSCRIPTS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// The number as subscript digits.
#[must_use]
pub fn subscript(n: usize) -> String {
    spell(n, &SUBSCRIPTS)
}

/// The number as superscript digits.
#[must_use]
pub fn superscript(n: usize) -> String {
    spell(n, &SUPERSCRIPTS)
}

/// The number as an exponent: in superscript digits, but a 1 is left out, as in print.
#[must_use]
pub fn exponent(n: usize) -> String {
    if n == 1 {
        String::new()
    } else {
        superscript(n)
    }
}

/// The digit that a superscript character stands for.
#[must_use]
pub fn superscript_digit(c: char) -> Option<usize> {
    SUPERSCRIPTS.iter().position(|own| *own == c)
}

fn spell(n: usize, digits: &[char; 10]) -> String {
    let decimal = n.to_string();
    let digit = |b: u8| digits.get(usize::from(b.wrapping_sub(b'0')));
    decimal.bytes().filter_map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::{exponent, subscript, superscript, superscript_digit};

    #[test]
    fn digits_are_written_and_read() {
        assert_eq!(subscript(102), "₁₀₂");
        assert_eq!(superscript(1), "¹");
        assert_eq!(
            (exponent(1), exponent(13)),
            (String::new(), "¹³".to_owned())
        );
        let digits = superscript(98_765_432);
        let read: Vec<usize> = digits.chars().filter_map(superscript_digit).collect();
        assert_eq!(read, [9, 8, 7, 6, 5, 4, 3, 2]);
        assert_eq!(superscript_digit('2'), None);
    }
}
