//! A peer: a Python program that answers a line of JSON with a line of JSON.

use std::{
    cell::RefCell,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Variables that set the number of threads of the libraries below NumPy, SciPy and torch.
const THREADS: [&str; 5] = [
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
];

/// How peers are started.
#[derive(Debug)]
pub(super) struct Launcher {
    /// The interpreter.
    pub(super) python: PathBuf,
    /// The directory of the programs.
    pub(super) scripts: PathBuf,
    /// Where their libraries may keep files.
    pub(super) caches: PathBuf,
    /// Threads for each.
    pub(super) threads: usize,
}

impl Launcher {
    /// Starts the program of this name and waits until it is ready.
    pub(super) fn start(&self, name: &'static str) -> Result<Peer> {
        self.start_on(self.threads, name)
    }

    /// As [`start`](Self::start), on this many threads.
    pub(super) fn start_on(&self, threads: usize, name: &'static str) -> Result<Peer> {
        let mut command = Command::new(&self.python);
        command.arg(self.scripts.join(name).with_extension("py"));
        // An idle peer must not keep the processor from ours.
        command.env("OMP_WAIT_POLICY", "PASSIVE");
        command.env("PYTHONWARNINGS", "ignore");
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("PYTHONIOENCODING", "utf-8");
        // Both sides use the processor, whatever else there is.
        command.env("FASTLSQ_DEVICE", "cpu");
        command.env("CUDA_VISIBLE_DEVICES", "");
        for variable in ["MPLCONFIGDIR", "XDG_CACHE_HOME"] {
            command.env(variable, &self.caches);
        }
        for variable in THREADS {
            command.env(variable, threads.to_string());
        }
        Peer::start(name, command)
    }
}

/// A program that runs as long as it is asked; one that has ended is started again.
#[derive(Debug)]
pub(super) struct Peer {
    name: &'static str,
    command: RefCell<Command>,
    conversation: RefCell<Option<Conversation>>,
}

#[derive(Debug)]
struct Conversation {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start(name: &'static str, command: Command) -> Result<Self> {
        let peer = Self {
            name,
            command: RefCell::new(command),
            conversation: RefCell::new(None),
        };
        *peer.conversation.borrow_mut() = Some(peer.begin()?);
        Ok(peer)
    }

    /// Starts the program and waits until it is ready.
    fn begin(&self) -> Result<Conversation> {
        let name = self.name;
        let mut child = self
            .command
            .borrow_mut()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start the peer `{name}`"))?;
        let requests = child.stdin.take();
        let answers = child.stdout.take().context("no output of the peer")?;
        let mut conversation = Conversation {
            child,
            requests,
            answers: BufReader::new(answers),
        };
        let line = conversation.hear(name)?;
        let greeting: Value = parse(name, &line)?;
        if greeting.get("ready") != Some(&Value::Bool(true)) {
            bail!("the peer `{name}` began with {line}");
        }
        Ok(conversation)
    }

    /// Sends a request and waits for the answer. An error that the peer reports becomes ours.
    pub(super) fn ask<T: DeserializeOwned>(&self, request: &impl Serialize) -> Result<T> {
        let mut line = serde_json::to_string(request)?;
        line.push('\n');
        let mut place = self.conversation.borrow_mut();
        let mut conversation = match place.take() {
            Some(conversation) => conversation,
            None => self.begin()?,
        };
        conversation.say(self.name, &line)?;
        let answer = conversation.hear(self.name)?;
        // Only a conversation that has gone well goes on.
        *place = Some(conversation);
        parse(self.name, &answer)
    }
}

impl Conversation {
    fn say(&mut self, name: &str, line: &str) -> Result<()> {
        let sent = match self.requests.as_mut() {
            Some(requests) => requests
                .write_all(line.as_bytes())
                .and_then(|()| requests.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        sent.with_context(|| format!("the peer `{name}` no longer takes requests"))
    }

    fn hear(&mut self, name: &str) -> Result<String> {
        let mut line = String::new();
        let length = self
            .answers
            .read_line(&mut line)
            .with_context(|| format!("cannot read the answer of the peer `{name}`"))?;
        if length == 0 {
            let status = self.child.wait()?;
            bail!("the peer `{name}` ended without an answer ({status})");
        }
        Ok(line)
    }
}

/// Reads an answer.
fn parse<T: DeserializeOwned>(name: &str, line: &str) -> Result<T> {
    let unreadable = || format!("the peer `{name}` answered {}", line.trim());
    let value: Value = serde_json::from_str(line).with_context(unreadable)?;
    if let Some(error) = value.get("error").and_then(Value::as_str) {
        bail!("the peer `{name}` failed: {error}");
    }
    serde_json::from_value(value).with_context(unreadable)
}

impl Drop for Conversation {
    /// A peer ends when nobody asks any more.
    fn drop(&mut self) {
        self.requests.take();
        // Nothing can be done about one that cannot be waited for.
        let _ = self.child.wait();
    }
}

/// The directory of the programs in a workspace.
pub(super) fn scripts(root: &Path) -> PathBuf {
    root.join("xtask").join("peers")
}

#[cfg(test)]
mod tests {
    use super::{Peer, parse};
    use crate::commands::compare::sample::Answer;
    use serde_json::{Value, json};

    #[test]
    fn answers_are_read_with_whatever_they_have() {
        let line = r#"{"seconds": 0.25, "value_error": 1e-9, "iterations": 3, "status": "max_iter", "more": {"shape": 0.5}}"#;
        let answer: Answer = parse("package", line).unwrap();
        assert_eq!(answer.seconds, 0.25);
        assert_eq!(answer.value_error, Some(1e-9));
        assert_eq!(answer.gradient_error, None);
        assert_eq!(answer.iterations, Some(3.0));
        assert_eq!(answer.status.as_deref(), Some("max_iter"));
        assert_eq!(answer.more["shape"], 0.5);
        // What is not finite arrives as null: a failure to be reported, not an unreadable answer.
        let answer: Answer = parse("kansa", r#"{"seconds": 1, "value_error": null}"#).unwrap();
        assert_eq!(answer.value_error, None);
    }

    #[test]
    fn failures_name_the_peer() {
        for (line, part) in [
            (r#"{"error": "KeyError: 'u'"}"#, "KeyError: 'u'"),
            ("Traceback", "answered Traceback"),
            (r#"{"value_error": 1}"#, "seconds"),
        ] {
            let error = format!("{:#}", parse::<Answer>("sindy", line).unwrap_err());
            assert!(error.contains("sindy") && error.contains(part), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_conversation_and_its_end() {
        let shell = |script: &str| {
            let mut command = std::process::Command::new("sh");
            command.args(["-c", script]);
            Peer::start("echo", command)
        };
        let peer = shell(r#"echo '{"ready": true}'; read line; echo "$line""#).unwrap();
        let answer: Value = peer.ask(&json!({"a": [1, 2]})).unwrap();
        assert_eq!(answer, json!({"a": [1, 2]}));
        // The program has ended: the next request fails, and the one after it starts the program again.
        let error = format!("{:#}", peer.ask::<Value>(&json!({})).unwrap_err());
        assert!(error.contains("echo"), "{error}");
        let answer: Value = peer.ask(&json!({"b": 3})).unwrap();
        assert_eq!(answer, json!({"b": 3}));

        let error = format!("{:#}", shell("exit 3").unwrap_err());
        assert!(error.contains("ended without an answer"), "{error}");
        assert!(error.contains('3'), "{error}");
    }
}
