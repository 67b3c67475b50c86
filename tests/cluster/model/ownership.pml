/* Who owns a session when several nodes share one PostgreSQL: leases, epochs,
   appends and take-overs, as runtime/data/cluster writes them. The nodes' clocks
   drift without bound, requests and answers are lost or late, statements go on
   after their connection is lost, and backends die in the middle.

   One session. A statement is two steps, the check of the epoch and the insert,
   and its commit a third: everything else can happen between them. The lease of a
   node is one bit at the database and one bit at the node, which change apart from
   each other.

   With one of these it must fail: EPOCH_UNLOCKED, the epoch is read without a
   lock; NO_EPOCH, it is not read at all; AGAIN_UNSEEN, an append of unknown outcome
   is repeated without a look at the log. SHOW=n fails where situation n is
   reached, which proves that it is. run does all of it. */

#ifndef NODES
#define NODES 2
#endif
#ifndef EVENTS
#define EVENTS 3 /* how many are ever appended */
#endif
#ifndef EPOCHS
#define EPOCHS 4
#endif
#define NOBODY NODES

#ifdef SHOW
#define reached(n) assert(SHOW != n)
#else
#define reached(n) skip
#endif

/* The database. */
byte log_length;
byte log_epoch[EVENTS], log_event[EVENTS];
byte owner;
byte epoch = 1;
byte readers;           /* statements that hold the owner's row FOR SHARE */
byte mover = NOBODY;    /* the node that holds it FOR UPDATE */
byte moved_length;      /* what that node has read of the log */
bool leased[NODES];     /* by the database's clock */

/* Statements. Of each node the one it waits for, and one it has lost. */
mtype = { none, sent, checked, inserted, done, fenced, taken, broken };
typedef statement { mtype at = none; byte epoch; byte place; byte event };
statement running[2 * NODES];

#define mine(n) running[2 * (n)]
#define lost(n) running[2 * (n) + 1]

/* The nodes. */
typedef member {
  bool owns; bool thinks_leased; bool answer_to_renewal; bool moved_unseen;
  bool waits;
  byte epoch; byte length; byte event
};
member nodes[NODES];
byte events; /* begun */

inline unlock(s) {
#ifndef EPOCH_UNLOCKED
#ifndef NO_EPOCH
  readers--;
#endif
#endif
  skip
}

inline answer(s, what) {
  if
  :: (s % 2 == 0) -> running[s].at = what
  :: else -> running[s].at = none; running[s].epoch = 0;
             running[s].place = 0; running[s].event = 0
  fi
}

