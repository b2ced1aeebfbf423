package io.muxstream.netty;

import io.netty.channel.ChannelHandler;
import org.jspecify.annotations.Nullable;

/**
 * How a channel is to be when it is made.
 *
 * @param windowBytes how much this party is ready to hold unread, 1 to 2^62 bytes; 0: the connection's {@code windowBytes}
 * @param handler is put into the channel's pipeline before anything is read, as a bootstrap does with its child handler, and reading
 *     starts at once; null: the channel comes with {@code autoRead} off, and reads when its holder says so
 */
public record ChannelSettings(long windowBytes, @Nullable ChannelHandler handler) {
    /** The connection's window, and no handler. */
    public static final ChannelSettings DEFAULTS = new ChannelSettings(0, null);

    /** Checks the values. */
    public ChannelSettings {
        if (windowBytes < 0 || windowBytes > 1L << 62) {
            throw new IllegalArgumentException(
                    "expected a window of 1 to 2^62 bytes, or 0 for the default, got " + windowBytes);
        }
    }

    /** The connection's window, and a handler that reads from the start. */
    public static ChannelSettings handler(ChannelHandler handler) {
        return new ChannelSettings(0, handler);
    }

    /** These settings with another window, bytes. */
    public ChannelSettings withWindowBytes(long windowBytes) {
        return new ChannelSettings(windowBytes, handler);
    }

    long windowBytesOr(long defaultBytes) {
        return windowBytes == 0 ? defaultBytes : windowBytes;
    }
}
