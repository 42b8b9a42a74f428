//! Copies, scalings and the check for NaN, at sizes around the edges of blocks.

use fastlsq_ptx::{Module, Order};

use crate::device::{Device, numbers, require, text};

/// Rows, columns, distance between columns, blocks along the columns.
const SHAPES: [(usize, usize, usize, usize); 8] = [
    (1, 1, 1, 1),
    (2, 3, 2, 5),
    (1, 5, 3, 2),
    (127, 3, 127, 3),
    (128, 2, 130, 2),
    (129, 4, 140, 3),
    (300, 7, 301, 2),
    (6, 9, 8, 4),
];

pub(crate) fn check_all(module: &Module, order: Order) -> Result<(), String> {
    for shape in SHAPES {
        check_copies(module, order, shape)?;
        check_clear(module, order, shape)?;
        check_single(module, order, shape)?;
        check_scale_rows(module, order, shape)?;
        check_finite(module, order, shape)?;
    }
    for size in [1, 5, 127, 130] {
        check_gram(module, order, size)?;
    }
    check_inverse_norms(module, order)
}

fn check_copies(
    module: &Module,
    order: Order,
    (rows, columns, leading, blocks): (usize, usize, usize, usize),
) -> Result<(), String> {
    for (kernel, triangle) in [("copy_block", false), ("copy_triangle", true)] {
        let mut device = Device::new(module, order);
        let values = numbers(leading * columns, 1);
        let source = device.doubles(&values)?;
        let far = leading + 5;
        let target = device.poisoned(far * columns)?;
        let parameters = [
            rows as u64,
            columns as u64,
            source,
            leading as u64,
            target,
            far as u64,
        ];
        device.launch(kernel, rows, blocks, &parameters)?;
        let found = device.read(target, far * columns)?;
        for j in 0..columns {
            for i in 0..far {
                let entry = found[j * far + i];
                let right = if i >= rows {
                    entry.is_nan()
                } else if triangle && i > j {
                    entry.to_bits() == 0
                } else {
                    entry.to_bits() == values[j * leading + i].to_bits()
                };
                require(right, || format!("{kernel}: {entry} at ({i}, {j})"))?;
            }
        }
    }
    Ok(())
}

fn check_clear(
    module: &Module,
    order: Order,
    (rows, columns, leading, blocks): (usize, usize, usize, usize),
) -> Result<(), String> {
    let mut device = Device::new(module, order);
    let matrix = device.poisoned(leading * columns)?;
    let parameters = [rows as u64, columns as u64, matrix, leading as u64];
    device.launch("clear_block", rows, blocks, &parameters)?;
    let found = device.read(matrix, leading * columns)?;
    for (place, entry) in found.into_iter().enumerate() {
        let inside = place % leading < rows;
        require(if inside { entry == 0.0 } else { entry.is_nan() }, || {
            format!("clear_block: {entry} at {place}")
        })?;
    }
    Ok(())
}

/// To singles and, as a triangle, back.
fn check_single(
    module: &Module,
    order: Order,
    (rows, columns, leading, blocks): (usize, usize, usize, usize),
) -> Result<(), String> {
    let mut device = Device::new(module, order);
    let mut values = numbers(leading * columns, 4);
    values[0] = 1e-60;
    let source = device.doubles(&values)?;
    let far = leading + 3;
    let single = device.poisoned((far * columns).div_ceil(2))?;
    let parameters = [
        rows as u64,
        columns as u64,
        source,
        leading as u64,
        single,
        far as u64,
    ];
    device.launch("round_block", rows, blocks, &parameters)?;
    let found = device
        .memory
        .read_f32(single, far * columns)
        .map_err(text)?;
    for (place, entry) in found.iter().enumerate() {
        let (i, j) = (place % far, place / far);
        let right = if i < rows {
            entry.to_bits() == (values[j * leading + i] as f32).to_bits()
        } else {
            entry.is_nan()
        };
        require(right, || format!("round_block: {entry} at ({i}, {j})"))?;
    }
    let back = device.poisoned(leading * columns)?;
    let parameters = [
        rows as u64,
        columns as u64,
        single,
        far as u64,
        back,
        leading as u64,
    ];
    device.launch("widen_triangle", rows, blocks, &parameters)?;
    for (place, entry) in device
        .read(back, leading * columns)?
        .into_iter()
        .enumerate()
    {
        let (i, j) = (place % leading, place / leading);
        let right = if i >= rows {
            entry.is_nan()
        } else if i > j {
            entry.to_bits() == 0
        } else {
            entry.to_bits() == f64::from(found[j * far + i]).to_bits()
        };
        require(right, || format!("widen_triangle: {entry} at ({i}, {j})"))?;
    }
    Ok(())
}

