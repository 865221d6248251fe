//! From the nodes of a file to the blocks of a workload.
//!
//! A block ends where one tensor alone goes on (behind a residual block, between the layers of a plain network). Where
//! that never happens, as in networks with long skips, every product or convolution begins one: recomputation in the
//! backward pass starts from what a block reads.

use std::collections::{BTreeMap, BTreeSet};

use super::context::Piece;
use crate::workload::Block;

/// A block with more products than this is divided.
const MOST_PRODUCTS: usize = 12;

/// Puts the pieces into blocks, in order.
pub(super) fn blocks(pieces: Vec<Piece>) -> Vec<Block> {
    let last_read = last_reads(&pieces);
    let mut stored = BTreeSet::new();
    let mut counted = BTreeSet::new();
    let mut done = Vec::new();
    for run in runs(pieces, &last_read) {
        let mut block = Block { repeat: 1, ..Block::empty("layers") };
        let inside: BTreeSet<String> = run.iter().flat_map(|p| p.writes.iter().cloned()).collect();
        for piece in run {
            block.parameters += piece.parameters;
            block.operators.extend(piece.operators);
            for (memory, elements) in piece.reads {
                if !inside.contains(&memory) && stored.insert(memory) {
                    block.input_elements += elements;
                }
            }
            for (memory, saved) in piece.saved {
                if counted.insert(memory) {
                    block.saved.push(saved);
                }
            }
        }
        done.push(block);
    }
    done
}

/// The last place that reads each memory.
fn last_reads(pieces: &[Piece]) -> BTreeMap<String, usize> {
    let mut last = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        last.extend(piece.reads.keys().map(|memory| (memory.clone(), at)));
    }
    last
}

/// Runs of pieces that belong together.
fn runs(pieces: Vec<Piece>, last_read: &BTreeMap<String, usize>) -> Vec<Vec<Piece>> {
    let mut alive = BTreeSet::new();
    let mut runs = Vec::new();
    let mut run = Vec::new();
    for (at, piece) in pieces.into_iter().enumerate() {
        let read: Vec<String> = piece.reads.keys().cloned().collect();
        alive.extend(read.iter().cloned());
        alive.extend(piece.writes.iter().filter(|memory| last_read.contains_key(*memory)).cloned());
        alive.retain(|memory| last_read.get(memory).is_some_and(|last| *last > at));
        run.push(piece);
        if alive.len() <= 1 && run.iter().any(|p: &Piece| p.weighted) {
            runs.extend(divided(std::mem::take(&mut run)));
        }
    }
    runs.extend(divided(run));
    runs
}

fn divided(run: Vec<Piece>) -> Vec<Vec<Piece>> {
    if run.is_empty() {
        return Vec::new();
    }
    if run.iter().filter(|p| p.weighted).count() <= MOST_PRODUCTS {
        return vec![run];
    }
    let mut parts: Vec<Vec<Piece>> = Vec::new();
    for piece in run {
        match parts.last_mut() {
            Some(part) if !piece.weighted => part.push(piece),
            _ => parts.push(vec![piece]),
        }
    }
    parts
}
