package io.muxstream.bench.session;

/**
 * By what a change of a file shows.
 *
 * @param bytes its length
 * @param modifiedNanos when it was last modified, nanoseconds since 1970
 */
record FileStamp(long bytes, long modifiedNanos) {
    static final FileStamp NONE = new FileStamp(0, 0);
}
