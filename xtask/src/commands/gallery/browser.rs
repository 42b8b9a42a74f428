//! The site in a browser: as wide as a phone and as a desk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Shown;

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Widths of a phone and of a desk.
const WIDTHS: [u32; 2] = [390, 1280];
/// Appended to a page: writes into it how wide its content is and how many of its pictures are missing.
const PROBE: &str = "<script>addEventListener('load', () => { const root = document.documentElement; \
    root.dataset.content = root.scrollWidth; root.dataset.room = root.clientWidth; \
    root.dataset.missing = [...document.images].filter(i => !i.naturalWidth).length; });</script>";

/// Opens the front page and every example at both widths: all pictures must appear, and nothing may be wider than the
/// screen. Where there is no browser, says so.
pub(super) fn look(site: &Path, shown: &[Shown]) -> Result<String> {
    let Some(browser) = find() else {
        return Ok("not looked at: no Chromium is installed".to_owned());
    };
    let mut pages = vec![site.join("index.html")];
    pages.extend(
        shown
            .iter()
            .map(|example| site.join(&example.name).join("index.html")),
    );
    for page in &pages {
        // Pictures are found from where the page is.
        let probed = page.with_file_name("probe.html");
        fs::write(&probed, fs::read_to_string(page)? + PROBE)?;
        for width in WIDTHS {
            let seen = open(&browser, &probed, width);
            judge(&seen?, page, width)?;
        }
        fs::remove_file(&probed)?;
    }
    Ok(format!(
        "{} pages looked at in {browser} at widths of {WIDTHS:?}",
        pages.len()
    ))
}

fn find() -> Option<String> {
    let starts = |name: &&&str| {
        let version = Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        version.is_ok_and(|status| status.success())
    };
    NAMES.iter().find(starts).map(|name| (*name).to_owned())
}

/// The page after it was loaded, as text.
fn open(browser: &str, page: &Path, width: u32) -> Result<String> {
    let address = format!("file://{}", absolute(page)?.display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--disable-gpu",
            "--no-sandbox",
            "--hide-scrollbars",
            "--dump-dom",
        ])
        .args([
            "--virtual-time-budget=4000",
            &format!("--window-size={width},900"),
            &address,
        ])
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {browser}"))?;
    if !output.status.success() {
        bail!(
            "{browser} could not open {} ({})",
            page.display(),
            output.status
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn absolute(page: &Path) -> Result<PathBuf> {
    fs::canonicalize(page).with_context(|| format!("cannot find {}", page.display()))
}

/// Fails unless the probe found all pictures and room for everything.
fn judge(seen: &str, page: &Path, width: u32) -> Result<()> {
    let number = |name: &str| {
        let text = seen.split(&format!("data-{name}=\"")).nth(1)?;
        text.split('"').next()?.parse::<u32>().ok()
    };
    let page = page.display();
    match (number("content"), number("room"), number("missing")) {
        (Some(_), Some(_), Some(missing)) if missing > 0 => {
            bail!("{page}: {missing} pictures do not appear")
        }
        (Some(content), Some(room), Some(_)) if content > room => {
            bail!("{page} is {content} pixels wide on a screen of {width}")
        }
        (Some(_), Some(_), Some(_)) => Ok(()),
        _ => bail!("{page} did not load at a width of {width}"),
    }
}

#[cfg(test)]
mod tests {
    use super::judge;
    use std::path::Path;

    #[test]
    fn pages_that_are_too_wide_or_lack_pictures_fail() {
        let seen = |content: u32, missing: u32| {
            format!(
                "<html data-content=\"{content}\" data-room=\"390\" data-missing=\"{missing}\">"
            )
        };
        let verdict =
            |text: &str| judge(text, Path::new("page"), 390).map_err(|error| error.to_string());
        assert!(verdict(&seen(390, 0)).is_ok());
        assert!(
            verdict(&seen(500, 0))
                .unwrap_err()
                .contains("500 pixels wide")
        );
        assert!(verdict(&seen(390, 2)).unwrap_err().contains("2 pictures"));
        assert!(verdict("<html>").unwrap_err().contains("did not load"));
    }
}
