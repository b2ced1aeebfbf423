package io.muxstream.protocol.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.TerminationReason.Cause;
import io.muxstream.protocol.frame.Violation;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminationReasonTest {

    @ParameterizedTest
    @CsvSource({
        "COMPLETED,        true",
        "LOCAL,            true",
        "PEER,             true",
        "REJECTED,         false",
        "RESCINDED,        false",
        "VIOLATION,        false",
        "CONNECTION_ENDED, false"
    })
    void aCompletionOrATerminationIsTheEndOfWhatIsRead(Cause cause, boolean clean) {
        assertThat(TerminationReason.of(cause).isCleanEnd()).isEqualTo(clean);
    }

    @Test
    void withAnErrorTextReadableOrNotItIsAnError() {
        assertThat(new TerminationReason(Cause.PEER, "no time", null, null).isCleanEnd())
                .isFalse();
        assertThat(new TerminationReason(Cause.PEER, null, Violation.UNREADABLE_ERROR_TEXT, null).isCleanEnd())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "COMPLETED,        both parties have completed their writing",
        "LOCAL,            this party terminated the channel",
        "PEER,             the peer terminated the channel",
        "REJECTED,         the peer rejected the offer",
        "RESCINDED,        the peer took its offer back",
        "VIOLATION,        the peer broke the protocol",
        "CONNECTION_ENDED, the connection is over"
    })
    void itSaysWhoOrWhatEndedTheChannel(Cause cause, String words) {
        assertThat(TerminationReason.of(cause).describe()).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource({
        "LOCAL,     this party terminated the channel: no time",
        "PEER,      the peer terminated the channel: no time",
        "REJECTED,  the peer rejected the offer: no time",
        "RESCINDED, the peer took its offer back: no time",
        "VIOLATION, the peer broke the protocol: no time"
    })
    void itSaysWhyWhereThatIsKnown(Cause cause, String words) {
        assertThat(new TerminationReason(cause, "no time", null, null).describe())
                .isEqualTo(words);
    }

    @Test
    void itNamesTheRuleThatSpoiltThePeersText() {
        assertThat(new TerminationReason(Cause.PEER, null, Violation.UNREADABLE_ERROR_TEXT, null).describe())
                .isEqualTo("the peer terminated the channel (UNREADABLE_ERROR_TEXT, spec §5.5)");
    }

    @Test
    void itTellsWhatEndedTheConnection() {
        assertThat(TerminationReason.connectionEnded(new IOException("reset")).describe())
                .isEqualTo("the connection is over: reset");
        assertThat(TerminationReason.connectionEnded(null)).isEqualTo(TerminationReason.of(Cause.CONNECTION_ENDED));
    }
}
