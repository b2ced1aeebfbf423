/*
 * Flow control with growth (spec §7, §8) as a model for Spin. README.md tells what is modelled, what is left out and why; `check` runs it.
 *
 * A is the sender of a direction, B its reader. Each channel has two queues of frames: `forth` from A to B, `back` from B to A. What A does
 * is SendWindow and GrowthRequests of the engine; what B does is ReceiveWindow, GrowthAnswers and GrowthBudget. A step of a party is one
 * atomic statement, as the engine is confined to one thread; between steps anything may happen anywhere.
 *
 * All sizes are bytes, scaled down: LEAST stands for 20,480, PART for 8.
 */

/* ---- What a run may set */

#ifndef CHANNELS
#define CHANNELS 1      /* channels that share B's budget: 1 or 2 */
#endif
#ifndef WINDOW
#define WINDOW 1        /* the window that B holds ready at first */
#endif
#ifndef BELIEF
#define BELIEF WINDOW   /* the window that A believes in at first (spec §6.8) */
#endif
#ifndef CAP
#define CAP 4           /* the largest window of a channel (spec §8.3) */
#endif
#ifndef BUDGET
#define BUDGET 8        /* by how much the windows may grow in sum (spec §8.3) */
#endif
#ifndef ROOM
#define ROOM (BUDGET + CHANNELS * WINDOW)       /* what B may announce in sum (spec §11.3) */
#endif
#ifndef LEAST
#define LEAST 2         /* of the threshold: 20,480 in the protocol (spec §7.3) */
#endif
#ifndef PART
#define PART 2          /* of the threshold: 8 in the protocol (spec §7.3) */
#endif
#ifndef FRAME
#define FRAME 2         /* the longest Content (spec §11.1) */
#endif
#ifndef QUEUE
#define QUEUE 2         /* frames that a direction of the transport holds; a party writes nothing more while it is full */
#endif
#ifndef FACTOR
#define FACTOR 4        /* of a proposal (spec §8.2) */
#endif
#ifndef MAX_REFUSALS
#define MAX_REFUSALS 2  /* that count: 10 in the protocol (spec §8.1) */
#endif

/*
 * MESSAGE=n     A has n bytes to send, and then completes its writing. Without it A has always more, and completes whenever it likes.
 * PROMPT        what a party has to write goes out in the same step, where the transport has room, and A's application has either a
 *               frame more or nothing at the moment: fewer interleavings, those of the engine; for two channels at once.
 * PATIENT       A completes its writing only once its request is answered, so that an answer that never comes is seen.
 * NET           B acknowledges what is owed when its reader has been starved for a while (spec §7.4).
 * NO_GROWTH     A never asks, as on v3.
 * OVERTAKES     requests overtake content for which credit has been taken (spec §9).
 * EAGER         A asks at any moment, as long as no request is outstanding: a peer with rules of its own.
 * DEAF          B skips requests: a v3 party that does not know the code.
 * SHORT         B may be short of memory at any moment, and refuses (spec §8.3).
 * UNASKED       B may grow a window at any moment without being asked (spec §8.2).
 * QUITS         B may complete its reading at any moment (spec §6.5).
 * ENDS          either party may terminate a channel at any moment (spec §6.6).
 *
 * SEEN=condition     is taken for a fault, to see that a search gets there.
 *
 * Mechanisms that can be switched off, or broken, to see that it is found:
 *
 * NO_WHOLE_WINDOW    the threshold is not bounded by the window.
 * CAP_THRESHOLD      the threshold is judged by the cap, not by the window as it is.
 * SUM_LOST           the threshold is acknowledged in the place of the whole sum.
 * CREDIT_ON_ARRIVAL  credit is given back for bytes that were not taken.
 * NO_DEFERRED        a request that finds the reader busy is never answered.
 * ANSWERED_TWICE     one that finds it starved is answered at once and again when the reader is next starved.
 * NOT_RESERVED       a window grows though the budget does not cover it.
 * BUDGET_KEPT        a channel's growth does not go back when it ends.
 * LATE_WINDOW        B enlarges its own count only after the answer is sent.
 * ADJUST_ADDS        A takes a window's size for a difference.
 * GRANT_IGNORED      A asks and ignores what is granted (spec §12.1).
 * ASKS_TWICE         A asks though a request is outstanding.
 */

mtype = { Content, WritingCompleted, Terminated, Processed, ReadingCompleted, Adjust, Request };

