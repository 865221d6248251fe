//! Models by the names that people write: from a hub, a paper, a customer's mail.
//!
//! A name is compared without regard to case, blanks, hyphens and underscores, without the owner that a hub puts before it, and, where
//! nothing else has it, without the words at its end that tell a tuned release from the one it starts from: these share a shape.

use super::{Catalog, Dataset, ModelSpec};

/// Words at the end of a name that say how the weights were made or stored, and nothing of the shape.
const RELEASE_WORDS: [&str; 4] = ["instruct", "chat", "it", "hf"];

/// What is compared of a name: letters, digits, a `+` in its word, and a point wherever digits are apart, which tells a size of 1.3, also
/// written `1_3`, from one of 13.
fn key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut apart = false;
    for sign in name.to_lowercase().replace('+', "plus").chars() {
        if !sign.is_alphanumeric() {
            apart = true;
            continue;
        }
        if apart && sign.is_ascii_digit() && key.ends_with(|c: char| c.is_ascii_digit()) {
            key.push('.');
        }
        apart = false;
        key.push(sign);
    }
    key
}

/// A name without the owner that hubs put before it: `name` of `owner/name`.
fn bare(name: &str) -> &str {
    match name.split_once('/') {
        Some((owner, bare)) if !owner.is_empty() && !bare.contains('/') => bare,
        _ => name,
    }
}

/// A name without the last of [`RELEASE_WORDS`], where it ends in one.
fn without_release(name: &str) -> Option<&str> {
    let (rest, last) = name.rsplit_once(['-', '_', ' '])?;
    RELEASE_WORDS.iter().any(|word| last.eq_ignore_ascii_case(word)).then_some(rest)
}

impl Catalog {
    /// The model that a name as people write it stands for; `None` where it stands for none, or for several.
    pub(super) fn model_written(&self, name: &str) -> Option<&ModelSpec> {
        let whole = name.trim();
        let mut wanted = bare(whole);
        let found = self.model_of(&key(whole));
        if found.is_some() {
            return found;
        }
        loop {
            let found = self.model_of(&key(wanted));
            if found.is_some() {
                return found;
            }
            wanted = without_release(wanted)?;
        }
    }

    /// The one dataset whose id, else whose alias, is written so.
    pub(super) fn dataset_written(&self, name: &str) -> Option<&Dataset> {
        let asked = key(name);
        let by_id = only(self.datasets.iter().filter(|d| key(&d.id) == asked));
        by_id.or_else(|| {
            only(self.datasets.iter().filter(|d| d.aliases.iter().any(|alias| key(alias) == asked)))
        })
    }

    /// The one model with such an id, else with such an alias.
    fn model_of(&self, asked: &str) -> Option<&ModelSpec> {
        let by_id = only(self.models.iter().filter(|m| key(m.id()) == asked));
        by_id.or_else(|| only(self.models.iter().filter(|m| m.aliases().iter().any(|a| key(a) == asked))))
    }

    /// Ids and aliases of all models.
    pub(super) fn model_names(&self) -> impl Iterator<Item = &str> {
        self.models.iter().flat_map(|m| std::iter::once(m.id()).chain(m.aliases().iter().map(String::as_str)))
    }
}

/// The first, where there is no second.
fn only<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn id(name: &str) -> Option<String> {
        let catalog = Catalog::embedded().unwrap();
        catalog.find_model(name).map(|m| m.id().to_owned())
    }

    #[test]
    fn a_name_is_found_in_any_spelling_and_with_its_owner() {
        for name in ["llama3.1-8b", "Llama 3.1 8B", "llama-3.1-8b", "meta-llama/Llama-3.1-8B", "LLAMA3.1_8B"]
        {
            assert_eq!(id(name).as_deref(), Some("llama3.1-8b"), "{name}");
        }
        assert_eq!(id("ResNet50").as_deref(), Some("resnet-50"));
        assert_eq!(
            (id("facebook/opt-1-3b").as_deref(), id("gpt3-1_3b").as_deref()),
            (Some("opt-1.3b"), Some("gpt3-1.3b"))
        );
        assert_eq!(id("UNet++").as_deref(), Some("unet-plus-plus"));
        assert_eq!(id("DeepLabV3+ R101").as_deref(), Some("deeplabv3plus-r101"));
        assert_eq!(id("ViT-B/16").as_deref(), Some("vit-b16"));
        assert_eq!(
            (id("gpt3 1.3B").as_deref(), id("gpt3 13B").as_deref()),
            (Some("gpt3-1.3b"), Some("gpt3-13b"))
        );
    }

    #[test]
    fn a_tuned_release_has_the_shape_of_the_one_it_starts_from() {
        assert_eq!(id("meta-llama/Llama-3.1-8B-Instruct").as_deref(), Some("llama3.1-8b"));
        assert_eq!(id("Llama-2-7b-chat-hf").as_deref(), Some("llama2-7b"));
        assert_eq!(id("google/gemma-2-9b-it").as_deref(), Some("gemma2-9b"));
        // The word alone is no model, and a word that is no release stays.
        assert_eq!(id("instruct"), None);
        assert_eq!(id("llama3.1-8b-tiny"), None);
    }

    #[test]
    fn no_name_of_the_embedded_catalog_means_two_models() {
        let catalog = Catalog::embedded().unwrap();
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        for model in &catalog.models {
            for name in std::iter::once(model.id()).chain(model.aliases().iter().map(String::as_str)) {
                let other = owners.insert(key(name), model.id());
                assert!(other.is_none_or(|o| o == model.id()), "{name} is {other:?} and {}", model.id());
            }
        }
    }

    #[test]
    fn owners_and_paths_are_told_apart() {
        assert_eq!(bare("owner/name"), "name");
        assert_eq!(bare("/name"), "/name");
        assert_eq!(bare("a/b/c"), "a/b/c");
    }
}
