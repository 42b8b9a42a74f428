//! The parts of a command that are asked for by name.

use anyhow::{Result, bail};

/// Those of `all` with these names, in their own order; all if there are no names.
///
/// `what` is the word for one of them in the error about a name that does not exist.
pub(crate) fn chosen<T>(
    all: Vec<T>,
    name: impl Fn(&T) -> &'static str,
    what: &str,
    names: &[String],
) -> Result<Vec<T>> {
    for asked in names {
        if !all.iter().any(|part| name(part) == asked) {
            let known: Vec<_> = all.iter().map(name).collect();
            bail!("no {what} `{asked}`; there are: {}", known.join(", "));
        }
    }
    let wanted = |part: &T| names.is_empty() || names.iter().any(|asked| asked == name(part));
    Ok(all.into_iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn names_choose_and_wrong_ones_are_answered_with_the_right_ones() {
        let pick = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            chosen(vec!["a", "b", "c"], |name| name, "letter", &names)
        };
        assert_eq!(pick(&[]).unwrap(), ["a", "b", "c"]);
        assert_eq!(pick(&["c", "a", "c"]).unwrap(), ["a", "c"]);
        let error = pick(&["a", "d"]).unwrap_err().to_string();
        assert_eq!(error, "no letter `d`; there are: a, b, c");
    }
}
