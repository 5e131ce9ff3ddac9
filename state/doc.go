// Package state keeps what emend must not forget about a workspace: sessions and their turns, runs and their events,
// proposals, checkpoints, grants, notes, and the texts these refer to. Start with [Open]; everything else happens inside
// [Store.View] and [Store.Update], through the methods of [Tx]. The package knows nothing of editors, models, or what a
// record is for.
//
// # Files
//
// A store is a folder with two bbolt databases: state.db holds the records, as JSON, one bucket a kind; blobs.db holds
// texts, compressed, under their SHA-256, so that the first stays small. Both are open only inside a transaction. An
// Update first commits its blobs and then its records, so that a record never names a blob that is not on disk; when it
// returns nil, both are. A database that cannot be read is renamed to NAME.damaged-TIME, and a fresh one started.
//
// # Lock
//
// Any number of processes use a store at once. bbolt's own lock polls, so another one comes before it and bbolt's is never
// waited for. It consists of two files that are locked with flock: who wants in takes "gate", alone, then "lock", shared
// for a View and exclusive for an Update, then leaves the gate. The kernel serves waiters in order and drops the locks of
// the dead. As a waiting writer keeps the gate, readers that come later stand behind it.
//
// # Taking over from a stopped process
//
// A process that is stopped (Ctrl-Z, a debugger) keeps its locks. So the files belong to a generation. The first consists
// of gate, lock, state.db and blobs.db; generation N of gate.N, lock.N, state.N.db and blobs.N.db. Lock files are never
// removed, so the newest generation is the highest N whose lock file exists.
//
//   - Begin: who has waited half a second for generation G, and twice sees a holder of its gate or lock in state
//     "stopped", creates lock.G+1, exclusively. That one system call ends G. Whom it suits to create it does not matter for
//     what follows: taking over from a process that runs is safe too, only wasteful.
//   - Check in: having got the lock of G, everybody looks whether G is still the newest, else starts over with the newest.
//     So once lock.G+1 exists at most one process still works in G, the straggler: it had checked in before. It
//     commits at most once to each file, since an Update does.
//   - Settle: who first holds lock.G+1 exclusively finds it empty. It copies the last committed state of state.db and then
//     of blobs.db of the newest settled generation (the first always is settled), syncs the copies, and writes
//     "from G txid T" into lock.G+1, where T is the number of the last transaction it copied. Only then does
//     anybody work in G+1, and the databases of earlier generations are removed.
//   - Check out: after its commit a process looks whether G is still the newest. If so, the commit counts. Else it
//     takes the lock of the newest generation and compares the number of its transaction with T, as found by
//     following "from" back to G: if it is not above T its commit was copied and counts; else it runs again there.
//
// Nothing is lost or done twice: let C be the instant of the straggler's commit (its head page is written), O its check
// out, B the creation of lock.G+1, and S the instant that settling reads the head page of the old state. C is before O,
// and B before S. If C is before S, the copy has the transaction and T says so; whatever O sees, the commit counts. If S is
// before C, then B is before O: check out sees the new generation, finds T too small, and runs the function again. There
// is no third case. Transaction numbers identify commits because in one generation each is given once, under its lock.
//
// The copy is sound while the straggler commits: bbolt never writes to a page that the last committed state uses, two
// commits would be needed for that, and the head pages are written by settling itself, from what it read at S. Blobs are
// copied after records: what a copied record names had been committed before it.
//
// A process that is killed while settling leaves lock.G+1 empty, and the next one settles again. One that is stopped
// while settling is taken over in turn, by G+2, copied from the newest settled generation. If it goes on and completes
// G+1 after that was decided, then G+1 is no ancestor of G+2 and nobody ever worked in it, as check in comes after
// settling. If it completes G+1 just before, and removes G while G is copied, whoever settles G+2 sees that there
// is a later settled generation now and copies that one.
//
// Where the system does not tell who holds a lock (anything but Linux) a stopped process holds others up until it goes on
// or dies.
package state
