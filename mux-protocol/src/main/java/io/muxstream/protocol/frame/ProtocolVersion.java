package io.muxstream.protocol.frame;

/** A major version of the protocol, and what it can do (spec §1.2). Nothing on the wire negotiates it. */
public enum ProtocolVersion {
    V1(1),
    V2(2),
    V3(3),
    V4(4);

    private static final ProtocolVersion[] VALUES = values();

    private final int number;

    ProtocolVersion(int number) {
        this.number = number;
    }

    /**
     * The version of a number.
     *
     * @throws IllegalArgumentException where it is not 1 to 4
     */
    public static ProtocolVersion ofNumber(int number) {
        if (number < 1 || number > VALUES.length) {
            throw new IllegalArgumentException("expected a protocol version from 1 to 4, got " + number);
        }
        return VALUES[number - 1];
    }

    /** The version's number, 1 to 4. */
    public int number() {
        return number;
    }

    /** Whether both parties open the connection with a handshake that makes one of them the odd party (spec §3). */
    public boolean hasHandshake() {
        return this == V1 || this == V2;
    }

    /** Whether a channel has a window in each direction, and credit is returned (spec §7). */
    public boolean hasFlowControl() {
        return this != V1;
    }

    /** Whether a frame says who offered its channel, so that each party has numbers of its own (spec §4.2). */
    public boolean hasQualifiedIds() {
        return this == V3 || this == V4;
    }

    /** Whether channels can be there from the start, with no offer (spec §4.3). */
    public boolean hasSeededChannels() {
        return hasQualifiedIds();
    }

    /** Whether a party asks for growth without being told to (spec §8); answering a request needs flow control alone. */
    public boolean hasGrowth() {
        return this == V4;
    }

    /** Whether a termination can carry an error text (spec §5.5). */
    public boolean hasErrorText() {
        return this != V1;
    }
}