#define HAS_ROOM(queue) (len(queue) < QUEUE)

chan forth[CHANNELS] = [QUEUE] of { mtype, byte };
chan back[CHANNELS] = [QUEUE] of { mtype, byte };

typedef SenderState {
    byte rest;                  /* what the application has not handed over yet; with MESSAGE only */
    byte queued;                /* handed over and not sent */
    byte window;
    byte outstanding;
    bool waits;                 /* it has stalled, and no credit has come since */
    bool asked;                 /* a request is outstanding */
    bool requestDue;            /* a request waits for the transport */
    byte refusals;              /* in a row, at most MAX_REFUSALS */
    byte stalls;                /* that count, since the last answer */
    bool unwanted;              /* the reader reads no more */
    bool completed;             /* its writing */
    bool over;                  /* it has terminated the channel */
    bool terminationDue;        /* its ChannelTerminated waits for the transport */
    bool peerOver               /* the peer's ChannelTerminated has come */
};

typedef ReaderState {
    byte window;
    byte unread;                /* received less consumed */
    byte owed;                  /* consumed less acknowledged */
    byte acknowledgementDue;    /* acknowledged, and waiting for the transport, where it merges */
    bool starved;
    bool held;                  /* a request waits for the reader to starve */
    bool adjustDue;             /* the window's size is to be told, and waits for the transport */
    byte taken;                 /* from the budget, for this channel */
    bool peerCompleted;         /* the sender's completion of its writing has come */
    bool completed;             /* its reading */
    bool completionDue;         /* ContentReadingCompleted waits for the transport */
    bool over;
    bool terminationDue;
    bool peerOver;
#ifdef MESSAGE
    byte read;                  /* bytes that the reader has got in all */
#endif
#ifdef LATE_WINDOW
    byte late;                  /* by how much the window will have grown */
#endif
    byte contentUnderWay;       /* what `forth` and `back` hold, counted for the properties alone */
    byte creditUnderWay;
    byte requestsUnderWay;
    byte adjustsUnderWay
};

SenderState a[CHANNELS];
ReaderState b[CHANNELS];
byte freeGrowth = BUDGET;                       /* GrowthBudget */
byte freeRoom = ROOM - CHANNELS * WINDOW;       /* WindowBudget */

#ifdef PROMPT
#ifdef MESSAGE
#error expected PROMPT or MESSAGE, got both
#endif
#endif

#ifdef SEEN
bool grew[CHANNELS];
#endif

/* ---- What must hold after every step */

#if CHANNELS == 1
#define TAKEN     b[0].taken
#define LIVE      (!b[0].over)
#define ANNOUNCED (!b[0].over * b[0].window)
#else
#define TAKEN     (b[0].taken + b[1].taken)
#define LIVE      (!b[0].over + !b[1].over)
#define ANNOUNCED (!b[0].over * b[0].window + !b[1].over * b[1].window)
#endif

#define GROWN (ANNOUNCED - LIVE * WINDOW)

#define PENDING (a[c].requestDue + b[c].requestsUnderWay + b[c].held + b[c].adjustDue + b[c].adjustsUnderWay)
#define LAPSED  (b[c].peerCompleted || b[c].completed)

inline holds(c) {
    /* Each party by itself (spec §7.2, §7.3). */
    assert(a[c].outstanding <= a[c].window);
    assert(b[c].unread + b[c].owed <= b[c].window);
    /* Never two requests outstanding, nor two answers to one (spec §8.1, §8.2). */
#ifndef UNASKED
    assert(PENDING <= 1);
#endif
    if
    :: !a[c].over && !b[c].over ->
        /* Credit is neither lost nor made: what is outstanding is under way, unread, owed, or on its way back. */
        assert(a[c].outstanding == b[c].contentUnderWay + b[c].unread + b[c].owed + b[c].acknowledgementDue + b[c].creditUnderWay
            || b[c].peerCompleted);
        /* Whatever is under way finds room. */
        assert(b[c].contentUnderWay + b[c].unread + b[c].owed <= b[c].window);
        /* A request that is outstanding is on its way, held, or its answer is on its way: it is answered once, unless it lapses. */
#ifndef DEAF
#ifdef UNASKED
        assert(!a[c].asked || PENDING >= 1 || LAPSED);
#else
        assert(a[c].asked == PENDING || LAPSED);
#endif
        /* Nobody waits for an answer while the reader waits for content. */
        assert(!(b[c].held && b[c].starved) || LAPSED);
#endif
    :: else
    fi;
    /* What has grown was reserved, and no more is reserved than there is (spec §8.3, §11.3). */
    assert(GROWN <= BUDGET);
#ifndef LATE_WINDOW
    assert(GROWN == TAKEN);
    assert(freeRoom + ANNOUNCED == ROOM);
#endif
    assert(freeGrowth + TAKEN == BUDGET);
#ifdef SEEN
    /* For runs that show that the search gets where it should. */
    assert(!(SEEN));
#endif
    skip
}

