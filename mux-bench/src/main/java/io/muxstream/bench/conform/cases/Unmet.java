package io.muxstream.bench.conform.cases;

/** An expectation that was not met; the message tells what was expected and what came. */
final class Unmet extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unmet(String message) {
        super(message);
    }
}