proctype backend(byte s) {
  byte i;
end:
  do
  /* The check. FOR SHARE waits for a take-over, and then sees its epoch. */
#ifdef NO_EPOCH
  :: atomic { running[s].at == sent -> running[s].at = checked }
#else
#ifdef EPOCH_UNLOCKED
  :: atomic { running[s].at == sent ->
#else
  :: atomic { running[s].at == sent && mover == NOBODY ->
#endif
       if
       :: running[s].epoch == epoch ->
#ifndef EPOCH_UNLOCKED
            readers++;
#endif
            running[s].at = checked
       :: else -> reached(1); answer(s, fenced)
       fi }
#endif
  /* The insert. The primary key waits for another that is not committed. */
  :: atomic { running[s].at == checked &&
              !(running[s ^ 1].at == inserted && running[s ^ 1].place == running[s].place) ->
       if
       :: running[s].place <= log_length -> unlock(s); answer(s, taken)
       :: else -> running[s].at = inserted
       fi }
  /* The commit. */
  :: atomic { running[s].at == inserted ->
       if
       :: running[s].place <= log_length -> unlock(s); answer(s, taken)
       :: else ->
            assert(running[s].place == log_length + 1);  /* no gap */
            assert(running[s].epoch == epoch);           /* only the owner */
            i = 0;
            do
            :: i < log_length -> assert(log_event[i] != running[s].event); i++
            :: else -> break
            od;
            i = 0;
            log_epoch[log_length] = running[s].epoch;
            log_event[log_length] = running[s].event;
            log_length++;
            unlock(s);
            answer(s, done)
       fi }
  /* Killed, or the request never came. */
  :: atomic { running[s].at == sent -> answer(s, broken) }
  :: atomic { running[s].at == checked || running[s].at == inserted ->
       unlock(s); answer(s, broken) }
  od
}

/* Leases. A clock of any speed is one that may change these bits at any time. */
proctype lease(byte n) {
end:
  do
  :: atomic { leased[n] -> leased[n] = false }           /* lapses there */
  :: atomic { leased[n] -> nodes[n].answer_to_renewal = true }
  :: atomic { nodes[n].answer_to_renewal ->              /* however late */
       nodes[n].answer_to_renewal = false; nodes[n].thinks_leased = true }
  :: atomic { nodes[n].answer_to_renewal -> nodes[n].answer_to_renewal = false }
  :: atomic { nodes[n].thinks_leased -> nodes[n].thinks_leased = false }
  :: atomic { !leased[n] && !nodes[n].owns ->            /* a new registration */
       leased[n] = true; nodes[n].thinks_leased = true }
  :: atomic { !leased[n] -> leased[n] = true }           /* that clock is set back */
  od
}

inline send(n) {
  mine(n).epoch = nodes[n].epoch; mine(n).place = nodes[n].length + 1;
  mine(n).event = nodes[n].event; mine(n).at = sent; nodes[n].waits = true
}

inline clear(n) {
  mine(n).at = none; mine(n).epoch = 0; mine(n).place = 0; mine(n).event = 0
}

inline lose(n) {
  lost(n).at = mine(n).at; lost(n).epoch = mine(n).epoch;
  lost(n).place = mine(n).place; lost(n).event = mine(n).event
}

inline acknowledge(n) {
  assert(log_event[nodes[n].length] == nodes[n].event);
  assert(log_epoch[nodes[n].length] == nodes[n].epoch);
  nodes[n].length++; nodes[n].event = 0; nodes[n].waits = false
}

inline stop(n) {
  nodes[n].owns = false; nodes[n].waits = false; nodes[n].event = 0;
  nodes[n].epoch = 0; nodes[n].length = 0
}

proctype node(byte n) {
end:
  do
  :: atomic { nodes[n].owns && nodes[n].thinks_leased && !nodes[n].waits && events < EVENTS ->
       events++; nodes[n].event = events; send(n) }
  :: atomic { mine(n).at == done -> clear(n); acknowledge(n) }
  :: atomic { mine(n).at == fenced -> clear(n); stop(n) }
  /* The connection is lost; the statement may go on. */
  :: atomic { (mine(n).at == sent || mine(n).at == checked || mine(n).at == inserted) &&
              lost(n).at == none -> lose(n); mine(n).at = broken }
  /* The outcome is unknown: read the log at that place, and compare. */
  :: atomic { mine(n).at == broken || mine(n).at == taken ->
       clear(n);
#ifdef AGAIN_UNSEEN
       nodes[n].length = log_length; send(n)
#else
       if
       :: log_length <= nodes[n].length -> send(n)
       :: else ->
            if
            :: log_event[nodes[n].length] == nodes[n].event -> reached(2); acknowledge(n)
            :: else -> reached(3); stop(n)
            fi
       fi
#endif
     }
  /* Its own clock says that the lease has lapsed. */
  :: atomic { nodes[n].owns && !nodes[n].thinks_leased && mine(n).at == none -> stop(n) }
  :: atomic { nodes[n].owns && !nodes[n].thinks_leased && mine(n).at != none &&
              lost(n).at == none && mine(n).at != done && mine(n).at != fenced &&
              mine(n).at != taken && mine(n).at != broken ->
       lose(n); clear(n); stop(n) }
  /* A take-over: FOR UPDATE SKIP LOCKED, the read of the log, the commit. */
  :: atomic { !nodes[n].owns && leased[n] && !leased[owner] && owner != n &&
              mover == NOBODY && readers == 0 && mine(n).at == none &&
              epoch < EPOCHS && !nodes[n].moved_unseen -> mover = n };
     atomic { moved_length = log_length };
     if
     :: atomic {
          assert(log_length == moved_length);   /* the new owner knows all */
          epoch++; owner = n; mover = NOBODY;
          if
          :: nodes[n].owns = true; nodes[n].epoch = epoch; nodes[n].length = moved_length
          :: nodes[n].moved_unseen = true       /* the answer is lost */
          fi;
          moved_length = 0;
          if
          :: epoch == 3 -> reached(4)
          :: else
          fi }
     :: atomic { mover = NOBODY; moved_length = 0 }
     fi
  /* It looks which sessions are its own. */
  :: atomic { nodes[n].moved_unseen && mover == NOBODY ->
       nodes[n].moved_unseen = false;
       if
       :: owner == n -> reached(5);
            nodes[n].owns = true; nodes[n].epoch = epoch; nodes[n].length = log_length
       :: else
       fi }
  od
}

init {
  atomic {
    byte n = 0;
    nodes[0].owns = true; nodes[0].epoch = 1;
    do
    :: n < NODES ->
         leased[n] = true; nodes[n].thinks_leased = true;
         run node(n); run lease(n); run backend(2 * n); run backend(2 * n + 1);
         n++
    :: else -> break
    od
  }
}
