package io.muxstream.protocol.vector;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muxstream.protocol.frame.Violation;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of conversations, held with an engine (spec §13). */
class ConversationVectorTest {
    private static Stream<Vector> conversations() {
        return Vector.all(Vector.Kind.CONVERSATION);
    }

    @Test
    void thereAreConversations() {
        assertThat(conversations()).hasSizeGreaterThan(150);
    }

    @ParameterizedTest
    @MethodSource("conversations")
    void theEngineAnswersAsTheVectorSays(Vector vector) {
        hold(vector, false);
    }

    @ParameterizedTest
    @MethodSource("conversations")
    void theEngineAnswersAlikeWhenBytesComeOneByOne(Vector vector) {
        hold(vector, true);
    }

    private static void hold(Vector vector, boolean byteByByte) {
        ConversationParty party = new ConversationParty(vector);
        boolean violated = false;
        int number = 0;
        for (JsonNode step : vector.steps().toList()) {
            number++;
            if (step.has("receive")) {
                party.receive(
                        Vector.hex(step.get("receive")), step.path("times").asInt(1), byteByByte);
            } else if (step.has("do")) {
                party.act(step.get("do").asText(), step);
            } else if (step.has("expectSent")) {
                assertThat(party.takeSent())
                        .as("sent until step %d", number)
                        .isEqualTo(step.get("expectSent").asText());
            } else {
                violated |= step.get("reach").asText().equals("connection");
                checkViolation(
                        party,
                        Violation.valueOf(step.required("expectViolation").asText()));
            }
        }
        assertThat(party.isEnded()).as("whether the connection has ended").isEqualTo(violated);
    }

    private static void checkViolation(ConversationParty party, Violation violation) {
        if (violation.reach() == Violation.Reach.CONNECTION) {
            assertThat(party.connectionViolation()).isEqualTo(violation);
        } else {
            assertThat(party.channelViolations()).containsExactly(violation);
        }
    }
}
