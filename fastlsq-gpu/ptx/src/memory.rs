//! The device's memory: separate allocations, far apart, poisoned.

use thiserror::Error;

/// An address is the number of an allocation and a place in it.
const PLACE_BITS: u32 = 36;
/// Fresh memory is full of this: as a double, a NaN.
const POISON: u8 = 0xff;

/// An access that a device would not survive, or should not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemoryFault {
    /// Outside of every allocation.
    #[error("access to {bytes} bytes at {address:#x}, where nothing is allocated")]
    Nowhere {
        /// The address.
        address: u64,
        /// The size of the access.
        bytes: usize,
    },
    /// Beyond the end of an allocation.
    #[error("access to {bytes} bytes at place {place} of an allocation of {size} bytes")]
    OutOfBounds {
        /// The place in the allocation.
        place: u64,
        /// The size of the access.
        bytes: usize,
        /// The size of the allocation.
        size: usize,
    },
    /// An address that is not a multiple of the size of the access.
    #[error("misaligned access to {bytes} bytes at {address:#x}")]
    Misaligned {
        /// The address.
        address: u64,
        /// The size of the access.
        bytes: usize,
    },
    /// An allocation of no bytes, or one too large for the addresses.
    #[error("an allocation of {bytes} bytes")]
    Size {
        /// The size.
        bytes: usize,
    },
}

/// Memory in separate allocations.
#[derive(Debug, Default)]
pub struct Memory {
    allocations: Vec<Option<Vec<u8>>>,
}

impl Memory {
    /// Memory without allocations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A new allocation, full of bits that read as NaN; returns its address.
    ///
    /// # Errors
    /// No bytes, or more than an address can tell apart.
    pub fn allocate(&mut self, bytes: usize) -> Result<u64, MemoryFault> {
        if bytes == 0 || bytes as u64 >= 1 << PLACE_BITS {
            return Err(MemoryFault::Size { bytes });
        }
        self.allocations.push(Some(vec![POISON; bytes]));
        Ok((self.allocations.len() as u64) << PLACE_BITS)
    }

