//! Short names that are copied like numbers.

use std::fmt;

/// Bytes that a name may take.
const CAPACITY: usize = 30;

/// The name of an unknown, a parameter or a coordinate: at most thirty bytes, so that handles can be copied.
///
/// A longer one is cut, and every statement that uses it says so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    bytes: [u8; CAPACITY],
    len: u8,
    cut: bool,
}

impl Name {
    /// The name as given, or its beginning.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut len = text.len().min(CAPACITY);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        let mut bytes = [0; CAPACITY];
        for (target, byte) in bytes.iter_mut().zip(text.bytes().take(len)) {
            *target = byte;
        }
        Self {
            bytes,
            // At most CAPACITY.
            len: len as u8,
            cut: len < text.len(),
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len)).unwrap_or(&[]);
        std::str::from_utf8(bytes).unwrap_or("")
    }

    /// Whether the name was too long, or is empty.
    pub(crate) fn is_improper(&self) -> bool {
        self.cut || self.len == 0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn long_names_are_cut_at_a_character_and_say_so() {
        let long = Name::new(&"ν".repeat(20));
        assert_eq!(long.as_str(), "ν".repeat(15));
        assert!(
            long.is_improper() && !Name::new("ν₀").is_improper() && Name::new("").is_improper()
        );
        assert_ne!(long, Name::new(&"ν".repeat(15)));
    }
}
