package io.muxstream.protocol.frame;

/**
 * What identifies a channel on its connection, seen from this party (spec §4).
 *
 * @param value the number, 64 bits, unsigned
 * @param source who offered the channel; on v1 and v2 it follows from the number's parity (spec §4.1)
 */
public record ChannelId(long value, ChannelSource source) {

    @Override
    public String toString() {
        return Long.toUnsignedString(value)
                + switch (source) {
                    case LOCAL -> "/local";
                    case SEEDED -> "/seeded";
                    case REMOTE -> "/remote";
                };
    }
}
