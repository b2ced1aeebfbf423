/**
 * Channels for code that waits: an input stream, an output stream and a byte channel over a {@link io.muxstream.netty.MuxChannel}. The only
 * part that may block a thread, and never an event loop's.
 */
@NullMarked
package io.muxstream.netty.stream;

import org.jspecify.annotations.NullMarked;
