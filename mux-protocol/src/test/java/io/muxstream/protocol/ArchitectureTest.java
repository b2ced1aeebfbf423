package io.muxstream.protocol;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import io.muxstream.protocol.connection.Connection;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Clock;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine has no clock, no chance, no thread and no input or output of its own, and its rooms import one another one way only. */
class ArchitectureTest {
    private static final String OURS = "io.muxstream.protocol";

    /** What was built from the main sources, wherever that is. */
    private static final JavaClasses ENGINE = new ClassFileImporter()
            .importUrl(Connection.class.getProtectionDomain().getCodeSource().getLocation());

    /** All that the engine may see. Of java.util not the subpackages: locks, executors and random generators live there. */
    private static final ArchRule SEES_ONLY_VALUES_AND_BUFFERS = classes()
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                            "java.lang",
                            "java.lang.annotation",
                            "java.lang.invoke",
                            "java.lang.runtime",
                            "java.util",
                            "java.util.function",
                            "java.nio",
                            "java.nio.charset",
                            "io.netty.buffer",
                            "io.netty.util",
                            "io.netty.util.collection",
                            "org.jspecify.annotations",
                            "com.google.errorprone.annotations",
                            OURS + "..")
                    .or(named("an exception of java.io", "java.io.IOException", "java.io.UncheckedIOException"))
                    .or(named("serializable", "java.io.Serializable")));

    private static final ArchRule STARTS_NOTHING = noClasses()
            .should()
            .dependOnClassesThat(named(
                    "threads, timers, processes and generators of chance",
                    "java.lang.Thread",
                    "java.lang.ThreadLocal",
                    "java.lang.Runtime",
                    "java.lang.Process",
                    "java.lang.ProcessBuilder",
                    "java.util.Random",
                    "java.util.SplittableRandom",
                    "java.util.Timer",
                    "java.util.TimerTask",
                    "io.netty.util.Timer",
                    "io.netty.util.HashedWheelTimer"));

    private static final ArchRule READS_NO_CLOCK_AND_DRAWS_NO_LOTS = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callMethod(StrictMath.class, "random")
            .orShould()
            .callMethod(UUID.class, "randomUUID")
            .orShould()
            .callMethod(Object.class, "wait")
            .orShould()
            .callMethod(Object.class, "wait", long.class)
            .orShould()
            .callMethod(Object.class, "notify")
            .orShould()
            .callMethod(Object.class, "notifyAll");

    private static final ArchRule LOCKS_NOTHING = noMethods().should().haveModifier(JavaModifier.SYNCHRONIZED);

    @Test
    void theEngineSeesValuesAndBuffersAlone() {
        SEES_ONLY_VALUES_AND_BUFFERS.check(ENGINE);
    }

    @Test
    void theEngineStartsNoThreadAndDrawsNoLots() {
        STARTS_NOTHING.check(ENGINE);
        READS_NO_CLOCK_AND_DRAWS_NO_LOTS.check(ENGINE);
    }

    @Test
    void theEngineLocksNothing() {
        LOCKS_NOTHING.check(ENGINE);
    }

    /** That {@code connection} may see {@code flow} is for the budgets of a connection, which no single channel can hold. */
    @ParameterizedTest
    @CsvSource({
        "frame, frame",
        "flow, flow",
        "wire, wire frame",
        "channel, channel flow frame",
        "connection, connection wire channel flow frame"
    })
    void aRoomImportsOnlyWhatIsBelowIt(String room, String below) {
        roomRule(room, below.split(" ")).check(ENGINE);
    }

    @Test
    void thereAreFiveRoomsAndNothingBesideThem() {
        assertThat(ENGINE.stream().map(JavaClass::getPackageName).distinct())
                .containsExactlyInAnyOrder(
                        OURS + ".frame", OURS + ".flow", OURS + ".wire", OURS + ".channel", OURS + ".connection");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReadsClock.class,
                DrawsLots.class,
                TakesLock.class,
                OpensSocket.class,
                OpensFile.class,
                Starts.class,
                Names.class
            })
    void aClassThatBreaksARuleIsFound(Class<?> culprit) {
        JavaClasses one = new ClassFileImporter().importClasses(culprit);
        assertThat(Arrays.asList(
                        SEES_ONLY_VALUES_AND_BUFFERS, STARTS_NOTHING, READS_NO_CLOCK_AND_DRAWS_NO_LOTS, LOCKS_NOTHING))
                .anyMatch(rule -> rule.evaluate(one).hasViolation());
    }

    @Test
    void aRoomThatImportsUpwardsIsFound() {
        assertThat(roomRule("connection", "connection").evaluate(ENGINE).hasViolation())
                .isTrue();
    }

    private static ArchRule roomRule(String room, String... below) {
        String[] allowed =
                Arrays.stream(below).map(name -> OURS + "." + name + "..").toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(OURS + "." + room + "..")
                .should()
                .dependOnClassesThat(are(resideInAPackage(OURS + "..").and(not(resideInAnyPackage(allowed)))));
    }

    private static DescribedPredicate<JavaClass> named(String what, String... names) {
        return DescribedPredicate.describe(
                what, javaClass -> Arrays.asList(names).contains(javaClass.getName()));
    }

    static final class ReadsClock {
        long now() {
            return Clock.systemUTC().millis();
        }
    }

    static final class DrawsLots {
        int draw() {
            return new Random().nextInt();
        }
    }

    static final class TakesLock {
        void take() {
            new ReentrantLock().lock();
        }
    }

    static final class OpensSocket {
        void open() throws IOException {
            new Socket("localhost", 1).close();
        }
    }

    static final class OpensFile {
        void open() throws IOException {
            new FileInputStream("none").close();
        }
    }

    static final class Starts {
        void start() {
            new Thread(() -> {}).start();
        }
    }

    static final class Names {
        String name() {
            return UUID.randomUUID() + " " + System.nanoTime();
        }
    }
}
