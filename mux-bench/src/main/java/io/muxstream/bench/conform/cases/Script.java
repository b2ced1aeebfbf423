package io.muxstream.bench.conform.cases;

/** What a case does. */
@FunctionalInterface
interface Script {
    /**
     * Plays it to its end.
     *
     * @throws Unmet where what came is not what was expected
     */
    void play(Scene scene) throws Exception;
}
