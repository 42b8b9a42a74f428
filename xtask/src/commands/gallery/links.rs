//! Follows every link of a site of plain files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Goes from the front page to every page that it leads to; fails at a link that leads nowhere or out of the site, and at a page
/// that nothing leads to. Returns the number of links.
pub(super) fn follow(site: &Path) -> Result<usize> {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![site.join("index.html")];
    let mut links = 0;
    while let Some(page) = waiting.pop() {
        if !seen.insert(page.clone()) {
            continue;
        }
        let text = read(&page)?;
        for link in targets(&text) {
            links += 1;
            if link.contains("://") {
                bail!("{} leads out of the site: {link}", page.display());
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                page.clone()
            } else {
                tidy(&page.with_file_name(file))
            };
            if !target.is_file() {
                bail!("{} leads to {link}, which is not there", page.display());
            }
            if !anchor.is_empty() && !read(&target)?.contains(&format!("id=\"{anchor}\"")) {
                bail!(
                    "{} leads to {link}, but that page has no such anchor",
                    page.display()
                );
            }
            if target
                .extension()
                .is_some_and(|extension| extension == "html")
            {
                waiting.push(target);
            }
        }
    }
    for entry in fs::read_dir(site)? {
        let page = entry?.path().join("index.html");
        if page.is_file() && !seen.contains(&page) {
            bail!("nothing leads to {}", page.display());
        }
    }
    Ok(links)
}

fn read(page: &Path) -> Result<String> {
    fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))
}

/// What the attributes `href` and `src` name.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    [" href=\"", " src=\""]
        .into_iter()
        .flat_map(|attribute| text.split(attribute).skip(1))
        .filter_map(|rest| rest.split('"').next())
}

/// A path without steps up.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::follow;
    use std::fs;

    #[test]
    fn dead_ends_lost_pages_and_ways_out_are_found() {
        let site = std::env::temp_dir().join(format!("fastlsq-links-{}", std::process::id()));
        fs::create_dir_all(site.join("a")).unwrap();
        let write = |name: &str, text: &str| fs::write(site.join(name), text).unwrap();
        let verdict = || follow(&site).map_err(|error| error.to_string());
        write(
            "index.html",
            "<p id=\"top\"><a href=\"a/index.html\">a</a> <a href=\"#top\">top</a>",
        );
        write("a/index.html", "<a href=\"../index.html#top\">up</a>");
        assert_eq!(verdict(), Ok(3));
        write("a/index.html", "<a href=\"../index.html#bottom\">up</a>");
        assert!(verdict().unwrap_err().contains("no such anchor"));
        write("a/index.html", "<img src=\"missing.png\">");
        assert!(verdict().unwrap_err().contains("not there"));
        write("a/index.html", "<a href=\"https://example.org\">out</a>");
        assert!(verdict().unwrap_err().contains("out of the site"));
        write("index.html", "empty");
        assert!(verdict().unwrap_err().contains("nothing leads to"));
        fs::remove_dir_all(&site).unwrap();
    }
}
