package io.muxstream.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Spares a process that lives for seconds the optimising compiler, as far as Netty's code and ours go. On two processors it takes more time
 * from the threads that do the work than its code gains them by the end: 32 MB on version 3 come in 28 ms instead of 60 at the default
 * length of a bench, in 15 with the compiler switched off from the start, and in 18 once it is done.
 */
final class ShortLife {
    private static final String COMMANDS = "com.sun.management:type=DiagnosticCommand";
    private static final String DIRECTIVE = "[{match: [\"io/netty/*.*\", \"io/muxstream/*.*\"], c2: {Exclude: true}}]";

    private ShortLife() {}

    /** Asks the virtual machine; one that has no such thing goes on as it is. */
    static void begin() {
        try {
            Path file = Files.createTempFile("mux", ".json");
            try {
                Files.writeString(file, DIRECTIVE);
                Object unused = ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName(COMMANDS),
                                "compilerDirectivesAdd",
                                new Object[] {new String[] {file.toString()}},
                                new String[] {String[].class.getName()});
            } finally {
                Files.delete(file);
            }
        } catch (IOException | JMException e) {
            // Then it takes a little longer.
        }
    }
}
