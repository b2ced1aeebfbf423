package io.muxstream.bench.decode;

import io.muxstream.bench.decode.Pcap.Segment;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** How what was written comes to stand in segments. */
enum Cut {
    /** A segment a write. */
    AS_WRITTEN {
        @Override
        int next(Random random) {
            return MAX_BYTES;
        }
    },
    /** Full segments of Ethernet: several frames in one, large ones in many. */
    JOINED {
        @Override
        int next(Random random) {
            return 1_460;
        }
    },
    /** A segment a byte. */
    SINGLE_BYTES {
        @Override
        int next(Random random) {
            return 1;
        }
    },
    /** Now within a header, now within a payload. */
    ANYWHERE {
        @Override
        int next(Random random) {
            int most = random.nextInt(4) == 0 ? 2_000 : 24;
            return 1 + random.nextInt(most);
        }
    };

    private static final int MAX_BYTES = 60_000;

    /** How many bytes the next segment has at most. */
    abstract int next(Random random);

    /** Cuts writes, the order of both directions kept. */
    List<Segment> cut(List<Segment> writes, Random random) {
        List<Segment> segments = new ArrayList<>();
        for (Segment write : this == AS_WRITTEN ? writes : joined(writes)) {
            byte[] bytes = write.bytes();
            for (int at = 0; at < bytes.length; ) {
                int end = Math.min(bytes.length, at + next(random));
                segments.add(new Segment(write.ofA(), Arrays.copyOfRange(bytes, at, end)));
                at = end;
            }
        }
        return segments;
    }

    /** What one party wrote before the other did, as one. */
    private static List<Segment> joined(List<Segment> writes) {
        List<Segment> joined = new ArrayList<>();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < writes.size(); i++) {
            all.writeBytes(writes.get(i).bytes());
            if (i + 1 == writes.size()
                    || writes.get(i + 1).ofA() != writes.get(i).ofA()) {
                joined.add(new Segment(writes.get(i).ofA(), all.toByteArray()));
                all.reset();
            }
        }
        return joined;
    }
}
