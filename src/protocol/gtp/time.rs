//! The commands that agree on the time, and tell what is left of it.

use super::clock::{GtpClock, Terms};
use super::error::GtpError;
use super::words::parse_colour;
use std::time::Duration;

/// The clocks of `kata-time_settings`.
pub const CLOCKS: &str = "none absolute canadian fischer fischer-capped";

/// `time_settings`.
pub fn agree_on_time(clock: &mut GtpClock, words: &[&str]) -> Result<(), GtpError> {
    let usage = || GtpError::Syntax("time_settings main period stones");
    let &[main, period, stones] = words else {
        return Err(usage());
    };
    let main = parse_term(main).ok_or_else(usage)?;
    let period = parse_term(period).ok_or_else(usage)?;
    let stones = stones.parse().map_err(|_| usage())?;
    clock.agree(Terms::canadian(main, period, stones));
    Ok(())
}

/// `kata-time_settings`: KataGo's commands for the clocks that Go does not have. Less than
/// no time for a cap means no cap.
pub fn agree_on_clock(clock: &mut GtpClock, words: &[&str]) -> Result<(), GtpError> {
    const USAGE: GtpError = GtpError::Syntax(
        "kata-time_settings none, absolute main, canadian main period stones, \
         fischer main increment, or fischer-capped main increment limit per-move",
    );
    let seconds = |text: &str| parse_term(text).ok_or(USAGE);
    let cap = |text: &str| match text.starts_with('-') {
        true => Ok(None),
        false => seconds(text).map(Some),
    };
    let terms = match *words {
        ["none"] => None,
        ["absolute", main] => Terms::canadian(seconds(main)?, Duration::ZERO, 0),
        ["canadian", main, period, stones] => {
            let stones = stones.parse().map_err(|_| USAGE)?;
            Terms::canadian(seconds(main)?, seconds(period)?, stones)
        }
        ["fischer", main, increment] => Some(Terms::fischer(seconds(main)?, seconds(increment)?)),
        ["fischer-capped", main, increment, limit, per_move] => Some(Terms {
            most_left: cap(limit)?,
            per_move: cap(per_move)?,
            ..Terms::fischer(seconds(main)?, seconds(increment)?)
        }),
        _ => return Err(USAGE),
    };
    clock.agree(terms);
    Ok(())
}

/// `time_left`.
pub fn set_time_left(clock: &mut GtpClock, words: &[&str]) -> Result<(), GtpError> {
    let usage = || GtpError::Syntax("time_left colour time stones");
    let &[side, time, stones] = words else {
        return Err(usage());
    };
    let side = parse_colour(side)?;
    let time = parse_seconds(time).ok_or_else(usage)?;
    let stones = stones.parse().map_err(|_| usage())?;
    clock.set_left(side, time, stones);
    Ok(())
}

/// Seconds, whole or with a fraction; less than none is none. `None`: not a time.
fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    let seconds = if seconds < 0.0 { 0.0 } else { seconds };
    Duration::try_from_secs_f64(seconds).ok()
}

/// A time that is agreed on, which is never less than none.
fn parse_term(text: &str) -> Option<Duration> {
    parse_seconds(text).filter(|_| !text.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_no_time() {
        for (text, time) in [
            ("1.5", Some(Duration::from_millis(1500))),
            ("-3", Some(Duration::ZERO)),
            ("nan", None),
            ("inf", None),
            ("1e30", None),
            ("soon", None),
        ] {
            assert_eq!(parse_seconds(text), time, "{text}");
        }
        for (text, time) in [("0.5", Some(Duration::from_millis(500))), ("-3", None)] {
            assert_eq!(parse_term(text), time, "{text}");
        }
    }
}
