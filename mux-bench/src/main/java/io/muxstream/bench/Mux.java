package io.muxstream.bench;

import io.muxstream.bench.conform.ConformCommand;
import io.muxstream.bench.decode.DecodeCommand;
import io.muxstream.bench.session.SessionCommand;
import java.io.PrintWriter;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The program {@code mux}: one process, one verb. Ends with 2 where the command line is wrong and with 1 where something else is, and in
 * both cases with one line on standard error.
 */
@Command(
        name = "mux",
        description = "Many flow-controlled channels over one connection.",
        mixinStandardHelpOptions = true,
        versionProvider = Mux.Version.class,
        subcommands = {
            Serve.class,
            Bench.class,
            SessionCommand.class,
            Simulate.class,
            DecodeCommand.class,
            ConformCommand.class
        })
public final class Mux implements Runnable {
    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    private static final int STATUS_FAILED = 1;
    private static final int STATUS_USAGE = 2;

    @Spec
    private @Nullable CommandSpec spec;

    /**
     * Runs the command line and ends the process with its status.
     *
     * @param arguments the verb and its options
     */
    public static void main(String[] arguments) {
        // Netty samples buffers for leaks unless told otherwise: of use in tests, and a fifth of the speed in a program
        // that measures.
        if (System.getProperty(LEAK_DETECTION) == null) {
            System.setProperty(LEAK_DETECTION, "disabled");
        }
        ShortLife.begin();
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Mux())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(
                        (e, arguments) -> fail(e.getCommandLine().getErr(), e.getMessage(), STATUS_USAGE))
                .setExecutionExceptionHandler((e, line, parsed) -> {
                    Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
                    return cause instanceof UsageException
                            ? fail(line.getErr(), cause.getMessage(), STATUS_USAGE)
                            : fail(line.getErr(), describe(cause), STATUS_FAILED);
                });
    }

    @Override
    public void run() {
        if (spec == null) {
            throw new IllegalStateException("expected to be run by the command line");
        }
        throw new ParameterException(spec.commandLine(), "expected a verb, see --help");
    }

    private static int fail(PrintWriter err, @Nullable String message, int status) {
        err.println("mux: " + String.valueOf(message).replaceAll("\\s*\\R\\s*", " "));
        err.flush();
        return status;
    }

    private static String describe(Throwable failure) {
        String text = failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
        Throwable cause = failure.getCause();
        return cause == null ? text : text + ": " + describe(cause);
    }

    /** Tells the version that the jar's manifest carries. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Mux.class.getPackage().getImplementationVersion();
            return new String[] {"mux " + (version == null ? "(not packaged)" : version)};
        }
    }
}
