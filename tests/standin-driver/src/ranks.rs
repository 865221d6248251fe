//! Ranks in several processes: what each says before an operation goes through a hub to all of them, so that operations
//! that do not match are seen, and every rank waits for the others as it would.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// This process among the others.
pub struct World {
    hub: TcpStream,
    pub ranks: u64,
    pub rank: u64,
}

fn send(stream: &mut TcpStream, said: &[u8]) -> io::Result<()> {
    stream.write_all(&(said.len() as u64).to_le_bytes())?;
    stream.write_all(said)
}

fn receive(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let mut said = vec![0; u64::from_le_bytes(length) as usize];
    stream.read_exact(&mut said)?;
    Ok(said)
}

/// Starts a hub in this process and gives the port that it listens on.
pub fn start_hub() -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || serve(&listener));
    Ok(port)
}

/// Everything that each says, to all, until one of them leaves.
fn serve(listener: &TcpListener) -> io::Result<()> {
    let mut members: Vec<(Vec<u8>, TcpStream)> = Vec::new();
    let mut ranks = 1;
    while (members.len() as u64) < ranks {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        let mut size = [0; 8];
        stream.read_exact(&mut size)?;
        ranks = u64::from_le_bytes(size);
        members.push((receive(&mut stream)?, stream));
    }
    members.sort_by(|a, b| a.0.cmp(&b.0));
    loop {
        let mut all = Vec::new();
        for (_, stream) in &mut members {
            all.push(receive(stream)?);
        }
        // Rank 0 comes last: the hub lives in its process, which may end as soon as it has its answer.
        for (_, stream) in members.iter_mut().rev() {
            all.iter().try_for_each(|said| send(stream, said))?;
        }
    }
}

impl World {
    /// Joins; returns when all have.
    pub fn join(port: u16, ranks: u64, rank: u64) -> io::Result<Self> {
        let mut hub = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        hub.set_nodelay(true)?;
        hub.write_all(&ranks.to_le_bytes())?;
        // Most significant byte first: the hub puts the ranks in order.
        send(&mut hub, &rank.to_be_bytes())?;
        let mut world = Self { hub, ranks, rank };
        world.exchange(b"joined")?;
        Ok(world)
    }

    /// What every rank says, by rank.
    pub fn exchange(&mut self, said: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        send(&mut self.hub, said)?;
        (0..self.ranks).map(|_| receive(&mut self.hub)).collect()
    }

    /// True when all ranks say the same.
    pub fn agree(&mut self, said: &[u8]) -> bool {
        self.exchange(said).is_ok_and(|all| all.iter().all(|other| other == said))
    }
}
