//! The pages as HTML.

use super::{Shown, Topic};
use crate::format;

/// The frame of every page; `root` leads to the top of the site.
fn page(title: &str, root: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <link rel=\"stylesheet\" href=\"{root}gallery.css\">\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// The pictures by topic.
pub(super) fn index(topics: &[Topic], shown: &[Shown]) -> String {
    let is_shown = |topic: &&Topic| find(topic, shown).next().is_some();
    let mut body = String::from(
        "<header><h1>FastLSQ: gallery</h1>\n<p>Every picture was made by the example behind it, in this run.</p>\n<nav><ul>\n",
    );
    for topic in topics.iter().filter(is_shown) {
        let name = escape(&topic.topic);
        body += &format!(
            "<li><a href=\"#{}\">{name}</a></li>\n",
            anchor(&topic.topic)
        );
    }
    body += "</ul></nav></header>\n<main>\n";
    for topic in topics.iter().filter(is_shown) {
        let (id, name) = (anchor(&topic.topic), escape(&topic.topic));
        body += &format!("<section id=\"{id}\"><h2>{name}</h2>\n<div class=\"cards\">\n");
        for example in find(topic, shown) {
            let (title, _) = words(&example.source);
            let picture = example.pictures.first().map_or_else(
                || {
                    format!(
                        "<pre aria-hidden=\"true\">{}</pre>",
                        escape(&head(&example.output))
                    )
                },
                |file| {
                    let (name, alt) = (&example.name, escape(&title));
                    format!("<img src=\"{name}/{file}\" alt=\"{alt}\">")
                },
            );
            body += &format!(
                "<a class=\"card\" href=\"{name}/index.html\"><div class=\"picture\">{picture}</div>\
                 <strong>{}</strong><span>{}</span></a>\n",
                escape(&spoken(&example.name)),
                escape(&title),
                name = example.name,
            );
        }
        body += "</div></section>\n";
    }
    page("FastLSQ: gallery", "", &(body + "</main>\n"))
}

/// One example: pictures, text, what it printed.
pub(super) fn example(example: &Shown, [before, after]: [Option<&Shown>; 2]) -> String {
    let (title, rest) = words(&example.source);
    let mut body =
        String::from("<header>\n<nav class=\"steps\"><a href=\"../index.html\">gallery</a>");
    for (other, sign) in [(before, "←"), (after, "→")] {
        if let Some(other) = other {
            let (name, spoken) = (&other.name, escape(&spoken(&other.name)));
            body += &format!(" <a href=\"../{name}/index.html\">{sign} {spoken}</a>");
        }
    }
    let heading = escape(&spoken(&example.name));
    body += &format!("</nav>\n<h1>{heading}</h1>\n<p>{}</p>\n", escape(&title));
    for paragraph in rest {
        body += &format!("<p>{}</p>\n", escape(&paragraph));
    }
    body += "</header>\n<main>\n";
    for picture in &example.pictures {
        let alt = escape(&format!(
            "{}: {title}",
            spoken(picture.trim_end_matches(".png"))
        ));
        body += &format!("<figure><img src=\"{picture}\" alt=\"{alt}\"></figure>\n");
    }
    body += &format!(
        "<h2>Program</h2>\n<pre class=\"command\">{}</pre>\n<pre class=\"program\">{}</pre>\n",
        escape(&example.command),
        coloured(&program(&example.source))
    );
    body += &format!(
        "<h2>What it prints</h2>\n<pre>{}</pre>\n<p class=\"soft\">{}, {}, pictures included.</p>\n</main>\n",
        escape(&example.output),
        escape(&example.package),
        format::duration(example.time)
    );
    page(
        &format!("{} – FastLSQ", spoken(&example.name)),
        "../",
        &body,
    )
}

/// The examples of a topic that were run.
fn find<'a>(topic: &'a Topic, shown: &'a [Shown]) -> impl Iterator<Item = &'a Shown> {
    let names = topic.examples.iter();
    names.filter_map(|name| shown.iter().find(|example| example.name == *name))
}

/// All examples in the order of the index, each with the one before and the one after.
pub(super) fn with_neighbours<'a>(
    topics: &'a [Topic],
    shown: &'a [Shown],
) -> Vec<(&'a Shown, [Option<&'a Shown>; 2])> {
    let order: Vec<&Shown> = topics.iter().flat_map(|topic| find(topic, shown)).collect();
    let neighbour = |k: Option<usize>| k.and_then(|k| order.get(k).copied());
    (0..order.len())
        .map(|k| {
            (
                order[k],
                [neighbour(k.checked_sub(1)), neighbour(Some(k + 1))],
            )
        })
        .collect()
}

/// The first paragraph of an example's documentation, and the others.
fn words(source: &str) -> (String, Vec<String>) {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let text: Vec<&str> = lines.map(str::trim).collect();
    let mut paragraphs = text
        .split(|line| line.is_empty())
        .map(|lines| lines.join(" "));
    let first = paragraphs.next().unwrap_or_default();
    (first, paragraphs.filter(|text| !text.is_empty()).collect())
}

/// The program without its documentation.
fn program(source: &str) -> String {
    let rest = source
        .lines()
        .skip_while(|line| line.starts_with("//!") || line.starts_with("#!["));
    rest.collect::<Vec<_>>().join("\n").trim_start().to_owned()
}

/// Comments in another colour.
fn coloured(program: &str) -> String {
    let line = |line: &str| match line.find("//") {
        Some(place) if line[..place].trim().is_empty() || line[..place].ends_with(' ') => {
            let (code, comment) = line.split_at(place);
            format!("{}<i>{}</i>", escape(code), escape(comment))
        }
        _ => escape(line),
    };
    program.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A name as people say it.
fn spoken(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

fn anchor(topic: &str) -> String {
    topic.to_lowercase().replace(' ', "-")
}

/// The first lines of a text.
fn head(text: &str) -> String {
    text.lines().take(8).collect::<Vec<_>>().join("\n")
}

fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::{Shown, Topic};
    use super::{example, index, with_neighbours};
    use std::time::Duration;

    #[test]
    fn pages_show_words_pictures_program_and_output() {
        let shown = ["first_one", "second"].map(|name| Shown {
            name: name.to_owned(),
            package: "waves".to_owned(),
            source: "//! Heat & cold.\n//!\n//! More.\n#![allow(x)]\n\nfn main() {\n    go(1 < 2); // now\n}\n".to_owned(),
            command: format!("cargo run --example {name}"),
            output: "done in < 1 s\n".to_owned(),
            pictures: vec![format!("{name}.png")],
            time: Duration::from_secs(1),
        });
        let topics = [Topic {
            topic: "First steps".to_owned(),
            examples: vec!["first_one".to_owned(), "second".to_owned()],
        }];
        let front = index(&topics, &shown);
        assert!(front.contains("href=\"#first-steps\"") && front.contains("id=\"first-steps\""));
        assert!(front.contains("src=\"second/second.png\" alt=\"Heat &amp; cold.\""));
        let neighbours = with_neighbours(&topics, &shown);
        let page = example(neighbours[0].0, neighbours[0].1);
        assert!(page.contains("go(1 &lt; 2); <i>// now</i>") && page.contains("done in &lt; 1 s"));
        assert!(page.contains("../second/index.html") && page.contains("<p>More.</p>"));
        assert!(!page.contains("allow(x)"));
    }
}
