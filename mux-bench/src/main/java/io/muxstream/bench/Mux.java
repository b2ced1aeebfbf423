package io.muxstream.bench;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program {@code mux}: one process, one verb; ends with 2 where the command line is wrong. */
@Command(
        name = "mux",
        description = "Many flow-controlled channels over one connection.",
        mixinStandardHelpOptions = true,
        versionProvider = Mux.Version.class)
public final class Mux implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    /**
     * Runs the command line and ends the process with its status.
     *
     * @param arguments the verb and its options
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Mux()).execute(arguments));
    }

    @Override
    public void run() {
        if (spec == null) {
            throw new IllegalStateException("expected to be run by the command line");
        }
        throw new ParameterException(spec.commandLine(), "expected a verb, see --help");
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
