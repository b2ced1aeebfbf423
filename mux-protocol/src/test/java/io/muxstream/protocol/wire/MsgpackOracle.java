package io.muxstream.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessageInsufficientBufferException;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageSizeException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.ValueType;

/**
 * What another implementation makes of bytes, held against our few forms of MessagePack. It knows every form (spec §2.4); what it does
 * not know are our three limits, and they stand here on their own: the nesting, the bytes that a value may take, and that a count which
 * cannot fit any more is refused before what it counts has come.
 */
public final class MsgpackOracle {
    /** A limit that no bytes at hand reach, as of a value whose end has not come yet. */
    private static final int FAR = Integer.MAX_VALUE;

    private MsgpackOracle() {}

    /** Fails where we and the other differ over the value that the bytes begin with, whole or not. */
    public static void check(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        if (bytes.length == 0) {
            assertThat(Msgpack.skip(in, 0, 0, 0)).isEqualTo(Msgpack.MALFORMED);
            assertThat(Msgpack.skip(in, 0, 0, FAR)).isEqualTo(Msgpack.INCOMPLETE);
            return;
        }
        checkKind(in, bytes);
        int whole = skipped(bytes, bytes.length);
        assertThat(Msgpack.skip(in, 0, bytes.length, bytes.length))
                .as("the end of a value that is there as a whole")
                .isEqualTo(whole == Msgpack.INCOMPLETE ? Msgpack.MALFORMED : whole);
        if (!endsBeforeAnExtsType(bytes)) {
            assertThat(Msgpack.skip(in, 0, bytes.length, FAR))
                    .as("the end of a value, the rest of which may come")
                    .isEqualTo(skipped(bytes, FAR));
        }
    }

