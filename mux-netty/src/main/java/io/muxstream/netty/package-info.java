/** The protocol on Netty: a connection's handler, and each channel as a Netty channel of its own. */
@NullMarked
@CheckReturnValue
package io.muxstream.netty;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