    /// Gives an allocation back; its address is never used again.
    ///
    /// # Errors
    /// An address that is not the beginning of an allocation.
    pub fn free(&mut self, address: u64) -> Result<usize, MemoryFault> {
        let nowhere = MemoryFault::Nowhere { address, bytes: 0 };
        if address & ((1 << PLACE_BITS) - 1) != 0 {
            return Err(nowhere);
        }
        let freed = self
            .slot(address)
            .and_then(|slot| self.allocations.get_mut(slot)?.take());
        freed.map(|bytes| bytes.len()).ok_or(nowhere)
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn allocated(&self) -> usize {
        self.allocations.iter().flatten().map(Vec::len).sum()
    }

    /// The number of allocations.
    #[must_use]
    pub fn live(&self) -> usize {
        self.allocations.iter().flatten().count()
    }

    fn slot(&self, address: u64) -> Option<usize> {
        usize::try_from((address >> PLACE_BITS).checked_sub(1)?).ok()
    }

    fn locate(&self, address: u64, bytes: usize) -> Result<(usize, usize), MemoryFault> {
        let nowhere = MemoryFault::Nowhere { address, bytes };
        let slot = self.slot(address).ok_or(nowhere)?;
        let allocation = self.allocations.get(slot).and_then(Option::as_ref);
        let size = allocation.ok_or(nowhere)?.len();
        let place = address & ((1 << PLACE_BITS) - 1);
        if place.saturating_add(bytes as u64) > size as u64 {
            return Err(MemoryFault::OutOfBounds { place, bytes, size });
        }
        Ok((slot, place as usize))
    }

    /// The bytes from an address on.
    ///
    /// # Errors
    /// A range that is not inside one allocation.
    pub fn bytes(&self, address: u64, len: usize) -> Result<&[u8], MemoryFault> {
        let (slot, place) = self.locate(address, len)?;
        let allocation = self.allocations.get(slot).and_then(Option::as_ref);
        Ok(allocation.map_or(&[], |bytes| &bytes[place..place + len]))
    }

    /// The bytes from an address on, to be changed.
    ///
    /// # Errors
    /// A range that is not inside one allocation.
    pub fn bytes_mut(&mut self, address: u64, len: usize) -> Result<&mut [u8], MemoryFault> {
        let (slot, place) = self.locate(address, len)?;
        let allocation = self.allocations.get_mut(slot).and_then(Option::as_mut);
        Ok(allocation.map_or(&mut [], |bytes| &mut bytes[place..place + len]))
    }

    /// Doubles from an address on.
    ///
    /// # Errors
    /// A range that is not inside one allocation.
    pub fn read_f64(&self, address: u64, count: usize) -> Result<Vec<f64>, MemoryFault> {
        let bytes = self.bytes(address, 8 * count)?;
        let words = bytes.chunks_exact(8);
        Ok(words
            .map(|word| {
                f64::from_bits(
                    word.iter()
                        .rev()
                        .fold(0, |bits, &b| bits << 8 | u64::from(b)),
                )
            })
            .collect())
    }

    /// Puts doubles from an address on.
    ///
    /// # Errors
    /// A range that is not inside one allocation.
    pub fn write_f64(&mut self, address: u64, values: &[f64]) -> Result<(), MemoryFault> {
        let bytes = self.bytes_mut(address, 8 * values.len())?;
        for (word, value) in bytes.chunks_exact_mut(8).zip(values) {
            word.copy_from_slice(&value.to_le_bytes());
        }
        Ok(())
    }

    /// Singles from an address on.
    ///
    /// # Errors
    /// A range that is not inside one allocation.
    pub fn read_f32(&self, address: u64, count: usize) -> Result<Vec<f32>, MemoryFault> {
        let bytes = self.bytes(address, 4 * count)?;
        let words = bytes.chunks_exact(4);
        Ok(words
            .map(|word| f32::from_bits(to_word(word) as u32))
            .collect())
    }

    /// Puts singles from an address on.
    ///
    /// # Errors
    /// A range that is not inside one allocation.
    pub fn write_f32(&mut self, address: u64, values: &[f32]) -> Result<(), MemoryFault> {
        let bytes = self.bytes_mut(address, 4 * values.len())?;
        for (word, value) in bytes.chunks_exact_mut(4).zip(values) {
            word.copy_from_slice(&value.to_le_bytes());
        }
        Ok(())
    }

    /// Reads 4 or 8 bytes.
    #[inline]
    pub(crate) fn load(&self, address: u64, bytes: u32) -> Result<u64, MemoryFault> {
        let size = bytes as usize;
        if !address.is_multiple_of(u64::from(bytes)) {
            return Err(MemoryFault::Misaligned {
                address,
                bytes: size,
            });
        }
        Ok(to_word(self.bytes(address, size)?))
    }

    /// Writes 4 or 8 bytes.
    #[inline]
    pub(crate) fn store(
        &mut self,
        address: u64,
        bytes: u32,
        value: u64,
    ) -> Result<(), MemoryFault> {
        let size = bytes as usize;
        if !address.is_multiple_of(u64::from(bytes)) {
            return Err(MemoryFault::Misaligned {
                address,
                bytes: size,
            });
        }
        let target = self.bytes_mut(address, size)?;
        target.copy_from_slice(&value.to_le_bytes()[..size]);
        Ok(())
    }
}

/// Four or eight bytes, the lowest first.
#[inline]
pub(crate) fn to_word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_stay_inside_their_allocation() {
        let mut memory = Memory::new();
        let (a, b) = (memory.allocate(16).unwrap(), memory.allocate(8).unwrap());
        memory.write_f64(a, &[1.5, -2.0]).unwrap();
        assert_eq!(memory.read_f64(a, 2).unwrap(), [1.5, -2.0]);
        assert!(memory.read_f64(b, 1).unwrap()[0].is_nan());
        assert!(matches!(
            memory.load(a + 16, 8),
            Err(MemoryFault::OutOfBounds {
                place: 16,
                bytes: 8,
                size: 16
            })
        ));
        assert!(matches!(
            memory.load(a + 4, 8),
            Err(MemoryFault::Misaligned { .. })
        ));
        assert!(matches!(
            memory.load(8, 8),
            Err(MemoryFault::Nowhere { .. })
        ));
        assert_eq!((memory.live(), memory.allocated()), (2, 24));
        assert!(memory.free(a + 8).is_err());
        assert_eq!(memory.free(a), Ok(16));
        assert!(memory.free(a).is_err() && memory.load(a, 8).is_err());
        assert!(memory.allocate(0).is_err());
    }
}
