package io.muxstream.protocol.frame;

import io.netty.buffer.ByteBuf;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One frame, in either direction, its id seen from this party (spec §2, §5).
 *
 * <p>Only {@link Content} owns a buffer: who is given the frame is given the buffer.
 */
public sealed interface Frame {

    /** The channel that the frame is about; null only for a frame of an unknown code that names none. */
    @Nullable
    ChannelId id();

    /**
     * A channel is offered (spec §5.1).
     *
     * @param name may be empty: an anonymous channel (spec §6.7); empty too where {@code violation} tells that it could not be taken
     * @param windowBytes how much the offering party is ready to hold unread; absent on v1 and where the peer left it out
     * @param violation {@link Violation#NAME_TOO_LONG} or {@link Violation#UNREADABLE_NAME} of a received offer, else null
     */
    record Offer(
            ChannelId id,
            String name,
            OptionalLong windowBytes,
            @Nullable Violation violation) implements Frame {
        public Offer(ChannelId id, String name, OptionalLong windowBytes) {
            this(id, name, windowBytes, null);
        }
    }

    /**
     * An offer is accepted (spec §5.2).
     *
     * @param windowBytes how much the accepting party is ready to hold unread; absent on v1 and where the peer left it out
     */
    record OfferAccepted(ChannelId id, OptionalLong windowBytes) implements Frame {}

    /**
     * Bytes of a channel (spec §5.3).
     *
     * @param payload the bytes between its indices; owned by the holder of the frame
     */
    record Content(ChannelId id, ByteBuf payload) implements Frame {}

    /** The sender of the frame writes no more on the channel (spec §5.4). */
    record ContentWritingCompleted(ChannelId id) implements Frame {}

    /**
     * The sender of the frame is done with the channel (spec §5.5).
     *
     * @param errorText why, where it was an error; never on v1
     * @param violation {@link Violation#UNREADABLE_ERROR_TEXT} (then without a text) or {@link Violation#ERROR_TEXT_TOO_LONG} (then
     *     with its beginning) of a received frame, else null
     */
    record ChannelTerminated(
            ChannelId id,
            @Nullable String errorText,
            @Nullable Violation violation) implements Frame {
        public ChannelTerminated(ChannelId id, @Nullable String errorText) {
            this(id, errorText, null);
        }
    }

    /**
     * The reader has taken bytes: credit comes back (spec §5.6).
     *
     * @param bytes how many, 0 to 2^63 - 1; a larger number on the wire is a violation
     */
    record ContentProcessed(ChannelId id, long bytes) implements Frame {}

    /** The sender of the frame reads no more on the channel (spec §5.7). */
    record ContentReadingCompleted(ChannelId id) implements Frame {}

    /**
     * The window's new size, absolute (spec §5.8).
     *
     * @param windowBytes 0 to 2^62
     */
    record ChannelWindowAdjust(ChannelId id, long windowBytes) implements Frame {}

    /** The channel's sender is out of credit and has more to send (spec §5.9). */
    record ChannelWindowGrowthRequest(ChannelId id) implements Frame {}

    /**
     * A frame of a code that this protocol does not have: ignored (spec §2.6).
     *
     * @param number the code as it came
     */
    record Unknown(long number, @Nullable ChannelId id) implements Frame {}
}
