/** The command {@code session}: a remote host, and what somebody does there over one connection. */
@NullMarked
@CheckReturnValue
package io.muxstream.bench.session;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
