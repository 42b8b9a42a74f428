//! What the environment asks for.

/// Failures and limits.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) devices: i32,
    pub(crate) init: u32,
    pub(crate) driver: i32,
    pub(crate) memory: usize,
    pub(crate) ptx: u32,
    pub(crate) cubin: bool,
    /// Function, code, calls before.
    pub(crate) fail: Option<(String, u32, u64)>,
    pub(crate) seed: Option<String>,
}

impl Settings {
    pub(crate) fn from_environment() -> Self {
        let mut settings = Self {
            devices: 1,
            init: 0,
            driver: 12_000,
            memory: 1 << 30,
            ptx: 80,
            cubin: true,
            fail: None,
            seed: None,
        };
        let text = std::env::var("FASTLSQ_EMULATOR").unwrap_or_default();
        for pair in text.split(';').filter(|pair| !pair.is_empty()) {
            let known = pair
                .split_once('=')
                .is_some_and(|(key, value)| settings.set(key, value).is_some());
            if !known {
                // A setting that is silently ignored would make a test pass for nothing.
                eprintln!("FASTLSQ_EMULATOR: {pair} is not understood");
                std::process::abort();
            }
        }
        settings
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "devices" => self.devices = value.parse().ok()?,
            "init" => self.init = value.parse().ok()?,
            "driver" => self.driver = value.parse().ok()?,
            "memory" => self.memory = value.parse().ok()?,
            "cubin" => self.cubin = value.parse::<u8>().ok()? != 0,
            "ptx" => self.ptx = value.parse().ok()?,
            "fail" => {
                let mut parts = value.split(':');
                let function = parts.next()?.to_owned();
                let code = parts.next()?.parse().ok()?;
                let before = parts.next().map_or(Some(0), |n| n.parse().ok())?;
                self.fail = Some((function, code, before));
            }
            "seed" => {
                crate::seeds::ALL.iter().find(|(name, _)| *name == value)?;
                self.seed = Some(value.to_owned());
            }
            _ => return None,
        }
        Some(())
    }
}
