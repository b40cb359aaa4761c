//! The date and the time of day, for the records of games.

use std::time::Duration;

const SECONDS_A_DAY: u64 = 86_400;

/// The moment so long after the beginning of 1970, as `2026-11-23T22:05:09Z` (ISO 8601, UTC).
#[must_use]
pub fn utc(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (year, month, day) = civil(seconds / SECONDS_A_DAY);
    let second = seconds % SECONDS_A_DAY;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day by the Gregorian calendar, of a day counted from the first of 1970. Years
/// are counted from March, so that a leap day comes last ("chrono-Compatible Low-Level Date
/// Algorithms" by Hinnant, `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    const DAYS_BEFORE_1970: u64 = 719_468; // since the first of March of year 0
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let days = days + DAYS_BEFORE_1970;
    let era = days / DAYS_OF_400_YEARS;
    let day = days % DAYS_OF_400_YEARS;
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (400 * era + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `date -u -d @SECONDS` of GNU writes them.
    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(Duration::from_secs(seconds)), date);
        }
    }
}
