//! What the user sells: others' offers are shown for reference only.
//!
//! ```toml
//! sells = ["provider", "provider/family"]
//! ```

use std::collections::BTreeSet;

use toml::de::DeValue;

use super::nearest::{near_clause, near_names};
use super::record::Reader;
use crate::catalog::{Catalog, Finding, InstanceType};

/// Providers and families that the user sells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SellerRules {
    /// Provider, and family unless all are sold.
    sells: BTreeSet<(String, Option<String>)>,
}

impl SellerRules {
    /// Reads a seller file; `file` is the name that findings carry.
    ///
    /// # Errors
    /// All findings: syntax, unknown keys, and providers or families the catalog does not hold (with near names).
    pub fn parse(file: &str, text: &str, catalog: &Catalog) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader::new(file, text);
        let document = reader.document();
        reader.deny_unknown(&document, &["sells"]);
        let mut sells = BTreeSet::new();
        let accepted = "a list such as [\"provider\", \"provider/family\"]";
        match document.get("sells").map(|value| (value.span(), value.get_ref())) {
            Some((_, DeValue::Array(items))) if !items.is_empty() => {
                for (i, item) in items.iter().enumerate() {
                    let key = format!("sells[{i}]");
                    match item.get_ref() {
                        DeValue::String(name) => match known_line(name, catalog) {
                            Ok(line) => drop(sells.insert(line)),
                            Err(message) => reader.find(&item.span(), key, message),
                        },
                        _ => reader.find(&item.span(), key, "must be text in quotes".to_owned()),
                    }
                }
            }
            Some((span, _)) => reader.find(&span, "sells".to_owned(), format!("must be {accepted}")),
            None if reader.is_clean() => {
                reader.find(&(0..0), "sells".to_owned(), format!("is missing; accepted: {accepted}"));
            }
            None => {}
        }
        reader.finish(Self { sells })
    }

    /// True when the user sells this instance type.
    pub fn sells(&self, instance: &InstanceType) -> bool {
        self.sells.iter().any(|(provider, family)| {
            *provider == instance.provider && family.as_ref().is_none_or(|f| *f == instance.family)
        })
    }
}

fn known_line(name: &str, catalog: &Catalog) -> Result<(String, Option<String>), String> {
    let (provider, family) = name.split_once('/').map_or((name, None), |(p, f)| (p, Some(f)));
    let mut lines: Vec<String> = Vec::new();
    for instance in &catalog.instances {
        if instance.provider == provider && family.is_none_or(|f| f == instance.family) {
            return Ok((provider.to_owned(), family.map(str::to_owned)));
        }
        lines.push(match family {
            Some(_) => format!("{}/{}", instance.provider, instance.family),
            None => instance.provider.clone(),
        });
    }
    let what = if family.is_some() { "provider/family" } else { "provider" };
    let near = near_names(name, lines.iter().map(String::as_str));
    Err(format!("unknown {what} {name:?}{}", near_clause(&near)))
}
