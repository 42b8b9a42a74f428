//! The kernels' arithmetic: the PTX that ships, executed and compared with the processor's crates.
#![allow(clippy::unwrap_used, clippy::panic)]

mod device;
mod matrix;
mod mutants;
mod text;
mod waves;

use fastlsq_ptx::Order;

/// Orders that threads are run in.
const ORDERS: [Order; 4] = [
    Order::Ascending,
    Order::Descending,
    Order::Shuffled(3),
    Order::Interleaved(5),
];

#[test]
fn matrices_are_copied_scaled_and_checked() {
    let module = text::embedded();
    for order in ORDERS {
        matrix::check_all(&module, order).unwrap();
    }
}

#[test]
fn rows_are_those_of_the_processor() {
    let module = text::embedded();
    for order in ORDERS {
        waves::check_rows(&module, order).unwrap();
    }
}

#[test]
fn sines_and_cosines_are_within_one_ulp() {
    waves::check_accuracy(&text::embedded(), 12_000).unwrap();
}