inline atMost(n, most) {
    if
    :: n > most -> n = most
    :: else
    fi
}

/* Any number from 1 to n, in the place of n. */
inline choose(n) {
    do
    :: n > 1 -> n--
    :: break
    od
}

/* ---- A, the sender */

#ifdef MESSAGE
#define HAS_MORE   (a[c].rest > 0)
#define MAY_FINISH (a[c].rest == 0 && a[c].queued == 0)
#else
#define HAS_MORE   (!a[c].unwanted)
#define MAY_FINISH (a[c].queued == 0)
#endif
#ifdef PATIENT
#define MAY_LAPSE (!a[c].asked || a[c].unwanted)
#else
#define MAY_LAPSE true
#endif

#define CREDIT  (a[c].window - a[c].outstanding)
#define SENDS   (!a[c].over && !a[c].completed)
#define STALLED (CREDIT == 0 && a[c].window > 0 && !a[c].waits)

/* GrowthRequests.stall (spec §8.1). */
inline stall(c) {
    a[c].waits = true;
#ifndef NO_GROWTH
    if
    :: !a[c].asked ->
        a[c].stalls++;
        if
        :: a[c].stalls >= (1 << a[c].refusals) -> a[c].asked = true; a[c].requestDue = true
        :: else
        fi
#ifdef ASKS_TWICE
    :: a[c].asked -> a[c].requestDue = true
#endif
    :: else
    fi
#endif
}

/* SendWindow.adjust and GrowthRequests.answer (spec §8.1, §8.2). */
inline adjusted(c, size) {
    if
    :: size > a[c].window ->
#ifdef ADJUST_ADDS
        a[c].window = a[c].window + size;
#else
#ifndef GRANT_IGNORED
        a[c].window = size;
#endif
#endif
        a[c].asked = false;
        a[c].stalls = 0;
        a[c].refusals = 0
    :: size <= a[c].window && a[c].asked ->
        a[c].asked = false;
        a[c].stalls = 0;
        a[c].refusals++;
        atMost(a[c].refusals, MAX_REFUSALS)
    :: else
    fi
}

inline endSender(c) {
    a[c].over = true;
    a[c].terminationDue = true;
    a[c].requestDue = false;
    a[c].queued = 0;
    /* Of no use any more: one state where there were many. */
    a[c].outstanding = 0;
    a[c].window = 0;
    a[c].waits = false;
    a[c].asked = false;
    a[c].refusals = 0;
    a[c].stalls = 0
}

/* Requests go ahead of content that is not sent yet (spec §9). */
inline writeRequest(c) {
    a[c].requestDue = false;
    b[c].requestsUnderWay++;
#ifdef OVERTAKES
    forth[c]!!Request(0);       /* in order of the codes, of which Request is the least: to the front */
#else
    forth[c]!Request(0);
#endif
    printf("MSC: %d A > GrowthRequest\n", c)
}

inline promptSender(c) {
#ifdef PROMPT
    if
    :: SENDS && a[c].queued > 0 && STALLED -> stall(c)
    :: else
    fi;
    if
    :: a[c].requestDue && HAS_ROOM(forth[c]) -> writeRequest(c)
    :: else
    fi
#else
    skip
#endif
}

