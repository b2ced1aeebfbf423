package io.muxstream.bench.decode;

import io.muxstream.protocol.frame.ProtocolVersion;
import io.muxstream.protocol.wire.FrameLimits;
import java.io.BufferedInputStream;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mux decode}: the frames that stand in bytes of one direction of a connection. */
@Command(
        name = "decode",
        sortOptions = false,
        description = {
            "Prints the handshake and the frames that one party of a connection has sent, a line each, as they come; and in the"
                    + " end where and why there was nothing more to decode.",
            ""
        },
        footer = {
            "",
            "Ids are those on the wire: on version 3 and 4 the source is 1 where the frame's sender offered the channel, -1 where"
                    + " its reader did, and 0 for a seeded channel. Each frame is looked at alone, and not against the state of its"
                    + " channel.",
            "",
            "Ends with 0 if the bytes ended between two frames and no violation was found; with 1 if they did not, if a violation"
                    + " was found or if they could not be read; with 2 for a wrong command line. See docs/decode.md."
        })
public final class DecodeCommand implements Callable<Integer> {
    private static final int MAX_CONTENT_BYTES = 65_535;
    private static final int STATUS_CLEAN = 0;
    private static final int STATUS_NOT_CLEAN = 1;
    private static final String STANDARD_INPUT = "-";

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FILE",
            description = "the bytes; - is standard input (default: ${DEFAULT-VALUE})",
            defaultValue = STANDARD_INPUT)
    private String file = STANDARD_INPUT;

    @Option(
            names = "--hex",
            description = "the bytes come as text in hexadecimal; white space between digits is ignored")
    private boolean hex;

    @Option(
            names = "--version",
            paramLabel = "V",
            description =
                    "protocol version, 1 to 4 (default: told from the first bytes; what has no handshake is read as 4, whose"
                            + " frames are those of 3)")
    private @Nullable Integer version;

    @Option(
            names = "--no-handshake",
            description =
                    "the bytes of version 1 or 2 begin at a frame; needs --version, for frames alone don't tell it")
    private boolean noHandshake;

    @Option(
            names = "--max-content",
            paramLabel = "N",
            description = "a content frame may have so many bytes of payload, 20,480 to 65,535 (default: 20,480)")
    private int maxContentBytes = FrameLimits.DEFAULTS.maxContentBytes();

    @Option(names = "--json", description = "prints an object a line instead")
    private boolean json;

    @SuppressWarnings("UnusedVariable") // The command line looks at it.
    @Option(names = "--help", usageHelp = true, description = "this text")
    private boolean help;

    @Override
    public Integer call() throws IOException {
        ProtocolVersion given = check();
        FrameLimits limits = new FrameLimits(
                maxContentBytes, FrameLimits.DEFAULTS.maxNameBytes(), FrameLimits.DEFAULTS.maxErrorTextBytes());
        // Unlike System.out it tells when nobody reads on.
        Writer out = new BufferedWriter(
                new OutputStreamWriter(new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8));
        DecodeOutput output = json ? new JsonOutput(out) : new TextOutput(out);
        try (InputStream in = open()) {
            DecodedEnd end = new Decoder(given, !noHandshake, limits, output).run(in);
            return end.isClean() ? STATUS_CLEAN : STATUS_NOT_CLEAN;
        }
    }

    private InputStream open() throws IOException {
        if (!file.equals(STANDARD_INPUT) && !Files.exists(Path.of(file))) {
            throw new IOException("there is no file " + file);
        }
        InputStream in = file.equals(STANDARD_INPUT) ? System.in : Files.newInputStream(Path.of(file));
        return hex ? new HexInput(new BufferedInputStream(in)) : in;
    }

    private @Nullable ProtocolVersion check() {
        if (version != null && (version < 1 || version > 4)) {
            throw usage("expected --version from 1 to 4, got " + version);
        }
        if (noHandshake && version == null) {
            throw usage("expected --version with --no-handshake, since a frame alone does not tell it");
        }
        if (maxContentBytes < FrameLimits.DEFAULTS.maxContentBytes() || maxContentBytes > MAX_CONTENT_BYTES) {
            throw usage("expected --max-content from 20480 to 65535, got " + maxContentBytes);
        }
        return version == null ? null : ProtocolVersion.ofNumber(version);
    }

    private ParameterException usage(String message) {
        if (spec == null) {
            throw new IllegalStateException("expected to be run by the command line");
        }
        return new ParameterException(spec.commandLine(), message);
    }
}
