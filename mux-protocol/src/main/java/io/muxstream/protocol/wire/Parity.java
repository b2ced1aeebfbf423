package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.protocol.frame.Violation;

/** Ids on v1 and v2: who offered a channel follows from whether its number is odd or even (spec §4.1). */
final class Parity {
    private static final long MAX_ID = 0xffff_ffffL;
    private static final int OFFER = ControlCode.OFFER.number();

    private Parity() {}

    /** The channel that a received number names. */
    static ChannelId receive(long number, long code, Party party) throws ProtocolViolationException {
        if (number <= 0 || number > MAX_ID) {
            throw new ProtocolViolationException(
                    Violation.INVALID_CHANNEL_ID,
                    "expected a channel id from 1 to " + MAX_ID + ", got " + Long.toUnsignedString(number));
        }
        boolean local = (number & 1) == (party == Party.ODD ? 1 : 0);
        if (local && code == OFFER) {
            throw new ProtocolViolationException(
                    Violation.INVALID_CHANNEL_ID,
                    "expected an Offer with an " + (party == Party.ODD ? "even" : "odd")
                            + " channel id of the peer's, got " + number);
        }
        return new ChannelId(number, local ? ChannelSource.LOCAL : ChannelSource.REMOTE);
    }

    /** The number to send for a channel. */
    static long send(ChannelId id) {
        if (id.source() == ChannelSource.SEEDED || id.value() <= 0 || id.value() > MAX_ID) {
            throw new IllegalArgumentException(
                    "expected a channel id from 1 to " + MAX_ID + " that was offered, got " + id);
        }
        return id.value();
    }
}