proctype Sender(byte c) {
    mtype code;
    byte n;

    do
    /* The application hands over one byte more; several at once are several such steps. */
    :: atomic { SENDS && HAS_MORE && a[c].queued < FRAME ->
            a[c].queued++;
#ifdef MESSAGE
            a[c].rest--
#endif
        }
    :: atomic { SENDS && a[c].queued > 0 && CREDIT > 0 && HAS_ROOM(forth[c]) ->
            n = a[c].queued;
            atMost(n, CREDIT);
            choose(n);
            a[c].queued = a[c].queued - n;
            a[c].outstanding = a[c].outstanding + n;
            b[c].contentUnderWay = b[c].contentUnderWay + n;
            forth[c]!Content(n);
            printf("MSC: %d A > Content %d, outstanding %d of %d\n", c, n, a[c].outstanding, a[c].window);
            n = 0;
#ifdef PROMPT
            if
            :: a[c].queued = FRAME
            :: a[c].queued = 0
            fi;
#endif
            promptSender(c);
            holds(c)
        }
    :: atomic { SENDS && a[c].queued > 0 && STALLED ->
            stall(c);
            printf("MSC: %d A stalls, refusals %d, asks %d\n", c, a[c].refusals, a[c].requestDue);
            holds(c)
        }
#ifdef EAGER
    :: atomic { SENDS && !a[c].asked ->
            a[c].asked = true;
            a[c].requestDue = true;
            holds(c)
        }
#endif
    :: atomic { a[c].requestDue && HAS_ROOM(forth[c]) ->
            writeRequest(c);
            holds(c)
        }
    :: atomic { SENDS && MAY_FINISH && MAY_LAPSE && HAS_ROOM(forth[c]) ->
            a[c].completed = true;
            a[c].queued = 0;
            forth[c]!WritingCompleted(0);
            printf("MSC: %d A > WritingCompleted\n", c)
        }
#ifdef ENDS
    :: atomic { !a[c].over ->
            endSender(c);
            printf("MSC: %d A ends the channel\n", c)
        }
#endif
    :: atomic { a[c].terminationDue && HAS_ROOM(forth[c]) ->
            a[c].terminationDue = false;
            forth[c]!Terminated(0);
            printf("MSC: %d A > Terminated\n", c)
        }
    :: atomic { back[c]?code, n ->
            if
            :: code == Processed ->
                b[c].creditUnderWay = b[c].creditUnderWay - n;
                if
                :: a[c].over
                :: else ->
                    assert(n <= a[c].outstanding);      /* else CREDIT_BEYOND_OUTSTANDING */
                    a[c].outstanding = a[c].outstanding - n;
                    a[c].waits = a[c].waits && CREDIT == 0
                fi
            :: code == Adjust ->
                b[c].adjustsUnderWay--;
                if
                :: a[c].over
                :: else ->
                    adjusted(c, n);
                    a[c].waits = a[c].waits && CREDIT == 0
                fi
            :: code == ReadingCompleted ->
                if
                :: SENDS ->
#ifdef MESSAGE
                    a[c].rest = 0;
#endif
                    a[c].queued = 0;
                    a[c].unwanted = true
                :: else
                fi
            :: code == Terminated ->
                a[c].peerOver = true;
                if
                :: !a[c].over -> endSender(c)
                :: else
                fi
            fi;
            code = 0;
            n = 0;
            promptSender(c);
            holds(c)
        }
    :: atomic { a[c].over && !a[c].terminationDue && a[c].peerOver -> break }
    od
}

/* ---- B, the reader */

/* ReceiveWindow.acknowledge, and what becomes of it (spec §7.3). */
inline acknowledge(c, bytes) {
    if
    :: b[c].over || b[c].peerCompleted
    :: else -> b[c].acknowledgementDue = b[c].acknowledgementDue + bytes
    fi;
    b[c].owed = 0
}

/* min(window, max(LEAST, window / PART)) (spec §7.3). */
inline threshold(c, t) {
#ifdef CAP_THRESHOLD
    t = CAP;
#else
    t = b[c].window;
#endif
    t = t / PART;
    if
    :: t < LEAST -> t = LEAST
    :: else
    fi;
#ifdef CAP_THRESHOLD
    atMost(t, CAP)
#else
#ifndef NO_WHOLE_WINDOW
    atMost(t, b[c].window)
#endif
#endif
}

/* ReceiveWindow.consume. */
inline consume(c, bytes, t) {
    b[c].unread = b[c].unread - bytes;
#ifndef CREDIT_ON_ARRIVAL
    b[c].owed = b[c].owed + bytes;
#endif
    threshold(c, t);
    if
    :: b[c].owed >= t ->
#ifdef SUM_LOST
        acknowledge(c, t)
#else
        acknowledge(c, b[c].owed)
#endif
    :: else
    fi;
    t = 0
}

