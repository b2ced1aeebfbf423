package io.muxstream.bench.decode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A capture file: TCP connections over IPv4 over Ethernet, each with its handshake and its end, one packet a segment. */
final class Pcap {
    /** The port of every connection's second party. */
    static final int PORT_OF_B = 4_000;

    /** The first party of connection n has the port that many above this one. */
    static final int FIRST_PORT_OF_A = 20_000;

    private static final int ETHERNET = 1;
    private static final int ETHERNET_HEADER_BYTES = 14;
    private static final int IP_HEADER_BYTES = 20;
    private static final int TCP_HEADER_BYTES = 20;
    private static final int HEADERS_BYTES = ETHERNET_HEADER_BYTES + IP_HEADER_BYTES + TCP_HEADER_BYTES;
    private static final int FIN = 1;
    private static final int SYN = 2;
    private static final int PUSH = 8;
    private static final int ACK = 16;

    private final List<byte[]> packets = new ArrayList<>();
    private int connections;

    /** What one party sent in one packet, at most 60,000 bytes. */
    record Segment(boolean ofA, byte[] bytes) {}

    /** Adds a connection; its number, which is what tshark calls its stream. */
    int add(List<Segment> segments) {
        Connection connection = new Connection(FIRST_PORT_OF_A + connections);
        connection.send(true, SYN, new byte[0]);
        connection.send(false, SYN | ACK, new byte[0]);
        connection.send(true, ACK, new byte[0]);
        for (Segment segment : segments) {
            connection.send(segment.ofA(), PUSH | ACK, segment.bytes());
        }
        connection.send(true, FIN | ACK, new byte[0]);
        connection.send(false, FIN | ACK, new byte[0]);
        return connections++;
    }

    void write(Path file) throws IOException {
        int bytes = 24 + packets.stream().mapToInt(packet -> 16 + packet.length).sum();
        ByteBuffer out = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4).putLong(0);
        out.putInt(0xffff + HEADERS_BYTES).putInt(ETHERNET);
        for (int i = 0; i < packets.size(); i++) {
            byte[] packet = packets.get(i);
            out.putInt(i / 1_000).putInt(i % 1_000 * 1_000);
            out.putInt(packet.length).putInt(packet.length).put(packet);
        }
        Files.write(file, out.array());
    }

    private final class Connection {
        private final int portOfA;
        private int sequenceOfA = 1_000;
        private int sequenceOfB = 2_000_000;

        Connection(int portOfA) {
            this.portOfA = portOfA;
        }

        void send(boolean ofA, int flags, byte[] bytes) {
            int count = bytes.length + ((flags & (SYN | FIN)) == 0 ? 0 : 1);
            ByteBuffer packet = ByteBuffer.allocate(HEADERS_BYTES + bytes.length);
            packet.position(ETHERNET_HEADER_BYTES - 2);
            packet.putShort((short) 0x0800);
            packet.putShort((short) 0x4500).putShort((short) (IP_HEADER_BYTES + TCP_HEADER_BYTES + bytes.length));
            // No identification, no fragment, 64 hops, TCP, and checksums of 0, which nobody looks at.
            packet.putInt(0).putShort((short) 0x4006).putShort((short) 0);
            packet.putInt(0x0a000000 + (ofA ? 1 : 2)).putInt(0x0a000000 + (ofA ? 2 : 1));
            packet.putShort((short) (ofA ? portOfA : PORT_OF_B)).putShort((short) (ofA ? PORT_OF_B : portOfA));
            packet.putInt(ofA ? sequenceOfA : sequenceOfB);
            packet.putInt((flags & ACK) == 0 ? 0 : ofA ? sequenceOfB : sequenceOfA);
            packet.putShort((short) (TCP_HEADER_BYTES / 4 << 12 | flags)).putShort((short) 0xffff);
            packet.putInt(0).put(bytes);
            packets.add(packet.array());
            if (ofA) {
                sequenceOfA += count;
            } else {
                sequenceOfB += count;
            }
        }
    }
}
