//! What one more stone makes of the four lines through a cell together.

use super::class::Class;

/// What a stone on a cell is worth to a side by the [classes](Class) of the four lines through
/// it. Those from [`OpenThree`](Kind::OpenThree) on are threats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// No line can win.
    #[default]
    Nothing,
    /// A first stone of a row.
    One,
    /// A second stone.
    Two,
    /// An open two.
    OpenTwo,
    /// Two open twos or more.
    OpenTwos,
    /// A three that is stopped on one side.
    Three,
    /// Such a three and an open two.
    ThreeTwo,
    /// Two such threes or more.
    Threes,
    /// An open three.
    OpenThree,
    /// Two open threes or more.
    OpenThrees,
    /// A four, which one stone stops.
    Four,
    /// A four and an open three.
    FourThree,
    /// Fours that no single stone stops.
    OpenFour,
    /// A win.
    Five,
    /// Black in renju: two open threes or more, which are forbidden if they are real. It may be a
    /// four as well.
    Suspect,
    /// Black in renju: an overline or two fours, which are forbidden.
    Forbidden,
}

impl Kind {
    /// All kinds, lowest first.
    pub const ALL: [Kind; 16] = [
        Kind::Nothing,
        Kind::One,
        Kind::Two,
        Kind::OpenTwo,
        Kind::OpenTwos,
        Kind::Three,
        Kind::ThreeTwo,
        Kind::Threes,
        Kind::OpenThree,
        Kind::OpenThrees,
        Kind::Four,
        Kind::FourThree,
        Kind::OpenFour,
        Kind::Five,
        Kind::Suspect,
        Kind::Forbidden,
    ];

    /// The kind with this number, below 16.
    #[inline]
    pub fn from_number(number: u8) -> Kind {
        Self::ALL[usize::from(number & 15)]
    }

    /// What these classes make together, one for each direction. `restricted`: black's in renju.
    pub fn of(classes: [Class; 4], restricted: bool) -> Kind {
        let count = |class| classes.iter().filter(|&&it| it == class).count();
        if count(Class::Five) > 0 {
            return Kind::Five;
        }
        let fours = classes.iter().filter(|class| class.is_four()).count();
        let [open_threes, threes, open_twos] =
            [Class::OpenThree, Class::Three, Class::OpenTwo].map(count);
        if restricted {
            if fours > 1 || count(Class::Overline) + count(Class::TwinFour) > 0 {
                return Kind::Forbidden;
            }
            if open_threes > 1 {
                return Kind::Suspect;
            }
        }
        match (fours, open_threes, threes, open_twos) {
            (2.., ..) => Kind::OpenFour,
            (1, ..) if count(Class::Four) == 0 => Kind::OpenFour,
            (1, 1.., ..) => Kind::FourThree,
            (1, ..) => Kind::Four,
            (_, 2.., ..) => Kind::OpenThrees,
            (_, 1, ..) => Kind::OpenThree,
            (_, _, 2.., _) => Kind::Threes,
            (_, _, 1, 1..) => Kind::ThreeTwo,
            (_, _, 1, _) => Kind::Three,
            (_, _, _, 2..) => Kind::OpenTwos,
            (_, _, _, 1) => Kind::OpenTwo,
            _ if count(Class::Two) > 0 => Kind::Two,
            _ if count(Class::One) > 0 => Kind::One,
            _ => Kind::Nothing,
        }
    }
}

/// The kind for every four classes: four bits each, the first direction lowest.
pub fn kinds(restricted: bool) -> Box<[u8; 1 << 16]> {
    let kind = |code: u32| {
        let class = |direction: u32| Class::from_number((code >> (4 * direction) & 15) as u8);
        Kind::of([0, 1, 2, 3].map(class), restricted) as u8
    };
    let table: Vec<u8> = (0..1 << 16).map(kind).collect();
    let table = table.into_boxed_slice().try_into();
    table.unwrap_or_else(|_| Box::new([0; 1 << 16]))
}