/* By how much the window would grow: to min(FACTOR * window, CAP), or not at all (spec §8.2). */
inline propose(c, more) {
    if
    :: b[c].window > CAP / FACTOR -> more = CAP
    :: else -> more = FACTOR * b[c].window
    fi;
    if
    :: more > b[c].window -> more = more - b[c].window
    :: else -> more = 0
    fi
}

#ifdef NOT_RESERVED
#define COVERED(more) (more > 0)
#else
#define COVERED(more) (more > 0 && more <= freeGrowth && more <= freeRoom)
#endif

/* GrowthBudget.take, and ReceiveWindow.grow. */
inline grow(c, more) {
#ifdef SEEN
    grew[c] = true;
#endif
#ifndef NOT_RESERVED
    b[c].taken = b[c].taken + more;
    freeGrowth = freeGrowth - more;
    freeRoom = freeRoom - more;
#endif
#ifdef LATE_WINDOW
    b[c].late = b[c].late + more
#else
    b[c].window = b[c].window + more
#endif
}

/* Channels.answerGrowth and GrowthAnswers.answer: a held request is answered if the reader is starved (spec §8.2). */
inline answer(c, more) {
    if
    :: b[c].held && b[c].starved && !LAPSED && !b[c].over ->
        b[c].held = false;
        b[c].adjustDue = true;
        propose(c, more);
        if
        :: COVERED(more) -> grow(c, more)
#ifdef SHORT
        :: COVERED(more)
#endif
        :: else
        fi;
        more = 0
    :: else
    fi
}

/* GrowthAnswers.close: what the channel took goes back when it is retired (spec §8.3). */
inline endReader(c) {
    b[c].over = true;
    b[c].terminationDue = true;
#ifndef BUDGET_KEPT
    freeGrowth = freeGrowth + b[c].taken;
#endif
    freeRoom = freeRoom + b[c].window;
#ifdef LATE_WINDOW
    freeRoom = freeRoom + b[c].late;
    b[c].late = 0;
#endif
    b[c].taken = 0;
    b[c].held = false;
    b[c].adjustDue = false;
    b[c].acknowledgementDue = 0;
    b[c].completionDue = false;
    b[c].starved = false;
    b[c].owed = 0
}

inline writeAcknowledgement(c) {
    b[c].creditUnderWay = b[c].creditUnderWay + b[c].acknowledgementDue;
    back[c]!Processed(b[c].acknowledgementDue);
    printf("MSC: %d B > Processed %d\n", c, b[c].acknowledgementDue);
    b[c].acknowledgementDue = 0
}

inline writeAdjust(c) {
    b[c].adjustDue = false;
    b[c].adjustsUnderWay++;
#ifdef LATE_WINDOW
    back[c]!Adjust(b[c].window + b[c].late);
#else
    back[c]!Adjust(b[c].window);
#endif
    printf("MSC: %d B > WindowAdjust %d\n", c, b[c].window)
}

inline promptReader(c) {
#ifdef PROMPT
    if
    :: b[c].acknowledgementDue > 0 && HAS_ROOM(back[c]) -> writeAcknowledgement(c)
    :: else
    fi;
    if
    :: b[c].adjustDue && HAS_ROOM(back[c]) -> writeAdjust(c)
    :: else
    fi
#else
    skip
#endif
}

#define READS (!b[c].over && !LAPSED)

