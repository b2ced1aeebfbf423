package io.muxstream.bench.conform;

/**
 * A case and what became of it.
 *
 * @param level {@code must} or {@code should}
 * @param millis how long it took
 */
record Result(String name, String section, String level, Verdict verdict, String expected, String came, long millis) {}
