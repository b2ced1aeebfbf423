/** The engine: one party of one connection as a state machine, without input or output, clock or chance of its own. */
@NullMarked
@CheckReturnValue
package io.muxstream.protocol.connection;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
