//! What is missing or fails has an error of its own, and leaves nothing behind.

use fastlsq_gpu::{Backend, Cuda, CudaError, Library, devices};
use fastlsq_solve::{LsqOptions, SolveError};

use crate::case::{Case, Verdict, require, text};
use crate::emulator::Control;
use crate::suite::system;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        refused("no_driver", CudaError::NoDriver).libraries(&["cublas", "cusolver"]),
        refused(
            "no_blas",
            CudaError::MissingLibrary {
                library: Library::Blas,
            },
        )
        .libraries(&["cuda", "cusolver"]),
        refused(
            "no_solver",
            CudaError::MissingLibrary {
                library: Library::Solver,
            },
        )
        .libraries(&["cuda", "cublas"]),
        refused(
            "solver_without_functions",
            CudaError::MissingFunction {
                library: Library::Solver,
                symbol: "cusolverDnCreate",
            },
        )
        .libraries(&["cuda", "cublas", "cusolver-without-functions"]),
        refused("no_device", CudaError::NoDevice).emulated("devices=0"),
        refused("no_device_after_start", CudaError::NoDevice).emulated("devices=-1"),
        refused(
            "driver_does_not_start",
            CudaError::DriverFailed { code: 999 },
        )
        .emulated("init=999"),
        refused(
            "old_driver",
            CudaError::DriverTooOld {
                major: 11,
                minor: 8,
            },
        )
        .emulated("driver=11080"),
        Case::new("failures::old_ptx", old_ptx).emulated("ptx=78"),
        Case::new("failures::wrong_ordinal", wrong_ordinal),
        Case::new("failures::out_of_memory", out_of_memory).emulated("memory=20000"),
        Case::new("failures::out_of_memory_later", out_of_memory_later)
            .emulated("fail=cuMemAlloc_v2:2:12"),
        Case::new("failures::factorisation", || {
            failed_call("cusolverDnDgeqrf")
        })
        .emulated("fail=cusolverDnDgeqrf:7"),
        Case::new("failures::products", || failed_call("cublasDsyrk"))
            .emulated("fail=cublasDsyrk_v2:14"),
        Case::new("failures::launch", || failed_call("cuLaunchKernel"))
            .emulated("fail=cuLaunchKernel:719:2"),
        Case::new("failures::every_call_once", every_call_once).emulated(""),
        Case::new("failures::opening_fails_at_every_call", opening_fails).emulated(""),
    ]
}

/// A cause that is found before anything is opened.
fn refused(name: &str, expected: CudaError) -> Case {
    Case::new(format!("failures::{name}"), move || {
        let found = Cuda::new().err();
        require(found.as_ref() == Some(&expected), || format!("{found:?}"))?;
        // Asked again, the answer is the same; and it prints.
        let again = Cuda::on_device(3).err();
        require(again == found, || format!("{again:?}"))?;
        require(!expected.to_string().is_empty(), String::new)?;
        let later = matches!(
            expected,
            CudaError::MissingLibrary { .. } | CudaError::MissingFunction { .. }
        );
        if !later {
            require(devices().err() == found, || format!("{:?}", devices()))?;
        }
        Ok(())
    })
}

fn old_ptx() -> Verdict {
    match Cuda::new().err() {
        Some(CudaError::KernelsRefused { code: 222, .. }) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn wrong_ordinal() -> Verdict {
    let count = devices().map_err(text)?.count;
    for ordinal in [count, usize::MAX] {
        let expected = Some(CudaError::NoSuchDevice { ordinal, count });
        let found = Cuda::on_device(ordinal).err();
        require(found == expected, || format!("{found:?}"))?;
    }
    Ok(())
}

/// A problem too large for the device is refused with numbers, before anything is allocated.
fn out_of_memory() -> Verdict {
    let cuda = Cuda::new().map_err(text)?;
    let found = cuda.factor(&system(40, 12.0, 160)?, &LsqOptions::new());
    match found.err() {
        Some(SolveError::Lsq(error)) => {
            require(error.to_string().contains("bytes"), || text(error))
        }
        other => Err(format!("{other:?}")),
    }
}

/// Memory that runs out on the way.
fn out_of_memory_later() -> Verdict {
    let cuda = Cuda::new().map_err(text)?;
    let error = cuda
        .factor(&system(40, 12.0, 160)?, &LsqOptions::new())
        .err()
        .map(text);
    let said = error.unwrap_or_default();
    require(
        said.contains("does not have") && said.contains("bytes left"),
        || said.clone(),
    )
}

/// The error names the call.
fn failed_call(call: &str) -> Verdict {
    let cuda = Cuda::new().map_err(text)?;
    let system = system(20, 12.0, 80)?;
    let qr = cuda.factor(&system, &LsqOptions::new());
    let method = fastlsq_solve::Method::NormalEquations;
    let gram = cuda.factor(&system, &LsqOptions::new().method(method));
    let said: Vec<String> = [qr, gram]
        .into_iter()
        .filter_map(|r| r.err().map(text))
        .collect();
    require(said.iter().any(|text| text.contains(call)), || {
        format!("{said:?}")
    })
}

/// Whatever call fails, an error is returned and nothing is left behind.
fn every_call_once() -> Verdict {
    let control = Control::find().ok_or("no emulator")?;
    let cuda = Cuda::new().map_err(text)?;
    let held = control.live();
    let system = system(6, 12.0, 30)?;
    let b = system.right_hand_side();
    let v = faer::Mat::from_fn(6, 1, |i, _| i as f64);
    for (cuda, method) in [
        (cuda.clone(), fastlsq_solve::Method::RankRevealingQr),
        (cuda.clone(), fastlsq_solve::Method::NormalEquations),
        (
            cuda.clone().single_precision(),
            fastlsq_solve::Method::RankRevealingQr,
        ),
    ] {
        let options = LsqOptions::new().keep_q(true).method(method);
        let attempt = || -> Result<(), SolveError> {
            let cuda = cuda.clone().block_rows(20);
            let factored = cuda.factor(&system, &options)?;
            factored.solve(b.as_ref())?;
            factored.adjoint(v.as_ref())?;
            Ok(())
        };
        let before = control.calls();
        attempt().map_err(text)?;
        let calls = control.calls() - before;
        require(calls > 100, || format!("only {calls} calls"))?;
        for number in 1..=calls {
            control.fail_at(number);
            let failed = attempt();
            control.fail_at(0);
            // Memory is given back in any case: where only that was disturbed, the answer stands.
            let noticed = failed.is_err() || control.failed_while_entering();
            require(noticed, || {
                format!("{method}: call {number} failed unnoticed")
            })?;
            require(control.live() == held, || {
                format!(
                    "{method}: call {number} left {} objects",
                    control.live() - held
                )
            })?;
        }
    }
    drop(cuda);
    Ok(())
}

/// As before, while the device is being opened.
fn opening_fails() -> Verdict {
    let control = Control::find().ok_or("no emulator")?;
    devices().map_err(text)?;
    let before = control.calls();
    let opened = Cuda::new().map_err(text)?;
    let calls = control.calls() - before;
    drop(opened);
    let mut noticed = 0;
    for number in 1..=calls {
        control.fail_at(number);
        let opened = Cuda::new();
        control.fail_at(0);
        noticed += u64::from(opened.is_err() || control.failed_while_entering());
        drop(opened);
        require(control.live() == 0, || {
            format!("call {number} left {} objects", control.live())
        })?;
    }
    require(noticed == calls, || format!("{noticed} of {calls} noticed"))
}
