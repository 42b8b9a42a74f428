//! What a device would not survive is an error that names the place.
#![allow(clippy::unwrap_used)]

use fastlsq_ptx::{Cause, Dim, Fault, Launch, Memory, MemoryFault, Module, Order, run};

const ORDERS: [Order; 4] = [
    Order::Ascending,
    Order::Descending,
    Order::Shuffled(7),
    Order::Interleaved(7),
];

/// A kernel with one pointer, a shared array of eight words and this body.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0
.target sm_60
.address_size 64
.visible .entry k(
    .param .u64 k_param_0
)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<8>;
    .reg .f64 %fd<4>;
    .reg .b64 %rd<9>;
    .shared .align 8 .b8 words[64];
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8;
    mov.u64 %rd3, words;
    add.s64 %rd4, %rd3, %rd2;
    add.s64 %rd5, %rd1, %rd2;
{body}
    ret;
}}"
    )
}

/// Runs eight threads with eight doubles 0, 1, 2, …
fn run_eight(body: &str, order: Order) -> Result<Vec<f64>, Fault> {
    let module = Module::parse(&kernel(body)).unwrap();
    let mut memory = Memory::new();
    let address = memory.allocate(64).unwrap();
    let start: Vec<f64> = (0..8).map(f64::from).collect();
    memory.write_f64(address, &start).unwrap();
    let launch = Launch {
        grid: Dim::x(1),
        block: Dim::x(8),
        order,
    };
    run(module.kernel("k").unwrap(), launch, &[address], &mut memory)?;
    Ok(memory.read_f64(address, 8).unwrap())
}

/// Each thread takes the number of the thread across, by way of shared memory.
const EXCHANGE: &str = "
    ld.global.u64 %rd6, [%rd5];
    st.shared.u64 [%rd4], %rd6;
    bar.sync 0;
    xor.b32 %r2, %r1, 7;
    mul.wide.u32 %rd7, %r2, 8;
    add.s64 %rd8, %rd3, %rd7;
    ld.shared.u64 %rd6, [%rd8];
    st.global.u64 [%rd5], %rd6;";

#[test]
fn threads_meet_at_barriers_in_any_order() {
    for order in ORDERS {
        let found = run_eight(EXCHANGE, order).unwrap();
        assert_eq!(found, [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
    }
}

#[test]
fn a_missing_barrier_is_a_race_in_any_order() {
    for order in ORDERS {
        let fault = run_eight(&EXCHANGE.replace("bar.sync 0;", ""), order).unwrap_err();
        assert!(matches!(fault.cause, Cause::Race { .. }), "{fault}");
        assert!(fault.instruction.contains(".shared.u64"), "{fault}");
    }
}

#[test]
fn a_barrier_that_not_all_reach_is_an_error() {
    let body = "
    setp.lt.u32 %p1, %r1, 4;
    @%p1 bra $END;
    bar.sync 0;
$END:";
    for order in ORDERS {
        let fault = run_eight(body, order).unwrap_err();
        assert_eq!(fault.cause, Cause::Barrier);
        assert_eq!(fault.instruction, "bar.sync 0;");
    }
}

#[test]
fn access_beyond_the_end_names_instruction_and_thread() {
    let fault = run_eight("    ld.global.f64 %fd1, [%rd5+8];", Order::Ascending).unwrap_err();
    let expected = MemoryFault::OutOfBounds {
        place: 64,
        bytes: 8,
        size: 64,
    };
    assert_eq!(fault.cause, Cause::Memory(expected));
    assert_eq!(fault.thread, [7, 0, 0]);
    assert_eq!(fault.instruction, "ld.global.f64 %fd1, [%rd5+8];");
    assert!(fault.to_string().contains("line 19"), "{fault}");

    let shared = "    add.s64 %rd6, %rd4, 8;\n    st.shared.f64 [%rd6], 0d0000000000000000;";
    let fault = run_eight(shared, Order::Descending).unwrap_err();
    assert_eq!(fault.thread, [7, 0, 0]);
    assert!(
        matches!(fault.cause, Cause::Shared { place: 64, .. }),
        "{fault}"
    );

    let misaligned = run_eight("    ld.global.f64 %fd1, [%rd5+4];", Order::Ascending).unwrap_err();
    assert!(matches!(
        misaligned.cause,
        Cause::Memory(MemoryFault::Misaligned { .. })
    ));
}

#[test]
fn what_is_not_understood_is_refused_when_parsed() {
    for (line, what) in [
        ("    sin.approx.f32 %fd1, %fd2;", "not supported"),
        ("    mul.f64 %fd1, %fd2, %fd2;", "leaves its rounding"),
        ("    add.rn.f64 %fd1, %fd2, %fd9;", "a register"),
        ("    bra $NOWHERE;", "a branch to nowhere"),
        ("    ld.local.f64 %fd1, [%rd1];", "kind of memory"),
        ("    bar.sync 1;", "not supported"),
    ] {
        let error = Module::parse(&kernel(line)).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(error.line, 19);
    }
    assert!(Module::parse("nonsense").is_err());
    assert!(Module::parse(".visible .entry k(").is_err());
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let module = Module::parse(&kernel("")).unwrap();
    let kernel = module.kernel("k").unwrap();
    for (block, parameters) in [(0, &[0][..]), (2048, &[0]), (8, &[]), (8, &[0, 0])] {
        let launch = Launch {
            grid: Dim::x(1),
            block: Dim::x(block),
            order: Order::Ascending,
        };
        let fault = run(kernel, launch, parameters, &mut Memory::new()).unwrap_err();
        assert!(matches!(fault.cause, Cause::Launch { .. }), "{fault}");
    }
}

#[test]
fn integers_wrap_and_shift_as_on_a_device() {
    // Word 1 becomes 2³² − 1 (a 32-bit difference), word 2 the product of −2 and 3, word 3 a shift by 70.
    let body = "
    setp.ne.s32 %p1, %r1, 0;
    @%p1 bra $END;
    sub.s32 %r2, %r1, 1;
    cvt.u64.u32 %rd6, %r2;
    st.global.u64 [%rd5+8], %rd6;
    sub.s32 %r3, %r1, 2;
    mul.wide.s32 %rd6, %r3, 3;
    st.global.u64 [%rd5+16], %rd6;
    mov.u64 %rd6, -1;
    shl.b64 %rd7, %rd6, 70;
    st.global.u64 [%rd5+24], %rd7;
    shr.s64 %rd7, %rd6, 70;
    st.global.u64 [%rd5+32], %rd7;
$END:";
    let found = run_eight(body, Order::Ascending).unwrap();
    let bits: Vec<u64> = found.iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits[1..5], [0xffff_ffff, (-6_i64) as u64, 0, u64::MAX]);
}
