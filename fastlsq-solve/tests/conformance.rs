//! The CPU backend passes the suite that every backend must pass.

fastlsq_solve::backend_suite!(cpu, fastlsq_solve::CpuBackend);
