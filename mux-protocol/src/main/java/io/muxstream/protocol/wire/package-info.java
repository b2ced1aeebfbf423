/** Bytes to frames and back: one codec a wire format, and the handshakes. */
@NullMarked
@CheckReturnValue
package io.muxstream.protocol.wire;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
