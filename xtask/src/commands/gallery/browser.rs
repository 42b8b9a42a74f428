//! The site in a browser: as wide as on a phone and on a desktop.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Shown;

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// Widths of a phone and of a desktop.
const WIDTHS: [u32; 2] = [390, 1280];
/// Written into each frame once everything is loaded: how wide its content is, how wide it may be, and how many of its
/// pictures do not appear.
const SCRIPT: &str = "<script>addEventListener('load', () => { for (const frame of document.querySelectorAll('iframe')) { \
    const page = frame.contentDocument; if (!page || !page.body) continue; const root = page.documentElement; \
    frame.dataset.content = root.scrollWidth; frame.dataset.room = root.clientWidth; \
    frame.dataset.missing = [...page.images].filter(i => !i.naturalWidth).length; } });</script>";

/// Opens the front page and every example at both widths: all pictures must appear, and nothing may be wider than the
/// screen. Where there is no browser, says so.
///
/// The browser starts once, with a page that has all others in frames: a window of its own cannot be as narrow as a phone.
pub(super) fn look(site: &Path, shown: &[Shown]) -> Result<String> {
    let Some(browser) = find() else {
        return Ok("not checked in a browser: no Chromium is installed".to_owned());
    };
    let mut pages = vec!["index.html".to_owned()];
    pages.extend(
        shown
            .iter()
            .map(|example| format!("{}/index.html", example.name)),
    );
    let probe = site.join("probe.html");
    fs::write(&probe, frames(&pages))?;
    let seen = open(&browser, &probe)?;
    fs::remove_file(&probe)?;
    for page in &pages {
        for width in WIDTHS {
            judge(&seen, page, width)?;
        }
    }
    Ok(format!(
        "{} pages checked in {browser} at widths of {WIDTHS:?}",
        pages.len()
    ))
}

/// A page with the others in frames of each width.
fn frames(pages: &[String]) -> String {
    let frame = |page: &String| {
        WIDTHS.map(|width| {
            format!(
                "<iframe src=\"{page}\" id=\"{page} {width}\" style=\"border:0;width:{width}px;height:900px\"></iframe>\n"
            )
        })
        .concat()
    };
    let frames: String = pages.iter().map(frame).collect();
    format!("<!doctype html>\n<html>\n<body>\n{frames}{SCRIPT}\n</body>\n</html>\n")
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
fn open(browser: &str, page: &Path) -> Result<String> {
    let address = format!("file://{}", absolute(page)?.display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--disable-gpu",
            "--no-sandbox",
            "--hide-scrollbars",
            "--allow-file-access-from-files",
            "--virtual-time-budget=20000",
            "--dump-dom",
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

/// Fails unless all pictures of a page appeared at this width and there was room for everything.
fn judge(seen: &str, page: &str, width: u32) -> Result<()> {
    let id = format!("id=\"{page} {width}\"");
    let mut tags = seen.split("<iframe ").map(|tag| tag.split('>').next());
    let tag = tags.find_map(|tag| tag.filter(|tag| tag.contains(&id)));
    let number = |name: &str| {
        let text = tag?.split(&format!("data-{name}=\"")).nth(1)?;
        text.split('"').next()?.parse::<u32>().ok()
    };
    match (number("content"), number("room"), number("missing")) {
        (Some(_), Some(_), Some(missing)) if missing > 0 => {
            bail!("{page}: {missing} pictures do not appear")
        }
        (Some(content), Some(room), Some(_)) if content > room.min(width) => {
            bail!("{page} is {content} pixels wide on a screen of {width}")
        }
        (Some(_), Some(_), Some(_)) => Ok(()),
        _ => bail!("{page} did not load at a width of {width}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{frames, judge};

    #[test]
    fn pages_that_are_too_wide_or_lack_pictures_fail() {
        let page = "drum/index.html".to_owned();
        let asked = frames(std::slice::from_ref(&page));
        let seen = |content: u32, missing: u32| {
            let found = format!(
                "data-content=\"{content}\" data-room=\"390\" data-missing=\"{missing}\" id=\"{page} 390\""
            );
            asked.replace(&format!("id=\"{page} 390\""), &found)
        };
        let verdict = |text: &str| judge(text, &page, 390).map_err(|error| error.to_string());
        assert!(verdict(&seen(390, 0)).is_ok());
        assert!(
            verdict(&seen(500, 0))
                .unwrap_err()
                .contains("500 pixels wide")
        );
        assert!(verdict(&seen(390, 2)).unwrap_err().contains("2 pictures"));
        assert!(verdict(&asked).unwrap_err().contains("did not load"));
        assert!(verdict("<html>").unwrap_err().contains("did not load"));
    }
}
