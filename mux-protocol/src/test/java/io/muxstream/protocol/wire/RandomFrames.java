package io.muxstream.protocol.wire;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.ChannelSource;
import io.muxstream.protocol.frame.ControlCode;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.Party;
import io.muxstream.protocol.frame.ProtocolVersion;
import io.netty.buffer.Unpooled;
import java.util.OptionalLong;
import java.util.Random;

/** Frames that a party may send, at random. */
final class RandomFrames {
    private static final int[] CODE_POINTS = {'a', 'Z', '0', 0x7f, 0xe9, 0x7ff, 0x800, 0x20ac, 0xffff, 0x1f600, 0x10ffff
    };

    private final Random random;
    private final ProtocolVersion version;
    private final Party party;

    /** @param party who sends the frames */
    RandomFrames(long seed, ProtocolVersion version, Party party) {
        this.random = new Random(seed);
        this.version = version;
        this.party = party;
    }

    Frame next() {
        int codes = version == ProtocolVersion.V1 ? 5 : 9;
        return next(ControlCode.values()[random.nextInt(codes)]);
    }

    private Frame next(ControlCode code) {
        return switch (code) {
            case OFFER -> new Frame.Offer(id(ChannelSource.LOCAL), text(1_024), window());
            case OFFER_ACCEPTED -> new Frame.OfferAccepted(id(ChannelSource.REMOTE), window());
            case CONTENT -> new Frame.Content(id(), Unpooled.wrappedBuffer(content()));
            case CONTENT_WRITING_COMPLETED -> new Frame.ContentWritingCompleted(id());
            case CHANNEL_TERMINATED ->
                new Frame.ChannelTerminated(id(), version.hasErrorText() && random.nextBoolean() ? text(4_096) : null);
            case CONTENT_PROCESSED -> new Frame.ContentProcessed(id(), number() & Long.MAX_VALUE);
            case CONTENT_READING_COMPLETED -> new Frame.ContentReadingCompleted(id());
            case CHANNEL_WINDOW_ADJUST -> new Frame.ChannelWindowAdjust(id(), number() >>> 2);
            case CHANNEL_WINDOW_GROWTH_REQUEST -> new Frame.ChannelWindowGrowthRequest(id());
        };
    }

    private ChannelId id() {
        ChannelSource[] sources = ChannelSource.values();
        ChannelSource source = sources[random.nextInt(sources.length)];
        return id(source == ChannelSource.SEEDED && !version.hasSeededChannels() ? ChannelSource.LOCAL : source);
    }

    private ChannelId id(ChannelSource source) {
        if (version.hasQualifiedIds()) {
            return new ChannelId(number(), source);
        }
        boolean odd = (source == ChannelSource.LOCAL) == (party == Party.ODD);
        long value = number() & 0xffff_fffeL;
        return new ChannelId(odd ? value | 1 : Math.max(2, value), source);
    }

    private OptionalLong window() {
        return version.hasFlowControl() && random.nextInt(4) > 0
                ? OptionalLong.of(number() >>> 2)
                : OptionalLong.empty();
    }

    /** Any 64 bits, of any magnitude. */
    private long number() {
        return random.nextLong() >>> random.nextInt(64);
    }

    private byte[] content() {
        byte[] content = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 20_480 : 300)];
        random.nextBytes(content);
        return content;
    }

    private String text(int maxBytes) {
        StringBuilder text = new StringBuilder();
        int characters = random.nextInt(random.nextInt(8) == 0 ? maxBytes / 4 : 40);
        for (int i = 0; i < characters; i++) {
            text.appendCodePoint(CODE_POINTS[random.nextInt(CODE_POINTS.length)]);
        }
        return text.toString();
    }
}
