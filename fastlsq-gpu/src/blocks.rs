//! How many rows are on the device at once.

use fastlsq_solve::LsqError;

/// The share of the device's free memory that is used.
const SHARE: f64 = 0.9;
/// The maximum number of entries of a matrix that the libraries' 32-bit interface is trusted with.
const MOST_ENTRIES: usize = i32::MAX as usize;
/// Numbers that travel with a row besides its entries: coordinates, coefficients, factors.
const EXTRAS: usize = 32;
/// Fewer rows at a time than this are not worth a launch.
const FEWEST_ROWS: usize = 32;

/// How a reduction takes its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Rows of a block.
    pub(crate) rows: usize,
    /// Whether everything that is to be kept may stay on the device.
    pub(crate) resident: bool,
}

/// What has to find room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) right_hand_sides: usize,
    /// Whether all blocks are kept for later.
    pub(crate) keep: bool,
    /// Rows of a block, if the caller has said so.
    pub(crate) block_rows: Option<usize>,
    /// Free bytes on the device.
    pub(crate) free: usize,
    /// The caller's limit.
    pub(crate) limit: Option<usize>,
}

/// Chooses the blocks.
///
/// With b rows at a time a block beneath the triangle takes (b + N)·N numbers; the triangle before it, the
/// workspace of the factorisation and the inputs of the rows come on top.
pub(crate) fn plan(request: Request) -> Result<Plan, LsqError> {
    let Request { rows, columns, .. } = request;
    let share = (request.free as f64 * SHARE) as usize;
    let limit = request.limit.map_or(share, |limit| limit.min(share));
    let budget = limit / size_of::<f64>();
    let too_large = |needed: usize| LsqError::TooLarge {
        rows,
        cols: columns,
        needed: needed.saturating_mul(size_of::<f64>()),
        limit,
    };
    let wide = columns.saturating_add(request.right_hand_sides);
    // The triangle twice, and 64 columns of workspace.
    let fixed = columns
        .saturating_mul(wide)
        .saturating_mul(2)
        .saturating_add(columns.saturating_mul(64 + EXTRAS));
    let each = wide.saturating_add(64 + EXTRAS);
    let fits = budget.saturating_sub(fixed) / each.max(1);
    let by_interface = (MOST_ENTRIES / columns.max(1)).saturating_sub(columns);
    let most = fits.min(by_interface);
    let least = rows.min(FEWEST_ROWS);
    if most < least {
        let needed = fixed.saturating_add(each.saturating_mul(least));
        return Err(too_large(needed));
    }
    let asked = request.block_rows.unwrap_or(rows).clamp(1, rows.max(1));
    let block = asked.min(most).max(1);
    let blocks = rows.div_ceil(block);
    // What is kept: every block with the triangle that came before it.
    let kept = rows
        .saturating_add(columns.saturating_mul(blocks))
        .saturating_mul(columns);
    let once = fixed.saturating_add(each.saturating_mul(block));
    let resident = !request.keep || blocks == 1 || kept.saturating_add(once) <= budget;
    Ok(Plan {
        rows: block,
        resident,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: Request = Request {
        rows: 100_000,
        columns: 1000,
        right_hand_sides: 1,
        keep: false,
        block_rows: None,
        free: 16 << 30,
        limit: None,
    };

    #[test]
    fn everything_at_once_where_it_fits() {
        let plan = plan(REQUEST).unwrap();
        assert_eq!((plan.rows, plan.resident), (100_000, true));
    }

    #[test]
    fn blocks_stay_within_the_limit() {
        for limit in [20_000_000, 50_000_000, 200_000_000] {
            let found = plan(Request {
                limit: Some(limit),
                ..REQUEST
            })
            .unwrap();
            let numbers = 2 * 1000 * 1001 + (found.rows + 1000) * 96 + found.rows * 1001;
            assert!(found.rows < 100_000 && 8 * numbers <= limit, "{limit}");
        }
    }

    #[test]
    fn what_is_kept_goes_to_the_host_where_the_device_is_too_small() {
        let request = Request {
            keep: true,
            limit: Some(100_000_000),
            ..REQUEST
        };
        assert!(!plan(request).unwrap().resident);
        let roomy = Request {
            limit: None,
            block_rows: Some(10_000),
            ..request
        };
        assert_eq!(
            plan(roomy).unwrap(),
            Plan {
                rows: 10_000,
                resident: true
            }
        );
    }

    #[test]
    fn the_interface_of_the_libraries_is_respected() {
        let found = plan(Request {
            rows: 10_000_000,
            free: usize::MAX,
            ..REQUEST
        })
        .unwrap();
        assert!((found.rows + 1000) * 1000 <= i32::MAX as usize && found.rows > 2_000_000);
    }

    #[test]
    fn too_little_memory_is_an_error_with_numbers() {
        for limit in [0, 1, 1_000_000] {
            let error = plan(Request {
                limit: Some(limit),
                ..REQUEST
            })
            .unwrap_err();
            assert!(
                matches!(error, LsqError::TooLarge { needed, limit: l, .. } if needed > l && l == limit)
            );
        }
    }
}
