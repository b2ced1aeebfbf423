package io.muxstream.bench.conform.cases;

import java.util.Set;

/** One thing that the spec says, and how it is looked at. */
public final class Case {
    private final String name;
    private final String section;
    private final Level level;
    private final Set<Integer> versions;
    private final String expected;
    private final Script script;

    Case(String name, String section, Level level, Set<Integer> versions, String expected, Script script) {
        this.name = name;
        this.section = section;
        this.level = level;
        this.versions = versions;
        this.expected = expected;
        this.script = script;
    }

    /** Its unique name, in words joined by hyphens. */
    public String name() {
        return name;
    }

    /** The number of the spec's section. */
    public String section() {
        return section;
    }

    /** How strongly the spec asks for it. */
    public Level level() {
        return level;
    }

    /** The versions of the protocol that it is about. */
    public Set<Integer> versions() {
        return versions;
    }

    /** What is expected, in a sentence. */
    public String expected() {
        return expected;
    }

    /** Plays it against a server, and tells what came. It never throws but for an interruption. */
    public Outcome play(Target target) throws InterruptedException {
        try (Scene scene = new Scene(target)) {
            try {
                script.play(scene);
                return new Outcome(true, scene.story());
            } catch (InterruptedException e) {
                throw e;
            } catch (Unmet e) {
                return new Outcome(false, e.getMessage() + "; " + scene.story());
            } catch (Exception e) {
                return new Outcome(false, e + "; " + scene.story());
            }
        }
    }

    /**
     * How a case ended.
     *
     * @param met whether what was expected came
     * @param came what came
     */
    public record Outcome(boolean met, String came) {}
}
