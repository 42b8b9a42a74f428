//! Binary operations that take values and references alike.

/// Implements an operation for every mix of values and references, from a function of two
/// references: `for_values_and_references!(Mul, mul, Left, Right => Output, |a: &Left, b: &Right| …)`.
macro_rules! for_values_and_references {
    ($op:ident, $method:ident, $left:ty, $right:ty => $out:ty, $body:expr) => {
        for_values_and_references!(@one $op, $method, $left, $right => $out, $body);
        for_values_and_references!(@one $op, $method, $left, &$right => $out, $body);
        for_values_and_references!(@one $op, $method, &$left, $right => $out, $body);
        for_values_and_references!(@one $op, $method, &$left, &$right => $out, $body);
    };
    (@one $op:ident, $method:ident, $left:ty, $right:ty => $out:ty, $body:expr) => {
        impl $op<$right> for $left {
            type Output = $out;

            fn $method(self, other: $right) -> $out {
                $body(&self, &other)
            }
        }
    };
}

pub(crate) use for_values_and_references;
