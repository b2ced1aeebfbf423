package io.muxstream.protocol.wire;

/**
 * How large the parts of a received frame may be (spec §11.1).
 *
 * @param maxContentBytes payload of a Content frame, 20,480 to 65,535; default 20,480
 * @param maxNameBytes a channel's name in UTF-8; default 1,024
 * @param maxErrorTextBytes the error text of a termination in UTF-8; default 4,096
 */
public record FrameLimits(int maxContentBytes, int maxNameBytes, int maxErrorTextBytes) {
    /** The largest payload of any other frame than Content, bytes: room for an over-long name or text to harm its channel only. */
    public static final int MAX_CONTROL_PAYLOAD_BYTES = 65_535;

    /** The defaults. */
    public static final FrameLimits DEFAULTS = new FrameLimits(20_480, 1_024, 4_096);
}