fn check_scale_rows(
    module: &Module,
    order: Order,
    (rows, columns, leading, blocks): (usize, usize, usize, usize),
) -> Result<(), String> {
    let mut device = Device::new(module, order);
    let (values, factors) = (numbers(leading * columns, 1), numbers(rows, 2));
    let (matrix, scale) = (device.doubles(&values)?, device.doubles(&factors)?);
    let parameters = [rows as u64, columns as u64, scale, matrix, leading as u64];
    device.launch("scale_rows", rows, blocks, &parameters)?;
    for (place, found) in device
        .read(matrix, leading * columns)?
        .into_iter()
        .enumerate()
    {
        let factor = factors.get(place % leading).copied().unwrap_or(1.0);
        require(found == factor * values[place], || {
            format!("scale_rows: {found} at {place}")
        })?;
    }
    Ok(())
}

fn check_gram(module: &Module, order: Order, size: usize) -> Result<(), String> {
    let mut device = Device::new(module, order);
    let (leading, ridge) = (size + 3, 0.25);
    let (values, scaling) = (numbers(leading * size, 1), numbers(size, 2));
    let (gram, scale) = (device.doubles(&values)?, device.doubles(&scaling)?);
    let parameters = [size as u64, scale, ridge_bits(ridge), gram, leading as u64];
    let blocks = if size == 5 { 7 } else { size.div_ceil(2) };
    device.launch("scale_gram", size, blocks, &parameters)?;
    let found = device.read(gram, leading * size)?;
    for j in 0..size {
        for i in 0..leading {
            let (entry, old) = (found[j * leading + i], values[j * leading + i]);
            let expected = if i < j || i >= size {
                old
            } else {
                let both = scaling[i] * scaling[j];
                old * both + if i == j { ridge * both } else { 0.0 }
            };
            require((entry - expected).abs() <= 1e-15, || {
                format!("scale_gram: {entry} for {expected} at ({i}, {j}) of {size}")
            })?;
        }
    }
    Ok(())
}

fn ridge_bits(ridge: f64) -> u64 {
    ridge.to_bits()
}

fn check_inverse_norms(module: &Module, order: Order) -> Result<(), String> {
    let diagonal = [4.0, 0.0, 1e-300, f64::INFINITY, f64::NAN, -1.0, 2.0, 5e-324];
    let expected = [0.5, 1.0, 1e150, 1.0, 1.0, 1.0, 0.5_f64.sqrt(), 4.5e161];
    // Two blocks of rows.
    let size = 132;
    let leading = size + 1;
    let mut values = vec![f64::NAN; leading * size];
    for i in 0..size {
        values[i * leading + i] = diagonal[i % 8];
    }
    let mut device = Device::new(module, order);
    let (gram, scaling) = (device.doubles(&values)?, device.poisoned(size + 1)?);
    device.launch(
        "inverse_norms",
        size,
        1,
        &[size as u64, gram, leading as u64, scaling],
    )?;
    let found = device.read(scaling, size + 1)?;
    require(found[size].is_nan(), || {
        "inverse_norms writes too far".to_owned()
    })?;
    for (i, found) in found[..size].iter().enumerate() {
        let expected = expected[i % 8];
        let off = (found / expected - 1.0).abs();
        // The square root of the smallest number has one digit.
        require(off <= if i % 8 == 7 { 0.1 } else { 4e-16 }, || {
            format!("inverse_norms: {found} for {expected}")
        })?;
    }
    Ok(())
}

/// The first place that is not finite, row by row; none where all are, whatever lies between the columns.
fn check_finite(
    module: &Module,
    order: Order,
    (rows, columns, leading, blocks): (usize, usize, usize, usize),
) -> Result<(), String> {
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let places = [
        vec![],
        vec![(0, columns - 1)],
        vec![(rows - 1, 0), (rows / 2, columns - 1)],
        vec![(rows - 1, columns - 1)],
        vec![
            (rows / 2, columns / 2),
            (rows / 2, 0),
            (rows / 3, columns - 1),
        ],
    ];
    for places in places {
        let mut values = numbers(leading * columns, 3);
        for j in 0..columns {
            for i in rows..leading {
                values[j * leading + i] = f64::NAN;
            }
        }
        // Large numbers are finite.
        values[0] = f64::MAX;
        for (n, &(i, j)) in places.iter().enumerate() {
            values[j * leading + i] = bad[n % 3];
        }
        let expected = places.iter().map(|(i, j)| (i * columns + j) as u64).min();
        let mut device = Device::new(module, order);
        let matrix = device.doubles(&values)?;
        let first = device.bytes(&u64::MAX.to_le_bytes())?;
        let parameters = [rows as u64, columns as u64, matrix, leading as u64, first];
        device.launch("find_not_finite", rows, blocks, &parameters)?;
        let found = device.read(first, 1)?[0].to_bits();
        require(found == expected.unwrap_or(u64::MAX), || {
            format!("find_not_finite: {found} for {expected:?}")
        })?;
    }
    Ok(())
}
