//! Solutions of the root by knowledge.

use super::*;

/// Never solves anything, but tries as long as it may.
#[derive(Clone, Default)]
struct Tireless {
    tries: Arc<AtomicU64>,
    /// When it last asked whether to go on, and was told to.
    granted: Arc<Mutex<Option<Instant>>>,
}

impl Knowledge<Fill> for Tireless {
    type Trace = ();

    fn solve(&self, _: &Fill, effort: &Effort<'_>) -> Option<Solution> {
        loop {
            let asked = clock::now();
            if (effort.expired)() {
                return None;
            }
            self.tries.fetch_add(1, Ordering::Relaxed);
            *self.granted.lock().unwrap() = Some(asked);
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_solver_leaves_time_for_the_search() {
    let knowledge = Tireless::default();
    let mut search = Search::new(Fill::new(20), knowledge.clone(), SearchOptions::default());
    let budget = Some(Budget {
        soft: Duration::from_millis(200),
        hard: Duration::from_millis(200),
    });
    let limits = Limits {
        budget,
        ..Limits::unlimited(clock::now())
    };
    let report = search.run(&limits, &StopFlag::new(), &mut no_info);
    // The first are granted even on a machine that stands still.
    let tries = knowledge.tries.load(Ordering::Relaxed);
    let last = knowledge.granted.lock().unwrap().unwrap();
    let until = limits.since + Duration::from_millis(50);
    assert!(tries <= 16 || last < until);
    assert!(report.playouts > 0);
    assert_eq!(report.proof, None);
}

#[test]
fn a_solver_has_a_twentieth_even_when_the_time_is_over() {
    let knowledge = Tireless::default();
    let mut search = Search::new(Fill::new(20), knowledge.clone(), SearchOptions::default());
    let time = Duration::from_millis(12);
    let budget = Some(Budget {
        soft: time,
        hard: time,
    });
    let limits = Limits {
        budget,
        ..Limits::unlimited(clock::now())
    };
    std::thread::sleep(time);
    let report = search.run(&limits, &StopFlag::new(), &mut no_info);
    assert!(report.best.is_some());
    // Each takes 0.3 ms.
    assert_eq!(knowledge.tries.load(Ordering::Relaxed), 2);
}

#[test]
fn a_search_without_limits_goes_on_after_its_solver() {
    let mut search = Search::new(Fill::new(20), Tireless::default(), SearchOptions::default());
    let limits = Limits {
        report_every: Some(Duration::ZERO),
        ..Limits::unlimited(clock::now())
    };
    let stop = StopFlag::new();
    let report = search.run(&limits, &stop, &mut |_| stop.set(End::Asked));
    assert!(report.playouts > 0);
}

#[test]
fn a_solver_stops_with_the_search() {
    let knowledge = Tireless::default();
    let mut search = Search::new(Fill::new(20), knowledge.clone(), SearchOptions::default());
    let stop = StopFlag::new();
    let limits = Limits::unlimited(clock::now());
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            while knowledge.tries.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            stop.set(End::Asked);
        });
        search.run(&limits, &stop, &mut no_info)
    });
    assert!(report.best.is_some());
    assert_eq!(stop.get(), Some(End::Asked));
}

/// Knows that the first cells draw, or may.
struct Drawing {
    cells: usize,
    /// The one that draws for certain, if not all do.
    safe: Option<Move>,
}

impl Drawing {
    fn first(cells: usize) -> Drawing {
        Drawing { cells, safe: None }
    }
}

impl Knowledge<Fill> for Drawing {
    type Trace = ();

    fn solve(&self, position: &Fill, _: &Effort<'_>) -> Option<Solution> {
        let mut best = Moves::new();
        position.legal_moves(&mut best);
        best.truncate(self.cells);
        let proof = Proof {
            result: ProofResult::Draw,
            plies: 20,
        };
        let solution = Solution::new(Some(proof), best);
        Some(match self.safe {
            Some(mv) => Solution {
                safe: Moves::from_iter([mv]),
                exact: false,
                ..solution
            },
            None => solution,
        })
    }
}

#[test]
fn of_a_drawn_root_only_the_moves_that_draw_are_searched() {
    for drawing in [1, 3] {
        let mut search = Search::new(
            Fill::new(20),
            Drawing::first(drawing),
            SearchOptions::default(),
        );
        let report = playouts(&mut search, 1000);
        assert_eq!(
            report.proof.map(|proof| proof.result),
            Some(ProofResult::Draw)
        );
        assert_eq!(report.value, 0.5);
        let loss = |mv: &&MoveReport| {
            mv.proof
                .is_some_and(|proof| proof.result == ProofResult::Loss)
        };
        assert_eq!(report.moves.iter().filter(loss).count(), 20 - drawing);
        assert!(report.moves[..drawing].iter().all(|mv| !loss(&mv)));
        assert_eq!(report.playouts > 100, drawing > 1, "one needs no search");
    }
}

#[test]
fn a_safe_move_is_chosen_and_no_other_called_lost() {
    let safe = Move::new(2);
    let knowledge = Drawing {
        cells: 20,
        safe: Some(safe),
    };
    let mut search = Search::new(Fill::new(20), knowledge, SearchOptions::default());
    let report = playouts(&mut search, 1000);
    assert_eq!(report.best, Some(search.position().action(safe)));
    assert!(report.moves.iter().all(|mv| mv.proof.is_none()));
    assert!(report.moves[1].visits >= report.moves[2].visits);
    search.advance(Move::new(0));
    let next = playouts(&mut search, 1000);
    assert_eq!(next.best, Some(search.position().action(safe)));
}

#[test]
fn in_a_draw_the_opponent_is_taken_to_choose_at_random() {
    let mut search = Search::new(Fill::new(20), Drawing::first(3), SearchOptions::default());
    let first = playouts(&mut search, 3000);
    assert!(search.random_opponent.is_some());
    let child = search.child(Move::new(0)).unwrap();
    let replies = search.tree.link(child).children().unwrap().nodes();
    let visits: Vec<u32> = replies.map(|it| search.tree.stats(it).visits()).collect();
    let (least, most) = (visits.iter().min().unwrap(), visits.iter().max().unwrap());
    assert!(*most - *least <= 1 && *least > 1, "{visits:?}");
    // The same position once more: the tree serves again. After a move it does not.
    let again = playouts(&mut search, 1000);
    assert_eq!(again.visits, first.visits + 1000);
    search.advance(Move::new(0));
    let next = playouts(&mut search, 1000);
    assert_eq!(next.visits, 1000);
}

#[test]
fn a_solved_move_that_was_played_is_solved_anew() {
    let mut search = Search::new(Fill::new(20), Drawing::first(1), SearchOptions::default());
    playouts(&mut search, 100);
    search.advance(Move::new(0));
    let report = search.report(0, 0, clock::now());
    assert_eq!(report.proof, None, "nothing tells how to draw");
}
