//! What one more stone makes of the four lines through a cell together.

use super::class::Class;

/// What a stone on a cell is worth to a side by the [classes](Class) of the four lines through
/// it. Those from [`OpenThree`](CellKind::OpenThree) on are threats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CellKind {
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

impl CellKind {
    /// All kinds, lowest first.
    pub const ALL: [CellKind; 16] = [
        CellKind::Nothing,
        CellKind::One,
        CellKind::Two,
        CellKind::OpenTwo,
        CellKind::OpenTwos,
        CellKind::Three,
        CellKind::ThreeTwo,
        CellKind::Threes,
        CellKind::OpenThree,
        CellKind::OpenThrees,
        CellKind::Four,
        CellKind::FourThree,
        CellKind::OpenFour,
        CellKind::Five,
        CellKind::Suspect,
        CellKind::Forbidden,
    ];

    /// The kind with this number, below 16.
    #[inline]
    pub fn from_number(number: u8) -> CellKind {
        Self::ALL[usize::from(number & 15)]
    }

    /// What these classes make together, one for each direction. `restricted`: black's in renju.
    pub fn of(classes: [Class; 4], restricted: bool) -> CellKind {
        let count = |class| classes.iter().filter(|&&it| it == class).count();
        if count(Class::Five) > 0 {
            return CellKind::Five;
        }
        let fours = classes.iter().filter(|class| class.is_four()).count();
        let [open_threes, threes, open_twos] =
            [Class::OpenThree, Class::Three, Class::OpenTwo].map(count);
        if restricted {
            if fours > 1 || count(Class::Overline) + count(Class::TwinFour) > 0 {
                return CellKind::Forbidden;
            }
            if open_threes > 1 {
                return CellKind::Suspect;
            }
        }
        match (fours, open_threes, threes, open_twos) {
            (2.., ..) => CellKind::OpenFour,
            (1, ..) if count(Class::Four) == 0 => CellKind::OpenFour,
            (1, 1.., ..) => CellKind::FourThree,
            (1, ..) => CellKind::Four,
            (_, 2.., ..) => CellKind::OpenThrees,
            (_, 1, ..) => CellKind::OpenThree,
            (_, _, 2.., _) => CellKind::Threes,
            (_, _, 1, 1..) => CellKind::ThreeTwo,
            (_, _, 1, _) => CellKind::Three,
            (_, _, _, 2..) => CellKind::OpenTwos,
            (_, _, _, 1) => CellKind::OpenTwo,
            _ if count(Class::Two) > 0 => CellKind::Two,
            _ if count(Class::One) > 0 => CellKind::One,
            _ => CellKind::Nothing,
        }
    }
}

/// The kind for every four classes: four bits each, the first direction lowest.
pub fn kinds(restricted: bool) -> Box<[u8; 1 << 16]> {
    let kind = |code: u32| {
        let class = |direction: u32| Class::from_number((code >> (4 * direction) & 15) as u8);
        CellKind::of([0, 1, 2, 3].map(class), restricted) as u8
    };
    let table: Vec<u8> = (0..1 << 16).map(kind).collect();
    let table = table.into_boxed_slice().try_into();
    table.unwrap_or_else(|_| Box::new([0; 1 << 16]))
}
