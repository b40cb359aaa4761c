//! The types that options have: how a value is read, written and bounded.

use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;

/// A type of options.
pub trait Value: Sized {
    /// What bounds the values, beyond their type.
    type Range;

    /// The value that people write so, if it is within the range.
    fn read(text: &str, range: &Self::Range) -> Option<Self>;

    /// The value as [`read`](Value::read) takes it.
    fn write(&self) -> String;

    /// The values allowed, for people.
    fn describe(range: &Self::Range) -> String;
}

/// All values of the type are allowed.
pub struct Any;

macro_rules! number {
    ($Number:ty, $describe:path) => {
        impl Value for $Number {
            type Range = RangeInclusive<$Number>;

            fn read(text: &str, range: &Self::Range) -> Option<$Number> {
                text.parse().ok().filter(|value| range.contains(value))
            }

            fn write(&self) -> String {
                self.to_string()
            }

            fn describe(range: &Self::Range) -> String {
                $describe(range)
            }
        }
    };
}

number!(f32, numbers);
number!(u32, whole_numbers);
number!(u64, whole_numbers);

/// A limit: 0 is none.
impl Value for Option<u64> {
    type Range = RangeInclusive<u64>;

    fn read(text: &str, range: &Self::Range) -> Option<Option<u64>> {
        match text.parse().ok()? {
            0 => Some(None),
            value => range.contains(&value).then_some(Some(value)),
        }
    }

    fn write(&self) -> String {
        self.unwrap_or(0).to_string()
    }

    fn describe(range: &Self::Range) -> String {
        format!("{}, or 0 for no limit", whole_numbers(range))
    }
}

impl Value for bool {
    type Range = Any;

    fn read(text: &str, _: &Any) -> Option<bool> {
        match text {
            "true" | "on" => Some(true),
            "false" | "off" => Some(false),
            _ => None,
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }

    fn describe(_: &Any) -> String {
        "true or false (on or off)".to_owned()
    }
}

/// One of a few, named as in the code, but in lower case.
pub trait Named: Copy + Debug + 'static {
    /// All of them, in the order in which they are listed.
    const ALL: &'static [Self];
}

impl<T: Named> Value for T {
    type Range = Any;

    fn read(text: &str, _: &Any) -> Option<T> {
        T::ALL.iter().copied().find(|value| value.write() == text)
    }

    fn write(&self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn describe(_: &Any) -> String {
        let names: Vec<_> = T::ALL.iter().map(Value::write).collect();
        match names.split_last() {
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

const MIB: u64 = 1 << 20;

/// The memory of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// What is usual, as nobody asked for another.
    Usual,
    /// A number of bytes.
    Bytes(u64),
}

impl Memory {
    /// The bytes of [`Usual`](Memory::Usual).
    const USUAL: u64 = 64 * MIB;

    /// How many bytes they are.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Memory::Usual => Memory::USUAL,
            Memory::Bytes(bytes) => bytes,
        }
    }

    /// The same where no more than these bytes can be had. All of them are usual then.
    #[must_use]
    pub fn within(self, granted: u64) -> Memory {
        match self {
            Memory::Usual => Memory::Bytes(granted),
            Memory::Bytes(bytes) => Memory::Bytes(bytes.min(granted)),
        }
    }
}

/// In MiB.
impl Value for Memory {
    type Range = RangeInclusive<u64>;

    fn read(text: &str, range: &Self::Range) -> Option<Memory> {
        u64::read(text, range).map(|mib| Memory::Bytes(mib * MIB))
    }

    fn write(&self) -> String {
        self.bytes().div_ceil(MIB).to_string()
    }

    fn describe(range: &Self::Range) -> String {
        whole_numbers(range)
    }
}

fn numbers(range: &RangeInclusive<f32>) -> String {
    format!("a number {}..{}", range.start(), range.end())
}

fn whole_numbers<T: Display + Into<u64> + Copy>(range: &RangeInclusive<T>) -> String {
    match (*range.end()).into() {
        u64::MAX => format!("a whole number from {}", range.start()),
        most => format!("a whole number {}..{most}", range.start()),
    }
}
