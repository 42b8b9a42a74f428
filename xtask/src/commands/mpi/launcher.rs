//! Building the test program of `fastlsq-mpi` and starting it under `mpirun`.

use std::{
    io::Read,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::{cargo::Cargo, format, workspace::Workspace};

/// How to install an MPI.
pub(super) const INSTALL: &str = "apt-get install openmpi-bin libopenmpi-dev";
/// A job that takes longer than this hangs, unless it was said to be a long one.
const PATIENCE: Duration = Duration::from_secs(900);

/// Lines `name<TAB>value` of a program.
pub(super) type Results = Vec<(String, String)>;

/// The test program, and how to start it.
#[derive(Clone)]
pub(crate) struct Launcher {
    mpirun: String,
    program: PathBuf,
    flags: Vec<&'static str>,
    patience: Duration,
}

/// How a job ended.
pub(super) struct Ended {
    pub(super) success: bool,
    pub(super) output: String,
    pub(super) errors: String,
    pub(super) time: Duration,
}

impl Launcher {
    /// Builds the program; `None` where there is no `mpirun`. Where several are installed, the variables `MPIRUN` and `MPICC` name
    /// the one to use and its compiler.
    pub(crate) fn find(workspace: &Workspace) -> Result<Option<Self>> {
        let named = |variable: &str, usual: &str| {
            std::env::var(variable).unwrap_or_else(|_| usual.to_owned())
        };
        let mpirun = named("MPIRUN", "mpirun");
        let Ok(version) = Command::new(&mpirun).arg("--version").output() else {
            return Ok(None);
        };
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        // Open MPI refuses more ranks than cores, and the superuser, unless told otherwise.
        let flags = match version.contains("Open MPI") || version.contains("OpenRTE") {
            true => vec!["--oversubscribe", "--allow-run-as-root"],
            false => Vec::new(),
        };
        let build = format!(
            "test --release --no-run --locked --manifest-path fastlsq-solve/mpi/Cargo.toml --test ranks --target-dir {}",
            workspace.target.display()
        );
        eprintln!("      $ cargo {build}");
        let json = "--message-format json-render-diagnostics";
        let messages = Cargo::new(&format!("{build} {json}"))
            .env("MPICC", named("MPICC", "mpicc"))
            .output(&workspace.root)?;
        let program = executable(&messages)?;
        Ok(Some(Self {
            mpirun,
            program,
            flags,
            patience: PATIENCE,
        }))
    }

    /// For jobs that take at most this long.
    pub(super) fn patient(&self, patience: Duration) -> Self {
        Self {
            patience,
            ..self.clone()
        }
    }

    /// Starts a job; one that does not end is stopped, and is an error.
    pub(super) fn start(&self, ranks: usize, arguments: &[&str]) -> Result<Ended> {
        let begin = Instant::now();
        let mut child = Command::new(&self.mpirun)
            .args(&self.flags)
            .args(["-n", &ranks.to_string()])
            .arg(&self.program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.mpirun))?;
        let output = collect(child.stdout.take());
        let errors = collect(child.stderr.take());
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if begin.elapsed() > self.patience {
                end(&mut child)?;
                bail!(
                    "`{}` with {ranks} ranks did not end within {}",
                    arguments.join(" "),
                    format::duration(self.patience)
                );
            }
            thread::sleep(Duration::from_millis(20));
        };
        Ok(Ended {
            success: status.success(),
            output: output.join().unwrap_or_default(),
            errors: errors.join().unwrap_or_default(),
            time: begin.elapsed(),
        })
    }

    /// The results of a job that succeeds.
    pub(super) fn results(&self, ranks: usize, arguments: &[&str]) -> Result<Results> {
        let ended = self.start(ranks, arguments)?;
        let line = format!("mpirun -n {ranks} ranks {}", arguments.join(" "));
        if !ended.success {
            bail!("`{line}` failed:\n{}{}", ended.output, ended.errors);
        }
        eprintln!("      $ {line}: {}", format::duration(ended.time));
        let pairs = ended
            .output
            .lines()
            .filter_map(|line| line.split_once('\t'));
        Ok(pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect())
    }
}

/// Asks `mpirun` to end, so that it ends its ranks, and insists if it does not.
fn end(child: &mut Child) -> Result<()> {
    Command::new("kill").arg(child.id().to_string()).status()?;
    thread::sleep(Duration::from_secs(5));
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// Reads everything on a thread of its own.
fn collect(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The test program among the messages of cargo.
fn executable(messages: &[u8]) -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    for message in serde_json::Deserializer::from_slice(messages).into_iter() {
        let message: Message = message.context("cannot read the messages of cargo")?;
        if let Some(program) = message.executable {
            return Ok(program);
        }
    }
    bail!("cargo built no test program of fastlsq-mpi")
}
