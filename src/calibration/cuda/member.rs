//! One GPU as one rank of many: collectives with the GPUs of other processes, on this node and on others.
#![expect(unsafe_code, reason = "a number is copied to the device while the host waits")]

use std::time::Instant;

use super::bench::{Bench, words};
use super::driver::Buffer;
use super::group::check_rank;
use super::nccl::{Group, Nccl, Rank};
use crate::calibration::across::Member;
use crate::calibration::device::{DeviceError, DeviceFacts};
use crate::calibration::measurement::{Collective, Format};
use crate::calibration::world::ID_BYTES;
use crate::units::Seconds;

/// A GPU with its communicator.
pub(super) struct CudaMember {
    facts: DeviceFacts,
    started: Instant,
    rank: u32,
    nccl: Nccl,
    // Dropped before the context it works in.
    group: Option<Group>,
    /// Two floats: what this rank says, and the greatest of all.
    vote: Buffer,
    bench: Bench,
}

impl CudaMember {
    /// A rank that has not joined yet.
    ///
    /// # Errors
    /// Memory.
    pub fn new(facts: DeviceFacts, rank: u32, nccl: Nccl, bench: Bench) -> Result<Self, DeviceError> {
        let vote = Buffer::new(bench.context(), 8)?;
        Ok(Self { facts, started: Instant::now(), rank, nccl, group: None, vote, bench })
    }

    fn group(&self) -> Result<&Group, DeviceError> {
        self.group
            .as_ref()
            .ok_or_else(|| DeviceError::Unsupported { reason: "no group was joined".to_owned() })
    }

    fn queue(&mut self, operation: Collective, bytes: u64, repetitions: u64) -> Result<f64, DeviceError> {
        let send = self.bench.input(Format::Fp32, bytes)?.at(0);
        let receive = self.bench.output(bytes)?.at(0);
        let bench = &self.bench;
        let part = [Rank { stream: &bench.stream, send, receive }];
        bench.start.record(&bench.stream)?;
        for _ in 0..repetitions {
            self.group()?.queue(operation, bytes, &part).map_err(|reason| DeviceError::Lost { reason })?;
        }
        bench.end.record(&bench.stream)?;
        bench.finish()?;
        Ok(bench.start.seconds_until(&bench.end)?)
    }
}

impl Member for CudaMember {
    fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    fn now(&self) -> Seconds {
        Seconds::new(self.started.elapsed().as_secs_f64())
    }

    fn id(&self) -> Result<[u8; ID_BYTES], DeviceError> {
        self.nccl.unique_id().map_err(|reason| DeviceError::Launch { reason })
    }

    fn join(&mut self, ranks: u32, id: &[u8; ID_BYTES]) -> Result<(), DeviceError> {
        self.group = None;
        self.bench.context().bind()?;
        let joined = Group::join(self.nccl, id, ranks, self.rank);
        self.group = Some(joined.map_err(|reason| DeviceError::Launch { reason })?);
        Ok(())
    }

    fn reserve(&mut self, bytes: u64) -> Result<(), DeviceError> {
        self.bench.input(Format::Fp32, bytes)?;
        self.bench.output(bytes)?;
        self.bench.clear_output()?;
        self.bench.finish()
    }

    fn once(&mut self, operation: Collective, bytes: u64) -> Result<(), DeviceError> {
        self.queue(operation, bytes, 1)?;
        let ranks = self.group()?.size();
        check_rank(&self.bench, operation, (self.rank, ranks), bytes)
    }

    fn time(&mut self, operation: Collective, bytes: u64, repetitions: u64) -> Result<f64, DeviceError> {
        self.queue(operation, bytes, repetitions)
    }

    fn greatest(&mut self, own: f64) -> Result<f64, DeviceError> {
        let said = (own as f32).to_le_bytes();
        let stream = &self.bench.stream;
        // SAFETY: the bytes live until the stream is synchronised below.
        unsafe { self.vote.queue_from(0, &said, stream) }?;
        let part = Rank { stream, send: self.vote.at(0), receive: self.vote.at(4) };
        let queued = self.group()?.queue_greatest(&part).map_err(|reason| DeviceError::Lost { reason });
        // Also after a failure: the copy still reads the bytes.
        let finished = self.bench.finish();
        queued?;
        finished?;
        let heard = self.vote.read(4, 4, stream)?;
        Ok(words(&heard).next().map_or(own, |w| f64::from(f32::from_bits(w))))
    }

    fn release(&mut self) {
        self.bench.release();
    }
}