    /**
     * Where the value ends by the other's reading; {@link Msgpack#INCOMPLETE} or {@link Msgpack#MALFORMED}.
     *
     * @param limit no value may end behind this index
     */
    static int skipped(byte[] bytes, int limit) {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(bytes)) {
            return skipped(unpacker, bytes.length, limit, Msgpack.MAX_NESTING);
        } catch (MessageInsufficientBufferException e) {
            return Msgpack.INCOMPLETE;
        } catch (MessageSizeException e) {
            // A count or length of 2^31 and more, which the other's arrays can't hold.
            return Msgpack.MALFORMED;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static int skipped(MessageUnpacker unpacker, int end, int limit, int nesting) throws IOException {
        if (!unpacker.hasNext()) {
            return Msgpack.INCOMPLETE;
        }
        MessageFormat format = unpacker.getNextFormat();
        if (format == MessageFormat.NEVER_USED) {
            return Msgpack.MALFORMED;
        }
        ValueType type = format.getValueType();
        if ((type == ValueType.ARRAY || type == ValueType.MAP) && nesting == 0) {
            return Msgpack.MALFORMED;
        }
        return switch (type) {
            case ARRAY -> elements(unpacker, end, limit, nesting - 1, unpacker.unpackArrayHeader());
            case MAP -> elements(unpacker, end, limit, nesting - 1, 2L * unpacker.unpackMapHeader());
            case STRING -> body(unpacker, end, limit, unpacker.unpackRawStringHeader());
            case BINARY -> body(unpacker, end, limit, unpacker.unpackBinaryHeader());
            case EXTENSION ->
                body(unpacker, end, limit, unpacker.unpackExtensionTypeHeader().getLength());
            case NIL, BOOLEAN, INTEGER, FLOAT -> {
                unpacker.skipValue();
                yield (int) unpacker.getTotalReadBytes();
            }
        };
    }

    private static int elements(MessageUnpacker unpacker, int end, int limit, int nesting, long count)
            throws IOException {
        // Ours: each takes a byte at least.
        if (count > limit - unpacker.getTotalReadBytes()) {
            return Msgpack.MALFORMED;
        }
        int behind = (int) unpacker.getTotalReadBytes();
        for (long i = 0; i < count && behind >= 0; i++) {
            behind = skipped(unpacker, end, limit, nesting);
        }
        return behind;
    }

    private static int body(MessageUnpacker unpacker, int end, int limit, int length) throws IOException {
        long behind = unpacker.getTotalReadBytes() + length;
        if (behind > limit) {
            return Msgpack.MALFORMED;
        }
        if (behind > end) {
            return Msgpack.INCOMPLETE;
        }
        byte[] body = unpacker.readPayload(length);
        assertThat(body).hasSize(length);
        return (int) behind;
    }

    /**
     * Whether the last bytes may be an ext of 32 bits of length without its type. The other waits for the type then; we know already that
     * a length near 2^31 is too much.
     */
    private static boolean endsBeforeAnExtsType(byte[] bytes) {
        return bytes.length >= 5 && (bytes[bytes.length - 5] & 0xff) == 0xc9;
    }

    /** What kind of value begins here, and what its header says. */
    private static void checkKind(ByteBuf in, byte[] bytes) {
        int prefix = bytes[0] & 0xff;
        ValueType type = MessageFormat.valueOf((byte) prefix) == MessageFormat.NEVER_USED
                ? null
                : MessageFormat.valueOf((byte) prefix).getValueType();
        assertThat(Msgpack.integerBytes(prefix) != Msgpack.OTHER_KIND).isEqualTo(type == ValueType.INTEGER);
        assertThat(Msgpack.arrayHeaderBytes(prefix) != Msgpack.OTHER_KIND).isEqualTo(type == ValueType.ARRAY);
        assertThat(Msgpack.binHeaderBytes(prefix) != Msgpack.OTHER_KIND).isEqualTo(type == ValueType.BINARY);
        assertThat(Msgpack.strHeaderBytes(prefix) != Msgpack.OTHER_KIND).isEqualTo(type == ValueType.STRING);
        assertThat(Msgpack.kind(prefix)).isEqualTo(nameOf(type));
        if (type == ValueType.INTEGER && Msgpack.integerBytes(prefix) <= bytes.length) {
            checkInteger(in, Arrays.copyOf(bytes, Msgpack.integerBytes(prefix)));
        }
        int headerBytes =
                Msgpack.arrayHeaderBytes(prefix) + Msgpack.binHeaderBytes(prefix) + Msgpack.strHeaderBytes(prefix);
        if (headerBytes > 0 && headerBytes <= bytes.length) {
            checkCount(in, bytes, type, headerBytes);
        }
    }

    private static void checkInteger(ByteBuf in, byte[] integer) {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(integer)) {
            BigInteger value = unpacker.unpackBigInteger();
            assertThat(unpacker.getTotalReadBytes()).isEqualTo(integer.length);
            assertThat(Msgpack.isNegative(in, 0)).isEqualTo(value.signum() < 0);
            assertThat(Msgpack.integer(in, 0)).isEqualTo(value.longValue());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void checkCount(ByteBuf in, byte[] bytes, ValueType type, int headerBytes) {
        long count = Msgpack.count(in, 0);
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(bytes)) {
            int theirs = switch (type) {
                case ARRAY -> unpacker.unpackArrayHeader();
                case STRING -> unpacker.unpackRawStringHeader();
                default -> unpacker.unpackBinaryHeader();
            };
            assertThat(count).isEqualTo(theirs);
            assertThat(unpacker.getTotalReadBytes()).isEqualTo(headerBytes);
        } catch (MessageSizeException e) {
            assertThat(count)
                    .as("a count that the other can't hold")
                    .isEqualTo(e.getSize())
                    .isGreaterThan(Integer.MAX_VALUE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String nameOf(ValueType type) {
        if (type == null) {
            return "the prefix c1, which begins no value";
        }
        return switch (type) {
            case NIL -> "nil";
            case BOOLEAN -> "a boolean";
            case INTEGER -> "an integer";
            case FLOAT -> "a float";
            case STRING -> "a str";
            case BINARY -> "a bin";
            case ARRAY -> "an array";
            case MAP -> "a map";
            case EXTENSION -> "an ext";
        };
    }
}
