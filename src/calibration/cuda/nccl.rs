//! Collectives through NCCL, by our own loader: its file name is one that cudarc does not try.
#![expect(unsafe_code, reason = "calls of NCCL")]

use std::ffi::{CStr, c_char, c_int, c_void};

use super::driver::Stream;
use super::library::{self, Opened};
use crate::calibration::measurement::Collective;
use crate::calibration::opening::{LibraryProbe, LibrarySearch};
use crate::calibration::world::ID_BYTES;

type Handle = *mut c_void;
type Reduce =
    unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Handle, *mut c_void) -> c_int;
type Gather = unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, Handle, *mut c_void) -> c_int;
type Point = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Handle, *mut c_void) -> c_int;

/// ncclDataType_t: 32-bit floats. ncclRedOp_t: sum, greatest.
const FLOAT: c_int = 7;
const SUM: c_int = 0;
const GREATEST: c_int = 2;

/// ncclUniqueId, which is passed by value.
#[repr(C)]
#[derive(Clone, Copy)]
struct UniqueId([u8; ID_BYTES]);

/// The functions of NCCL that are used.
#[derive(Debug, Clone, Copy)]
pub struct Nccl {
    version: i64,
    unique_id: unsafe extern "C" fn(*mut UniqueId) -> c_int,
    init_rank: unsafe extern "C" fn(*mut Handle, c_int, UniqueId, c_int) -> c_int,
    init_all: unsafe extern "C" fn(*mut Handle, c_int, *const c_int) -> c_int,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
    words: unsafe extern "C" fn(c_int) -> *const c_char,
    group_start: unsafe extern "C" fn() -> c_int,
    group_end: unsafe extern "C" fn() -> c_int,
    all_reduce: Reduce,
    reduce_scatter: Reduce,
    all_gather: Gather,
    send: Point,
    receive: Point,
}

impl Nccl {
    /// Looks for the library.
    pub fn find(search: &LibrarySearch) -> (LibraryProbe, Option<Self>) {
        let (mut probe, nccl) = library::find(&library::NCCL, search, |opened, _| {
            Self::of(opened).map_err(|symbol| format!("lacks {symbol}"))
        });
        probe.version = nccl.map(Self::version);
        (probe, nccl)
    }

    fn of(opened: Opened) -> Result<Self, &'static str> {
        // SAFETY: the types are those of nccl.h since version 2.7; enumerations are passed as `int`.
        unsafe {
            let version: unsafe extern "C" fn(*mut c_int) -> c_int = opened.function("ncclGetVersion")?;
            let mut number: c_int = 0;
            let _ = version(&raw mut number);
            Ok(Self {
                version: i64::from(number),
                unique_id: opened.function("ncclGetUniqueId")?,
                init_rank: opened.function("ncclCommInitRank")?,
                init_all: opened.function("ncclCommInitAll")?,
                destroy: opened.function("ncclCommDestroy")?,
                words: opened.function("ncclGetErrorString")?,
                group_start: opened.function("ncclGroupStart")?,
                group_end: opened.function("ncclGroupEnd")?,
                all_reduce: opened.function("ncclAllReduce")?,
                reduce_scatter: opened.function("ncclReduceScatter")?,
                all_gather: opened.function("ncclAllGather")?,
                send: opened.function("ncclSend")?,
                receive: opened.function("ncclRecv")?,
            })
        }
    }

    /// `2.21.5` of 22105, and `2.7.8` of 2708: the number grew a digit with 2.9.
    pub fn version(self) -> String {
        let major = if self.version < 10_000 { 1000 } else { 10_000 };
        format!("{}.{}.{}", self.version / major, self.version % major / 100, self.version % 100)
    }

    /// An id for a new group of ranks; the library listens for them in this process from now on.
    ///
    /// # Errors
    /// The library's words.
    pub fn unique_id(self) -> Result<[u8; ID_BYTES], String> {
        let mut id = UniqueId([0; ID_BYTES]);
        // SAFETY: the pointer is valid for the call.
        self.check("ncclGetUniqueId", unsafe { (self.unique_id)(&raw mut id) })?;
        Ok(id.0)
    }

    fn check(self, call: &str, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: any code is allowed; the text is static, or null.
        let text = unsafe { (self.words)(code) };
        // SAFETY: not null, so static text of the library.
        let words = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
        Err(format!("{} ({call})", words.unwrap_or_else(|| format!("status {code}"))))
    }
}

/// Communicators of a group in this process: of the first devices of the host, or of one rank among other processes'.
#[derive(Debug)]
pub struct Group {
    nccl: Nccl,
    ranks: Vec<Handle>,
    /// Number of the first of them in the group, and how many ranks the group has.
    first: usize,
    size: usize,
}

/// What one rank brings to an operation.
pub struct Rank<'a> {
    /// Its stream.
    pub stream: &'a Stream,
    /// Address of what it sends.
    pub send: u64,
    /// Address of what it receives.
    pub receive: u64,
}

