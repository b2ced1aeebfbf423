package io.muxstream.protocol.channel;

import static io.muxstream.protocol.channel.ChannelState.LOCAL_COMPLETED;
import static io.muxstream.protocol.channel.ChannelState.OFFERED;
import static io.muxstream.protocol.channel.ChannelState.OFFERED_BY_PEER;
import static io.muxstream.protocol.channel.ChannelState.OFFERED_BY_PEER_COMPLETED;
import static io.muxstream.protocol.channel.ChannelState.OPEN;
import static io.muxstream.protocol.channel.ChannelState.REMOTE_COMPLETED;
import static io.muxstream.protocol.channel.ChannelState.TERMINATED;
import static io.muxstream.protocol.channel.ChannelState.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import io.muxstream.protocol.channel.ChannelState.Event;
import io.muxstream.protocol.frame.Violation;
import java.util.Arrays;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The table of spec §6.1, each state with each event. {@code -} stands for what is not allowed. */
class ChannelStateTest {

    @ParameterizedTest
    @CsvSource({
        // state, > Offer, > OfferAccepted, > WritingCompleted
        "WAITING,                   OFFERED, -,                -",
        "OFFERED,                   -,       -,                -",
        "OFFERED_BY_PEER,           -,       OPEN,             -",
        "OFFERED_BY_PEER_COMPLETED, -,       REMOTE_COMPLETED, -",
        "OPEN,                      -,       -,                LOCAL_COMPLETED",
        "LOCAL_COMPLETED,           -,       -,                -",
        "REMOTE_COMPLETED,          -,       -,                TERMINATED",
    })
    void whatWeSend(ChannelState state, String offer, String acceptance, String completion) {
        assertAfter(state, Event.SEND_OFFER, offer);
        assertAfter(state, Event.SEND_ACCEPTANCE, acceptance);
        assertAfter(state, Event.SEND_COMPLETION, completion);
        assertAfter(state, Event.TERMINATE, "TERMINATED");
    }

    @ParameterizedTest
    @CsvSource({
        // state, < OfferAccepted, < Content, < WritingCompleted, < any of 5 to 8
        "OFFERED,                   OPEN, -,               -,                         -",
        "OFFERED_BY_PEER,           -,    OFFERED_BY_PEER, OFFERED_BY_PEER_COMPLETED, OFFERED_BY_PEER",
        "OFFERED_BY_PEER_COMPLETED, -,    -,               -,                         OFFERED_BY_PEER_COMPLETED",
        "OPEN,                      -,    OPEN,            REMOTE_COMPLETED,          OPEN",
        "LOCAL_COMPLETED,           -,    LOCAL_COMPLETED, TERMINATED,                LOCAL_COMPLETED",
        "REMOTE_COMPLETED,          -,    -,               -,                         REMOTE_COMPLETED",
    })
    void whatThePeerSends(ChannelState state, String acceptance, String content, String completion, String flow) {
        assertAfter(state, Event.RECEIVE_ACCEPTANCE, acceptance);
        assertAfter(state, Event.RECEIVE_CONTENT, content);
        assertAfter(state, Event.RECEIVE_COMPLETION, completion);
        assertAfter(state, Event.RECEIVE_FLOW, flow);
    }

    @ParameterizedTest
    @CsvSource({
        "WAITING,                   UNEXPECTED_ACCEPTANCE, FRAME_BEFORE_ACCEPTANCE,  FRAME_BEFORE_ACCEPTANCE",
        "OFFERED,                   -,                     FRAME_BEFORE_ACCEPTANCE,  FRAME_BEFORE_ACCEPTANCE",
        "OFFERED_BY_PEER,           UNEXPECTED_ACCEPTANCE, -,                        -",
        "OFFERED_BY_PEER_COMPLETED, UNEXPECTED_ACCEPTANCE, CONTENT_AFTER_COMPLETION, CONTENT_AFTER_COMPLETION",
        "OPEN,                      UNEXPECTED_ACCEPTANCE, -,                        -",
        "LOCAL_COMPLETED,           UNEXPECTED_ACCEPTANCE, -,                        -",
        "REMOTE_COMPLETED,          UNEXPECTED_ACCEPTANCE, CONTENT_AFTER_COMPLETION, CONTENT_AFTER_COMPLETION",
    })
    void whatIsNotAllowedHasTheSpecsName(ChannelState state, String acceptance, String content, String completion) {
        assertViolation(state, Event.RECEIVE_ACCEPTANCE, acceptance);
        assertViolation(state, Event.RECEIVE_CONTENT, content);
        assertViolation(state, Event.RECEIVE_COMPLETION, completion);
        if (state == WAITING || state == OFFERED) {
            assertViolation(state, Event.RECEIVE_FLOW, "FRAME_BEFORE_ACCEPTANCE");
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingLeadsOutOfTheEnd(Event event) {
        ChannelState after = TERMINATED.after(event);
        assertThat(after == null || after == TERMINATED).isTrue();
    }

    @Test
    void theQuestionsFollowFromTheState() {
        assertThat(statesThat(ChannelState::isAccepted)).containsExactly(OPEN, LOCAL_COMPLETED, REMOTE_COMPLETED);
        assertThat(statesThat(ChannelState::canSend)).containsExactly(OPEN, REMOTE_COMPLETED);
        assertThat(statesThat(ChannelState::canReceive)).containsExactly(OFFERED_BY_PEER, OPEN, LOCAL_COMPLETED);
        assertThat(statesThat(ChannelState::isOfferedByPeer))
                .containsExactly(OFFERED_BY_PEER, OFFERED_BY_PEER_COMPLETED);
        assertThat(WAITING.after(Event.RECEIVE_FLOW)).isNull();
    }

    private static EnumSet<ChannelState> statesThat(java.util.function.Predicate<ChannelState> question) {
        EnumSet<ChannelState> states = EnumSet.noneOf(ChannelState.class);
        Arrays.stream(ChannelState.values()).filter(question).forEach(states::add);
        return states;
    }

    private static void assertAfter(ChannelState state, Event event, String expected) {
        assertThat(state.after(event))
                .as(state + " after " + event)
                .isEqualTo(expected.equals("-") ? null : ChannelState.valueOf(expected));
    }

    private static void assertViolation(ChannelState state, Event event, String expected) {
        if (!expected.equals("-")) {
            assertThat(state.violation(event)).as(state + ", " + event).isEqualTo(Violation.valueOf(expected));
        }
    }
}
