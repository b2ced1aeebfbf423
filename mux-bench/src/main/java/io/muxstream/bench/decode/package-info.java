/** The command {@code decode}: bytes that were on the wire, a frame a line. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench.decode;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
