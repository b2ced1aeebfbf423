package io.muxstream.bench;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line's entry. */
@Command(name = "mux", mixinStandardHelpOptions = true, description = "Many flow-controlled channels over one connection.")
public final class Mux {
    private Mux() {}

    /** Runs the command that the arguments name. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Mux()).execute(arguments));
    }
}