impl Group {
    /// Starts the library on the devices; takes seconds.
    ///
    /// # Errors
    /// The library's words.
    pub fn new(nccl: Nccl, devices: &[u32]) -> Result<Self, String> {
        let list: Vec<c_int> = devices.iter().map(|&d| d as c_int).collect();
        let mut ranks: Vec<Handle> = vec![std::ptr::null_mut(); list.len()];
        // SAFETY: both lists have the length that is given.
        let code = unsafe { (nccl.init_all)(ranks.as_mut_ptr(), list.len() as c_int, list.as_ptr()) };
        nccl.check("ncclCommInitAll", code)?;
        Ok(Self { nccl, first: 0, size: ranks.len(), ranks })
    }

    /// Joins a group of `ranks` processes as number `rank`; returns when all have joined. The device of the current
    /// context takes part.
    ///
    /// # Errors
    /// The library's words.
    pub fn join(nccl: Nccl, id: &[u8; ID_BYTES], ranks: u32, rank: u32) -> Result<Self, String> {
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: the pointer is valid for the call; the id is one that `unique_id` gave in some process.
        let code = unsafe { (nccl.init_rank)(&raw mut handle, ranks as c_int, UniqueId(*id), rank as c_int) };
        nccl.check("ncclCommInitRank", code)?;
        Ok(Self { nccl, ranks: vec![handle], first: rank as usize, size: ranks as usize })
    }

    /// Number of ranks.
    pub const fn size(&self) -> u32 {
        self.size as u32
    }

    /// Queues one float of this process's only rank; what it receives is the greatest of all ranks'.
    ///
    /// # Errors
    /// The library's words.
    pub fn queue_greatest(&self, part: &Rank<'_>) -> Result<(), String> {
        let Some(&handle) = self.ranks.first() else { return Ok(()) };
        let address = |at: u64| std::ptr::without_provenance_mut::<c_void>(at as usize);
        let (send, receive, stream) =
            (address(part.send), address(part.receive), part.stream.handle().cast());
        // SAFETY: both addresses are device memory for one float, the stream is one of this device.
        let code = unsafe { (self.nccl.all_reduce)(send, receive, 1, FLOAT, GREATEST, handle, stream) };
        self.nccl.check("ncclAllReduce", code)
    }

    /// Queues an operation of `bytes`, as nccl-tests counts them: what a rank sends in an all-reduce, an all-to-all, a
    /// reduce-scatter or to its successor, and what it receives in an all-gather.
    ///
    /// # Errors
    /// The library's words.
    pub fn queue(&self, operation: Collective, bytes: u64, parts: &[Rank<'_>]) -> Result<(), String> {
        // SAFETY: no arguments.
        self.nccl.check("ncclGroupStart", unsafe { (self.nccl.group_start)() })?;
        let mut queued = Ok(());
        for (place, (&handle, part)) in (self.first..).zip(self.ranks.iter().zip(parts)) {
            queued = queued.and_then(|()| self.queue_rank(operation, bytes, place, handle, part));
        }
        // SAFETY: as above; a started group is always ended.
        let ended = self.nccl.check("ncclGroupEnd", unsafe { (self.nccl.group_end)() });
        queued.and(ended)
    }

    fn queue_rank(
        &self,
        operation: Collective,
        bytes: u64,
        place: usize,
        handle: Handle,
        part: &Rank<'_>,
    ) -> Result<(), String> {
        let nccl = &self.nccl;
        let n = self.size;
        let (whole, share) = ((bytes / 4) as usize, (bytes / 4) as usize / n);
        let address = |at: u64| std::ptr::without_provenance_mut::<c_void>(at as usize);
        let stream = part.stream.handle().cast();
        let (send, receive) = (address(part.send), address(part.receive));
        // SAFETY: every rank brings device memory for `bytes` on each side and a stream of its device.
        unsafe {
            match operation {
                Collective::AllReduce => {
                    let code = (nccl.all_reduce)(send, receive, whole, FLOAT, SUM, handle, stream);
                    nccl.check("ncclAllReduce", code)
                }
                Collective::ReduceScatter => {
                    let code = (nccl.reduce_scatter)(send, receive, share, FLOAT, SUM, handle, stream);
                    nccl.check("ncclReduceScatter", code)
                }
                Collective::AllGather => {
                    let code = (nccl.all_gather)(send, receive, share, FLOAT, handle, stream);
                    nccl.check("ncclAllGather", code)
                }
                Collective::AllToAll => {
                    for peer in 0..n {
                        let offset = (peer * share * 4) as u64;
                        let (from, to) = (address(part.send + offset), address(part.receive + offset));
                        let sent = (nccl.send)(from, share, FLOAT, peer as c_int, handle, stream);
                        nccl.check("ncclSend", sent)?;
                        let received = (nccl.receive)(to, share, FLOAT, peer as c_int, handle, stream);
                        nccl.check("ncclRecv", received)?;
                    }
                    Ok(())
                }
                Collective::SendReceive => {
                    let (next, before) = ((place + 1) % n, (place + n - 1) % n);
                    let sent = (nccl.send)(send, whole, FLOAT, next as c_int, handle, stream);
                    nccl.check("ncclSend", sent)?;
                    let received = (nccl.receive)(receive, whole, FLOAT, before as c_int, handle, stream);
                    nccl.check("ncclRecv", received)
                }
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for &rank in &self.ranks {
            // SAFETY: made by `new`.
            let _ = unsafe { (self.nccl.destroy)(rank) };
        }
    }
}