proctype Reader(byte c) {
    mtype code;
    byte n, m;

    do
    :: atomic { forth[c]?code, n ->
            if
            :: code == Content ->
                b[c].contentUnderWay = b[c].contentUnderWay - n;
                if
                :: b[c].over
                :: else ->
                    assert(n <= b[c].window - b[c].unread - b[c].owed);    /* else CONTENT_BEYOND_WINDOW */
                    b[c].unread = b[c].unread + n;
                    b[c].starved = false;
#ifdef CREDIT_ON_ARRIVAL
                    b[c].owed = b[c].owed + n;
#endif
                    if
                    :: b[c].completed -> consume(c, n, m)
                    :: else
                    fi
                fi
            :: code == Request ->
                b[c].requestsUnderWay--;
#ifndef DEAF
                if
                :: b[c].over || LAPSED
#ifdef NO_DEFERRED
                :: !b[c].over && !LAPSED && !b[c].starved
#endif
                :: else ->
                    b[c].held = true;
                    answer(c, m);
#ifdef ANSWERED_TWICE
                    b[c].held = true;
#endif
                fi
#endif
            :: code == WritingCompleted ->
                b[c].peerCompleted = true;
                b[c].held = false;
                b[c].acknowledgementDue = 0
            :: code == Terminated ->
                b[c].peerOver = true;
                if
                :: !b[c].over -> endReader(c)
                :: else
                fi
            fi;
            code = 0;
            n = 0;
            promptReader(c);
            holds(c)
        }
    /* The reader takes as much as it likes, when it likes. */
    :: atomic { b[c].unread > 0 ->
            n = b[c].unread;
            choose(n);
            consume(c, n, m);
#ifdef MESSAGE
            b[c].read = b[c].read + n;
#endif
            printf("MSC: %d B takes %d, unread %d, owed %d\n", c, n, b[c].unread, b[c].owed);
            n = 0;
            promptReader(c);
            holds(c)
        }
#ifdef PROGRESS
progress_read:
        skip
#endif
    :: atomic { READS && b[c].unread == 0 && !b[c].starved ->
            b[c].starved = true;
            answer(c, m);
            printf("MSC: %d B is starved\n", c);
            promptReader(c);
            holds(c)
        }
#ifdef NET
    :: atomic { READS && b[c].starved && b[c].owed > 0 ->
            acknowledge(c, b[c].owed);
            printf("MSC: %d B has been starved for a while\n", c);
            holds(c)
        }
#endif
#ifdef LATE_WINDOW
    :: atomic { b[c].late > 0 && !b[c].adjustDue ->
            b[c].window = b[c].window + b[c].late;
            b[c].late = 0
        }
#endif
#ifdef UNASKED
    :: atomic { READS ->
            propose(c, m);
            if
            :: COVERED(m) ->
                grow(c, m);
                b[c].adjustDue = true;
                printf("MSC: %d B grows unasked to %d\n", c, b[c].window);
                holds(c)
            :: else
            fi;
            m = 0
        }
#endif
#ifdef QUITS
    :: atomic { READS ->
            b[c].completed = true;
            b[c].completionDue = true;
            b[c].held = false;
            if
            :: b[c].unread > 0 -> n = b[c].unread; consume(c, n, m); n = 0
            :: else
            fi;
            printf("MSC: %d B completes its reading\n", c);
            holds(c)
        }
    :: atomic { b[c].completionDue && HAS_ROOM(back[c]) ->
            b[c].completionDue = false;
            back[c]!ReadingCompleted(0)
        }
#endif
    :: atomic { b[c].acknowledgementDue > 0 && HAS_ROOM(back[c]) ->
            writeAcknowledgement(c);
            holds(c)
        }
    :: atomic { b[c].adjustDue && HAS_ROOM(back[c]) ->
            writeAdjust(c);
            holds(c)
        }
    /* The other direction is completed at some moment as well, and then the channel is over. */
    :: atomic { !b[c].over && b[c].peerCompleted ->
            endReader(c);
            holds(c)
        }
#ifdef ENDS
    :: atomic { !b[c].over ->
            endReader(c);
            printf("MSC: %d B ends the channel\n", c);
            holds(c)
        }
#endif
    :: atomic { b[c].terminationDue && HAS_ROOM(back[c]) ->
            b[c].terminationDue = false;
            back[c]!Terminated(0);
            printf("MSC: %d B > Terminated\n", c)
        }
    :: atomic { b[c].over && !b[c].terminationDue && b[c].peerOver && b[c].unread == 0 ->
#ifdef MESSAGE
#ifndef ENDS
#ifndef QUITS
            assert(b[c].read == MESSAGE);
#endif
#endif
#endif
            break
        }
    od
}

init {
    byte i;
    atomic {
        do
        :: i < CHANNELS ->
            a[i].window = BELIEF;
#ifdef PROMPT
            a[i].queued = FRAME;
#endif
            b[i].window = WINDOW;
#ifdef MESSAGE
            a[i].rest = MESSAGE;
#endif
            run Sender(i);
            run Reader(i);
            i++
        :: else -> break
        od
    }
    /* When all channels are over, everything is given back. */
    _nr_pr == 1 -> assert(freeGrowth == BUDGET && freeRoom == ROOM)
}

#ifdef ARRIVES
/* Everything that A has to send is read in the end, whatever the order of steps: no fairness is assumed. */
ltl arrives { <> (b[0].read == MESSAGE) }
#endif
