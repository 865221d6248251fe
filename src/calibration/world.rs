//! The place of this process among the ranks of a launcher: one process and one GPU a rank, nodes with consecutive
//! ranks.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes of the id that the ranks of a communicator share.
pub const ID_BYTES: usize = 128;

/// How long between two looks at a file that another rank writes.
const LOOK: Duration = Duration::from_millis(50);

/// One of the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct World {
    rank: u32,
    size: u32,
    per_node: u32,
}

impl World {
    /// Rank `rank` of `size`, on nodes of `per_node` ranks each, where it is number `local`.
    ///
    /// # Errors
    /// What does not fit together, in words.
    pub fn new(rank: u32, size: u32, per_node: u32, local: u32) -> Result<Self, String> {
        if size < 2 || rank >= size {
            return Err(format!("rank {rank} of {size}: two ranks or more are needed, numbered from 0"));
        }
        if per_node == 0 || !size.is_multiple_of(per_node) {
            return Err(format!(
                "{size} ranks on nodes of {per_node}: every node needs as many as the others"
            ));
        }
        if rank % per_node != local {
            return Err(format!(
                "rank {rank} is number {local} of its node and not {}: nodes need consecutive ranks, such as by \
                 srun --distribution=block",
                rank % per_node
            ));
        }
        Ok(Self { rank, size, per_node })
    }

    /// Its number.
    pub const fn rank(self) -> u32 {
        self.rank
    }

    /// Ranks of a node.
    pub const fn per_node(self) -> u32 {
        self.per_node
    }

    /// All nodes.
    pub const fn nodes(self) -> u32 {
        self.size / self.per_node
    }

    /// Group sizes to measure over: the ranks of 2, 4, 8 ... nodes, and all.
    ///
    /// ```
    /// use gpu_advisor::calibration::world::World;
    /// // Six nodes of eight.
    /// assert_eq!(World::new(9, 48, 8, 1).unwrap().groups(), [16, 32, 48]);
    /// ```
    pub fn groups(self) -> Vec<u32> {
        let powers = (1..).map(|power| 1_u32 << power).take_while(|&nodes| nodes < self.nodes());
        powers.chain([self.nodes()]).map(|nodes| nodes * self.per_node).collect()
    }
}

/// Why the ranks did not meet.
#[derive(Debug, thiserror::Error)]
pub enum MeetingError {
    /// The file of an earlier run: other ranks may have read it.
    #[error("{} is there already: remove it, or give another --rendezvous", .0.display())]
    Stale(PathBuf),
    /// Rank 0 wrote nothing.
    #[error(
        "rank 0 wrote no {} within {seconds} s: does every rank run, and do all nodes share the folder?",
        path.display()
    )]
    NobodyThere {
        /// The file.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}

/// Where the ranks hand over what they must share: files in a folder of all nodes.
#[derive(Debug, Clone)]
pub struct Rendezvous {
    /// Start of the files' names.
    pub path: PathBuf,
    /// How long to wait for rank 0.
    pub patience: Duration,
}

impl Rendezvous {
    fn file(&self, ranks: u32) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".{ranks}"));
        PathBuf::from(name)
    }

    /// Rank 0 publishes the id of a group.
    ///
    /// # Errors
    /// When the file is there already or cannot be written.
    pub fn publish(&self, ranks: u32, id: &[u8; ID_BYTES]) -> Result<(), MeetingError> {
        let path = self.file(ranks);
        if path.exists() {
            return Err(MeetingError::Stale(path));
        }
        // Under another name first: who sees the file sees all of it.
        let mut name = path.clone().into_os_string();
        name.push(".part");
        let part = PathBuf::from(name);
        let written = std::fs::write(&part, id).and_then(|()| std::fs::rename(&part, &path));
        written.map_err(|source| MeetingError::Unwritable { path, source })
    }

    /// The others wait for it.
    ///
    /// # Errors
    /// When it does not come in time.
    pub fn wait(&self, ranks: u32) -> Result<[u8; ID_BYTES], MeetingError> {
        let path = self.file(ranks);
        let start = Instant::now();
        loop {
            if let Some(id) = read(&path) {
                return Ok(id);
            }
            if start.elapsed() >= self.patience {
                return Err(MeetingError::NobodyThere { path, seconds: self.patience.as_secs() });
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Rank 0 takes the id away when all have joined.
    pub fn clear(&self, ranks: u32) {
        let _ = std::fs::remove_file(self.file(ranks));
    }
}

fn read(path: &Path) -> Option<[u8; ID_BYTES]> {
    std::fs::read(path).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_that_do_not_fit_together_are_told_so() {
        let wrong = |rank, size, per_node, local| World::new(rank, size, per_node, local).unwrap_err();
        assert!(wrong(0, 1, 1, 0).contains("two ranks or more"));
        assert!(wrong(4, 4, 2, 0).contains("rank 4 of 4"));
        assert!(wrong(1, 5, 2, 1).contains("as many as the others"));
        assert!(wrong(1, 4, 2, 0).contains("consecutive"));
    }

    #[test]
    fn an_id_goes_from_rank_0_to_the_others_and_an_old_one_to_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let meeting = Rendezvous { path: folder.path().join("id"), patience: Duration::ZERO };
        assert!(matches!(meeting.wait(4), Err(MeetingError::NobodyThere { .. })));
        meeting.publish(4, &[7; ID_BYTES]).unwrap();
        assert_eq!(meeting.wait(4).unwrap(), [7; ID_BYTES]);
        assert!(matches!(meeting.publish(4, &[8; ID_BYTES]), Err(MeetingError::Stale(_))));
        meeting.clear(4);
        meeting.publish(4, &[8; ID_BYTES]).unwrap();
    }
}
