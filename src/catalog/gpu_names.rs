//! GPUs by the names that people write: on a box, in a driver's list, in a customer's mail.
//!
//! A name is read as words, without regard to case, blanks and hyphens. It stands for every GPU that has all of its words, in its id, its
//! name or its memory; one whose id is these words alone wins over the others. Words that only say who makes it may be missing there.

use std::collections::BTreeSet;

use super::{Catalog, GpuId, GpuSpec};

/// The words of a name: letters and digits that stand together, with `80g`, `80 GB` and `80gib` as the one word `80gb`.
fn words(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        let unit = ["g", "gb", "gib"].contains(&word);
        match words.last_mut() {
            Some(last) if unit && is_number(last) => last.push_str("gb"),
            _ => {
                let size = word.trim_end_matches(char::is_alphabetic);
                let sized = size.len() < word.len() && is_number(size);
                let memory = sized && ["g", "gb", "gib"].contains(&&word[size.len()..]);
                words.push(if memory { format!("{size}gb") } else { word.to_owned() });
            }
        }
    }
    words
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_memory(word: &str) -> bool {
    word.strip_suffix("gb").is_some_and(is_number)
}

/// A name without its remark in brackets.
fn bare(name: &str) -> &str {
    name.split_once('(').map_or(name, |(name, _)| name)
}

fn joined(name: &str) -> String {
    words(name).concat()
}

/// Every word that a GPU may be asked for by.
fn words_of(gpu: &GpuSpec) -> BTreeSet<String> {
    let memory = format!("{:.0}gb", gpu.memory_nominal.gib());
    words(&gpu.id).into_iter().chain(words(bare(&gpu.name))).chain([memory]).collect()
}

/// A word that a GPU has, with or without the generation that follows a form: both of `abc` and `abc5`.
fn has(own: &BTreeSet<String>, word: &str) -> bool {
    let form = word.trim_end_matches(|c: char| c.is_ascii_digit());
    own.contains(word) || (form.len() > 2 && form.len() < word.len() && own.contains(form))
}

impl Catalog {
    /// The GPUs that a name as people write it stands for; empty where it stands for none.
    pub(super) fn gpus_written(&self, name: &str) -> Vec<GpuId> {
        // Nobody writes a name with other signs: it is a slip, and not this GPU.
        let usual = |c: char| c.is_ascii_alphanumeric() || " -_/()".contains(c);
        if !name.chars().all(usual) {
            return Vec::new();
        }
        let whole = joined(name);
        let ids = || (0..self.gpus.len() as u16).map(GpuId);
        let same = |text: &str| joined(text) == whole;
        let exact: Vec<GpuId> =
            ids().filter(|&id| same(&self.gpu(id).id) || same(bare(&self.gpu(id).name))).collect();
        let group: Vec<GpuId> = ids().filter(|&id| self.gpu(id).group.as_deref().is_some_and(same)).collect();
        for found in [exact, group] {
            if !found.is_empty() {
                return found;
            }
        }
        let wanted = words(name);
        let found = self.gpus_with(&wanted);
        if !found.is_empty() {
            return found;
        }
        // Who makes it is no part of most names.
        let makers = self.makers();
        let model: Vec<String> = wanted.iter().filter(|w| !makers.contains(*w)).cloned().collect();
        let shorter = model.len() < wanted.len() && !model.is_empty();
        if shorter { self.gpus_written(&model.join(" ")) } else { Vec::new() }
    }

    /// Vendors, and the words without a digit that names begin with.
    fn makers(&self) -> BTreeSet<String> {
        let first = |name: &str| {
            let words = words(name);
            let brand = words.first().filter(|w| words.len() > 1 && w.chars().all(char::is_alphabetic));
            brand.cloned()
        };
        self.gpus.iter().flat_map(|g| words(&g.vendor).into_iter().chain(first(bare(&g.name)))).collect()
    }

    /// The GPUs that have all of these words, one of which must tell models apart: memory and form alone do not.
    fn gpus_with(&self, wanted: &[String]) -> Vec<GpuId> {
        let tells = |word: &String| {
            let (letters, digits) =
                (word.chars().any(char::is_alphabetic), word.chars().any(char::is_numeric));
            let form = word.trim_end_matches(|c: char| c.is_ascii_digit());
            digits && !is_memory(word) && (!letters || form.len() < 3 || form.len() == word.len())
        };
        if !wanted.iter().any(tells) {
            return Vec::new();
        }
        let all = (0..self.gpus.len() as u16).map(GpuId);
        let found: Vec<GpuId> = all
            .filter(|&id| {
                let own = words_of(self.gpu(id));
                wanted.iter().all(|word| has(&own, word))
            })
            .collect();
        let whole =
            |id: &&GpuId| words(&self.gpu(**id).id).iter().all(|own| wanted.iter().any(|w| has_form(w, own)));
        let exact: Vec<GpuId> = found.iter().filter(whole).copied().collect();
        if exact.is_empty() { found } else { exact }
    }
}

/// Whether a word that was asked for is this one, with or without a generation.
fn has_form(asked: &str, own: &str) -> bool {
    has(&BTreeSet::from([own.to_owned()]), asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(name: &str) -> Vec<String> {
        let catalog = Catalog::embedded().unwrap();
        catalog.expand_gpu(name).into_iter().map(|id| catalog.gpu(id).id.clone()).collect()
    }

    #[test]
    fn a_name_is_read_without_case_blanks_hyphens_and_maker() {
        for (name, id) in [
            ("A100-SXM4-80GB", "a100-sxm-80gb"),
            ("NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"),
            ("A100-PCIE-40GB", "a100-pcie-40gb"),
            ("Tesla V100-SXM2-32GB", "v100-sxm2-32gb"),
            ("H100 SXM5", "h100-sxm"),
            ("rtx 3090", "rtx-3090"),
            ("RTX3090", "rtx-3090"),
            ("GeForce RTX 4090 24GB", "rtx-4090"),
            ("4090", "rtx-4090"),
            ("910B", "ascend-910b"),
            ("A10", "a10"),
            ("L4", "l4"),
            ("Tesla T4", "t4"),
            ("H200 SXM5", "h200-sxm"),
        ] {
            assert_eq!(ids(name), [id], "{name}");
        }
    }

    #[test]
    fn what_is_left_open_stands_for_all_of_them() {
        assert_eq!(ids("A100 80GB"), ["a100-sxm-80gb", "a100-pcie-80gb"]);
        assert_eq!(ids("a100-80g"), ids("A100 80 GB"));
        assert_eq!(ids("V100 32GB"), ["v100-sxm2-32gb", "v100-sxm3-32gb", "v100-pcie-32gb"]);
        assert_eq!(ids("A100"), ids("a100"));
        assert_eq!(ids("Tesla V100"), ids("v100"));
        assert_eq!(ids("V100S"), ["v100s-pcie-32gb"]);
    }

    #[test]
    fn what_tells_no_models_apart_or_does_not_exist_stands_for_none() {
        for name in [
            "80GB",
            "SXM5",
            "RTX",
            "NVIDIA",
            "A100 48GB",
            "L40",
            "A1000",
            "",
            "-",
            "SXM 80GB",
            "a100\u{1f600}",
            "a100-sxm-80gb:",
        ] {
            assert!(ids(name).is_empty(), "{name}: {:?}", ids(name));
        }
    }
}
