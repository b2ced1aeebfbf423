package io.muxstream.testkit.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A public implementation of the protocol that we are tried against, as a program that speaks the peer contract. */
enum ForeignPeer {
    NODE("node") {
        @Override
        String missing() {
            Path folder = ROOT.resolve("mux-tests/peers/node");
            if (!Files.isDirectory(folder.resolve("node_modules/nerdbank-streams"))) {
                return "the Node peer's packages are not installed (npm ci in mux-tests/peers/node)";
            }
            return runs("node", "--version") ? "" : "there is no Node.js here";
        }

        @Override
        List<String> program() {
            return List.of("node", ROOT.resolve("mux-tests/peers/node/peer.js").toString());
        }
    },
    DOTNET(".net") {
        @Override
        String missing() {
            String program = System.getProperty("mux.peer.dotnet", "");
            if (program.isEmpty()) {
                return "the .NET peer's program is not named (-Dmux.peer.dotnet=...)";
            }
            return Files.isExecutable(Path.of(program)) ? "" : "the .NET peer's program is not there: " + program;
        }

        @Override
        List<String> program() {
            return List.of(System.getProperty("mux.peer.dotnet", ""));
        }
    };

    private static final Path ROOT =
            Path.of(System.getProperty("mux.root", "..")).toAbsolutePath().normalize();

    private final String label;

    ForeignPeer(String label) {
        this.label = label;
    }

    /** What it lacks to be run here; empty: nothing. */
    abstract String missing();

    abstract List<String> program();

    List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(program());
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    @Override
    public String toString() {
        return label;
    }

    private static boolean runs(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (java.io.IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
