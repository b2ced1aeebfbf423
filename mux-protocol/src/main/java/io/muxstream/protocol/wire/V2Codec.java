package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.netty.buffer.ByteBuf;

/**
 * Version 2 (spec §2.2): {@code [code]}, {@code [code, id]} or {@code [code, id, payload]}, ids odd and even.
 *
 * <pre>{@code
 *   93 02 02 c4 04 00010203      Content of channel 2, 4 bytes
 * }</pre>
 */
final class V2Codec extends MsgpackCodec {
    private final Party party;

    V2Codec(Party party, FrameLimits limits) {
        super(limits, 1);
        this.party = party;
    }

    @Override
    int identityEnd(ByteBuf in, int index, int end, int elements) throws ProtocolViolationException {
        if (index < end && in.getUnsignedByte(index) == Msgpack.NIL) {
            return index + 1;
        }
        return unsignedEnd(in, index, end, "a channel id");
    }

    @Override
    ChannelId identity(ByteBuf in, int index, long code) throws ProtocolViolationException {
        return Parity.receive(Msgpack.integer(in, index), code, party);
    }

    @Override
    void encodeIdentity(ChannelId id, ByteBuf out) {
        Msgpack.writeUnsigned(Parity.send(id), out);
    }
}
