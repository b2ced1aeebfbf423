package io.muxstream.protocol.frame;

/** Which of the two parties this one is on v1 and v2, as the handshake found out: its own channels have odd or even numbers (spec §4.1). */
public enum Party {
    ODD,
    EVEN
}
