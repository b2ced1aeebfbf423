package io.muxstream.testkit.trace;

import io.muxstream.protocol.frame.ChannelId;
import io.muxstream.protocol.frame.Frame;
import io.muxstream.protocol.frame.ProtocolViolationException;
import io.muxstream.testkit.trace.Trace.Side;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the two applications of a trace did, as steps that can be done again.
 *
 * <p>A few stories leave out what the frames show: the 40 channels of one, and what the writer wrote in those about growth. What is
 * missing is taken from the frames: an offer where there is one and the story tells of none, and so on.
 */
public final class Story {
    /** What can be done. */
    public enum Action {
        OFFER("offers '(?<name>[^']*)'"),
        CREATE("creates an anonymous channel"),
        ACCEPT("accepts '(?<name>[^']*)'"),
        ACCEPT_BY_ID("accepts it by its id"),
        REJECT("rejects it"),
        CANCEL("cancels the offer"),
        WRITE("writes (?<bytes>[\\d,]+) bytes(?: more| without waiting)?"),
        WRITE_ID("writes the id on '(?<name>[^']*)'"),
        READ("reads (?<bytes>[\\d,]+) bytes"),
        READ_RANGE("reads bytes (?<from>\\d+) to (?<to>\\d+)"),
        READ_ID("reads the id"),
        READ_END("reads the end"),
        COMPLETE_WRITING("completes its writing"),
        FAIL_WRITING("completes its writing with the error '(?<name>[^']*)'"),
        COMPLETE_READING("completes its reading"),
        DISPOSE("disposes of the channel"),
        DISPOSE_ALL("disposes of all \\d+"),
        CLOSE("s connection is disposed of");

        private final Pattern pattern;

        Action(String pattern) {
            this.pattern = Pattern.compile(pattern);
        }
    }

    /**
     * One step.
     *
     * @param side who
     * @param action what
     * @param on the channel: a name, {@code seeded 0}, or null for the latest
     * @param text the name that is offered or accepted, or the error's text; else empty
     * @param bytes how many; 0 where it is not about bytes
     * @param afterWrite how many writes to the transport had been made
     */
    public record Step(Side side, Action action, @Nullable String on, String text, long bytes, int afterWrite) {}

    private static final Pattern LINE = Pattern.compile(
            "(?<side>[ab])(?: |')(?:on (?<on>seeded \\d+|it|'[^']*') )?(?<what>.*?)(?: \\[after write (?<after>\\d+)\\])?");

    private final Trace trace;
    private final List<Step> steps = new ArrayList<>();

    private Story(Trace trace) {
        this.trace = trace;
    }

    /** The steps of a trace, those of both sides, in the order in which they were done. */
    public static List<Step> of(Trace trace) throws ProtocolViolationException {
        Story story = new Story(trace);
        int afterWrite = 0;
        for (String line : trace.story()) {
            Step step = parse(line, afterWrite);
            afterWrite = step.afterWrite();
            story.steps.add(step);
        }
        story.addUntold(Side.A);
        story.addUntold(Side.B);
        story.steps.sort(Comparator.comparingInt(Step::afterWrite));
        return story.steps;
    }

    private static Step parse(String line, int lastAfterWrite) {
        Matcher whole = LINE.matcher(line);
        if (!whole.matches()) {
            throw new IllegalArgumentException("expected a line of a story, got: " + line);
        }
        String on = whole.group("on");
        String what = whole.group("what");
        for (Action action : Action.values()) {
            Matcher matcher = action.pattern.matcher(what);
            if (matcher.matches()) {
                String after = whole.group("after");
                return new Step(
                        Side.of(whole.group("side")),
                        action == Action.READ_RANGE ? Action.READ : action,
                        action == Action.WRITE_ID
                                ? matcher.group("name")
                                : on == null || on.equals("it") ? null : on.replace("'", ""),
                        group(matcher, "name"),
                        bytes(matcher),
                        after == null ? lastAfterWrite : Integer.parseInt(after));
            }
        }
        throw new IllegalArgumentException("expected a deed that is known, got: " + line);
    }

    private static long bytes(Matcher matcher) {
        if (matcher.pattern().pattern().contains("?<from>")) {
            return Long.parseLong(matcher.group("to")) - Long.parseLong(matcher.group("from")) + 1;
        }
        String bytes = group(matcher, "bytes");
        return bytes.isEmpty() ? 0 : Long.parseLong(bytes.replace(",", ""));
    }

    private static String group(Matcher matcher, String name) {
        return matcher.pattern().pattern().contains("?<" + name + ">") ? matcher.group(name) : "";
    }

    // ---- What only the frames tell

    private void addUntold(Side side) throws ProtocolViolationException {
        boolean offers = tells(side, Action.OFFER, Action.CREATE);
        boolean accepts = tells(side, Action.ACCEPT, Action.ACCEPT_BY_ID);
        boolean writes = tells(side, Action.WRITE, Action.WRITE_ID);
        Map<ChannelId, String> names = new HashMap<>();
        for (Side either : Side.values()) {
            for (TraceFrames.Located located : TraceFrames.all(trace, either)) {
                if (located.frame() instanceof Frame.Offer offer) {
                    names.put(either == side ? offer.id() : Turned.id(offer.id()), offer.name());
                }
            }
        }
        Map<ChannelId, Step> written = new LinkedHashMap<>();
        for (TraceFrames.Located located : TraceFrames.all(trace, side)) {
            Frame frame = located.frame();
            int before = writesBefore(side, located.endOffset());
            String name = names.getOrDefault(frame.id(), "");
            if (frame instanceof Frame.Offer && !offers) {
                steps.add(new Step(side, Action.OFFER, null, name, 0, before));
            } else if (frame instanceof Frame.OfferAccepted && !accepts) {
                steps.add(new Step(side, Action.ACCEPT, null, name, 0, before));
            } else if (frame instanceof Frame.Content content && !writes) {
                Step first = written.getOrDefault(content.id(), new Step(side, Action.WRITE, name, "", 0, before));
                long bytes = first.bytes() + content.payload().readableBytes();
                written.put(content.id(), new Step(side, Action.WRITE, name, "", bytes, first.afterWrite()));
            }
        }
        steps.addAll(written.values());
    }

    private boolean tells(Side side, Action one, Action other) {
        return steps.stream().anyMatch(step -> step.side() == side && (step.action() == one || step.action() == other));
    }

    /** How many writes had been made before the one that holds the byte before an offset. */
    private int writesBefore(Side side, long endOffset) {
        long offset = 0;
        for (int i = 0; i < trace.writes().size(); i++) {
            Trace.Write write = trace.writes().get(i);
            if (write.side() == side) {
                offset += write.bytes().length;
                if (offset >= endOffset) {
                    return i;
                }
            }
        }
        throw new AssertionError(endOffset + " bytes of " + side + " in " + trace);
    }
}
